"""Hundreds of people, values, roll-ups, turns or sessions in one command need few rounds of look-ups, and end in events."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.ingest.domain.policy import Policy
from services.ingest.store import Store
from shared.contracts.ageing import EraseRolledUp, SaveRollup
from shared.contracts.event import EventData
from shared.contracts.events import EpisodeRecorded, FactRemembered, FactSuperseded, SessionCompleted
from shared.contracts.ids import MemoryId, MessageId
from shared.contracts.parts import Origin
from shared.contracts.privacy import Forget, ForgetUser, MemoryForgotten
from tests.support.commands import extracted, import_of, page, redo, remember, restore, undo, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import KEYS, T0
from tests.support.stored import StoredLog
from tests.unit.test_moving import exported, importing

FEW_ROUNDS = 8
"""What a command names, its look-alikes, their names, their rivals, words, and so on: however many there are of each."""

SHAPES = (
    "{0} lives in {1}.",
    "My friend {0} likes mango and tea.",
    "My sister {0} lives in {1}.",
    "My father {0} takes 5 mg of {1}.",
    "My colleague {0} is allergic to nuts.",
    "{0}, my cousin, moved from {1} to Leeds.",
)
_CONSONANTS, _VOWELS = "bdfgklmnprst", "aeiou"


def name(number: int) -> str:
    """A name of nobody, another for each number."""
    syllables, left = "", number + 61
    while left:
        left, digit = divmod(left, len(_CONSONANTS) * len(_VOWELS))
        syllables += _CONSONANTS[digit % len(_CONSONANTS)] + _VOWELS[digit // len(_CONSONANTS)]
    return syllables.capitalize() + "n"


@pytest.fixture
def log(tmp_path: Path) -> StoredLog:
    log = StoredLog(Store(tmp_path, KEYS.digester), Policy(soft_cap=10_000))
    log.tell(user_says("hi", "s1"))
    return log


def rounds_of(log: StoredLog, *commands: object) -> int:
    """How many rounds it takes to decide commands; none of them is refused."""
    before = log.rounds
    decided = log.tell(*commands)  # type: ignore[arg-type] # commands of any kind
    assert [result.refusal for result in decided] == [None] * len(commands)
    return log.rounds - before


def of_type(log: StoredLog, kind: type[EventData]) -> list[MemoryId]:
    return [event.data.subject for event in log.events if isinstance(event.data, kind) and event.data.subject]


@pytest.mark.parametrize("count", [12, 100, 256])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_page_that_names_hundreds_of_people_is_learned(log: StoredLog, shape: str, count: int) -> None:
    facts = [extracted(shape.format(name(each), f"{name(3 * each)}ton")) for each in range(count)]
    assert rounds_of(log, page(*facts)) <= FEW_ROUNDS
    assert len(of_type(log, FactRemembered)) == count


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10, deadline=None)
@given(
    told=st.lists(
        st.tuples(st.sampled_from(SHAPES), st.integers(0, 40), st.integers(0, 5)), min_size=64, max_size=256, unique=True
    )
)
def test_whatever_a_page_says_of_a_village_needs_few_rounds(tmp_path: Path, told: list[tuple[str, int, int]]) -> None:
    with TemporaryDirectory(dir=tmp_path) as folder, closing(Store(Path(folder), KEYS.digester)) as store:
        log = StoredLog(store, Policy(soft_cap=200))
        log.tell(user_says("hi", "s1"))
        facts = [extracted(shape.format(name(who), f"{name(900 + where)}ton")) for shape, who, where in told]
        assert rounds_of(log, page(*facts)) <= FEW_ROUNDS


@pytest.mark.parametrize("count", [12, 100, 500])
def test_of_a_long_chain_of_values_any_is_restored_undone_and_redone(log: StoredLog, count: int) -> None:
    for each in range(count):
        log.tell(remember(f"I live in {name(each)}ton.", message_id=f"r{each}"))
    facts = of_type(log, FactRemembered)
    assert len(of_type(log, FactSuperseded)) == count - 1
    for command in (restore(facts[0]), undo(memory_id=facts[1]), redo(memory_id=facts[1]), undo(memory_id=facts[-1])):
        assert rounds_of(log, command) <= FEW_ROUNDS


@pytest.mark.parametrize("count", [11, 100])
def test_memories_under_a_hundred_roll_ups_are_forgotten_in_one_command(log: StoredLog, count: int) -> None:
    talk = [user_says(f"hello {name(each)}, it rains", "s1", message_id=f"m{each}") for each in range(2 * count)]
    log.tell(import_of(talk))
    turns = of_type(log, EpisodeRecorded)[1:]
    for index in range(count):
        rollup = SaveRollup(
            message_id=MessageId(f"roll{index}"),
            text=f"hello {name(index)}, it rains",
            source_ids=tuple(turns[2 * index : 2 * index + 2]),
            first_at=T0,
            last_at=T0,
            origin=Origin(extractor="rules", run_id="run_1"),
        )
        log.tell(rollup)
    old = tuple(turns[: 2 * count : 2])
    erase = EraseRolledUp(message_id=MessageId("over"), memory_ids=old, before=T0 + timedelta(days=400))
    assert rounds_of(log, erase) <= FEW_ROUNDS
    gone = [each for event in log.events if isinstance(event.data, MemoryForgotten) for each in event.data.memory_ids]
    assert set(old) <= set(gone)


def test_hundreds_of_sessions_and_turns_are_taken_and_forgotten_in_one_command(log: StoredLog) -> None:
    turns = [user_says(f"{name(each)} said so", f"t{each}", message_id=f"z{each}") for each in range(500)]
    assert rounds_of(log, import_of(turns)) <= FEW_ROUNDS
    assert rounds_of(log, user_says("good evening", "last")) <= FEW_ROUNDS
    assert any(isinstance(event.data, SessionCompleted) for event in log.events)
    for command in (Forget(query=name(7)), Forget(query="said"), ForgetUser()):
        assert rounds_of(log, command) <= FEW_ROUNDS
    assert log.events[-1].type == "user_forgotten"


def test_an_export_of_hundreds_of_people_is_imported_in_few_rounds(log: StoredLog) -> None:
    village = PaperLog(Policy(soft_cap=10_000))
    village.tell(user_says("hi", "s1"))
    for start in range(0, 200, 50):
        told = (SHAPES[each % len(SHAPES)].format(name(each), f"{name(each)}ton") for each in range(start, start + 50))
        village.tell(page(*map(extracted, told), number=start))
    records = exported(village)
    assert rounds_of(log, importing([each for each in records if each.type == "fact_remembered"])) <= FEW_ROUNDS
    assert len(of_type(log, FactRemembered)) == 200
