"""Subjects and their tokens: the only place that knows how a subject is spelled.

A space or user id becomes one token by percent-encoding its UTF-8 bytes. Each id has exactly one encoding (upper-case hex,
nothing encoded without need), so two spellings can never be two users.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Literal, NamedTuple
from urllib.parse import unquote_to_bytes

from .errors import InvalidToken
from .ids import Scope, Slot, Space, User

SLOTS = 64
"""Number of partitions. Written into the SEND stream's subject transform; never changes for a log."""

MAX_TOKEN_BYTES = 128
"""Longest id, in bytes of UTF-8 before encoding."""

GATE = "gate"
"""Before the subject of what a bot sends or asks that is limited to spaces, where the services take it."""

PART = "part"
"""Before the subject of a question that one worker passes on to another, with the number of parts and that of the part."""

INGEST_PART = "ingest-part"
"""The same of several ingests."""

NOBODY = "%"
"""The token of a space or a user where none is meant; no id has it."""

_WITHOUT_SLOT = 4
_MUST_ENCODE = re.compile(rb"[^!-~]|[.*>%]")


def encode_token(text: str, what: str = "id") -> str:
    """The canonical token of an id; `what` names it in errors. Raises InvalidToken: empty, too long, or not valid Unicode.

    >>> encode_token("a.b c%")
    'a%2Eb%20c%25'
    """
    if not isinstance(text, str):
        raise InvalidToken(f"the {what} must be a string")
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidToken(f"the {what} holds half of a surrogate pair; send valid Unicode") from error
    if not raw:
        raise InvalidToken(f"the {what} is empty; use 1 to {MAX_TOKEN_BYTES} bytes of UTF-8")
    if len(raw) > MAX_TOKEN_BYTES:
        raise InvalidToken(f"the {what} has {len(raw)} bytes; use 1 to {MAX_TOKEN_BYTES} bytes of UTF-8")
    return _MUST_ENCODE.sub(lambda match: b"%%%02X" % match[0][0], raw).decode("ascii")


def decode_token(token: str, what: str = "id") -> str:
    """The id of a canonical token; `what` names it in errors. Raises InvalidToken for any other spelling of it.

    >>> decode_token("a%2Eb")
    'a.b'
    """
    try:
        text = unquote_to_bytes(token).decode()
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise InvalidToken(f"the token of the {what} does not decode to UTF-8; percent-encode its UTF-8 bytes") from error
    canonical = encode_token(text, what)
    if canonical != token:
        raise InvalidToken(f"the token of the {what} is not in canonical encoding; write it as {canonical}")
    return text


def inbox_prefix(user: str, password: str) -> str:
    """The beginning of the reply subjects of a user of the server, to which it alone may subscribe.

    Who may send a request may name any reply subject, and its answer is delivered there. Nobody can guess this one.

    >>> inbox_prefix("bot", "secret")
    '_INBOX.bot.2ee2565bf1d3df458972733201fb753f'
    """
    return f"_INBOX.{user}.{sha256(f'memstream inbox {user} {password}'.encode()).hexdigest()[:32]}"


def slot_of(user: User) -> Slot:
    """The partition of a user: FNV-1a (32 bits) of the encoded token modulo 64, as nats-server's `partition(64,3)` does.

    Source: nats-server `subject_transform.go`, getHashPartition.
    """
    return slot_of_token(encode_token(user))


def slot_of_token(token: str) -> Slot:
    """The partition of a user's token; of one that is not ASCII, which is nobody's, some partition."""
    hashed = 0x811C9DC5
    for byte in token.encode("ascii", "replace"):
        hashed = ((hashed ^ byte) * 0x01000193) & 0xFFFFFFFF
    return Slot(hashed % SLOTS)


def part_subject(subject: str, *, index: int | Literal["*"], count: int, of: str = PART) -> str:
    """Where a worker passes on what came on a subject to the one that has this part of all people.

    >>> part_subject("ask.home.anna.context", index=1, count=2)
    'part.2.1.ask.home.anna.context'
    """
    return f"{of}.{count}.{index}.{subject}"


def decode_names(space_token: str, user_token: str) -> tuple[Space, User]:
    """The space and the user of a subject. Raises InvalidToken, which says which of them is wrong."""
    return Space(decode_token(space_token, "space")), User(decode_token(user_token, "user id"))


def _names(space: Space, user: User) -> str:
    return f"{encode_token(space, 'space')}.{encode_token(user, 'user id')}"


