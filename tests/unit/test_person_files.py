"""How often a query visits the asker's file, and how many files of then are made at once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection

from services.retriever import answerer, person_files
from services.retriever.answerer import Answerer
from services.retriever.domain.weights import Operator
from services.retriever.interpreter import QueryInterpreter
from services.retriever.person_files import PersonFiles
from services.retriever.projection import RetrieverProjection
from services.retriever.query_vectors import QueryVectors
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import MemoryFolder
from shared.contracts.ids import MessageId, Scope, SessionId, User
from shared.contracts.queries import ContextAnswer, ContextQuery, LegFailure, ListQuery, SearchAnswer, SearchQuery
from shared.contracts.subjects import GATE
from shared.runtime.asking import BACKGROUND_HEADER, Asker
from shared.runtime.background import BACKGROUND
from shared.runtime.embedders.hashing import hashing_embedder
from shared.runtime.embedders.local import LocalEmbedder
from shared.runtime.embedders.port import Vectors
from shared.runtime.sqlite import driver, rows
from tests.support.commands import user_says
from tests.support.installations import until
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, KEYS, SPACE, FixedClock

ASKER = Asker(SPACE, ANNA)
_ALL_ROWS = re.compile(r"SCAN memor(?!.*(?:_pinned|_reflections|VIRTUAL TABLE INDEX 0:M\d)$)|SEARCH memor\w+$")
"""A step of a plan that looks at all of a person, but for two indices that hold few, and what FTS5 matches.

