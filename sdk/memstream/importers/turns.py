"""What importers make of a file: turns, facts and bad records, whose they are, and ids that are equal at every reading."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from memstream._contracts import (
    ImportedRecord,
    ImportedTurn,
    InvalidToken,
    MessageId,
    encode_token,
)

_Owned = TypeVar("_Owned")
_MOST_PROBLEMS = 3
_MOST_CHARACTERS = 128


class Owner(NamedTuple):
    """The person whose conversation it is, and the space."""

    space: str
    user: str


class OwnedTurn(NamedTuple):
    """A turn of somebody's past."""

    owner: Owner
    turn: ImportedTurn


class OwnedFact(NamedTuple):
    """Something that was known about somebody, as the record of an export."""

    owner: Owner
    record: ImportedRecord


class BadRecord(NamedTuple):
    """A record that cannot be imported: where it stands in the file, which field is wrong, why, and the record itself."""

    place: str
    field: str | None
    reason: str
    record: object

    @property
    def told(self) -> str:
        """Where and why, without what it says."""
        return f"{self.place}: {self.field}: {self.reason}" if self.field else f"{self.place}: {self.reason}"


class Assumed(NamedTuple):
    """What counts where a record does not say it: whose it is, in which session, and in which time zone."""

    owner: Owner
    session_id: str | None = None
    zone: tzinfo | None = None


@dataclass(slots=True)
class Parsed:
    """The turns and facts of a file, what cannot be imported of it, and how many records hold nothing to remember."""

    turns: list[OwnedTurn] = field(default_factory=list)
    facts: list[OwnedFact] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)
    left_out: int = 0


class BadField(ValueError):
    """A field of a record is wrong. It never leaves the importers."""

    def __init__(self, name: str | None, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        self.reason = reason


def turn_of(fields: Mapping[str, Any]) -> ImportedTurn:
    """A turn of these fields. Raises BadField, which names those that do not fit."""
    try:
        return ImportedTurn.model_validate(fields)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[:_MOST_PROBLEMS]
        problems = [(".".join(map(str, each["loc"])), each["msg"]) for each in found]
        if len(problems) == 1:
            raise BadField(*problems[0]) from error
        raise BadField(
            ", ".join(name for name, _ in problems), "; ".join(f"{name}: {why}" for name, why in problems)
        ) from error


def owner_of(space: object, user: object, *, default: Owner) -> Owner:
    """The person whom a record names, else the default. Raises BadField."""
    return Owner(_name("space", space, default.space), _name("user", user, default.user))


def _name(what: str, value: object, default: str) -> str:
    if value is None or value == "":
        return default
    if not isinstance(value, str):
        raise BadField(what, "it must be a string")
    try:
        encode_token(value)
    except InvalidToken as error:
        raise BadField(what, error.message) from error
    return value


def dated(turns: Sequence[OwnedTurn], unknown: datetime | None) -> list[OwnedTurn]:
    """The turns, each with a time: its own, else that of the turn before it in its session, else behind it, else `unknown`."""
    found = list(turns)
    for places in (range(len(found)), reversed(range(len(found)))):
        near: dict[tuple[Owner, str], datetime] = {}
        for place in places:
            owner, turn = found[place]
            if at := turn.occurred_at or near.get((owner, turn.session_id)):
                near[owner, turn.session_id] = at
                found[place] = OwnedTurn(owner, turn.model_copy(update={"occurred_at": at}))
    late = {"occurred_at": unknown}
    return [each if each.turn.occurred_at else OwnedTurn(each.owner, each.turn.model_copy(update=late)) for each in found]


def digest_of(*parts: str) -> str:
    """32 hexadecimal digits that stand for these texts."""
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class TurnNames:
    """Gives turns that came without an id one by what they say: whatever is mended in a file, the others keep theirs."""

    def __init__(self) -> None:
        self._ordinals: dict[tuple[Owner, str, str], int] = {}

    def named(self, turn: ImportedTurn, owner: Owner) -> OwnedTurn:
        """The turn with an id."""
        if turn.message_id is None:
            said = owner, turn.session_id, turn.text
            ordinal = self._ordinals[said] = self._ordinals.get(said, -1) + 1
            message_id = MessageId(f"imported-{digest_of(owner.user, turn.session_id, str(ordinal), turn.text)}")
            turn = turn.model_copy(update={"message_id": message_id})
        return OwnedTurn(owner, turn)


def known_fact(owner: Owner, *, source: str, key: str, text: object, told_at: object, tags: Iterable[str] = ()) -> OwnedFact:
    """A fact that another memory knew under this key. The same one is imported once, however often. Raises BadField.

    `told_at`: when it became known there, a moment with a time zone.
    """
    if not isinstance(text, str) or not text.strip():
        raise BadField("text", "there is no text")
    identity = digest_of("fact", source, owner.space, owner.user, key, text)
    data = {
        "memory_id": f"fact_{identity[:24]}",
        "text": text.strip(),
        "manually_saved": True,
        "source_ids": [f"{source}:{key}"[:256]],
        "tags": [tag for tag in dict.fromkeys(tags) if 0 < len(tag) <= _MOST_CHARACTERS],
    }
    fields = {"record_id": identity, "command_id": identity, "type": "fact_remembered", "occurred_at": told_at, "data": data}
    try:
        return OwnedFact(owner, ImportedRecord.model_validate(fields))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise BadField(".".join(map(str, problem["loc"])) or None, problem["msg"]) from error


def by_owner(owned: Iterable[tuple[Owner, _Owned]]) -> dict[Owner, list[_Owned]]:
    """Each person's turns or facts, in the order in which they came."""
    owners: dict[Owner, list[_Owned]] = {}
    for owner, each in owned:
        owners.setdefault(owner, []).append(each)
    return owners
