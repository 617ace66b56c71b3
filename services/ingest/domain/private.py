"""What a person does not want kept: incognito sessions, tombstones, and what was forgotten, as keyed hashes."""

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from struct import iter_unpack
from typing import Any

from services.ingest.domain.likeness import Likeness, match
from services.ingest.domain.simhash import hashes_of
from services.ingest.domain.telling import Passages, SaidWords, TellingWords, tells
from shared.contracts.envelope import Envelope
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import CommandId, MemoryId, SessionId
from shared.contracts.parts import Role
from shared.contracts.privacy import (
    ChatCommandRead,
    ForgettingTakenBack,
    GraceEnded,
    IncognitoEnded,
    IncognitoStarted,
    MemoryForgotten,
    Tombstone,
    TombstoneLifted,
    UserForgotten,
)
from shared.language.commands.command import ChatCommandName

DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Stone:
    """A tombstone: the likeness of a statement that was forgotten."""

    likeness: Likeness
    number: int  # of the forgetting: what is older stays blocked for ever
    at: datetime  # when it was forgotten
    until: datetime  # until then only a save by hand brings it back
    telling: TellingWords  # by which it is recognised in other words


WITHHELD = frozenset((ChatCommandName.NOT_THIS.value, ChatCommandName.NOT_NEXT.value))
"""Chat commands that reach further than their turn: to the answer to it, or to the next turn."""


DOUBTED = "doubted"
"""What is kept of a session in which a turn was withheld that may have asked for it, until the next turn."""
JUST_FORGOTTEN, FORGOTTEN_BEFORE = "just_forgotten", "forgotten_before"
OFFERS = frozenset((JUST_FORGOTTEN, FORGOTTEN_BEFORE))
"""What is kept of a session in which something was forgotten that can be taken back: by the last turn, or by an earlier one."""


NO_QUESTIONS = WITHHELD | OFFERS | {DOUBTED}
"""What may stand in the place of an open question, and is answered by neither a yes nor a no as such."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the next turn is read with: a doubtful command that was asked back, one that withholds what follows, or an offer."""

    command: str
    memory_ids: tuple[MemoryId, ...]


@dataclass(frozen=True, slots=True)
class Privacy:
    """The privacy of one scope. Of sessions, forgotten commands and values it holds those that a decision asked for."""

    tombstones: Mapping[bytes, Stone] = field(default_factory=dict)  # by digest
    forgotten_commands: frozenset[CommandId] = frozenset()
    forgotten_values: frozenset[bytes] = frozenset()  # digests of the words of turns
    incognito: frozenset[SessionId] = frozenset()
    kept: frozenset[SessionId] = frozenset()  # that somebody said are not incognito, whatever the default
    questions: Mapping[SessionId, Question] = field(default_factory=dict)
    waiting: Mapping[str, int] = field(default_factory=dict)  # forgettings that can be taken back: the number of the last event
    is_elsewhere_incognito: bool = False  # in a session that the decision did not ask for
    is_any: bool = False  # ever: where not, nothing needs to be looked up

    @property
    def is_incognito(self) -> bool:
        """True while any session is incognito."""
        return self.is_elsewhere_incognito or bool(self.incognito)

    def stones_alike(self, found: Likeness) -> dict[bytes, Stone]:
        """The tombstones that match a likeness, by digest: several near-duplicates may have been forgotten."""
        return {digest: stone for digest, stone in self.tombstones.items() if match(stone.likeness, found)}

    def stones_told(self, said: Sequence[SaidWords], *, by_others: bool) -> dict[bytes, Stone]:
        """The tombstones of what a text states in any passage, by digest. `by_others`: its person did not say it."""
        if not self.tombstones:
            return {}
        near = Passages(said)
        return {
            digest: stone
            for digest, stone in self.tombstones.items()
            if any(tells(stone.telling, passage, by_others=by_others) for passage in near.sharing_a_word(stone.telling))
        }


def after(privacy: Privacy, event: Envelope) -> Privacy:
    """The privacy after an event."""
    change = _CHANGES.get(type(event.data))
    return change(privacy, event.data, event) if change else privacy


def commands_of(data: MemoryForgotten | UserForgotten) -> frozenset[CommandId]:
    """Ids of the commands that must never take effect again."""
    return frozenset(map(CommandId, map(bytes.hex, digests_in(b64decode(data.commands)))))


def values_of(data: MemoryForgotten | UserForgotten) -> frozenset[bytes]:
    """Digests of turns that an import may not bring back."""
    return frozenset(digests_in(b64decode(data.values)))