Of `max` SQLite says that it searches."""
_PATIENCE_S = 30.0
TOLD = "I saw a heron by the lake"


class Applied:
    """A projector that has applied everything."""

    progress: Any = None
    position = 99

    def __init__(self) -> None:
        self.progress = self

    async def wait_for(self, *_: object) -> None:
        pass

    async def wait_until(self, *_: object) -> None:
        pass


class Counted(MemoryFolder):
    """Counts how often a file is read."""

    visits = 0

    @contextmanager
    def reading(self, scope: Scope) -> Iterator[MemoryFile | None]:
        self.visits += 1
        with super().reading(scope) as file:
            yield file


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Counted]:
    memories, log = Counted(tmp_path / "retriever", open_files=4), PaperLog()
    log.tell(user_says(TOLD, "s1", message_id="m1"))
    log.tell(user_says("What do you remember about the heron?", "s2", message_id="m2"))
    RetrieverProjection(memories, pending_events=1).apply(log.records, log.records[-1].position)
    yield memories
    memories.close()


@pytest.fixture
def files(memories: Counted, tmp_path: Path) -> PersonFiles:
    files, nothing = PersonFiles(memories, KEYS, scratch=tmp_path), Any
    files.open(nothing, Applied())  # type: ignore[arg-type]
    return files


@pytest.fixture
def asked(files: PersonFiles, monkeypatch: pytest.MonkeyPatch) -> Answerer:
    async def decided(*_: object) -> int:
        return 99

    monkeypatch.setattr(answerer, "position_of_turn", decided)
    vectors = QueryVectors(hashing_embedder(dimensions=8), timeout_s=30)
    return Answerer(files, QueryInterpreter(FixedClock(), Operator(), vectors))


async def test_a_context_visits_the_file_before_the_embedding_and_after_it(asked: Answerer, memories: Counted) -> None:
    query = ContextQuery(query="heron", session_id=SessionId("s2"), message_id=MessageId("m2"), record=False)
    answer = ContextAnswer.model_validate_json(await asked.context(ASKER, query))
    assert [item.text for item in answer.items] == [TOLD]
    assert answer.command is not None
    assert memories.visits == 2


async def test_a_search_visits_the_file_before_the_embedding_and_after_it(asked: Answerer, memories: Counted) -> None:
    answer = SearchAnswer.model_validate_json(await asked.search(ASKER, SearchQuery(query="heron")))
    assert TOLD in [item.text for item in answer.items]
    assert memories.visits == 2


async def test_file_and_thread_are_free_while_two_who_ask_wait_for_their_vectors(
    asked: Answerer, files: PersonFiles, memories: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_come, is_read, reading, embed_here = Event(), Event(), memories.reading, LocalEmbedder.embed_here

    def once_both_have_come(scope: Scope) -> AbstractContextManager[MemoryFile | None]:
        both_have_come.wait(_PATIENCE_S)
        return reading(scope)

    def once_the_file_was_read(embedder: LocalEmbedder, texts: Sequence[str]) -> Vectors:
        assert is_read.wait(_PATIENCE_S)
        return embed_here(embedder, texts)

    monkeypatch.setattr(memories, "reading", once_both_have_come)
    monkeypatch.setattr(LocalEmbedder, "embed_here", once_the_file_was_read)
    questions = [asyncio.create_task(asked.search(ASKER, SearchQuery(query=query))) for query in ("heron", "lake")]
    await until(lambda: files.are_several_asking)
    both_have_come.set()
    async with asyncio.timeout(_PATIENCE_S / 2):
        assert await files.read(ASKER, ListQuery(), lambda reading: reading.position)
    is_read.set()
    for answer in await asyncio.gather(*questions):
        assert SearchAnswer.model_validate_json(answer).leg_failures == {"vector": LegFailure.NO_VECTORS}  # of the memory


async def test_no_question_reads_all_rows_of_a_person(asked: Answerer, monkeypatch: pytest.MonkeyPatch) -> None:
    query = ContextQuery(query="What did I see by the lake in May?", record=False)
    await asked.context(ASKER, query)  # which reads the columns, of all rows
    connect, said, scans = MemoryFile.connect, list[str](), list[str]()

    def traced(file: MemoryFile) -> Connection:
        db = connect(file)
        driver(db).set_trace_callback(said.append)
        return db

    with asked._files._memories.reading(KEYS.scope_of(SPACE, ANNA)) as file:
        assert file is not None
        file.unchanged.forget()  # as a change does: what is kept until the next one is read, too
    monkeypatch.setattr(MemoryFile, "connect", traced)
    await asked.context(ASKER, query)
    await asked.search(ASKER, SearchQuery(query="heron"))
    monkeypatch.undo()
    with asked._files._memories.reading(KEYS.scope_of(SPACE, ANNA)) as file:
        assert file is not None
        with connect(file) as db:
            driver(db).set_trace_callback(None)
            for statement in (each for each in said if each.lstrip().upper().startswith(("SELECT", "WITH"))):
                plan = [str(step[-1]) for step in rows(db, f"EXPLAIN QUERY PLAN {statement}")]
                scans += [f"{step}: {statement}" for step in plan if _ALL_ROWS.match(step)]
    assert len(said) > 10
    assert scans == []


async def test_what_needs_no_vector_needs_no_second_visit(asked: Answerer, memories: Counted) -> None:
    assert (await asked.list(ASKER, ListQuery())).items
    assert memories.visits == 1
    of_ben = await asked.context(Asker(SPACE, User("ben")), ContextQuery(query="heron"))
    assert not ContextAnswer.model_validate_json(of_ben).items
    assert memories.visits == 2
    incognito = await asked.context(ASKER, ContextQuery(query="heron", incognito=True))
    assert ContextAnswer.model_validate_json(incognito).withheld == "incognito"
    assert memories.visits == 2


async def test_no_more_than_two_files_of_then_are_made_at_once_whoever_asks(
    files: PersonFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def made(*_: object, **__: object) -> AsyncGenerator[None]:
        yield

    monkeypatch.setattr(person_files, "file_as_of", made)
    async with AsyncExitStack() as stack:
        for number in (1, 2):
            await stack.enter_async_context(files.of_then(ASKER, number, ListQuery()))
        third = asyncio.create_task(asyncio.wait_for(stack.enter_async_context(files.of_then(ASKER, 3, ListQuery())), 0.05))
        with pytest.raises(TimeoutError):
            await third
    async with files.of_then(ASKER, 3, ListQuery()), files.wanted(ASKER, ListQuery(at_number=3)) as file:
        assert file.withheld is None


async def test_a_service_that_asks_is_no_question_of_its_person(files: PersonFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    attention = BACKGROUND.attention
    monkeypatch.setattr(attention, "_asked", float("-inf"))
    of_service = ASKER._replace(in_background=True)
    async with files.of_now(of_service, ListQuery()):
        assert not attention.is_asked
        assert not attention.is_answering
        async with files.of_now(ASKER, ListQuery()):  # its person does not wait for it
            assert attention.is_answering
        second = asyncio.create_task(files.read(of_service, ListQuery(), lambda reading: reading.position))
        await asyncio.sleep(0)
        assert not second.done()
    assert await second == 99


async def test_so_many_questions_of_services_as_never_wait_take_turns_with_all_others(files: PersonFiles) -> None:
    of_service = ASKER._replace(in_background=True)
    async with files.of_now(of_service, ListQuery()):
        asked = [asyncio.create_task(files.read(of_service, ListQuery(), lambda _: 1)) for _ in range(20)]
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        assert sum(each.done() for each in asked) <= 20 - 15
    assert await asyncio.gather(*asked) == [1] * 20


def test_who_is_limited_to_spaces_asks_nothing_in_the_background() -> None:
    headers = {BACKGROUND_HEADER: "1"}
    assert Asker.of("ask.home.anna.list", headers).in_background
    assert not Asker.of("ask.home.anna.list").in_background
    assert not Asker.of(f"{GATE}.ask.home.anna.list", headers).in_background
