"""A fact that is told again is counted, and never merged with one that says something else."""

from itertools import permutations
from typing import Any

import pytest

from services.ingest.domain.memories import Status
from services.ingest.domain.policy import Policy
from shared.contracts.command import Command
from shared.contracts.envelope import EventData
from shared.contracts.events import FactRemembered, MemoryRepeated, MemoryRestored
from shared.contracts.ids import MemoryId
from shared.contracts.preferences import PersonSettings
from tests.support.commands import change, correct, extracted, page, recall_of, remember, restore, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, BEN, at

EP_1, EP_2 = "ep_0123456789abcdef01234567", "ep_fedcba9876543210fedcba98"


def told(log: PaperLog, command: Command, **given: Any) -> list[EventData]:  # noqa: ANN401 - what PaperLog.tell takes
    return [event.data for event in log.tell(command, **given)]


def remembered(log: PaperLog, text: str = "Anna likes tea", **given: Any) -> MemoryId:  # noqa: ANN401
    (data,) = told(log, remember(text), **given)
    assert isinstance(data, FactRemembered)
    return data.memory_id


def test_a_fact_told_again_is_counted_and_makes_no_second_memory() -> None:
    log = PaperLog()
    memory_id = remembered(log)
    (again,) = told(log, remember("anna likes  TEA!"))
    assert isinstance(again, MemoryRepeated)
    assert (again.memory_id, again.repeat_count, again.match) == (memory_id, 1, "exact")
    assert again.text == "anna likes  TEA!"
    assert set(log.state.facts) == {memory_id}
    assert log.state.live == 1


@pytest.mark.parametrize(
    "other",
    [
        "Anna likes tea at 5",
        "Anna does not like tea",
        "Ben likes tea",
        "Anna likes tea on Monday",
        "Anna likes https://tea.example/a",
    ],
)
def test_what_differs_in_a_guard_is_a_fact_of_its_own(other: str) -> None:
    log = PaperLog()
    remembered(log)
    assert isinstance(told(log, remember(other))[0], FactRemembered)
    assert log.state.live == 2


def test_each_repeat_counts_once_more_and_raises_the_importance_by_less() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    log.tell(page(extracted("Anna likes tea")))
    steps = []
    for number in range(1, 6):
        (again,) = told(log, page(extracted("Anna likes tea"), number=number))
        assert isinstance(again, MemoryRepeated)
        assert again.repeat_count == number
        steps.append(again.importance.value - again.importance_before)
    assert all(step > 0 for step in steps)
    assert steps == sorted(steps, reverse=True)


def test_importance_is_recomputed_from_the_base_and_does_not_compound() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    log.tell(page(extracted("Anna likes tea", importance=0.5)))
    for number in range(1, 100):
        log.tell(page(extracted("Anna likes tea", importance=0.5), number=number))
    (fact,) = log.state.facts.values()
    assert fact.importance == 0.7


def test_the_same_tellings_in_any_order_weigh_the_same() -> None:
    tellings: list[Command] = [
        remember("Anna likes tea"),
        page(extracted("Anna likes tea", importance=0.4), number=1),
        page(extracted("anna likes tea.", importance=0.6, source=EP_2), number=2),
        remember("Anna likes tea!", tags=("drink",), source_ids=(EP_1,)),
    ]
    outcomes = set()
    for order in permutations(tellings):
        log = PaperLog()
        log.tell(user_says("hi", "s1"))
        for command in order:
            log.tell(command)
        (fact,) = log.state.facts.values()
        outcomes.add((fact.importance, fact.repeat_count, fact.manually_saved, fact.sources, frozenset(fact.parts.items())))
    assert len(outcomes) == 1


def test_new_sources_and_tags_are_taken_over_and_known_ones_are_not_named_again() -> None:
    log = PaperLog()
    log.tell(remember("Anna likes tea", tags=("drink",), source_ids=(EP_1, "https://example.org/a")))
    (again,) = told(log, remember("Anna likes tea", tags=("Drink", "taste"), source_ids=(EP_1, EP_2, "https://example.org/a")))
    assert isinstance(again, MemoryRepeated)
    assert (again.added_tags, again.added_source_ids) == (("taste",), (EP_2,))


def test_a_repeat_by_hand_makes_it_saved_by_hand_and_a_learned_one_does_not_undo_it() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    log.tell(page(extracted("Anna likes tea")))
    (by_hand,) = told(log, remember("Anna likes tea"))
    assert isinstance(by_hand, MemoryRepeated)
    assert (by_hand.was_manually_saved, by_hand.manually_saved) == (False, True)
    (learned,) = told(log, page(extracted("Anna likes tea"), number=1))
    assert isinstance(learned, MemoryRepeated)
    assert (learned.was_manually_saved, learned.manually_saved) == (True, True)


