"""The composition root of the retriever."""

import asyncio
from functools import partial
from typing import ClassVar, Literal

from faststream.nats import NatsBroker, NatsRouter

from services.retriever.answerer import Answerer
from services.retriever.bringing_up import BringingUp
from services.retriever.explainer import Explainer
from services.retriever.handlers import answer_directly, make_documented_router, make_report_router, make_router
from services.retriever.interpreter import QueryInterpreter
from services.retriever.ownership import Ownership, remove_scratch
from services.retriever.person_files import PersonFiles
from services.retriever.projection import RetrieverProjection
from services.retriever.query_vectors import QueryVectors
from services.retriever.reports import PartReports, WholeReports, before_part
from services.retriever.settings import RetrieverSettings, operator_ranking
from services.retriever.store.memory_folder import MemoryFolder
from services.retriever.store.open_files import FILES_EACH
from shared.domain.parts import WHOLE, Part
from shared.runtime.background import BACKGROUND
from shared.runtime.broker import make_broker
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Client
from shared.runtime.embedders.factory import EmbedderSettings, make_query_embedder
from shared.runtime.embedders.port import Embedder
from shared.runtime.file_lock import one_at_a_time
from shared.runtime.full_disk import until_there_is_room
from shared.runtime.keys import load_keys
from shared.runtime.languages import chat_languages
from shared.runtime.open_file_limit import databases_kept_open
from shared.runtime.passing_on import PassingOn
from shared.runtime.projector import Progress, Projector
from shared.runtime.rebuilding import remove_leftovers
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.scopes_rebuilt import keep_scopes_rebuilt
from shared.runtime.settings import RuntimeSettings
from shared.runtime.side_folder import remove_dead_side
from shared.runtime.tasks import finished, in_thread, keep_at, run_until_one_ends
from shared.runtime.topology import check_streams


