"""The retriever as several processes: in `memstream up` with the workers that it starts, or started one by one."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Literal

from services.retriever.app import Retriever, build
from services.retriever.query_vectors import QueryVectors
from services.retriever.reports import metrics_of
from services.retriever.settings import RetrieverSettings, WorkerSettings
from services.retriever.stand_in import StandIn
from services.retriever.worker_processes import WorkerProcess
from shared.contracts.errors import Misconfigured
from shared.domain.parts import Part
from shared.runtime.broker import make_broker
from shared.runtime.datadir import DataDir
from shared.runtime.embedders.factory import EmbedderSettings, make_query_embedder
from shared.runtime.file_lock import FileLock
from shared.runtime.service import Service
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import Work, run_until_one_ends

_FEWEST_CORES = 4
_MOST_BY_CORES = 4


class WorkersBeside:
    """The retriever of `up`: workers beside it answer, and it stands in for those that are not there."""

    name = "retriever"

    def __init__(self, runtime: RuntimeSettings, settings: RetrieverSettings, count: int) -> None:
        self._parts = Part.each(count)
        embedder = make_query_embedder(EmbedderSettings(), models=runtime.files.models)
        self._vectors = QueryVectors(embedder, timeout_s=settings.query_embedding_timeout_s)
        self._stand_ins = [_stand_in(runtime, part) for part in self._parts]
        self._workers = [WorkerProcess(part, runtime) for part in self._parts]
        self.broker = make_broker(runtime, self.name, "Starts workers that answer.")
        self._stand_ins[0].next.describe(self.broker.documented)

    @property
    def is_ready(self) -> bool:
        """True when somebody answers for every part."""
        return all(each.is_ready for each in self._stand_ins)

    async def warm(self) -> None:
        """Load the model, and keep it for when this process stands in."""
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


class OneOfSeveral:
    """One of several retrievers, which has a part of all people."""

    name = "retriever"
    follows_imports: ClassVar[Literal[True]] = True

    def __init__(self, retriever: Retriever, beside: Sequence[Callable[[], Work]], seat: FileLock) -> None:
        """`beside`: what it does while it answers; it ends with the first of them. `seat`: the lock of who has this part."""
        self._retriever = retriever
        self._beside = beside
        self._seat = seat
        self.broker = retriever.broker

    @property
    def is_ready(self) -> bool:
        """True when its own part is answered for."""
        return self._retriever.is_ready

    async def warm(self) -> None:
        """Do nothing: the model was loaded before it took its part."""

    async def run(self) -> None:
        """Load the model while others stand in, then answer until cancelled."""
        try:
            await self._retriever.warm()
            await run_until_one_ends(self._retriever.run(), *(each() for each in self._beside))
        finally:
            self._seat.release()


def build_in_up(runtime: RuntimeSettings) -> Service:
    """The retriever of `memstream up`."""
    settings = RetrieverSettings()
    count = workers_by_cores(os.cpu_count() or 1) if settings.workers is None else settings.workers
    return WorkersBeside(runtime, settings, count) if count else build(runtime)


def workers_by_cores(cores: int) -> int:
    """How many workers answer beside `up`: one for two cores, and none where `up` and the server need both."""
    return min(cores // 2, _MOST_BY_CORES) if cores >= _FEWEST_CORES else 0


def build_alone(runtime: RuntimeSettings) -> Service:
    """The retriever as a process: the only one, or that of a part. Raises Misconfigured where another has the part."""
    own = RetrieverSettings().own_part
    seat = FileLock(runtime.files.lock(f"retriever-seat-{own.index}-of-{own.count}"))
    if not seat.take():
        which = "the retriever runs" if own.count == 1 else f"the retriever of part {own.index + 1}/{own.count} runs"
        raise Misconfigured(f"{which} in another process; stop it first")
    _require_no_other_division(runtime.files, own.count)
    others = [_stand_in(runtime, part).run for part in Part.each(own.count) if part != own]
    return OneOfSeveral(build(runtime, own), [_until_up_ends] if WorkerSettings().is_beside_up else others, seat)


def _require_no_other_division(files: DataDir, count: int) -> None:
    """Raises Misconfigured where retrievers run that divide people otherwise: a file would have two owners."""
    for path in files.root.glob("retriever-seat-*.lock"):
        seat = FileLock(path)
        if not path.stem.endswith(f"-of-{count}") and not seat.take():
            raise Misconfigured("retrievers with another number of parts run; MEMSTREAM_RETRIEVER_PART has one for all of them")
        seat.release()


def _stand_in(runtime: RuntimeSettings, part: Part) -> StandIn:
    return StandIn(partial(build, runtime, part, stands_in=True))


async def _until_up_ends() -> None:
    """Wait for the end of the process at the other end of the standard input, however that ends."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        await reader.read()
    finally:
        transport.close()
