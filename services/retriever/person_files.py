"""Reads the files of those who ask, of now or of then: waits for the position, uses a thread, repairs files that are behind."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from services.retriever.as_of import Until, file_as_of
from services.retriever.scope_rebuild import ScopeRebuilds
from services.retriever.store.asker_profile import AskerProfile, asker_profile
from services.retriever.store.legs import Connection
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from services.retriever.store.overview import latest_record
from services.retriever.store.reading_moment import as_at
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.turns import Turns
from shared.contracts.errors import Malformed, NotCaughtUp, Unavailable
from shared.contracts.ids import Scope
from shared.contracts.queries import OfThen, Query
from shared.domain.patience import Patience
from shared.domain.pauses import pausing
from shared.domain.sharing import recipient
from shared.domain.withholding import Withheld
from shared.runtime.asking import Asker
from shared.runtime.background import BACKGROUND
from shared.runtime.clock import Clock, SystemClock
from shared.runtime.connection import Client
from shared.runtime.giving_way import GivingWay
from shared.runtime.keys import Keys
from shared.runtime.lead_thread import LeadThread
from shared.runtime.logs import log
from shared.runtime.places import left_s
from shared.runtime.projector import Progress, Projector
from shared.runtime.tasks import in_thread
from shared.runtime.topology import identify_log

T = TypeVar("T")
V = TypeVar("V")
_MOST_TRIES = 5
_MOST_REPAIRS = 3
_HELPERS = 3
"""Of the thread that reads files, which nobody else uses: many questions at once must not keep back what is new."""

_LOUD_READERS = 2
"""The files of those who ask much are read by threads of their own: they pause, and nobody else is to wait for a thread."""

_LOUD_PATIENCE = Patience.full(0.5)
_IN_HAND = Patience.full(0.05, 2)
"""Less, while it holds a file: whoever writes it, or waits for the same file, waits too."""

_MOST_IN_BACKGROUND = 16
"""So many questions of services wait for each other. More wait for their turn beside everybody else."""

_MOMENT_S = 0.05
"""What was just written is known sooner: for a position that takes longer, the log is asked whether it has it."""

_MOST_OF_THEN = 2
"""So many files of then are made at once: each takes everything that the log holds of a person."""


class Reading(NamedTuple):
    """A person's file while a thread reads it."""

    file: MemoryFile
    db: Connection
    position: int  # to tell: up to there everything is known

    @property
    def searched(self) -> SearchedFile:
        """The file as questions are asked of it."""
        return self.file.searched(self.db)

    @property
    def profile(self) -> AskerProfile:
        """What a query of the person depends on."""
        return self.file.unchanged.of(asker_profile, lambda: asker_profile(self.db))


class Look(Protocol):
    """Reads a person's file in the thread that calls it. Between two looks the file may change."""

    def __call__(self, read: Callable[[Reading], T]) -> T | None:
        """The result of `read` on the file; None where nothing is known of the person."""


@dataclass(frozen=True, slots=True)
class PersonFile:
    """The memories of one person, as they are now or as they were then."""

    worker: Callable[[Callable[[Look], Any]], Awaitable[Any]] | None
    """Runs a function in a thread, with a look at the file; None where nothing is known of the person."""
    withheld: Withheld | None = None
    """The reason why memories of then may not be recalled today; None for a file of now, whose own settings count."""

    async def work(self, work: Callable[[Look], T]) -> T | None:
        """Run `work` in a thread, where it can look at the file again and again; None where nothing is known of the person."""
        return await self.worker(work) if self.worker else None

    async def read(self, read: Callable[[Reading], T]) -> T | None:
        """Run `read` on the file in a thread; None where nothing is known of the person."""
        return await self.work(lambda look: look(read))


