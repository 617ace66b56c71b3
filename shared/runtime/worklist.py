"""The projection of a service that works through a list. It holds ids, numbers and positions; text is read from the log."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeAlias

from sqlalchemy import Column, Connection, MetaData, Table, Text

from shared.contracts.ids import Position, Scope
from shared.contracts.privacy import ForgettingCompleted, ForgettingTakenBack, MemoryForgotten, UserForgotten
from shared.domain.digests import Digester
from shared.runtime.background import BACKGROUND
from shared.runtime.bulk import Batch
from shared.runtime.connection import Client
from shared.runtime.keys import load_keys
from shared.runtime.log_parts import LogPart
from shared.runtime.news import News
from shared.runtime.projection_file import QUARANTINE, ProjectionFile
from shared.runtime.projector import Aside, Checkpoint, Recorded, read_scope
from shared.runtime.rebuilding import Built, RebuildProgress, apply_part, rebuild_in_parts
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread


class Worklist(ProjectionFile):
    """The file `<name>.db` of such a service, in a folder. Subclass it with `apply_event` and `is_news`."""

    keeps = (QUARANTINE,)
    to_rebuild: ClassVar[Table] = Table("refold", MetaData(), Column("scope", Text, primary_key=True))

    def __init__(self, folder: Path, digester: Digester) -> None:
        super().__init__(folder / f"{self.name}.db")
        self._digester = digester
        self.news = News()
        """Counts the events that may bring new work: while it is unchanged, there is no need to look."""
        self._rebuilding: set[Scope] = set()

    def apply_event(self, db: Batch, recorded: Recorded) -> None:
        """Change the rows as one event says. The event may have been applied before, and must then change nothing."""
        raise NotImplementedError

    def is_news(self, recorded: Recorded) -> bool:
        """True if an event may bring new work."""
        raise NotImplementedError

    def is_as_rebuilt(self, _: Connection, __: Scope) -> bool:
        """True if the rows of a scope, of which events were erased, are known to equal those of a rebuild: none is needed."""
        return False

    def checkpoint(self) -> Checkpoint:
        """The position up to which the log is applied, and the log's id."""
        return Checkpoint(self.position, self.log_id, anchors=self.anchors)

    def apply(self, events: Sequence[Recorded], position: Position) -> None:
        """Apply events in order and save the checkpoint, in one transaction."""
        with self.transaction() as db:
            self._apply(Batch(db), events)
            self._rebuilding.difference_update(recorded.scope for recorded in events)
            self.save_position(db, position)
            if events:
                self.save_anchor(db, events[-1].anchor)
        self.news.tell(sum(map(self.is_news, events)))
        if any(isinstance(recorded.event.data, MemoryForgotten | UserForgotten) for recorded in events):
            self.empty_wal()

    def begin_scope_rebuild(self, scope: Scope, *, in_any_case: bool = False) -> bool:
        """Prepare `rebuild_scope`; False if there is nothing to rebuild, so the events need not be read."""
        with self.transaction() as db:
            if not in_any_case and not self.has_grown(scope) and self.is_as_rebuilt(db, scope):
                self._drop_request(db, scope)
                return False
            self._rebuilding.add(scope)
            return True

    def rebuild_scope(self, scope: Scope, events: Sequence[Recorded]) -> bool:
        """Replace the rows of a scope by those of the events that the log still holds of it, in one transaction.

        Does nothing, and returns False, if an event of the scope was applied since `begin_scope_rebuild`: these may lack it, so
        try again.
        """
        position = self.position
        with self.transaction() as db:
            is_in_time = scope in self._rebuilding
            if is_in_time:
                self._rebuilding.discard(scope)
                batch = Batch(db)
                _wipe(batch, scope, self.digested)
                self._apply(batch, [recorded for recorded in events if recorded.position <= position])
                self._drop_request(db, scope)
        self.news.tell()
        self.empty_wal()
        return is_in_time

    def _apply(self, batch: Batch, events: Iterable[Recorded]) -> None:
        for recorded in events:
            self.apply_event(batch, recorded)
            self._forget(batch, recorded)
        batch.flush()

    def _forget(self, db: Batch, recorded: Recorded) -> None:
        """Drop work on what is forgotten at once; request a rebuild of the scope when it is erased, or taken back."""
        match recorded.event.data:
            case MemoryForgotten(memory_ids=gone):
                for table in self.schema.sorted_tables:
                    if "memory_id" in table.c:
                        db.execute(table.delete().where(table.c.scope == recorded.scope, table.c.memory_id.in_(gone)))
            case UserForgotten():
                _wipe(db, recorded.scope, self.schema.sorted_tables)
            case ForgettingCompleted():
                self.ask_rebuild(db, recorded.scope)
            case ForgettingTakenBack():
                self.ask_rebuild(db, recorded.scope, has_grown=True)
            case _:
                pass

    def digests(self) -> dict[str, str | int]:
        """The projection digest of everything applied so far, and the position."""
        return {"position": self.position, "projection": self.digest()}