@pytest.mark.parametrize("by_operator", [True, False])
def test_where_manual_saves_are_pinned_a_repeat_by_hand_pins_and_a_learned_one_does_not(by_operator: bool) -> None:  # noqa: FBT001
    log = PaperLog(Policy(pin_manual_saves=by_operator))
    if not by_operator:
        log.tell(change(PersonSettings(pin_manual_saves=True)))
    log.tell(user_says("hi", "s1"))
    (first,) = told(log, page(extracted("Anna likes tea")))
    assert isinstance(first, FactRemembered)
    assert not first.pinned
    (learned,) = told(log, page(extracted("Anna likes tea"), number=1))
    (by_hand,) = told(log, remember("Anna likes tea"))
    assert isinstance(learned, MemoryRepeated)
    assert isinstance(by_hand, MemoryRepeated)
    assert (learned.pinned, by_hand.was_pinned, by_hand.pinned) == (False, False, True)
    (other,) = told(log, remember("Ben rows boats"))
    assert isinstance(other, FactRemembered)
    assert other.pinned


def test_a_person_can_switch_the_pinning_of_manual_saves_off() -> None:
    log = PaperLog(Policy(pin_manual_saves=True))
    log.tell(change(PersonSettings(pin_manual_saves=False)))
    (first,) = told(log, remember("Anna likes tea"))
    assert isinstance(first, FactRemembered)
    assert not first.pinned


def test_repeats_within_one_page_are_counted() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    events = told(log, page(extracted("Anna likes tea"), extracted("Ben rows"), extracted("anna likes tea"), is_last=True))
    assert [event.event_type for event in events] == [
        "fact_remembered",
        "fact_remembered",
        "memory_repeated",
        "session_consolidated",
    ]


def test_an_episode_is_never_merged() -> None:
    log = PaperLog()
    for _ in range(2):
        assert log.tell(user_says("Anna likes tea"))[-1].type == "episode_recorded"
    assert isinstance(told(log, remember("Anna likes tea"))[0], FactRemembered)


def test_the_facts_of_others_are_not_looked_at() -> None:
    log = PaperLog()
    log.tell(remember("Anna likes tea"), user=BEN)
    assert isinstance(told(log, remember("Anna likes tea"), user=ANNA)[0], FactRemembered)


def test_a_retired_fact_that_is_told_again_is_brought_back() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    log.tell(change(PersonSettings(soft_cap=1)))
    log.tell(page(extracted("Anna likes tea", importance=0.1)))
    *_, retired = told(log, page(extracted("Ben rows boats", importance=0.9), number=1))
    assert retired.event_type == "memory_retired"
    events = told(log, remember("Anna likes tea"))
    assert [event.event_type for event in events] == ["memory_restored", "memory_repeated", "memory_retired"]
    assert isinstance(events[0], MemoryRestored)
    assert events[0].was == "trimmed"
    assert log.state.live == 1


def test_a_superseded_fact_that_is_told_again_is_a_new_fact() -> None:
    log = PaperLog()
    old = remembered(log, "Anna lives in Rome")
    log.tell(correct(old, "Anna lives in Oslo"))
    again = remembered(log, "Anna lives in Rome")
    assert again != old
    assert log.state.memories[old].status is Status.SUPERSEDED


def test_of_two_facts_that_say_the_same_the_live_one_is_repeated() -> None:
    log = PaperLog()
    old = remembered(log, "Anna lives in Rome")
    log.tell(correct(old, "Anna lives in Oslo"))
    again = remembered(log, "Anna lives in Rome")
    log.tell(restore(old))
    log.tell(user_says("hi", "s1"))
    (repeated,) = told(log, page(extracted("Anna lives in Rome")))
    assert isinstance(repeated, MemoryRepeated)
    assert repeated.memory_id == min(old, again, key=lambda memory_id: log.state.memories[memory_id].number)


def test_a_command_that_repeats_a_fact_is_answered_with_that_fact() -> None:
    log = PaperLog()
    memory_id = remembered(log)
    log.tell(remember("Anna likes tea", message_id="again"))
    assert list(log.state.seen.values())[-1].memory_id == memory_id


def test_a_repeat_is_known_by_its_message_id() -> None:
    log = PaperLog()
    remembered(log)
    assert len(log.tell(remember("Anna likes tea", message_id="again"))) == 1
    assert log.tell(remember("Anna likes tea", message_id="again")) == []


def test_the_last_telling_counts_for_its_age_and_a_recall_for_its_scores() -> None:
    log = PaperLog()
    memory_id = remembered(log, now=at(0))
    log.tell(remember("Anna likes tea"), now=at(60))
    assert log.state.facts[memory_id].told_at == at(60)
    log.tell(recall_of({memory_id: 0.75}))
    recalled = log.state.facts[memory_id].recalled
    assert recalled
    assert (recalled.relevance, recalled.recency) == (0.75, 0.5)
