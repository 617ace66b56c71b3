"""A person's sessions: how far each is learned from, by which runs, and which turns are still to be read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.retriever.store.conversations import conversations, episodes
from services.retriever.store.memory_detail import detail
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.errors import NotFound
from shared.contracts.event import EventData
from shared.contracts.events import SessionCompleted, SessionStarted
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import Echo, Origin
from shared.contracts.queries import Conversation, EpisodesAnswer, EpisodesQuery, SessionsQuery
from tests.support.history import consolidated, fact, history, repeated, said

S1 = SessionId("s1")
ORIGIN = Origin(extractor="rules/1", run_id="run-1")


def started(*, resumed: bool = False) -> SessionStarted:
    return SessionStarted(session_id=S1, resumed=resumed)


def completed() -> SessionCompleted:
    return SessionCompleted(session_id=S1, reason="ended", turns=1)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MemoryFile]:
    file = MemoryFile(tmp_path / "anna.db")
    yield file
    file.close()


def session(file: MemoryFile, *told: EventData) -> Conversation:
    file.apply(history(told))
    with file.connect() as db:
        [found] = conversations(db, SessionsQuery(), 1).sessions
    return found


def page(file: MemoryFile, *, after: int = 0, limit: int = 30) -> EpisodesAnswer:
    with file.connect() as db:
        return episodes(db, EpisodesQuery(session_id=S1, after_number=after, limit=limit), 1)


TALK = [started(), said("ep_1", "I row boats."), said("ep_2", "And you?"), completed()]


def test_a_session_is_open_then_pending_then_consolidated(file: MemoryFile) -> None:
    assert session(file, *TALK[:3]).state == "open"
    file.apply(history(TALK[3:], first=4))
    with file.connect() as db:
        assert conversations(db, SessionsQuery(session_id=S1), 1).sessions[0].state == "pending"
    file.apply(history([consolidated("s1", through=4, facts=3)], first=5))
    with file.connect() as db:
        [found] = conversations(db, SessionsQuery(session_id=S1), 1).sessions
    assert (found.state, found.turns, found.new_turns) == ("consolidated", 2, 0)
    assert [(run.run_id, run.extractor, run.facts) for run in found.runs] == [("run-1", "rules/1", 3)]


def test_what_is_said_after_a_run_is_new(file: MemoryFile) -> None:
    more = [started(resumed=True), said("ep_3", "I also sing."), completed()]
    found = session(file, *TALK, consolidated("s1", through=4), *more)
    assert (found.state, found.new_turns) == ("pending", 1)
    assert [turn.memory_id for turn in page(file).episodes] == ["ep_3"]


def test_a_run_that_ends_after_the_session_was_resumed_leaves_the_new_turns_pending(file: MemoryFile) -> None:
    more = [started(resumed=True), said("ep_3", "I also sing."), completed()]
    assert session(file, *TALK, *more, consolidated("s1", through=4)).state == "pending"


def test_turns_come_in_pages_in_their_order(file: MemoryFile) -> None:
    session(file, *TALK)
    first = page(file, limit=1)
    assert ([turn.memory_id for turn in first.episodes], first.next_after_number) == (["ep_1"], 2)
    second = page(file, after=2, limit=5)
    assert ([turn.memory_id for turn in second.episodes], second.next_after_number) == (["ep_2"], None)


def test_what_only_repeats_what_was_handed_out_is_not_read(file: MemoryFile) -> None:
    text = "As I said, I like tea. And I row."
    session(file, started(), said("ep_1", text, echoes=(Echo(memory_id=MemoryId("fact_1"), start=11, end=22),)))
    assert [turn.text for turn in page(file).episodes] == ["As I said, [omitted]. And I row."]


def test_a_session_that_is_not_known_is_not_found(file: MemoryFile) -> None:
    with pytest.raises(NotFound):
        page(file)


def test_a_fact_shows_its_run_and_those_of_its_repeats(file: MemoryFile) -> None:
    again = Origin(extractor="rules/1", run_id="run-2")
    session(file, started(), fact("fact_1", origin=ORIGIN), repeated("fact_1", origin=again))
    with file.connect() as db:
        shown = detail(db, "fact_1")
    assert shown.origin == ORIGIN
    assert [repeat.run_id for repeat in shown.repeats] == ["run-2"]