def _wipe(db: Batch, scope: Scope, tables: Iterable[Table]) -> None:
    for table in tables:
        db.execute(table.delete().where(table.c.scope == scope))


async def keep_working(store: Worklist, work: Callable[[], Awaitable[float | None]]) -> None:
    """Call `work` for ever: at news, and so many seconds after it as it returns; None: not before there is news."""
    while True:
        seen = store.news.count
        pause_s = await work()
        if pause_s is None:
            await store.news.beyond(seen)
        elif pause_s > 0:
            await store.news.within(pause_s, seen)


async def rebuild_scope(client: Client, store: Worklist, scope: Scope) -> None:
    """Rebuild the rows of a scope from what the log still holds of it. Raises Unavailable."""
    if await in_thread(store.begin_scope_rebuild, scope):
        events = await read_scope(client, scope, aside=await in_thread(lambda: store.aside))
        await BACKGROUND.run(store.rebuild_scope, scope, events)


async def rebuild_with(client: Client, store: Worklist, scope: Scope, aside: Aside) -> None:
    """Rebuild the rows of a scope of all its events but those put aside. Raises Unavailable, or what an event raises."""
    is_done = False
    while not is_done:
        await in_thread(partial(store.begin_scope_rebuild, scope, in_any_case=True))
        events = await read_scope(client, scope, aside=aside)
        is_done = await in_thread(store.rebuild_scope, scope, events)


_OpenWorklist: TypeAlias = Callable[[Path], Worklist]


async def rebuild_worklist(make: type[Worklist], runtime: RuntimeSettings, on_progress: RebuildProgress | None = None) -> str:
    """Replay the whole log into a new file that then replaces the old one; see `rebuild_in_parts`."""
    folder = runtime.files.projection(make.name)
    open_one = partial(make, digester=load_keys(runtime.files.keys).digester)
    return await rebuild_in_parts(runtime, folder, partial(_build, open_one), partial(_put_together, open_one), on_progress)


def _build(make: _OpenWorklist, part: LogPart) -> None:
    with closing(make(part.folder)) as store:
        apply_part(store, part)


def _put_together(make: _OpenWorklist, folder: Path, built: Built[None]) -> str:
    with closing(make(folder)) as store:
        store.adopt(built.log_id, built.newest)
        for part, _ in built.parts:
            store.take_over(part.folder)
        store.apply([], built.position)
        return store.digest()


def opened_worklist(make: type[Worklist], runtime: RuntimeSettings) -> Worklist:
    """The worklist as it lies in the data folder; close it. Its service must not run meanwhile."""
    return make(runtime.files.projection(make.name), load_keys(runtime.files.keys).digester)


def digests_of(make: type[Worklist], runtime: RuntimeSettings) -> dict[str, str | int]:
    """The digests of a worklist's file as it lies there. Its service must not run meanwhile."""
    with closing(opened_worklist(make, runtime)) as store:
        return store.digests()
