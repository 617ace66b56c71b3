"""What maintenance finds faded is retired if ingest finds so, too; and whatever keeps a fact from fading keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from services.ingest.domain.memories import Status
from services.ingest.domain.policy import Policy
from services.maintenance.jobs.decay import _of_each_person
from services.maintenance.store import Falling, MaintenanceStore
from shared.contracts.command import Command
from shared.contracts.commands import RetireMemories
from shared.contracts.events import FactRemembered, MemoriesRecalled, MemoryRestored, MemoryRetired
from shared.contracts.ids import MemoryId, Position, Scope
from shared.contracts.recalls import Recall
from shared.domain.decay import Fading
from shared.domain.moments import microseconds, moment
from shared.runtime.background import BACKGROUND
from tests.support.commands import confirm, correct, pin, recall_of, remember, restore, unpin, user_says
from tests.support.history import recalled
from tests.support.paper import PaperLog
from tests.support.scopes import BEN, KEYS, T0

BELOW = 0.05


def day(days: float) -> datetime:
    return T0 + timedelta(days=days)


def retire(*memory_ids: str, days: float, below: float = BELOW) -> RetireMemories:
    return RetireMemories(memory_ids=tuple(map(MemoryId, memory_ids)), below=below, at=day(days))


def remembered(log: PaperLog, text: str = "Anna likes tea") -> MemoryId:
    (event, *_) = log.tell(remember(text))
    assert isinstance(event.data, FactRemembered)
    return event.data.memory_id


def gone(log: PaperLog, *memory_ids: str, days: float) -> list[MemoryId]:
    events = log.tell(retire(*memory_ids, days=days), now=day(days))
    assert all(isinstance(event.data, MemoryRetired) and event.data.reason == "decayed" for event in events)
    return [event.data.subject for event in events if event.data.subject]


def test_a_fact_goes_on_the_thirtieth_day_and_not_on_the_twenty_ninth() -> None:
    log = PaperLog()
    tea = remembered(log)
    assert gone(log, tea, days=29) == []
    assert gone(log, tea, days=30) == [tea]
    assert (log.state.memories[tea].status, log.state.memories[tea].ended) == (Status.RETIRED, "decayed")
    assert log.events[-1].occurred_at == day(30)


def test_many_go_at_once_each_once_and_again_nothing_happens() -> None:
    log = PaperLog()
    tea, milk = remembered(log), remembered(log, "Ben rows boats")
    assert gone(log, tea, milk, tea, days=40) == [tea, milk]
    assert gone(log, tea, milk, days=41) == []


def used(memory_id: MemoryId) -> Command:
    return recall_of({memory_id: 0.5}, computed_at=day(20))


def told_in_the_first_line(memory_id: MemoryId) -> Command:
    return used(memory_id).model_copy(update={"items": (), "profile": (memory_id,)})


KEPT: dict[str, Callable[[MemoryId], Command]] = {
    "confirmed": confirm,
    "pinned": pin,
    "repeated": lambda _: remember("Anna likes tea"),
    "used": used,
    "told in the first line": told_in_the_first_line,
}


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
def test_what_somebody_came_back_to_since_maintenance_looked_stays(kept: Callable[[MemoryId], Command]) -> None:
    log = PaperLog()
    tea = remembered(log)
    log.tell(kept(tea), now=day(20))
    assert gone(log, tea, days=40) == []


@pytest.mark.parametrize(("kept", "for_ever"), [("confirmed", True), ("pinned", True), ("repeated", False), ("used", False)])
def test_what_is_confirmed_or_pinned_never_goes_and_what_was_used_goes_later(kept: str, *, for_ever: bool) -> None:
    log = PaperLog()
    tea = remembered(log)
    log.tell(KEPT[kept](tea), now=day(20))
    assert gone(log, tea, days=51) == ([] if for_ever else [tea])


def test_while_it_was_pinned_a_fact_did_not_fade() -> None:
    log = PaperLog()
    tea = remembered(log)
    log.tell(pin(tea))
    log.tell(unpin(tea), now=day(365))
    assert gone(log, tea, days=394) == []
    assert gone(log, tea, days=395) == [tea]


def test_what_is_restored_is_as_sure_as_once_and_fades_anew() -> None:
    log = PaperLog()
    tea = remembered(log)
    gone(log, tea, days=40)
    (event, *_) = log.tell(restore(tea), now=day(50))
    assert isinstance(event.data, MemoryRestored)
    assert (event.data.was, event.data.confidence) == ("decayed", 1.0)
    assert gone(log, tea, days=79) == []
    assert gone(log, tea, days=80) == [tea]


def test_told_again_a_decayed_fact_is_back() -> None:
    log = PaperLog()
    tea = remembered(log)
    gone(log, tea, days=40)
    log.tell(remember("Anna likes tea"), now=day(41))
    assert log.state.memories[tea].status is Status.LIVE


def test_turns_and_what_nobody_knows_do_not_decay() -> None:
    log = PaperLog()
    *_, turn = log.tell(user_says("hello"))
    assert gone(log, turn.data.subject or "", "fact_000000000000000000000000", days=9_999) == []


def test_the_rate_is_the_operators_when_the_fact_was_told() -> None:
    slow = PaperLog(Policy(decay_rate=0.01))
    tea = remembered(slow)
    assert isinstance(slow.events[-1].data, FactRemembered)
    assert slow.events[-1].data.decay_rate == 0.01
    assert gone(slow, tea, days=299) == []
    assert gone(slow, tea, days=300) == [tea]


@pytest.mark.parametrize(
    "text",
    [
        *("I am allergic to walnuts", "My daughter Mia is allergic to peanuts", "I don't eat pork", "I am vegan"),
        *("I have asthma", "I take metformin", "My wife is called Ines", "I have two kids", "My name is Anna Smith"),
        *("Keep your answers short", "My birthday is on May 3", "Ich bin allergisch gegen Nüsse"),
    ],
)
def test_whoever_was_away_for_years_finds_what_holds_for_years(text: str) -> None:
    log = PaperLog()
    lasting = remembered(log, text)
    assert log.state.facts[lasting].confidence_by(day(365)) > 0.5
    assert gone(log, lasting, days=2_995) == []
    assert gone(log, lasting, days=2_996) == [lasting]


@pytest.mark.parametrize("text", ["I have a cold", "I live in Leeds", "I like tea", "I might be allergic to walnuts"])
def test_what_passes_or_is_doubtful_fades_as_anything_else(text: str) -> None:
    log = PaperLog()
    assert gone(log, passing := remembered(log, text), days=30) == [passing]


def test_what_lasts_never_fades_faster_and_need_not_fade_at_all() -> None:
    for policy, rate in ((Policy(decay_rate=0), 0), (Policy(lasting_decay_rate=0), 0), (Policy(lasting_decay_rate=9), 0.1)):
        log = PaperLog(policy)
        memory_id = remembered(log, "I am allergic to walnuts")
        assert log.state.facts[memory_id].decay_rate == rate


def test_a_correction_fades_by_what_it_states() -> None:
    log = PaperLog()
    home = remembered(log, "I live in Leeds")
    log.tell(correct(home, "I am allergic to walnuts"))
    [corrected] = [fact for memory_id, fact in log.state.facts.items() if memory_id != home]
    assert corrected.decay_rate == 0.001


def test_the_last_use_of_several_recalls_counts_and_what_the_first_line_told_is_used() -> None:
    several = recalled("fact_a", minutes=5)
    later = Recall(
        **{name: getattr(recalled("fact_a", minutes=9), name) for name in Recall.model_fields} | {"profile": ("fact_b",)}
    )
    event = MemoriesRecalled.model_validate(several.model_dump() | {"further": (later.model_dump(),)})
    assert {memory_id: (at - T0).total_seconds() / 60 for memory_id, at in event.last_used.items()} == {
        "fact_a": 9,
        "fact_b": 9,
    }
    assert event.named == ("fact_a", "fact_b")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MaintenanceStore]:
    store = MaintenanceStore(tmp_path, KEYS.digester)
    yield store
    store.close()


def follow(store: MaintenanceStore, log: PaperLog) -> None:
    store.apply(log.records, Position(len(log.records)))


def pages(store: MaintenanceStore, *, days: float, limit: int, below: float = BELOW) -> list[Falling]:
    found: list[Falling] = []
    after = None
    while page := store.falling(below=below, until=microseconds(day(days)), limit=limit, after=after):
        found += page
        after = page[-1]
    return found


def test_pages_of_any_length_tell_every_falling_fact_once_whatever_its_rate(store: MaintenanceStore) -> None:
    log = PaperLog()
    for number in range(12):
        log.policy = Policy(decay_rate=(0.05, 0.1, 0.2)[number % 3])
        log.tell(remember(f"Number {number} is {number * 7}"), now=day(number / 10), user=BEN)
    follow(store, log)
    whole = pages(store, days=999, limit=99)
    assert len({fact.memory_id for fact in whole}) == 12
    assert all(pages(store, days=999, limit=limit) == whole for limit in (1, 2, 5))
    facts = {event.data.memory_id: event for event in log.events if isinstance(event.data, FactRemembered)}
    for fact in whole:
        event = facts[fact.memory_id]
        assert isinstance(event.data, FactRemembered)
        falls_at = Fading(1.0, microseconds(event.recorded_at), event.data.decay_rate).falls_at(BELOW)
        assert abs(moment(fact.at) - moment(falls_at or 0)) < timedelta(milliseconds=1)


def test_another_threshold_needs_no_other_rows(store: MaintenanceStore) -> None:
    log = PaperLog()
    remembered(log)
    follow(store, log)
    assert [len(pages(store, days=10, limit=9, below=below)) for below in (0.05, 0.3, 0.4)] == [0, 0, 1]


def test_a_command_is_about_one_person_and_few_enough_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BACKGROUND.attention, "_asked", float("-inf"))
    facts = [Falling(Scope(f"{number % 2}"), MemoryId(f"fact_{number}"), Position(1), 0.1, 0.0, 0) for number in range(102)]
    commands = list(_of_each_person(facts))
    assert [len(command) for command in commands] == [50, 1, 50, 1]
    assert all(len({fact.scope for fact in command}) == 1 for command in commands)
    assert {fact.memory_id for command in commands for fact in command} == {fact.memory_id for fact in facts}
    monkeypatch.setattr(BACKGROUND.attention, "_asked", float("inf"))
    assert {len(command) for command in _of_each_person(facts)} == {8, 3}
