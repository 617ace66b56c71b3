"""Several spaces of Anna's as ingest decides and the retriever answers, without a server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from services.retriever.answerer import Answerer
from services.retriever.domain.weights import Operator
from services.retriever.interpreter import QueryInterpreter
from services.retriever.person_files import PersonFiles
from services.retriever.projection import RetrieverProjection
from services.retriever.query_vectors import QueryVectors
from services.retriever.store.forgetting_events import place_of_user_forgotten
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import MemoryFolder
from shared.contracts.command import Command
from shared.contracts.envelope import Envelope
from shared.contracts.ids import Scope, Space, User
from shared.contracts.queries import ContextAnswer, ContextQuery, ScoredMemory, SearchAnswer, SearchQuery
from shared.runtime.asking import Asker
from shared.runtime.embedders.hashing import hashing_embedder
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, ANNAS_SLOT, KEYS, LOG_ID, FixedClock


class _Applied:
    """A projector that has applied everything."""

    position = 9_999

    @property
    def progress(self) -> _Applied:
        return self

    async def wait_for(self, *_: object) -> None:
        pass


class Spaces:
    """A log on paper, the files that follow from it, and their answers."""

    def __init__(self, folder: Path, *, sharing: bool = True) -> None:
        self.folder = folder
        self.log = PaperLog()
        self.memories = folder_of(folder / "retriever")
        self._projection = RetrieverProjection(self.memories, pending_events=1_000)
        self._files = PersonFiles(self.memories, KEYS, scratch=folder)
        nothing, projector = Any, _Applied()
        self._files.open(nothing, projector)  # type: ignore[arg-type]
        vectors = QueryVectors(hashing_embedder(dimensions=8), timeout_s=30)
        self.answerer = Answerer(self._files, QueryInterpreter(FixedClock(), Operator(), vectors), sharing=sharing)

    def close(self) -> None:
        """Close all files."""
        self._files.close()
        self.memories.close()

    def tell(self, space: str, command: Command, user: User = ANNA) -> list[Envelope]:
        """Decide a command of a space, and hand its events to the files."""
        known = len(self.log.records)
        events = self.log.tell(command, space=Space(space), user=user)
        self.log.records = [record._replace(slot=ANNAS_SLOT) for record in self.log.records]  # as the subject tells
        if events:
            self._projection.apply(self.log.records[known:], self.log.records[-1].position)
        return events

    def context(self, space: str, query: str, user: User = ANNA, **more: Any) -> ContextAnswer:  # noqa: ANN401 - as it is
        """What a context holds."""
        asked = ContextQuery(query=query, record=False, **more)
        return ContextAnswer.model_validate_json(asyncio.run(self.answerer.context(Asker(Space(space), user), asked)))

    def search(self, space: str, query: str, user: User = ANNA, **more: Any) -> SearchAnswer:  # noqa: ANN401 - as it is
        """What a search finds."""
        asked = SearchQuery(**{"query": query, "limit": 200, **more})
        return SearchAnswer.model_validate_json(asyncio.run(self.answerer.search(Asker(Space(space), user), asked)))

    def given(self, space: str, query: str, user: User = ANNA, **more: Any) -> list[ScoredMemory]:  # noqa: ANN401 - as it is
        """What a search finds of other spaces."""
        return [item for item in self.search(space, query, user, **more).items if item.origin is not None]

    def erase(self) -> None:
        """What is forgotten leaves the log, and the files are made anew from what is left, as after each receipt."""
        self.log.erase()
        for scope in self.log.states:
            self.rebuild(scope)

    def rebuild(self, scope: Scope) -> None:
        """Make a file anew from the log, as when it was lost or something was erased."""
        fresh = self.memories.beside(scope)
        events = self.log.settled(scope)
        fresh.apply(events[place_of_user_forgotten(events) or 0 :], allow_gaps=True)  # as a rebuild reads them
        self.memories.replace(scope, fresh)
        self.memories.take_up_recipients(scope)

    def digests(self) -> tuple[str, ...]:
        """The digests of the files and of their index."""
        return digests_of(self.memories)

    def digests_of_a_rebuild(self, folder: Path) -> tuple[str, ...]:
        """The digests of everything, built from the log as it is now."""
        memories = folder_of(folder, is_rebuild=True)
        projection = RetrieverProjection(memories, pending_events=1_000, live=False)
        records = sorted(
            (each for scope in self.log.states for each in self.log.settled(scope)), key=lambda each: each.position
        )
        if records:
            projection.apply(records, records[-1].position)
        projection.flush()
        try:
            return digests_of(memories)
        finally:
            memories.close()

    def bytes_of(self, space: str) -> bytes:
        """All bytes of the files of a space."""
        scope = KEYS.scope_of(Space(space), ANNA)
        found = (self.folder / "retriever" / "memories" / scope[:2]).glob(f"{scope}.db*")
        return b"".join(path.read_bytes() for path in found)


def folder_of(folder: Path, *, is_rebuild: bool = False) -> MemoryFolder:
    """An empty folder of files."""
    memories = MemoryFolder(folder, open_files=8, is_rebuild=is_rebuild)
    memories.index.set_meta("log_id", LOG_ID)
    return memories


def digests_of(memories: MemoryFolder) -> tuple[str, ...]:
    """The digests of the files, and who gives to whom."""
    given = {scope: sorted(memories.index.recipients(scope)) for scope in memories.index.scopes()}
    return (*(memories.each_file(each) for each in (MemoryFile.digest, MemoryFile.content_digest)), str(given))
