"""A small projection for a service that works through a list: rows and checkpoint in one file and one transaction.

Holds ids, numbers and positions; the text is read from the log when the work is done.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.errors import Unavailable
from shared.contracts.ids import Position, Scope
from shared.contracts.privacy import ForgettingCompleted, MemoryForgotten, UserForgotten
from shared.runtime.bulk import Batch
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import Record
from shared.runtime.log_parts import LogPart
from shared.runtime.logs import log
from shared.runtime.projector import Checkpoint, Recorded, read_scope
from shared.runtime.rebuilding import Built, apply_part, built_in_parts, rebuild_beside
from shared.runtime.settings import RuntimeSettings
from shared.runtime.sqlite import copy_rows, delete_database, driver, open_database
from shared.runtime.tasks import in_thread

_LOG_ID = "log_id"
_POSITION = "position"
_SCHEMA = "schema_version"
_PERIOD_S = 0.5


class Worklist:
    """The file of such a service. Subclass it with `schema`, `version`, `apply_event` and `is_news`."""

    name: str
    schema: MetaData
    version: str
    undigested: frozenset[str] = frozenset()
    """Tables that do not follow from the log; a rebuild begins them anew, the rebuild of a scope leaves them alone."""

    news = 0
    """Grows with every event that may give something to do: where it stands still, nobody needs to look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._rebuilding: set[Scope] = set()
        self.has_no_scope_to_rebuild = False
        """Whether that is known without looking."""
        self._meta = Table(
            "meta",
            self.schema,
            Column("key", Text, primary_key=True),
            Column("value", Text, nullable=False),
            extend_existing=True,
        )
        self._quarantine = Table(
            "quarantine",
            self.schema,
            Column("position", Integer, primary_key=True),
            Column("reason", Text, nullable=False),
            extend_existing=True,
        )
        self._to_rebuild = Table("refold", self.schema, Column("scope", Text, primary_key=True), extend_existing=True)
        self._open()
        if self._value(_SCHEMA) not in {None, self.version}:  # of another version: it can be built again
            self.close()
            delete_database(path)
            self._open()
        self._set(_SCHEMA, self.version)

    def apply_event(self, db: Batch, recorded: Recorded) -> None:
        """Change the rows as one event says. Must not mind an event that it saw before."""
        raise NotImplementedError

    def is_news(self, recorded: Recorded) -> bool:
        """Whether an event may give something to do."""
        raise NotImplementedError

    def is_as_rebuilt(self, _: Connection, __: Scope) -> bool:
        """Whether the rows of a scope are known to be what is left of it in the log leads to: then it is not rebuilt."""
        return False

    def checkpoint(self) -> Checkpoint:
        """Where to go on."""
        return Checkpoint(int(self._value(_POSITION) or 0), self._value(_LOG_ID))

    def adopt(self, log_id: str) -> None:
        """Remember which log this is built from."""
        self._set(_LOG_ID, log_id)

    def apply(self, events: Sequence[Recorded], position: Position) -> None:
        """Apply in order, with the checkpoint, in one transaction."""
        with self.transaction() as db:
            batch = Batch(db)
            for recorded in events:
                self.apply_event(batch, recorded)
                self._forget(batch, recorded)
                self._rebuilding.discard(recorded.scope)
            batch.flush()
            self._put(db, _POSITION, str(position))
            self.news += sum(map(self.is_news, events))

    def quarantine(self, record: Record, reason: str) -> None:
        """Remember an event that cannot be applied."""
        with self.transaction() as db:
            row = {"position": record.position, "reason": reason}
            db.execute(insert(self._quarantine).on_conflict_do_nothing(), row)

    def digest(self) -> str:
        """The projection digest: every row that follows from the log."""
        hashed = hashlib.blake2b(digest_size=16)
        with self.transaction() as db:
            for table in self.schema.sorted_tables:
                if table in self._of_the_log() and table.name not in self.undigested:
                    for row in db.execute(select(table).order_by(*table.primary_key.columns)):
                        hashed.update(json.dumps([table.name, *row]).encode())
        return hashed.hexdigest()

    def scopes_to_rebuild(self) -> list[Scope]:
        """Whose rows are to be made anew, because something was erased from the log."""
        with self.transaction() as db:
            scopes = [Scope(scope) for scope in db.scalars(select(self._to_rebuild.c.scope))]
            self.has_no_scope_to_rebuild = not scopes
        return scopes

    def begin_scope_rebuild(self, scope: Scope) -> bool:
        """Whether the events are to be read for `rebuild_scope`; to be called before."""
        with self.transaction() as db:
            if self.is_as_rebuilt(db, scope):
                db.execute(self._to_rebuild.delete().where(self._to_rebuild.c.scope == scope))
                return False
            self._rebuilding.add(scope)
            return True

    def rebuild_scope(self, scope: Scope, events: Sequence[Recorded]) -> None:
        """Make the rows of a scope anew from what the log still holds of it, as a rebuild would, in one transaction.

        Does nothing where an event of the scope was applied meanwhile, which these may lack: then it is to be tried again.
        """
        with self.transaction() as db:
            if scope not in self._rebuilding:
                return
            self._rebuilding.discard(scope)
            position = int(db.scalar(select(self._meta.c.value).where(self._meta.c.key == _POSITION)) or 0)
            batch = Batch(db)
            self._wipe(batch, scope, without=self.undigested)
            for recorded in events:
                if recorded.position <= position:
                    self.apply_event(batch, recorded)
                    self._forget(batch, recorded)
            batch.flush()
            db.execute(self._to_rebuild.delete().where(self._to_rebuild.c.scope == scope))
            self.news += 1

    def _forget(self, db: Batch, recorded: Recorded) -> None:
        """What is forgotten is not worked on any more, at once; when it is erased, the rows are to be made anew."""
        match recorded.event.data:
            case MemoryForgotten(memory_ids=gone):
                for table in self._of_the_log():
                    if "memory_id" in table.c:
                        db.execute(table.delete().where(table.c.scope == recorded.scope, table.c.memory_id.in_(gone)))
            case UserForgotten():
                self._wipe(db, recorded.scope)
            case ForgettingCompleted():
                db.execute(insert(self._to_rebuild).on_conflict_do_nothing(), {"scope": recorded.scope})
                self.has_no_scope_to_rebuild = False
            case _:
                pass

    def _wipe(self, db: Batch, scope: Scope, *, without: Collection[str] = ()) -> None:
        for table in self._of_the_log():
            if table.name not in without:
                db.execute(table.delete().where(table.c.scope == scope))

    def _of_the_log(self) -> list[Table]:
        own = {self._meta.name, self._quarantine.name, self._to_rebuild.name}
        return [table for table in self.schema.sorted_tables if table.name not in own]

    def take_over(self, folder: Path) -> None:
        """Copy the rows of another one of the same kind, which has other scopes and is closed."""
        with self._lock:
            copy_rows(self._engine, folder / self._path.name, [*self._of_the_log(), self._to_rebuild])

    def digests(self) -> dict[str, str | int]:
        """The projection digest, and the position it is of."""
        return {"position": self.checkpoint().position, "projection": self.digest()}

    def close(self) -> None:
        """Close the file, when nobody writes any more."""
        with self._lock:
            self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One transaction, for one thread at a time."""
        with self._lock, self._engine.begin() as db:
            yield db

    def _open(self) -> None:
        self._engine = open_database(self._path)
        self.schema.create_all(self._engine)

    def _value(self, key: str) -> str | None:
        with self.transaction() as db:
            return db.scalar(select(self._meta.c.value).where(self._meta.c.key == key))

    def _set(self, key: str, value: str) -> None:
        with self.transaction() as db:
            self._put(db, key, value)

    def _put(self, db: Connection, key: str, value: str) -> None:
        driver(db).execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


async def until_news(store: Worklist, seen: int, changed: asyncio.Event, *, at_most_s: float) -> None:
    """Until `store.news` is no longer what was seen, or so many seconds have passed. `changed` is set with each batch."""
    with suppress(TimeoutError):
        async with asyncio.timeout(at_most_s):
            while store.news == seen:
                changed.clear()
                await changed.wait()


async def keep_scopes_rebuilt(client: Client, store: Worklist) -> None:
    """Make rows anew where something was erased from the log, for ever."""
    while True:
        await asyncio.sleep(_PERIOD_S)
        if store.has_no_scope_to_rebuild:
            continue
        for scope in await in_thread(store.scopes_to_rebuild):
            if not await in_thread(store.begin_scope_rebuild, scope):
                continue
            try:
                events = await read_scope(client, scope)
            except Unavailable as error:
                log.info("scope_rebuild.postponed", scope=scope, reason=error.message)
                continue
            await in_thread(store.rebuild_scope, scope, events)


async def rebuild_worklist(
    runtime: RuntimeSettings,
    folder: Path,
    make: Callable[[Path], Worklist],
    on_progress: Callable[[int, int], None] | None = None,
) -> str:
    """Replay the whole log into a new file that then replaces the old one in `folder`; return the projection digest."""

    async def built(fresh: Path) -> str:
        async with built_in_parts(runtime, fresh, partial(_build, make), on_progress) as parts:
            return await in_thread(_put_together, make(fresh), parts)

    return await rebuild_beside(folder, built)


def _build(make: Callable[[Path], Worklist], part: LogPart) -> None:
    store = make(part.folder)
    try:
        apply_part(store, part)
    finally:
        store.close()


def _put_together(store: Worklist, built: Built[None]) -> str:
    try:
        store.adopt(built.log_id)
        for part, _ in built.parts:
            store.take_over(part.folder)
        store.apply([], built.position)
        return store.digest()
    finally:
        store.close()


def digests_of(folder: Path, make: Callable[[Path], Worklist]) -> dict[str, str | int]:
    """The digests of such a file as it lies there. Its service must not run meanwhile."""
    store = make(folder)
    try:
        return store.digests()
    finally:
        store.close()
