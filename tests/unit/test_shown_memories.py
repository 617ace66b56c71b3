"""Memories are shown as the contract has them, though what is read of a person's own file is not validated again."""

from datetime import timedelta
from pathlib import Path

from services.retriever.assembly import context
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.read_memories import by_numbers, memories_of
from services.retriever.store.schema import memories
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.store.shown_rows import SELECTED, KnownRows, shown_rows
from shared.contracts.commands import Pin
from shared.contracts.ids import RecallId
from shared.contracts.queries import ContextAnswer, Memory, Outdated
from tests.support.as_validated import unlike_validated
from tests.support.files import Shelved, question, shelved
from tests.support.scopes import T0


def told_much(path: Path) -> Shelved:
    """A file with what has ended in whole and in part, what is pinned, tagged, and said again."""
    told = shelved(path)
    told.say("I live in Leeds.", speaker="Anna")
    told.say("no wait, York", now=T0 + timedelta(minutes=1), speaker="Anna")
    told.say("I lived in Leeds, just kidding")
    told.know("I live in Leeds and work at Bosch", "home", "work")
    told.know("I moved to York", now=T0 + timedelta(days=1))
    tea = told.know("I like tea, I am 36 years old", "tea")
    told.tell(Pin(memory_id=tea))
    return told


def all_of(file: MemoryFile) -> list[Memory]:
    with file.connect() as db:
        found = shown_rows(db, SELECTED)
        numbers = [row.number for row in found]
        assert memories_of(db, found) == list(by_numbers(db, numbers).values())
        return memories_of(db, found)


def asked(told: Shelved, text: str) -> ContextAnswer:
    with told.connected() as db:
        request = question(text, now=T0 + timedelta(days=400))
        return context(told.searched(db), request, recall_id=RecallId("r"), position=0, budget_tokens=None)


def test_every_memory_is_as_if_it_were_validated(tmp_path: Path) -> None:
    told = told_much(tmp_path / "anna.db")
    found = all_of(told.file)
    assert [memory.text for memory in found if unlike_validated(memory)] == []
    assert {Outdated.WHOLLY, None} <= {memory.outdated for memory in found}
    assert any(memory.slots for memory in found)
    assert any(memory.outdated_by for memory in found)
    assert any(memory.pinned for memory in found)


def test_what_an_answer_shows_is_as_if_it_were_validated(tmp_path: Path) -> None:
    told = told_much(tmp_path / "anna.db")
    for text in ("where do I live? Leeds, York", "tea, how old am I?", "what do I do at Bosch?"):
        answer = asked(told, text)
        assert answer.items
        assert [unlike_validated(item) for item in answer.items if unlike_validated(item)] == []
        assert not unlike_validated(answer)


def test_a_row_is_read_once(tmp_path: Path) -> None:
    told = shelved(tmp_path / "anna.db")
    told.know("I like tea")
    with told.connected() as db:
        rows = KnownRows(db)
        [first] = rows.of([1, 99]).values()
        db.execute(memories.delete())
        assert rows.of([1, 99]) == {1: first}
        db.rollback()


def test_each_question_reads_its_rows_anew(tmp_path: Path) -> None:
    told = shelved(tmp_path / "anna.db")
    told.know("I like tea")

    def looked_at(db_of: SearchedFile) -> str:
        return str(db_of.rows.of([1])[1].content)

    with told.connected() as db:
        before = looked_at(told.searched(db))
        db.execute(memories.update().values(content="I like kelp"))
        assert (before, looked_at(told.searched(db))) == ("I like tea", "I like kelp")
        db.rollback()