def digests_in(packed: bytes) -> list[bytes]:
    """The digests in packed bytes."""
    return [digest for (digest,) in iter_unpack(f"{DIGEST_BYTES}s", packed)]


def _forgotten(privacy: Privacy, data: MemoryForgotten, event: Envelope) -> Privacy:
    stones = {bytes.fromhex(stone.digest): _stone(stone, event) for stone in data.tombstones}
    return replace(
        privacy,
        tombstones={**privacy.tombstones, **stones},
        forgotten_commands=privacy.forgotten_commands | commands_of(data),
        forgotten_values=privacy.forgotten_values | values_of(data),
        waiting={**privacy.waiting, data.forget_id: event.number} if data.erase_at else privacy.waiting,
        is_any=True,
    )


def _waits_no_more(privacy: Privacy, data: ForgettingTakenBack | GraceEnded, _: Envelope) -> Privacy:
    return replace(privacy, waiting={each: number for each, number in privacy.waiting.items() if each != data.forget_id})


def _stone(stone: Tombstone, event: Envelope) -> Stone:
    """A tombstone as its event has it."""
    alike = Likeness(bytes.fromhex(stone.digest), int(stone.simhash, 16), bytes.fromhex(stone.guard), b64decode(stone.tokens))
    telling = TellingWords(
        *(hashes_of(b64decode(each)) for each in (stone.words, stone.light, stone.names, stone.alone, stone.rare, stone.must))
    )
    return Stone(alike, event.number, event.recorded_at, stone.until, telling)


def _questions(privacy: Privacy, data: ChatCommandRead) -> Mapping[SessionId, Question]:
    left = {session: asked for session, asked in privacy.questions.items() if session != data.session_id}
    if data.outcome == "done" and data.command in WITHHELD:
        left[data.session_id] = Question(data.command, ())
    if data.erase_at:
        left[data.session_id] = Question(JUST_FORGOTTEN, ())
    elif data.outcome == "done" and data.command == ChatCommandName.TAKE_BACK.value:  # perhaps of more
        left[data.session_id] = Question(FORGOTTEN_BEFORE, ())
    if data.outcome == "asked_back":
        before = privacy.questions[data.session_id].memory_ids if data.continues else ()
        is_withheld = data.command == ChatCommandName.NOT_THIS.value
        left[data.session_id] = Question(DOUBTED if is_withheld else data.command, (*before, *data.memory_ids))
    return left


def _incognito_started(privacy: Privacy, data: IncognitoStarted, _: Envelope) -> Privacy:
    session = {data.session_id}
    return replace(privacy, incognito=privacy.incognito | session, kept=privacy.kept - session, is_any=True)


def _incognito_ended(privacy: Privacy, data: IncognitoEnded, _: Envelope) -> Privacy:
    session = {data.session_id}
    return replace(privacy, incognito=privacy.incognito - session, kept=privacy.kept | session, is_any=True)


def _user_forgotten(privacy: Privacy, data: UserForgotten, _: Envelope) -> Privacy:
    return Privacy(
        forgotten_commands=privacy.forgotten_commands | commands_of(data),
        forgotten_values=privacy.forgotten_values | values_of(data),
        is_any=True,
    )


def _lifted(privacy: Privacy, data: TombstoneLifted, _: Envelope) -> Privacy:
    left = {digest: stone for digest, stone in privacy.tombstones.items() if digest.hex() != data.digest}
    return replace(privacy, tombstones=left)


def _read(privacy: Privacy, data: ChatCommandRead, _: Envelope) -> Privacy:
    return replace(privacy, questions=_questions(privacy, data), is_any=True)


def _said(privacy: Privacy, data: EpisodeRecorded, _: Envelope) -> Privacy:
    """Close the session's open question after any turn of the user; an offer lasts, though less is understood as its answer."""
    asked = privacy.questions.get(data.session_id)
    if asked is None or data.role is not Role.USER or asked.command == FORGOTTEN_BEFORE:
        return privacy
    left = {session: question for session, question in privacy.questions.items() if session != data.session_id}
    if asked.command == JUST_FORGOTTEN:
        left[data.session_id] = Question(FORGOTTEN_BEFORE, ())
    return replace(privacy, questions=left)


_CHANGES: dict[type, Callable[[Privacy, Any, Envelope], Privacy]] = {
    IncognitoStarted: _incognito_started,
    IncognitoEnded: _incognito_ended,
    MemoryForgotten: _forgotten,
    ForgettingTakenBack: _waits_no_more,
    GraceEnded: _waits_no_more,
    UserForgotten: _user_forgotten,
    TombstoneLifted: _lifted,
    ChatCommandRead: _read,
    EpisodeRecorded: _said,
}
