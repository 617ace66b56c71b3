"""The retriever as several processes: in `memstream up` with the workers that it starts, or started one by one."""

import asyncio
import os
import socket
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Literal

from services.retriever.app import Retriever
from services.retriever.query_vectors import QueryVectors
from services.retriever.reports import metrics_of
from services.retriever.settings import RetrieverSettings, WorkerSettings
from services.retriever.stand_in import StandIn
from services.retriever.store.memory_file import MemoryFile
from services.retriever.worker_processes import WorkerProcess
from shared.contracts.errors import Misconfigured
from shared.domain.parts import Part
from shared.runtime.broker import make_broker
from shared.runtime.embedders.factory import EmbedderSettings, make_embedder, make_query_embedder
from shared.runtime.embedders.lent import BorrowedEmbedder, Borrower, KeptEmbedder, Lender
from shared.runtime.embedders.port import Embedder
from shared.runtime.file_lock import FileLock
from shared.runtime.service import Service
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import run_until_one_ends

_FEWEST_CORES = 4
_MOST_BY_CORES = 4


class WorkersBeside:
    """The retriever of `up`: workers beside it answer, and it stands in for those that are not there."""

    name = "retriever"

    def __init__(self, runtime: RuntimeSettings, settings: RetrieverSettings, embedder: Embedder | None, count: int) -> None:
        kept = KeptEmbedder(embedder) if embedder else None
        lender, self._parts = Lender(kept), Part.each(count)
        self._vectors = QueryVectors(embedder, timeout_s=settings.query_embedding_timeout_s)
        self._stand_ins = [StandIn(partial(Retriever, runtime, settings, kept, part, stands_in=True)) for part in self._parts]
        self._workers = [WorkerProcess(part, runtime, lender) for part in self._parts]
        self.broker = make_broker(runtime, self.name, "Starts workers that answer.")
        self._stand_ins[0].next.describe(self.broker.documented)

    @property
    def is_ready(self) -> bool:
        """True when somebody answers for every part."""
        return all(each.is_ready for each in self._stand_ins)

    async def warm(self) -> None:
        """Load the model, which the workers borrow."""
        await self._vectors.warm()

    async def metrics_of_workers(self) -> list[str]:
        """What each worker measures."""
        return await asyncio.gather(*(metrics_of(self.broker.connection, part) for part in self._parts))

    async def run(self) -> None:
        """Stand in for every part, and keep the workers running, until cancelled."""
        try:
            await run_until_one_ends(*(each.run() for each in self._stand_ins), *(each.run() for each in self._workers))
        finally:
            await self._vectors.close()


class Worker:
    """The worker of a part that `up` has started: it ends when `up` does."""

    name = "retriever"
    follows_imports: ClassVar[Literal[True]] = True

    def __init__(self, retriever: Retriever, borrower: Borrower) -> None:
        self._retriever = retriever
        self._borrower = borrower
        self.broker = retriever.broker

    @property
    def is_ready(self) -> bool:
        """True after the end of the log was reached."""
        return self._retriever.is_ready

    async def warm(self) -> None:
        """Have the model loaded by the process that lends it."""
        await self._retriever.warm()

    async def run(self) -> None:
        """Answer until the lender ends."""
        await run_until_one_ends(self._retriever.run(), self._borrower.run())


class Comrade:
    """One of several retrievers that were started one by one: it has a part, and stands in for the others."""

    name = "retriever"
    follows_imports: ClassVar[Literal[True]] = True

    def __init__(self, retriever: Retriever, stand_ins: list[StandIn], seat: FileLock) -> None:
        self._retriever = retriever
        self._stand_ins = stand_ins
        self._seat = seat
        self.broker = retriever.broker

    @property
    def is_ready(self) -> bool:
        """True when its own part is answered for."""
        return self._retriever.is_ready

    async def warm(self) -> None:
        """Load the model."""
        await self._retriever.warm()

    async def run(self) -> None:
        """Answer until cancelled."""
        try:
            await run_until_one_ends(self._retriever.run(), *(each.run() for each in self._stand_ins))
        finally:
            self._seat.release()


def build_in_up(runtime: RuntimeSettings) -> Service:
    """The retriever of `memstream up`."""
    settings = RetrieverSettings()
    count = workers_by_cores(os.cpu_count() or 1) if settings.workers is None else settings.workers
    embedder = make_query_embedder(EmbedderSettings(), models=runtime.files.models)
    return WorkersBeside(runtime, settings, embedder, count) if count else Retriever(runtime, settings, embedder)


def workers_by_cores(cores: int) -> int:
    """How many workers answer beside `up`: one for two cores, and none where `up` and the server need both."""
    return min(cores // 2, _MOST_BY_CORES) if cores >= _FEWEST_CORES else 0


def build_alone(runtime: RuntimeSettings) -> Service:
    """The retriever as a process: a worker of `up`, one of several, or the only one. Raises Misconfigured if it is too many."""
    settings, worker = RetrieverSettings(), WorkerSettings()
    if worker.socket is not None:
        borrower, lent = Borrower(socket.socket(fileno=worker.socket)), make_embedder(EmbedderSettings(), is_lent=True)
        borrowed = BorrowedEmbedder(lent.model, borrower) if lent else None
        _rehearse()
        return Worker(Retriever(runtime, settings, borrowed, Part(worker.index, worker.count)), borrower)
    embedder = make_query_embedder(EmbedderSettings(), models=runtime.files.models)
    return _one_of(settings.workers or 1, runtime, settings, KeptEmbedder(embedder) if embedder else None)


def _rehearse() -> None:
    """Open a file of nobody: whatever is loaded for the first is there before anybody waits for this worker."""
    with TemporaryDirectory() as folder:
        MemoryFile(Path(folder) / "nobody.db").close()


def _one_of(count: int, runtime: RuntimeSettings, settings: RetrieverSettings, embedder: Embedder | None) -> Comrade:
    """The retriever that has the first part which no other process has as its own."""
    for own in Part.each(count):
        seat = FileLock(runtime.files.lock(f"retriever-seat-{own.index}-of-{count}"))
        if seat.take():
            others = [part for part in Part.each(count) if part != own]
            stand_ins = [StandIn(partial(Retriever, runtime, settings, embedder, part, stands_in=True)) for part in others]
            return Comrade(Retriever(runtime, settings, embedder, own), stand_ins, seat)
    runs = "the retriever runs in another process" if count == 1 else f"{count} retrievers run already"
    raise Misconfigured(f"{runs}; stop it first, or set MEMSTREAM_RETRIEVER_WORKERS to a larger number for each of them")
