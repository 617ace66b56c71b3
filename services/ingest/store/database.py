"""ingest.db: ids, numbers and keyed digests of what ingest must recognise. No text."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, func, select

from services.ingest.domain.claims import VERSION as CLAIMS_VERSION
from services.ingest.domain.lacks import Needs
from services.ingest.domain.likeness import VERSION as LIKENESS_VERSION
from services.ingest.domain.state import ScopeState
from services.ingest.store.changes import CommandOutcome, Erasures, Forgetting, ScopeChanges
from services.ingest.store.load import load
from services.ingest.store.privacy import FORGETTING, FORGOTTEN, PRIVATE, TO_REBUILD, save_erasures
from services.ingest.store.save import save
from services.ingest.store.schema import DECISION, MEMORY, OF_THE_LOG, SCHEMA, SCOPE, SLOT, look_up, of_scope, upsert
from services.ingest.store.session_names import SessionNames
from shared.contracts.errors import DiskFull, NoEvidence, NotRecorded, Unavailable, error_classes
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId, Slot
from shared.domain.digests import Digester
from shared.language.statements.attributes import table_version
from shared.runtime.news import News
from shared.runtime.projection_file import MISSING, ProjectionFile, in_transaction
from shared.runtime.sqlite import SQLITE_ERRORS, is_full

_SEND_ID = "send_id"
_KEPT_DECISIONS = 200_000
"""Messages back for which outcomes can be asked by sequence."""
_WAITS = FORGETTING.c.erase_at.is_not(None)
_IS_TO_ERASE = FORGETTING.c.completed_at.is_(None) & ~_WAITS
_IN_ORDER = select(FORGETTING).order_by(FORGETTING.c.forgotten_at)


@cache
def _erased_after() -> tuple[str, ...]:
    """The codes of outcomes whose messages are erased from SEND only when their events are in the log."""
    return tuple(code for code, kind in error_classes().items() if issubclass(kind, NotRecorded | NoEvidence))


def _slots_in(db: Connection) -> dict[Slot, tuple[int, int]]:
    return {Slot(row.slot): (row.position, row.decided) for row in db.execute(select(SLOT))}


def _wipe(db: Connection, scope: Scope) -> None:
    """Delete every row of a scope that follows from the log, except its forgettings."""
    for table in (*OF_THE_LOG, *PRIVATE):
        db.execute(table.delete().where(of_scope(table, scope)))


class Store(ProjectionFile):
    """ingest.db in a folder, shared by all lanes: each call is one transaction."""

    name = "ingest"
    schema = SCHEMA
    version = f"21 {LIKENESS_VERSION} {CLAIMS_VERSION} {table_version()}"
    keeps = (MISSING,)
    digested = (*OF_THE_LOG, *PRIVATE, FORGETTING)
    undigested = (DECISION,)
    tallied = (SCOPE, DECISION)
    to_rebuild = TO_REBUILD

    wipe = in_transaction(_wipe)

    def __init__(self, folder: Path, digester: Digester) -> None:
        self._unsaved: list[ScopeChanges] = []
        super().__init__(folder / "ingest.db")
        self._session_names = SessionNames(digester)
        self._slots = self._load_slots()
        self._to_erase: list[tuple[Scope, Slot]] | None = None  # None: to be looked up
        self._waiting: list[Forgetting] | None = None  # likewise
        self.unsaved = News()
        """Counts the changes that were left to wait."""
        self.forgettings = News()
        """Counts the changes of what is to be erased, and of what waits to be."""

    def _open(self) -> None:
        super()._open()
        self._reader = self._engine.connect()

    def close(self) -> None:
        """Close the file, once no transaction is running."""
        with self._lock:
            try:
                with suppress(DiskFull), self._telling_damage():  # what is not written is in the log
                    self._write_unsaved()
            finally:
                self._reader.close()
                self._engine.dispose()

    def follow_send(self, send_id: str) -> None:
        """Save which SEND stream the sequences belong to, and drop those of another stream."""
        if self.meta(_SEND_ID) not in {None, send_id}:
            with self.transaction() as db:
                db.execute(SLOT.update().values(decided=0))
                db.execute(DECISION.delete())
            self._slots = self._load_slots()
        self.set_meta(_SEND_ID, send_id)

    def slots(self) -> dict[Slot, tuple[int, int]]:
        """For each slot, the last position of MEMORY that is applied and the last sequence of SEND that is decided."""
        self.settle()
        return dict(self._slots)

    def _load_slots(self) -> dict[Slot, tuple[int, int]]:
        with self.transaction() as db:
            return _slots_in(db)

    def load(self, needs: Mapping[Scope, Needs]) -> dict[Scope, ScopeState]:
        """The states of these scopes: their open sessions, and what `needs` names."""
        with self._reading() as db:
            return {scope: load(db, scope, need, self._session_names) for scope, need in needs.items()}

    def positions_of(self, scope: Scope, memory_ids: Collection[MemoryId]) -> dict[MemoryId, int]:
        """Where the log says what began each of these memories, of those that are known."""
        with self._reading() as db:
            rows = look_up(db, MEMORY, memory_ids, column="memory_id", scope=scope)
        return {MemoryId(row.memory_id): row.position for row in rows}

    def learn_sessions(self, session_ids: Iterable[SessionId]) -> None:
        """Keep in memory that these sessions exist: `load` then returns them where they are open."""
        with self._lock:
            self._session_names.keys(session_ids)

    def save(self, changes: ScopeChanges) -> None:
        """Write all changes and the checkpoint in one transaction: at once, or if they may wait, before anybody looks."""
        if changes.may_wait:
            with self._lock:
                self._unsaved.append(changes)
            self.unsaved.tell()
            return
        with self.transaction() as db:
            self._write(db, changes)
        if changes.erasures.begun:
            self.empty_wal()

    def settle(self) -> None:
        """Write what waits."""
        with self._lock, self._telling_damage():
            self._write_unsaved()

    def _take_back(self) -> None:
        super()._take_back()
        with self._engine.begin() as db:
            self._slots = _slots_in(db)
        self._to_erase = self._waiting = None

    def _write_unsaved(self) -> None:
        if not self._unsaved:
            return
        try:
            with self._engine.begin() as db:
                for changes in self._unsaved:
                    self._write(db, changes)
        except SQLITE_ERRORS as error:
            if is_full(error):  # it is written again, from what the file says
                self._take_back()
            raise
        self._unsaved = []

    def _write(self, db: Connection, changes: ScopeChanges) -> None:
        for scope in changes.erasures.wiped:
            _wipe(db, scope)
            self._session_names.forget()
        for scope, state in changes.after.items():
            before = ScopeState() if scope in changes.erasures.wiped else changes.before[scope]
            positions = changes.positions.get(scope, {})
            save(db, scope, before, state, positions=positions, names=self._session_names)
        save_erasures(db, changes.erasures)
        upsert(db, DECISION, [decision._asdict() for decision in changes.decisions])
        self.save_gaps(db, changes.gaps)
        for slot in changes.slots:
            position, decided = self._slots.get(slot, (0, 0))
            self._slots[slot] = (max(position, changes.position), max(decided, changes.decided.get(slot, 0)))
        written = changes.slots if changes.position else changes.decided
        upsert(
            db, SLOT, [{"slot": slot, "position": self._slots[slot][0], "decided": self._slots[slot][1]} for slot in written]
        )
        if changes.newest is not None:
            self.save_anchor(db, changes.newest)
        self._ask_rebuilds(db, changes.erasures)

    def _ask_rebuilds(self, db: Connection, erasures: Erasures) -> None:
        for scope, slot in erasures.to_rebuild.items():
            self.ask_rebuild(db, scope, has_grown=scope in erasures.grown, slot=slot)
        if any(erasures):
            self._to_erase = self._waiting = None
            self.forgettings.tell()

    def ask_rebuild_of(self, scope: Scope, slot: Slot) -> None:
        """Request a rebuild of a person's rows from the log."""
        with self.transaction() as db:
            self.ask_rebuild(db, scope, has_grown=True, slot=slot)

    def note_forgettings(self, erasures: Erasures) -> None:
        """Write only which forgettings began, and what became of them: a rebuild of one scope keeps these."""
        with self.transaction() as db:
            save_erasures(db, Erasures(begun=erasures.begun, changed=erasures.changed, restarted=erasures.restarted))

    def forget_decisions(self, before: int) -> None:
        """Delete outcomes that are too old to be asked for by sequence."""
        with self.transaction() as db:
            db.execute(DECISION.delete().where(DECISION.c.sequence < before - _KEPT_DECISIONS))

    def decision(self, scope: Scope, sequence: int) -> CommandOutcome | None:
        """The outcome of a message; None if it is unknown or belongs to another scope."""
        waiting = (decision for changes in self._unsaved for decision in changes.decisions)
        if (known := next((each for each in waiting if each.sequence == sequence), None)) is not None:
            return known if known.scope == scope else None
        with self._reading() as db:
            found = look_up(db, DECISION, [sequence], column="sequence", scope=scope)
        return CommandOutcome(*found[0]) if found else None

    def decision_of(self, scope: Scope, command_id: CommandId) -> CommandOutcome | None:
        """The outcome of the newest message with this command, as far back as outcomes are kept by sequence."""
        wanted = (DECISION.c.scope == scope, DECISION.c.command_id == bytes.fromhex(command_id))
        with self.transaction() as db:
            row = db.execute(select(DECISION).where(*wanted).order_by(DECISION.c.sequence.desc()).limit(1)).first()
        return CommandOutcome(*row) if row else None

    def decided_ahead(self, after: int) -> dict[Scope, int]:
        """The last message of SEND that is decided, after this one, of each scope: its messages are decided in their order."""
        last = select(DECISION.c.scope, func.max(DECISION.c.sequence)).where(DECISION.c.sequence > after)
        with self.transaction() as db:
            return {Scope(scope): sequence for scope, sequence in db.execute(last.group_by(DECISION.c.scope))}

    def settled_without_their_words(self, *, after: int) -> set[int]:
        """Messages of SEND, after this one, that led to events but made no memory, or one with masks."""
        lacking = DECISION.c.memory_id.is_(None) | (DECISION.c.masked != "")
        lacking &= (DECISION.c.is_unchanged == 0) & (DECISION.c.code.is_(None) | DECISION.c.code.in_(_erased_after()))
        with self.transaction() as db:
            return set(db.scalars(select(DECISION.c.sequence).where(DECISION.c.sequence > after, lacking)))

    def last_position(self) -> int:
        """The position of the newest applied event."""
        with self.transaction() as db:
            return db.scalar(select(func.max(SCOPE.c.position))) or 0

    def digests(self) -> dict[str, str | int]:
        """The projection digest, and the position it is of."""
        return {"position": self.last_position(), "projection": self.digest()}

    def forgetting(self, scope: Scope, number: int) -> Forgetting | None:
        """The forgetting whose last event has this number."""
        with self.transaction() as db:
            row = db.execute(select(FORGETTING).where(FORGETTING.c.scope == scope, FORGETTING.c.number == number)).first()
        return Forgetting(**row._asdict()) if row else None

    def to_erase(self) -> list[tuple[Scope, Slot]]:
        """The scopes of which something is still to be erased from the log, the oldest forgetting first."""
        with self.transaction() as db:
            if self._to_erase is None:
                rows = db.execute(_IN_ORDER.where(_IS_TO_ERASE))
                self._to_erase = list(dict.fromkeys((Scope(row.scope), Slot(row.slot)) for row in rows))
            return self._to_erase

    def waiting(self) -> list[Forgetting]:
        """The forgettings that can still be taken back."""
        if (known := self._waiting) is not None:
            return known
        with self.transaction() as db:
            self._waiting = [Forgetting(**row._asdict()) for row in db.execute(_IN_ORDER.where(_WAITS))]
            return self._waiting

    def is_to_erase(self, scope: Scope, forget_id: str | None = None) -> bool:
        """True if this forgetting is to be erased, and has no receipt yet; without an id, if any of the scope is."""
        these = (FORGETTING.c.scope == scope) & _IS_TO_ERASE
        if forget_id is not None:
            these &= FORGETTING.c.forget_id == forget_id
        with self.transaction() as db:
            return db.scalar(select(FORGETTING.c.number).where(these).limit(1)) is not None

    def has_forgotten(self, scope: Scope) -> bool:
        """True if anything of this person was ever forgotten."""
        with self.transaction() as db:
            return db.scalar(select(FORGOTTEN.c.kind).where(FORGOTTEN.c.scope == scope).limit(1)) is not None

    def scopes_to_rebuild_in(self, slots: Sequence[Slot]) -> list[tuple[Scope, Slot]]:
        """The scopes in these slots whose rebuild is requested."""
        if not self.scopes_to_rebuild():  # asked before each group of messages, and known without looking
            return []
        with self.transaction() as db:
            asked = db.execute(select(TO_REBUILD).where(TO_REBUILD.c.slot.in_(slots)).order_by(TO_REBUILD.c.scope))
            return [(Scope(row.scope), Slot(row.slot)) for row in asked]

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """The open connection, for read-only statements of the driver: nothing is written between them.

        It stays open: SQLAlchemy takes as long to open one as three look-ups take.
        """
        with self._lock:
            if self._reader.closed:
                raise Unavailable("ingest is stopping; ask again")
            with self._telling_damage():
                self._write_unsaved()
                yield self._reader