class Retriever:
    """The retriever as a service, for all people or a part of them: a broker with the handlers of queries, and a projector."""

    name = "retriever"
    follows_imports: ClassVar[Literal[True]] = True

    def __init__(
        self,
        runtime: RuntimeSettings,
        settings: RetrieverSettings,
        embedder: Embedder | None,
        part: Part = WHOLE,
        *,
        stands_in: bool = False,
    ) -> None:
        """`stands_in`: for the worker of the part, while that is not there."""
        self._settings = settings
        self._keys = load_keys(runtime.files.keys)
        self.ownership = Ownership(part, runtime.files, stands_in=stands_in)
        folder, scratch = runtime.files.projection("retriever"), runtime.files.scratch("retriever")
        self._scratch = scratch
        with one_at_a_time(runtime.files.lock("retriever-opening")):
            remove_leftovers(folder)
            remove_dead_side(runtime.files)
            open_files = databases_kept_open(settings.open_files, files_each=FILES_EACH)
            self._memories = MemoryFolder(folder, open_files=open_files, slots=part.slots)
        self._projection = RetrieverProjection(self._memories, pending_events=settings.pending_events)
        self._is_ready = False
        self._opened = asyncio.Event()
        self._vectors = QueryVectors(embedder, timeout_s=settings.query_embedding_timeout_s)
        operator = operator_ranking(runtime.files.ranking, settings.ranking)
        languages = chat_languages(runtime)
        self._files = PersonFiles(self._memories, self._keys, scratch=scratch / str(part.index))
        interpreter = QueryInterpreter(SystemClock(), operator, self._vectors, languages)
        self._answerer = Answerer(self._files, interpreter, languages=languages, sharing=runtime.sharing)
        passing_on = PassingOn(part)
        self.broker = make_broker(runtime, self.name, "Answers what is known.", opened=self._opened, passing_on=passing_on)
        self._explainer = Explainer(self._files, interpreter, sharing=runtime.sharing)
        self.broker.include_router(self._router())
        answer_directly(self.broker, self._answerer)
        if passing_on.own:
            self.broker.include_router(self._router(), prefix=passing_on.own, include_in_schema=False)
        self._reports = PartReports(self._answerer, self._files, self._memories, self.ownership)
        self._report(self._reports, part)

    @property
    def is_ready(self) -> bool:
        """True after the end of the log was reached for the first time."""
        return self._is_ready

    async def warm(self) -> None:
        """Load the model, so that the first question has its vector in time."""
        await self._vectors.warm()

    def describe(self, documented: NatsBroker) -> None:
        """Add what it answers to a broker that is never started, for a process whose workers answer."""
        documented.include_router(make_documented_router())
        documented.include_router(self._router())

    def _router(self) -> NatsRouter:
        return make_router(self._answerer, self._explainer, self._files)

    def _report(self, reports: PartReports, part: Part) -> None:
        """Answer the operator about this part; the worker of the first part answers about all."""
        of_part = make_report_router(before_part(part), reports)
        of_part.subscriber(f"{before_part(part)}.metrics")(reports.metrics)
        self.broker.include_router(of_part, include_in_schema=False)
        if part.index == 0:
            whole = WholeReports(reports, part, lambda: self.broker.connection)
            self.broker.include_router(make_report_router("admin.retriever", whole))

    async def run(self) -> None:
        """Follow the log until cancelled, from the moment on when nobody else does it for these people."""
        client = self.broker.connection
        try:
            await retry_while_unavailable(lambda: check_streams(client, self._keys))
            await self.ownership.take(client)
            await self._answer(client)
        finally:
            self._files.close()
            await finished(asyncio.ensure_future(self._end()))
            self.ownership.give_up()

    async def _answer(self, client: Client) -> None:
        await in_thread(remove_scratch, self._scratch, self.ownership.part)
        await in_thread(self._memories.begin)
        projector = Projector(client, self._projection, slots=self.ownership.part.slots)
        self._files.open(client, projector)
        self._opened.set()
        progress, rebuilds = projector.progress, self._files.rebuilds
        bringing_up = BringingUp(client, rebuilds, self._memories.left_out, progress)
        rebuilding = partial(keep_scopes_rebuilt, self._memories.index, partial(rebuilds.rebuild_requested, client))
        await run_until_one_ends(
            self._follow(projector),
            keep_at(partial(self._flush, progress), what="flushing"),
            keep_at(partial(self._flush_much, progress), what="flushing"),
            keep_at(bringing_up.run, what="bringing_up"),
            keep_at(rebuilding, what="scope_rebuild"),
        )

    async def _follow(self, projector: Projector) -> None:
        await retry_while_unavailable(projector.catch_up)
        self._is_ready = True
        await self._reports.retry_at_start()
        await projector.run()

    async def _end(self) -> None:
        try:
            await in_thread(self._projection.close)
        finally:
            await self._answerer.close()
            await self._vectors.close()

    async def _flush(self, progress: Progress) -> None:
        """Write what waits, and move the checkpoint, soon after events came."""
        while True:
            position = progress.position
            await asyncio.sleep(self._settings.flush_s)
            if self._projection.can_wait:
                continue
            if self._projection.is_to_flush:
                flush = partial(in_thread, self._projection.flush, also_much=False)
                await until_there_is_room(flush, what=self.name)
            else:
                await progress.beyond(position)

    async def _flush_much(self, progress: Progress) -> None:
        """Write what is long piece by piece, with rests while somebody asks."""
        while True:
            position = progress.position
            await asyncio.sleep(self._settings.flush_s)
            if self._projection.can_wait:
                continue
            while scope := self._memories.much_pending():
                await until_there_is_room(partial(BACKGROUND.run, self._memories.flush_some, scope), what=self.name)
            await progress.beyond(position)


def build(runtime: RuntimeSettings, part: Part = WHOLE, *, stands_in: bool = False) -> Retriever:
    """The retriever of all people or a part, with its settings from the environment."""
    embedder = make_query_embedder(EmbedderSettings(), models=runtime.files.models)
    return Retriever(runtime, RetrieverSettings(), embedder, part, stands_in=stands_in)
