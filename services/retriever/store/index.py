"""The index of the files: the last event of each scope, and how far the log is applied. It holds no names.

Several workers have it open, each for its own slots: what one writes concerns no person of another.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, Integer, MetaData, Table, Text, func, select
from sqlalchemy.dialects.sqlite import insert

from services.retriever.store.schema import SCHEMA_VERSION
from shared.contracts.ids import Scope
from shared.contracts.subjects import SLOTS
from shared.domain.gaps import Range
from shared.runtime.anchors import Anchor
from shared.runtime.bulk import rows_into
from shared.runtime.logs import log
from shared.runtime.projection_file import MISSING, QUARANTINE, ProjectionFile, table_by_scope
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import rows

_schema = MetaData()
_scope = table_by_scope(
    "scope",
    _schema,
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("slot", Integer, nullable=False),
)
_reached = Table(
    "reached",
    _schema,
    Column("first", Integer, primary_key=True),  # slot
    Column("last", Integer, nullable=False),
    Column("position", Integer, nullable=False),
)
"""Up to where the log is applied to the people of a range of slots. A range has one row, however often others divided it."""

_given = Table(
    "given",
    _schema,
    Column("recipient", Text, primary_key=True),  # keyed hash of a space and a person
    Column("scope", Text, primary_key=True),  # of the same person in another space: it gives, or once gave
    sqlite_with_rowid=False,
)
"""Whose files are read as well when somebody is asked about."""

_GIVE = insert(_given).on_conflict_do_nothing()
_LAST = rows_into(_scope, over=("number", "position"))
_REACHED = rows_into(_reached, over=("last", "position"))
_LAST_OF = "SELECT scope, number, position, slot FROM scope WHERE scope IN (SELECT value FROM json_each(:scopes))"
ALL_SLOTS = range(SLOTS)
_FILES = "files_version"
_MOST_KEPT = 10_000
"""Of so many scopes the last event is kept in memory."""


class Last(NamedTuple):
    """The last event of a scope."""

    number: int
    position: int
    slot: int


class Giving(NamedTuple):
    """What events say of whom a scope gives something."""

    recipients: frozenset[str]
    is_all: bool  # it gives nothing to others


class ScopeIndex(ProjectionFile):
    """index.db in a folder. One of another version is deleted and built from the log; the files beside it stay.

    It holds the version of people's files. If that is not the version of this code, it requests a rebuild of every file.
    """

    name = "retriever"
    schema = _schema
    version = "1"
    keeps = (MISSING, QUARANTINE)
    digested = (_scope, MISSING, _given)
    tallied = (_scope, _reached, _given)
    to_rebuild = Table("replay", MetaData(), Column("scope", Text, primary_key=True))

    def __init__(self, folder: Path, slots: range = ALL_SLOTS) -> None:
        self._slots = slots
        self._has_range = False
        self._last: dict[Scope, Last] = {}
        self._givers: dict[str, frozenset[Scope]] = {}
        super().__init__(folder / "index.db", is_shared=True)

        if self.meta(_FILES) != SCHEMA_VERSION:
            self._request_todays_files()

    def _request_todays_files(self) -> None:
        """Request that everybody's file is built anew. Raises ProjectionDamaged within `leaving_files`, where there are any."""
        with self.transaction() as db:
            if people := db.scalar(select(func.count()).select_from(_scope)):
                self._require_to_change_files()
                log.warning("files.outdated", projection=self.name, people=people)
            requests = self.to_rebuild.insert().prefix_with("OR IGNORE")
            db.execute(requests.from_select(["scope"], select(_scope.c.scope)))
            self._put(db, _FILES, SCHEMA_VERSION)
        self.read_again()

    def last(self, scopes: Sequence[Scope]) -> dict[Scope, Last]:
        """The last event of each of these scopes. Unknown scopes are left out."""
        with self._lock:
            found = {scope: self._last[scope] for scope in scopes if scope in self._last}
            if unknown := [scope for scope in scopes if scope not in found]:
                with self._telling_damage(), self._engine.connect() as db:  # no transaction: one would wait for writers
                    read = {Scope(scope): Last(*last) for scope, *last in rows(db, _LAST_OF, {"scopes": json.dumps(unknown)})}
                self._keep(read)
                found |= read
            return found

    def number(self, scope: Scope) -> int:
        """The number of the last event of a scope; 0 where it is unknown."""
        last = self.last([scope]).get(scope)
        return last.number if last else 0

    def scopes(self) -> list[Scope]:
        """All scopes of these slots, in order."""
        with self.transaction() as db:
            return [Scope(scope) for scope in db.scalars(select(_scope.c.scope).where(self._own).order_by(_scope.c.scope))]

    def missing(self) -> list[tuple[Scope, int, int]]:
        """The ranges of event numbers that the log lacks of these slots: (scope, first, last)."""
        own = set(self.scopes())
        return [each for each in super().missing() if each[0] in own]

    @property
    def position(self) -> int:
        """The position up to which the log is applied to all people of these slots."""
        with self.transaction() as db:
            reached = db.execute(select(_reached).where(self._overlapping)).all()
        begun = sum(min(row.last, self._slots[-1]) - max(row.first, self._slots[0]) + 1 for row in reached)
        return min(row.position for row in reached) if begun == len(self._slots) else 0

    def _take_back(self) -> None:
        super()._take_back()
        self._has_range = False

    def save_position(self, db: Connection, position: int) -> None:
        """Save the checkpoint of these slots; what others reached stays."""
        if not self._has_range:
            # of the ranges of others stays what is not of these slots
            others = db.execute(select(_reached).where(self._overlapping)).all()
            db.execute(_reached.delete().where(self._overlapping))
            before = [{"first": row.first, "last": self._slots[0] - 1, "position": row.position} for row in others]
            after = [{"first": self._slots[-1] + 1, "last": row.last, "position": row.position} for row in others]
            _REACHED.write(db, [row for row in (*before, *after) if row["first"] <= row["last"]])
            self._has_range = True
        _REACHED.write(db, [{"first": self._slots[0], "last": self._slots[-1], "position": position}])

    @property
    def _own(self) -> ColumnElement[bool]:
        return _scope.c.slot.between(self._slots[0], self._slots[-1])

    @property
    def _overlapping(self) -> ColumnElement[bool]:
        return (_reached.c.first <= self._slots[-1]) & (_reached.c.last >= self._slots[0])

    def _requested(self, db: Connection) -> list[Scope]:
        own = self.to_rebuild.c.scope.in_(select(_scope.c.scope).where(self._own))
        return [Scope(scope) for scope in db.scalars(select(self.to_rebuild.c.scope).where(own))]

    def read_again(self) -> None:
        """Forget what is kept of the file in memory: others may have written it since."""
        with self._lock:
            self._last.clear()
        self._has_range = False
        super().read_again()
        found: dict[str, set[Scope]] = {}
        with self.transaction() as db:
            for recipient, scope in db.execute(select(_given.c.recipient, _given.c.scope)):
                found.setdefault(recipient, set()).add(Scope(scope))
        self._givers = {recipient: frozenset(scopes) for recipient, scopes in found.items()}

    def save(
        self,
        last: Mapping[Scope, Last],
        position: int,
        *,
        gaps: Mapping[Scope, Sequence[Range]] | None = None,
        to_rebuild: Iterable[Scope] = (),
        newest: Anchor | None = None,
        giving: Mapping[Scope, Giving] | None = None,
    ) -> None:
        """Save last events, checkpoint, gaps, requests for rebuilds, who gives, and the newest event in one transaction."""
        with self.transaction() as db:
            _LAST.write(db, [{"scope": scope, **end._asdict()} for scope, end in last.items()])
            self.save_gaps(db, gaps or {})
            for scope in to_rebuild:
                self.ask_rebuild(db, scope)
            for scope, given in (giving or {}).items():
                _give(db, scope, given)
            self.save_position(db, position)
            if newest is not None:
                self.save_anchor(db, newest)
        with self._lock:
            self._keep(last)
            for scope, given in (giving or {}).items():
                self._take_up(scope, given)

    @property
    def is_anything_given(self) -> bool:
        """Whether anybody ever shared anything."""
        return bool(self._givers)

    def givers(self, recipient: str) -> frozenset[Scope]:
        """The scopes of the same person that give something to this space, or once gave."""
        return self._givers.get(recipient, frozenset())

    def recipients(self, scope: Scope) -> frozenset[str]:
        """To whom a scope gives something, or once gave."""
        return frozenset(recipient for recipient, scopes in self._givers.items() if scope in scopes)

    def set_recipients(self, scope: Scope, recipients: frozenset[str]) -> None:
        """Save to whom a scope ever gave something; nothing else that was known of it stays."""
        with self.transaction() as db:
            _give(db, scope, Giving(recipients, is_all=True))
        with self._lock:
            self._take_up(scope, Giving(recipients, is_all=True))

    def _take_up(self, scope: Scope, giving: Giving) -> None:
        """Keep in memory what is saved, in another map: readers do not wait."""
        kept = self._givers
        if giving.is_all:
            kept = {recipient: left for recipient, givers in kept.items() if (left := givers - {scope})}
        self._givers = kept | {each: kept.get(each, frozenset()) | {scope} for each in giving.recipients}

    def note_released(self, scope: Scope, events: Sequence[Recorded]) -> None:
        """Note that events were applied which had been put aside: the last one of the scope may be among them."""
        newest = max(events, key=lambda recorded: recorded.event.number)
        known = self.last([scope]).get(scope)
        if known is None or known.number < newest.event.number:
            end = Last(int(newest.event.number), int(newest.position), int(newest.slot_of_scope))
            with self.transaction() as db:
                _LAST.write(db, [{"scope": scope, **end._asdict()}])
            with self._lock:
                self._keep({scope: end})

    def _keep(self, last: Mapping[Scope, Last]) -> None:
        """Keep the last events in memory, so that no query has to read them from the file."""
        if len(self._last) + len(last) > _MOST_KEPT:
            self._last.clear()
        self._last |= last


def _give(db: Connection, scope: Scope, giving: Giving) -> None:
    if giving.is_all:
        db.execute(_given.delete().where(_given.c.scope == scope))
    if giving.recipients:
        db.execute(_GIVE, [{"recipient": each, "scope": scope} for each in sorted(giving.recipients)])
