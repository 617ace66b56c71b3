"""feed.db: which people a space has, how far the log tells of each, and what of them may not be read any more. No text."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Column, Index, Integer, LargeBinary, MetaData, Text, func, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.ids import EventNumber, Scope, Slot, Space
from shared.contracts.privacy import ForgettingCompleted, ForgettingTakenBack, MemoryForgotten, UserForgotten
from shared.domain.digests import Digester
from shared.domain.gaps import Range, explained
from shared.runtime.bulk import Batch, rows_into
from shared.runtime.projection_file import table_by_scope
from shared.runtime.projector import Recorded
from shared.runtime.worklist import Worklist

_SCHEMA = MetaData()
_PERSON = table_by_scope(
    "person",
    _SCHEMA,
    Column("space", LargeBinary, nullable=False),  # keyed
    Column("slot", Integer, nullable=False),
    Column("position", Integer, nullable=False),  # of the last event
)
Index("person_by_space", _PERSON.c.space, _PERSON.c.position)
_HIDDEN = table_by_scope(
    "hidden",
    _SCHEMA,
    Column("forget_id", Text, primary_key=True),
    Column("first", Integer, primary_key=True),  # number of an event
    Column("last", Integer, nullable=False),
)
_TAKEN_BACK = table_by_scope("taken_back", _SCHEMA, Column("forget_id", Text, primary_key=True))
_LAST = rows_into(_PERSON, over=("position",))
_HIDE = rows_into(_HIDDEN, over=("last",))


class Member(NamedTuple):
    """A person of a space, and the position of the last event about them."""

    scope: Scope
    slot: Slot
    position: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What may not be read of a person: what is forgotten but not erased yet, and forgettings that were taken back."""

    hidden: list[Range] = field(default_factory=list)
    taken_back: set[str] = field(default_factory=set)

    def hides(self, number: EventNumber) -> bool:
        """True for an event that is forgotten."""
        return any(first <= number <= last for first, last in self.hidden)


class FeedStore(Worklist):
    """Follows the people of every space, and what of them is forgotten."""

    name = "feed"
    schema = _SCHEMA
    version = "1"
    digested = (_HIDDEN, _PERSON, _TAKEN_BACK)

    def apply_event(self, db: Batch, recorded: Recorded) -> None:
        """Note how far the log tells of the person, and what is hidden from now on, or not any more."""
        scope, event = recorded.scope, recorded.event
        if not event.is_of_person:
            return
        person = {"scope": scope, "space": space_key(self._digester, Space(event.space)), "slot": int(recorded.slot_of_scope)}
        db.add(_LAST, (_PERSON.name, scope), person | {"position": int(recorded.position)})
        match event.data:
            case UserForgotten(through_number=through) if through:
                for table in (_HIDDEN, _TAKEN_BACK):
                    db.execute(table.delete().where(table.c.scope == scope))
                _hide(db, recorded, event.data)
            case MemoryForgotten():
                _hide(db, recorded, event.data)
            case ForgettingCompleted(forget_id=forget_id):
                _unhide(db, scope, forget_id)
            case ForgettingTakenBack(forget_id=forget_id):
                _unhide(db, scope, forget_id)
                db.execute(insert(_TAKEN_BACK).on_conflict_do_nothing(), {"scope": scope, "forget_id": forget_id})
            case _:
                pass

    def is_news(self, _: Recorded) -> bool:
        """True: somebody may wait for any event."""
        return True

    def _forget(self, db: Batch, recorded: Recorded) -> None:
        """Nothing: what is erased changes no row here but those that `apply_event` has deleted."""

    def last_position(self, space: Space) -> int:
        """The position of the last event of a space; 0 if it has none."""
        query = select(func.max(_PERSON.c.position)).where(_PERSON.c.space == space_key(self._digester, space))
        with self.transaction() as db:
            return db.scalar(query) or 0

    def members(self, space: Space, *, after: int, scope: Scope | None = None) -> list[Member]:
        """The people of a space, or one of them, of whom the log tells something after a position."""
        query = select(_PERSON.c.scope, _PERSON.c.slot, _PERSON.c.position)
        query = query.where(_PERSON.c.space == space_key(self._digester, space), _PERSON.c.position > after)
        with self.transaction() as db:
            rows = db.execute(query if scope is None else query.where(_PERSON.c.scope == scope)).all()
        return [Member(Scope(row.scope), Slot(row.slot), row.position) for row in rows]

    def withheld(self, space: Space) -> Mapping[Scope, Unreadable]:
        """What may not be read of the people of a space."""
        found = defaultdict[Scope, Unreadable](Unreadable)
        members = select(_PERSON.c.scope).where(_PERSON.c.space == space_key(self._digester, space))
        with self.transaction() as db:
            for row in db.execute(select(_HIDDEN).where(_HIDDEN.c.scope.in_(members))):
                found[Scope(row.scope)].hidden.append((row.first, row.last))
            for row in db.execute(select(_TAKEN_BACK).where(_TAKEN_BACK.c.scope.in_(members))):
                found[Scope(row.scope)].taken_back.add(row.forget_id)
        return found


def space_key(digester: Digester, space: Space) -> bytes:
    """16 bytes that stand for a space."""
    return digester.digest("space", space)


def _hide(db: Batch, recorded: Recorded, data: MemoryForgotten | UserForgotten) -> None:
    for first, last in explained(data):
        row = {"scope": recorded.scope, "forget_id": data.forget_id, "first": first, "last": last}
        db.add(_HIDE, (_HIDDEN.name, recorded.scope, data.forget_id, first), row)


def _unhide(db: Batch, scope: Scope, forget_id: str) -> None:
    db.execute(_HIDDEN.delete().where(_HIDDEN.c.scope == scope, _HIDDEN.c.forget_id == forget_id))