class PersonFiles:
    """The files of all people; each answers only for its own person."""

    def __init__(self, memories: MemoryFolder, keys: Keys, *, scratch: Path, clock: Clock | None = None) -> None:
        self.keys = keys
        self._clock = clock or SystemClock()
        self._memories = memories
        self.rebuilds = ScopeRebuilds(memories)
        """Builds files anew, or brings them up."""
        self._scratch = scratch
        self._client: Client | None = None
        self._projector: Projector | None = None
        self._is_closed = False
        self._readers = LeadThread("read", helpers=_HELPERS)
        self._loud_readers = ThreadPoolExecutor(_LOUD_READERS, thread_name_prefix="read-loud")
        self._turns = Turns()
        self._of_then = asyncio.Semaphore(_MOST_OF_THEN)
        self._of_services = asyncio.Lock()
        self._in_background = 0

    def open(self, client: Client, projector: Projector) -> None:
        """Begin to answer, up to the position that this projector has reached."""
        self._client, self._projector = client, projector

    def close(self) -> None:
        """Refuse new queries; readers that have begun finish."""
        self._is_closed = True
        self._readers.close()
        self._loud_readers.shutdown(wait=False)

    def scope_of(self, asker: Asker) -> Scope:
        """The asker's scope."""
        return self.keys.scope_of(asker.space, asker.user)

    @property
    def connected(self) -> Client:
        """The connection. Raises Unavailable while there is none."""
        if self._client is None:
            raise Unavailable("the retriever is starting; ask again")
        return self._client

    @property
    def position(self) -> int:
        """The position up to which the log is applied. Raises Unavailable before the first event is read."""
        if self._projector is None:
            raise Unavailable("the retriever is starting; ask again")
        return self._projector.progress.position

    async def wait(self, asker: Asker, query: Query) -> None:
        """Wait until everything is known up to the query's `min_position`.

        Raises Malformed where the log ends before it, NotCaughtUp where it is not known in time, Unavailable.
        """
        if self._projector is None:
            raise Unavailable("the retriever is starting; ask again")
        left, progress = left_s(query.timeout_s), self._projector.progress
        if not query.min_position:
            return
        knows = partial(self._knows, asker, query.min_position)
        try:
            await progress.wait_until(knows, min(left, _MOMENT_S))
        except NotCaughtUp:
            await self._require_in_log(asker, query, progress)
            await progress.wait_until(knows, left_s(query.timeout_s))

    async def _knows(self, asker: Asker, position: int) -> bool:
        return (await in_thread(self._number, asker) if asker.by_number else self.position) >= position

    async def _require_in_log(self, asker: Asker, query: Query, progress: Progress) -> None:
        """Raise Malformed if the log ends before the query's `min_position`: nothing is worth waiting for."""
        at_least = 0 if asker.by_number else query.min_position
        end = (await identify_log(self.connected, at_least=at_least)).last_position
        if asker.by_number:  # the log knows the numbers of people by their events only
            await progress.wait_for(end, left_s(query.timeout_s))
            end = await in_thread(self._number, asker)
        if end < query.min_position:
            raise Malformed("min_position is beyond the end of the log; give a position that an answer has told")

    def _number(self, asker: Asker) -> int:
        return self._memories.index.number(self.scope_of(asker))

    async def told(self, asker: Asker) -> int:
        """The position up to which everything is known, as this asker may know it. Raises Unavailable."""
        return await in_thread(self._number, asker) if asker.by_number else self.position

    async def read(self, asker: Asker, query: Query, read: Callable[[Reading], T]) -> T | None:
        """Wait for the position, then read the asker's file in a thread; None where nothing is known of the asker."""
        async with self.of_now(asker, query) as file:
            return await file.read(read)

    async def _work(self, asker: Asker, work: Callable[[Look], T], *, is_loud: bool = False) -> T:
        applied, scope = self.position, self.scope_of(asker)
        way = GivingWay(BACKGROUND.attention, _LOUD_PATIENCE) if is_loud else None

        def look(read: Callable[[Reading], V]) -> V | None:
            if way is not None:
                way.begin()
            with self._memories.reading(scope) as file:
                if file is None:
                    return None
                return _read(file, asker.position(number=file.number, in_log=applied), self._clock.now(), read)

        if way is None:
            return await self.repaired(lambda: work(look))
        return await self.repaired(partial(_giving_way, partial(work, look)), self._loud_readers)

    @property
    def are_several_asking(self) -> bool:
        """True while more than one question is being answered: none of them may keep the thread while it waits."""
        return self._turns.are_several

    def givers(self, asker: Asker) -> frozenset[Scope]:
        """The scopes that share something with the asker's, or once did."""
        index = self._memories.index
        if not index.is_anything_given:
            return frozenset()
        return index.givers(recipient(asker.space, asker.user, self.keys.digester))

    def look_at(self, scope: Scope, read: Callable[[Reading], V]) -> V | None:
        """Read another file of the same person, in the thread that calls it; None where there is none. Raises FileBehind."""
        with self._memories.reading(scope) as file:
            return None if file is None else _read(file, file.position, self._clock.now(), read)

    @asynccontextmanager
    async def of_now(self, asker: Asker, query: Query) -> AsyncGenerator[PersonFile]:
        """The asker's file in its present state, which may change between two reads. Waits for the position and for a turn.

        What a service asks for its own work counts as no question of its person, and gives way to all that are.
        """
        await self.wait(asker, query)
        if asker.in_background and self._in_background < _MOST_IN_BACKGROUND:
            async with self._one_by_one():
                yield PersonFile(partial(self._work, asker, is_loud=True))
            return
        async with self._turns.turn(asker.space, asker.user, patience_s=left_s(query.timeout_s)) as is_loud:
            yield PersonFile(partial(self._work, asker, is_loud=is_loud))

    @asynccontextmanager
    async def _one_by_one(self) -> AsyncGenerator[None]:
        self._in_background += 1
        try:
            async with self._of_services:
                yield
        finally:
            self._in_background -= 1

    @asynccontextmanager
    async def of_then(self, asker: Asker, until: Until, query: Query) -> AsyncGenerator[PersonFile]:
        """The asker's file as it was then, made from the log and deleted at the end. At most two exist at once."""
        scope = self.scope_of(asker)
        turn = self._turns.turn(asker.space, asker.user, patience_s=left_s(query.timeout_s))
        aside = await in_thread(lambda: self._memories.index.aside)
        async with turn, self._of_then, file_as_of(self.connected, scope, until, self._scratch, aside=aside) as file:
            position, moment = await self.told(asker), until if isinstance(until, datetime) else None
            yield PersonFile(lambda work: in_thread(work, partial(_read, file, position, moment)))

    def wanted(self, asker: Asker, query: OfThen) -> AbstractAsyncContextManager[PersonFile]:
        """The asker's file of now or of then, as the query says."""
        return self.of_now(asker, query) if query.until is None else self._of_then_wanted(asker, query, query.until)

    @asynccontextmanager
    async def _of_then_wanted(self, asker: Asker, query: OfThen, until: Until) -> AsyncGenerator[PersonFile]:
        """The asker's file of then, with what may be recalled today."""
        today = await self.read(asker, query, lambda reading: reading.profile)
        withheld = today.withholds(query) if today else None
        if today is None or withheld:
            yield PersonFile(None, withheld)
            return
        async with self.of_then(asker, until, query) as file:
            yield file

    async def repaired(self, attempt: Callable[[], T], threads: ThreadPoolExecutor | None = None) -> T:
        """Run in a thread; where a file turns out to be behind, read its scope from the log and try again.

        Raises Unavailable where the same file is behind again and again, and after `close`.
        """
        repairs: Counter[Scope] = Counter()
        while True:
            if self._is_closed:
                raise Unavailable("the retriever is stopping; ask again")
            try:
                if threads is None:
                    return await self._readers.begin(attempt)
                return await asyncio.get_running_loop().run_in_executor(threads, attempt)
            except FileBehind as behind:
                repairs[behind.scope] += 1
                if repairs[behind.scope] > _MOST_REPAIRS:
                    raise Unavailable("a file cannot be repaired; the retriever's log says why") from behind
                await self._repair(behind)

    async def _repair(self, behind: FileBehind) -> None:
        tell = log.info if behind.scope in self._memories.left_out else log.warning
        tell("file.repaired", scope=behind.scope, after=behind.after)
        await self.rebuilds.bring_up(self.connected, behind.scope, is_asked=True)

    async def digests(self) -> dict[str, str | int]:
        """The projection digest and the content digest of everything applied so far to these people."""
        for _ in range(_MOST_TRIES):
            position = self.position
            projection = await self.repaired(lambda: self._memories.each_file(MemoryFile.digest))
            content = await self.repaired(lambda: self._memories.each_file(MemoryFile.content_digest))
            if self.position == position:
                return {"position": position, "projection": projection, "content": content}
        raise Unavailable("events keep coming; ask again when it is quieter")


def _giving_way(work: Callable[[], T]) -> T:
    """Do work for whoever asks much: it stops beside others where it may, as far as its patience goes."""
    with pausing(GivingWay(BACKGROUND.attention, _IN_HAND).pause):
        return work()


def _read(file: MemoryFile, position: int, moment: datetime | None, read: Callable[[Reading], T]) -> T:
    """`moment`: for which the file is read; None: when the newest memory was recorded."""
    with file.connect() as db:
        if by_then := moment or latest_record(db):
            as_at(db, by_then)
        return read(Reading(file, db, position))
