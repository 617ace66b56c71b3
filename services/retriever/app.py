"""The composition root of the retriever."""

import asyncio
import shutil
from functools import partial

from faststream.nats import NatsBroker

from services.retriever.answerer import Answerer
from services.retriever.explainer import Explainer
from services.retriever.handlers import make_router
from services.retriever.interpreter import QueryInterpreter
from services.retriever.person_files import PersonFiles
from services.retriever.projection import RetrieverProjection
from services.retriever.query_vectors import QueryVectors
from services.retriever.scope_rebuild import rebuild_scope
from services.retriever.settings import RetrieverSettings, operator_ranking
from services.retriever.store.memory_folder import MemoryFolder
from shared.runtime.background import BACKGROUND
from shared.runtime.broker import make_broker
from shared.runtime.clock import SystemClock
from shared.runtime.embedders.factory import EmbedderSettings, make_query_embedder
from shared.runtime.embedders.port import Embedder
from shared.runtime.keys import load_keys
from shared.runtime.languages import chat_languages
from shared.runtime.projection_file import keep_scopes_rebuilt
from shared.runtime.projector import Projector
from shared.runtime.rebuilding import remove_leftovers
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import finished, in_thread, run_until_one_ends
from shared.runtime.topology import check_streams


class Retriever:
    """The retriever as a service: a broker with the handlers of queries, and a projector."""

    name = "retriever"

    def __init__(self, runtime: RuntimeSettings, settings: RetrieverSettings, embedder: Embedder | None) -> None:
        self._settings = settings
        self._keys = load_keys(runtime.files.keys)
        remove_leftovers(runtime.files.projection("retriever"))
        self._memories = MemoryFolder(runtime.files.projection("retriever"), open_files=settings.open_files)
        self._projection = RetrieverProjection(self._memories, pending_events=settings.pending_events)
        self._is_ready = False
        self._opened = asyncio.Event()
        self._vectors = QueryVectors(embedder, timeout_s=settings.query_embedding_timeout_s)
        scratch = runtime.files.scratch("retriever")
        shutil.rmtree(scratch, ignore_errors=True)  # what a crash left there
        operator = operator_ranking(runtime.files.ranking, settings.ranking)
        languages = chat_languages(runtime)
        self._files = PersonFiles(self._memories, self._keys, scratch=scratch)
        interpreter = QueryInterpreter(SystemClock(), operator, self._vectors, languages)
        self._answerer = Answerer(self._files, interpreter, languages=languages)
        self.broker: NatsBroker = make_broker(runtime, self.name, "Answers what is known.", opened=self._opened)
        self.broker.include_router(make_router(self._answerer, Explainer(self._files, interpreter), self._files))

    @property
    def is_ready(self) -> bool:
        """True after the end of the log was reached for the first time."""
        return self._is_ready

    async def warm(self) -> None:
        """Load the model, so that the first question has its vector in time."""
        await self._vectors.warm()

    async def run(self) -> None:
        """Follow the log until cancelled."""
        client = self.broker.connection
        await retry_while_unavailable(lambda: check_streams(client, self._keys))
        projector = Projector(client, self._projection)
        self._files.open(client, projector)
        self._opened.set()
        try:
            await run_until_one_ends(
                self._follow(projector),
                self._flush(),
                self._flush_much(),
                keep_scopes_rebuilt(self._memories.index, partial(rebuild_scope, client, self._memories)),
            )
        finally:
            self._files.close()
            await finished(asyncio.ensure_future(self._end()))

    async def _follow(self, projector: Projector) -> None:
        await retry_while_unavailable(projector.catch_up)
        self._is_ready = True
        await projector.run()

    async def _end(self) -> None:
        try:
            await in_thread(self._close)
        finally:
            await self._answerer.close()
            await self._vectors.close()

    def _close(self) -> None:
        if self._projection.is_to_flush:
            self._projection.flush()
        self._memories.close()

    async def _flush(self) -> None:
        while True:
            await asyncio.sleep(self._settings.flush_s)
            if self._projection.is_to_flush:
                await in_thread(self._projection.flush, also_much=False)

    async def _flush_much(self) -> None:
        """Write what is long piece by piece, with rests while somebody asks."""
        while True:
            await asyncio.sleep(self._settings.flush_s)
            while scope := self._memories.much_pending():
                await BACKGROUND.run(self._memories.flush_some, scope)


def build(runtime: RuntimeSettings) -> Retriever:
    """The retriever with its settings from the environment."""
    return Retriever(runtime, RetrieverSettings(), make_query_embedder(EmbedderSettings()))
