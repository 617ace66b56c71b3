"""What all questions read of a file is read once, and again as soon as anything of the file has changed."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from services.retriever.assembly import context
from services.retriever.person_files import Reading
from services.retriever.store.asker_profile import AskerProfile
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.privacy import commands_among
from services.retriever.store.unchanged import Unchanged
from shared.contracts.commands import ChangeSettings, Pin
from shared.contracts.ids import MemoryId, MessageId, RecallId, SessionId
from shared.contracts.parts import Origin
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, StartIncognito
from shared.contracts.queries import ContextAnswer
from shared.contracts.reflecting import SaveReflection
from shared.runtime.sqlite import driver
from tests.support.commands import recall_of
from tests.support.files import Shelved, question, shelved
from tests.support.scopes import T0

LATER = T0 + timedelta(days=1)
Change = Callable[[Shelved], Any]


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Shelved]:
    """Somebody of whom something of each kind is known."""
    told = shelved(tmp_path / "anna.db")
    told.say("I live in Leeds, and tea keeps me awake", speaker="Anna")
    told.know("My name is Anna")
    told.know("I live in Leeds")
    told.know("I like tea")
    yield told
    told.file.close()


def asked(file: MemoryFile) -> tuple[ContextAnswer, AskerProfile]:
    """Everything that is told of the file, whatever of it is known already."""
    with file.connect() as db:
        request = question("where do I live, and what about tea?", now=LATER)
        answer = context(file.searched(db), request, recall_id=RecallId("r"), position=0, budget_tokens=None)
        return answer, Reading(file, db, 0).profile


def id_of(told: Shelved, text: str) -> MemoryId:
    return MemoryId(next(item.memory_id for item in asked(told.file)[0].items if text in item.text))


def id_of_name(told: Shelved) -> MemoryId:
    return MemoryId(next(entry.memory_id for entry in asked(told.file)[0].profile if entry.about == "name"))


def reflect(told: Shelved) -> None:
    made_by, sources = Origin(extractor="rules/1", run_id="r1"), (id_of(told, "Leeds, and tea"),)
    told.tell(SaveReflection(text="It was a week of tea.", source_ids=sources, made_by=made_by, occurred_at=T0), now=LATER)


CHANGES: dict[str, Change] = {
    "a fact of the profile": lambda told: told.know("I am allergic to nuts", now=LATER),
    "a fact that supersedes one": lambda told: told.know("I moved to York", now=LATER),
    "a fact in doubt": lambda told: told.know("I have never moved to Leeds", now=LATER),
    "a pin": lambda told: told.tell(Pin(memory_id=id_of(told, "I like tea"))),
    "a forgetting": lambda told: told.tell(Forget(memory_ids=(id_of_name(told),))),
    "a setting": lambda told: told.tell(ChangeSettings(settings=PersonSettings(memory_enabled=False))),
    "an incognito session": lambda told: told.tell(StartIncognito(session_id=SessionId("s9"))),
    "a speaker": lambda told: told.say("I do not drink tea", speaker="Ben", now=LATER),
    "a reflection": reflect,
    "a chat command": lambda told: told.say("Forget that I like tea", now=LATER),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_next_question_knows_of_a_change(told: Shelved, change: Change) -> None:
    before = asked(told.file)
    change(told)
    after = asked(told.file)
    anew = MemoryFile(told.file.path)
    assert after == asked(anew)
    assert after != before
    anew.close()


def test_the_first_command_is_known_at_once(told: Shelved) -> None:
    def commands() -> frozenset[MessageId]:
        with told.file.connect() as db:
            return commands_among(db, [MessageId(f"m{number}") for number in range(9)], told.file.unchanged)

    assert not commands()
    told.say("Forget that I like tea", now=LATER)
    assert commands() == {f"m{told.log.sent}"}


def test_what_was_read_is_not_read_again() -> None:
    read, unchanged = iter(range(9)), Unchanged()
    assert [unchanged.of("a", lambda: next(read)) for _ in range(2)] == [0, 0]
    assert unchanged.of("b", lambda: next(read)) == 1
    unchanged.forget()
    assert unchanged.of("a", lambda: next(read)) == 2


def statements(file: MemoryFile) -> int:
    """How many a question runs."""
    ran: list[str] = []
    with file.connect() as db:
        driver(db).set_trace_callback(ran.append)
        request = question("where do I live?", now=LATER)
        context(file.searched(db), request, recall_id=RecallId("r"), position=0, budget_tokens=None)
        driver(db).set_trace_callback(None)
    return len(ran)


def test_a_second_question_runs_fewer_statements(told: Shelved) -> None:
    first = statements(told.file)
    assert statements(told.file) < first


def test_a_recall_and_a_vector_leave_what_was_read(told: Shelved) -> None:
    statements(told.file)
    second, fact = statements(told.file), id_of(told, "I like tea")
    told.tell(recall_of({fact: 1.0}))
    told.embed(fact, (1.0, 0.0, 0.0, 0.0))
    assert statements(told.file) == second


def test_a_turn_leaves_what_was_read_of_facts(told: Shelved) -> None:
    statements(told.file)
    told.say("It rains", now=LATER)
    after_a_turn = statements(told.file)
    told.know("I have a cat called Miso", now=LATER)
    assert after_a_turn < statements(told.file)


def test_what_is_kept_of_facts_is_forgotten_with_them() -> None:
    read, unchanged = iter(range(9)), Unchanged()
    assert [unchanged.of_facts("a", lambda: next(read)) for _ in range(2)] == [0, 0]
    unchanged.forget(facts=False)
    assert unchanged.of_facts("a", lambda: next(read)) == 0
    unchanged.forget()
    assert unchanged.of_facts("a", lambda: next(read)) == 1