def send_subject(space: Space, user: User, what: str) -> str:
    """Where a bot publishes."""
    return f"send.{_names(space, user)}.{what}"


def work_subject(space: Space, user: User, what: str) -> str:
    """Where a service publishes what it worked out."""
    return f"work.{_names(space, user)}.{what}"


def installation_subject(what: str) -> str:
    """Where a service publishes what concerns no person.

    >>> installation_subject("finish_job")
    'work.%.%.finish_job'
    """
    return f"work.{NOBODY}.{NOBODY}.{what}"


def ask_subject(space: Space, user: User, query: str) -> str:
    """Where a query is requested."""
    return f"ask.{_names(space, user)}.{query}"


def read_subject(space: Space) -> str:
    """Where a reader requests the events of a space."""
    return f"read.{encode_token(space, 'space')}.events"


def event_subject(space: Space, user: User, event_type: str) -> str:
    """Where readers of a space hear an event when it is recorded. One that names no user stands under `%`, which is no id.

    >>> event_subject(Space("shop"), User(""), "user_forgotten")
    'events.shop.%.user_forgotten'
    """
    return f"events.{encode_token(space, 'space')}.{encode_token(user, 'user id') if user else NOBODY}.{event_type}"


class SentSubject(NamedTuple):
    """A subject of the SEND stream, as stored: `send.<slot>.<space>.<user>.<what>`, tokens still encoded."""

    channel: str
    slot: Slot
    space_token: str
    user_token: str
    what: str
    has_slot: bool = True  # False: it was published with a wildcard in it, names nobody, and lane 0 refuses it

    @classmethod
    def parse(cls, subject: str) -> SentSubject:
        """Split a stored subject. The stream's transform adds the slot, but not where a token is `*` or `>`: see has_slot."""
        tokens = subject.split(".")
        if len(tokens) == _WITHOUT_SLOT:
            channel, space, user, what = tokens
            return cls(channel, Slot(0), space, user, what, has_slot=False)
        channel, slot, space, user, what = tokens
        return cls(channel, Slot(int(slot)), space, user, what)

    @property
    def is_of_installation(self) -> bool:
        """True where a service means nobody."""
        return self.channel == "work" and self.space_token == self.user_token == NOBODY


def memory_subject(slot: Slot, scope: Scope, event_type: str) -> str:
    """Where ingest appends an event."""
    return f"memory.{slot}.{scope}.{event_type}"


def scope_filter(slot: Slot | None, scope: Scope, event_type: str = ">") -> str:
    """Every event of one scope, or of one type; also the subject of its expected version. No slot: whichever it is in."""
    return f"memory.{'*' if slot is None else slot}.{scope}.{event_type}"


def slot_filter(slot: Slot) -> str:
    """Every event of one slot."""
    return f"memory.{slot}.>"


def scope_of_subject(subject: str) -> Scope:
    """The scope in a log subject."""
    return Scope(subject.split(".", 3)[2])


def slot_of_subject(subject: str) -> Slot:
    """The slot in a log subject."""
    return Slot(int(subject.split(".", 2)[1]))


def rejected_subject(sent: SentSubject) -> str:
    """Where ingest keeps what it refused: with the person that it means, in the canonical spelling.

    Tokens that mean nobody are encoded once more, as they came.
    """
    space, user, what = (_canonical(token) for token in (sent.space_token, sent.user_token, sent.what))
    return f"rejected.{sent.slot if user == sent.user_token else slot_of_token(user)}.{space}.{user}.{what}"


def meant_names(sent: SentSubject) -> tuple[Space, User] | None:
    """The space and the user that a stored subject means, however they are spelt; None where it means nobody."""
    space, user = _meant(sent.space_token), _meant(sent.user_token)
    return (Space(space), User(user)) if space and user else None


def may_mean(sent: SentSubject, space: Space, user: User) -> bool:
    """True if a stored subject may mean this person, in whatever spelling; so may one that was kept encoded once more."""
    return _may_mean(sent.space_token, space) and _may_mean(sent.user_token, user)


def _may_mean(token: str, name: str) -> bool:
    meant = _meant(token)
    return meant is not None and name in {meant, _meant(meant)}


def _meant(token: str) -> str | None:
    try:
        return unquote_to_bytes(token).decode()
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None


def _canonical(token: str) -> str:
    try:
        return encode_token(_meant(token) or "")
    except InvalidToken:
        return _MUST_ENCODE.sub(lambda match: b"%%%02X" % match[0][0], token.encode()).decode("ascii")
