"""A newer statement ends what it contradicts, by the time at which things were said, whatever came in first."""

import tomllib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given as examples_of
from hypothesis import settings
from hypothesis import strategies as st

from services.ingest.domain.claims import unpacked
from services.ingest.domain.memories import Status
from shared.contracts.commands import ExtractedFact
from shared.contracts.conflicts import ConflictDetected
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Superseded
from shared.contracts.events import (
    FactCorrected,
    FactOutdated,
    FactRemembered,
    FactSuperseded,
    MemoryRepeated,
    MemoryRestored,
)
from shared.contracts.ids import MemoryId
from shared.contracts.parts import FactSlot
from shared.contracts.privacy import Forget
from shared.runtime.eventlog.append import MAX_BATCH
from tests.support.commands import confirm, correct, extracted, page, pin, remember, restore, user_says
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import at

TABLES = Path(__file__).parent.parent / "support" / "statements"
Pair = tuple[str, str, str]
"""An older statement, a newer one, and what the newer one does to it."""
PAIRS: dict[str, list[Pair]] = {
    table.stem: [
        (old, new, kind)
        for kind, pairs in tomllib.loads(table.read_text(encoding="utf-8")).items()
        if kind != "unread"
        for old, new in pairs
    ]
    for table in sorted(TABLES.glob("*.toml"))
}
EVERY_TABLE = pytest.mark.parametrize("pairs", PAIRS.values(), ids=PAIRS)
SHARE = 4
LEAST_SEEN = 0.25
"""Many of the pairs are of attributes that are not listed, or in no plain shape: those stand beside each other, with dates."""
ENDS = {"fact_superseded", "fact_outdated"}
"""What is contradicted in all that it is about is superseded; where more is said, the rest still holds."""


def types(events: Sequence[Envelope]) -> set[str]:
    return {event.type for event in events}


def told(log: PaperLog, text: str, hour: int = 0) -> MemoryId:
    """The fact that a text is remembered as, told at an hour of a day long ago."""
    event, *_ = log.tell(remember(text, occurred_at=at(hour * 60)), now=at(60 * 1000))
    assert isinstance(event.data, FactRemembered | MemoryRepeated)
    return event.data.memory_id


def standing(log: PaperLog, memory_id: MemoryId) -> Status:
    return log.state.memories[memory_id].status


def wrong_ends(pairs: Sequence[Pair], newer: Callable[[str, str], Sequence[Envelope]]) -> list[Pair]:
    """The pairs of which the newer ends the older, or asks about it, and should not. `newer`: what it leads to."""
    heard = {*ENDS, "conflict_detected"}
    return [(old, new, kind) for old, new, kind in pairs if kind != "supersedes" and types(newer(old, new)) & heard]


def told_by_hand(old: str, new: str) -> Sequence[Envelope]:
    log = PaperLog()
    log.tell(remember(old))
    return log.tell(remember(new))


def learned_from_two_sessions(old: str, new: str) -> Sequence[Envelope]:
    log = PaperLog()
    for number, text in enumerate((old, new), start=1):
        log.tell(user_says(text, f"s{number}", occurred_at=at(number)))
        last = log.tell(page(extracted(text, occurred_at=at(number)), session=f"s{number}", number=number))
    return last


@EVERY_TABLE
@pytest.mark.parametrize("newer", [told_by_hand, learned_from_two_sessions])
def test_no_statement_ends_what_a_reader_would_say_still_holds(
    newer: Callable[[str, str], Sequence[Envelope]], pairs: Sequence[Pair]
) -> None:
    assert wrong_ends(pairs, newer) == []


def test_of_statements_that_outdate_others_most_are_seen_to() -> None:
    """What is not seen stands beside, with its date: an end must be sure."""
    outdating = [(old, new) for pairs in PAIRS.values() for old, new, kind in pairs if kind == "supersedes"][::SHARE]
    seen = sum(bool(types(told_by_hand(old, new)) & ENDS) for old, new in outdating)
    assert seen >= LEAST_SEEN * len(outdating)


def test_the_older_fact_falls_to_three_tenths_and_names_the_newer_and_since_when() -> None:
    log = PaperLog()
    old = told(log, "I live in Leeds", hour=1)
    new, ended = (event.data for event in log.tell(remember("I moved to York", occurred_at=at(120)), now=at(180)))
    assert isinstance(new, FactRemembered)
    assert isinstance(ended, FactSuperseded)
    assert (ended.memory_id, ended.superseded_by, ended.reason) == (old, new.memory_id, "conflict")
    assert (ended.confidence_before, ended.confidence, ended.valid_until) == (1.0, 0.3, at(120))
    assert (standing(log, old), log.state.live) == (Status.SUPERSEDED, 1)


def test_what_a_statement_says_of_its_beginning_is_when_the_older_one_ended() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    told(log, "I live in Leeds")
    since = datetime(2026, 4, 1, tzinfo=UTC)
    home = FactSlot(subject="user", attribute="home", value="york", valid_from=since)
    _, ended = (event.data for event in log.tell(page(learned("The user moved to York in April.", slots=(home,)))))
    assert isinstance(ended, FactSuperseded)
    assert ended.valid_until == since


def test_a_statement_that_comes_late_is_superseded_by_what_was_said_after_it() -> None:
    log = PaperLog()
    new = told(log, "I live in York", hour=5)
    late = told(log, "I live in Leeds", hour=1)
    assert (standing(log, late), standing(log, new)) == (Status.SUPERSEDED, Status.LIVE)
    assert log.state.facts[late].superseded_by == new


def test_a_clock_far_ahead_of_ours_does_not_let_a_statement_win_for_years() -> None:
    log = PaperLog()
    first, *_ = log.tell(remember("I live in Leeds", occurred_at=at(60 * 24 * 1000)), now=at(1))
    _, ended = log.tell(remember("I live in York", occurred_at=at(2)), now=at(2))
    assert isinstance(first.data, FactRemembered)
    assert isinstance(ended.data, FactSuperseded)
    assert (ended.data.memory_id, ended.data.valid_until) == (first.data.memory_id, at(2))


def test_a_statement_between_two_others_ends_the_one_and_is_ended_by_the_other() -> None:
    log = PaperLog()
    first, last = told(log, "I live in Leeds", hour=1), told(log, "I live in Bath", hour=9)
    between = told(log, "I live in York", hour=5)
    assert [standing(log, each) for each in (first, between, last)] == [Status.SUPERSEDED, Status.SUPERSEDED, Status.LIVE]


def test_what_was_superseded_itself_still_ends_what_is_older() -> None:
    log = PaperLog()
    told(log, "I live in York", hour=5)
    told(log, "I don't live in York any more", hour=9)
    assert standing(log, told(log, "I live in Leeds", hour=1)) is Status.SUPERSEDED


def test_of_two_statements_of_one_time_the_one_that_was_recorded_later_counts() -> None:
    log = PaperLog()
    old, new = told(log, "I live in Leeds"), told(log, "I live in York")
    assert (standing(log, old), standing(log, new)) == (Status.SUPERSEDED, Status.LIVE)


def test_what_is_told_again_later_is_as_new_as_that() -> None:
    log = PaperLog()
    home = told(log, "I live in Leeds", hour=1)
    assert told(log, "The user lives in Leeds.", hour=9) == home
    assert standing(log, told(log, "I live in York", hour=5)) is Status.SUPERSEDED


@pytest.mark.parametrize("keep", [pin, confirm])
def test_people_change_also_in_what_they_pinned_or_confirmed(keep: type) -> None:
    log = PaperLog()
    old = told(log, "I live in Leeds")
    log.tell(keep(old))
    told(log, "I live in York", hour=1)
    assert standing(log, old) is Status.SUPERSEDED


def test_a_correction_ends_what_it_contradicts_beside_what_it_corrects() -> None:
    log = PaperLog()
    wrong, home = told(log, "I like long walks"), told(log, "I live in Leeds")
    new, corrected, ended = (event.data for event in log.tell(correct(wrong, "I live in York")))
    assert isinstance(new, FactCorrected)
    assert isinstance(corrected, FactSuperseded)
    assert isinstance(ended, FactSuperseded)
    assert [(each.memory_id, each.reason) for each in (corrected, ended)] == [(wrong, "corrected"), (home, "conflict")]


@pytest.mark.parametrize("confidence", [0.4, 0.1])
def test_who_is_not_sure_of_a_fact_ends_nothing_and_asks_nothing(confidence: float) -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    old = told(log, "I live in Leeds")
    found = log.tell(page(learned("The user lives in York.", confidence=confidence)))
    assert "conflict_detected" not in types(found)
    assert standing(log, old) is Status.LIVE


def test_a_plan_outdates_nothing_and_is_not_outdated_by_what_holds_meanwhile() -> None:
    log = PaperLog()
    home, plan = told(log, "I live in Leeds"), told(log, "Next month I'm moving to York", hour=1)
    told(log, "My home is in Leeds", hour=2)
    assert {standing(log, home), standing(log, plan)} == {Status.LIVE}


def outdated(log: PaperLog, text: str, hour: int) -> list[FactOutdated]:
    events = log.tell(remember(text, occurred_at=at(hour * 60)), now=at(60_000))
    return [event.data for event in events if isinstance(event.data, FactOutdated)]


def test_of_a_fact_that_states_several_things_one_may_end_and_it_is_said_once() -> None:
    log = PaperLog()
    fact = told(log, "I live in Leeds and work at Bosch", hour=1)
    [first] = outdated(log, "I live in York", hour=2)
    assert (first.memory_id, first.slots, first.valid_until) == (fact, (0,), at(120))
    assert outdated(log, "I live in Bath", hour=3) == []
    assert standing(log, fact) is Status.LIVE


def test_a_fact_of_which_all_has_ended_is_superseded_by_what_ended_the_last_of_it() -> None:
    log = PaperLog()
    fact = told(log, "I live in Leeds and work at Bosch", hour=1)
    outdated(log, "I live in York", hour=2)
    left = told(log, "I left Bosch", hour=3)
    assert (standing(log, fact), log.state.facts[fact].superseded_by) == (Status.SUPERSEDED, left)


def test_what_a_newer_fact_says_itself_keeps_no_older_one_alive() -> None:
    log = PaperLog()
    fact = told(log, "I live in Leeds and work at Bosch")
    told(log, "I live in York and work at Bosch", hour=1)
    assert standing(log, fact) is Status.SUPERSEDED


def test_who_says_again_what_is_outdated_says_something_new() -> None:
    log = PaperLog()
    fact = told(log, "I live in Leeds and work at Bosch")
    told(log, "I live in York", hour=1)
    assert told(log, "I live in Leeds and work at Bosch", hour=2) != fact


def test_restoring_brings_a_fact_back_whole_and_keeps_the_newer_one() -> None:
    log = PaperLog()
    old, new = told(log, "I live in Leeds", hour=1), told(log, "I live in York", hour=2)
    restored, asked = log.tell(restore(old))
    assert isinstance(asked.data, ConflictDetected)
    assert isinstance(restored.data, MemoryRestored)
    assert (restored.data.was, restored.data.superseded_by, restored.data.confidence) == ("superseded", new, 1.0)
    assert {standing(log, old), standing(log, new)} == {Status.LIVE}
    assert unpacked(log.state.facts[old].claims).ended == frozenset()
    told(log, "I live in Bath", hour=3)
    assert {standing(log, old), standing(log, new)} == {Status.SUPERSEDED}


def test_forgetting_the_newer_fact_does_not_revive_the_older() -> None:
    log = PaperLog()
    old, new = told(log, "I live in Leeds", hour=1), told(log, "I live in York", hour=2)
    log.tell(Forget(memory_ids=(new,), only=True))
    assert standing(log, old) is Status.SUPERSEDED
    log.erase()
    assert standing(log, old) is Status.SUPERSEDED
    assert new not in log.state.facts


def test_a_fact_that_another_took_the_place_of_cannot_be_pinned_before_it_is_restored() -> None:
    log = PaperLog()
    old, new = told(log, "I live in Leeds", hour=1), told(log, "I live in York", hour=2)
    with pytest.raises(Superseded, match=new):
        log.tell(pin(old))


SAME = (
    ("my cat is called Wolfram", "The user's cat is called Wolfram.", "User has a cat called Wolfram"),
    ("I live in York", "The user lives in York.", "I moved from Leeds to York."),
    ("I'm allergic to nuts", "User is allergic to nuts.", "The user has a nut allergy."),
    ("Ich wohne in Leipzig", "The user lives in Leipzig.", "Anna lives in Leipzig"),
    ("Meine Katze heißt Wolfram", "User has a cat called Wolfram"),
)


@pytest.mark.parametrize("texts", SAME)
def test_facts_that_state_the_same_and_nothing_else_are_one(texts: Sequence[str]) -> None:
    log = PaperLog()
    assert len({told(log, text, hour) for hour, text in enumerate(texts)}) == 1
    repeated = [event.data for event in log.events if isinstance(event.data, MemoryRepeated)]
    assert [each.match for each in repeated] == ["slot"] * (len(texts) - 1)


APART = (
    ("My cat is called Wolfram", "My cat Wolfram ate my homework"),
    ("I live in York", "I moved to York in May"),
    ("I live in York", "I moved to York because my mother is ill"),
    ("I live in York", "I live in York with Anna"),
    ("I smoke", "I don't smoke"),
    ("I live in York", "Maybe I live in York"),
    ("I live in York", "Ben lives in York"),
    ("I'm 34", "My sister is 34"),
)


@pytest.mark.parametrize(("old", "new"), APART)
def test_facts_of_which_one_says_more_or_other_are_two(old: str, new: str) -> None:
    log = PaperLog()
    assert told(log, old) != told(log, new, hour=1)


def learned(text: str, **more: object) -> ExtractedFact:
    return extracted(text, occurred_at=at(60)).model_copy(update=more)


def test_what_a_model_says_not_to_hold_any_more_is_superseded() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    old, newer = told(log, "Anna rows on Sundays"), told(log, "Anna skates", hour=5)
    unknown = MemoryId("fact_000000000000000000000000")
    log.tell(page(learned("Anna has sold her boat", supersedes=(old, newer, unknown))))
    assert (standing(log, old), standing(log, newer)) == (Status.SUPERSEDED, Status.LIVE)


def test_a_model_that_is_not_sure_raises_a_question() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    old = told(log, "Anna rows on Sundays")
    assert "conflict_detected" in types(log.tell(page(learned("Anna has sold her boat", supersedes=(old,), confidence=0.4))))
    assert standing(log, old) is Status.LIVE


STATEMENTS = (
    *("I live in Leeds", "I live in York", "I no longer live in York", "I don't live in Leeds anymore"),
    *("I live in Bath and work at Bosch", "I work at Bosch", "I quit my job", "I live in Leeds and work at Bosch"),
    *("I have a dog called Max", "I no longer have a dog", "I'm vegan", "I eat meat again", "I'm not vegan anymore"),
    *("Next month I'm moving to York", "I'm a junior developer at Acme", "I'm a senior developer at Acme now"),
)


def live_after(order: Sequence[tuple[int, str]]) -> frozenset[str]:
    log = PaperLog()
    texts = {told(log, text, hour): text for hour, text in order}
    return frozenset(text for memory_id, text in texts.items() if standing(log, memory_id) is Status.LIVE)


@settings(max_examples=examples(40))
@examples_of(st.lists(st.sampled_from(STATEMENTS), min_size=2, max_size=4))
def test_whatever_comes_in_first_the_same_facts_are_live_in_the_end(texts: list[str]) -> None:
    assert len({live_after(order) for order in permutations(enumerate(texts))}) == 1


def test_a_person_who_said_their_name_is_meant_by_it() -> None:
    log = PaperLog()
    home = told(log, "I live in Leeds")
    told(log, "Cleo moved to Rome", hour=1)
    assert standing(log, home) is Status.LIVE
    told(log, "My name is Cleo Lind", hour=2)
    told(log, "Cleo moved to York", hour=3)
    assert standing(log, home) is Status.SUPERSEDED


def test_of_many_facts_in_doubt_the_person_is_asked_about_one() -> None:
    log = PaperLog()
    _, june = told(log, "I met Kelly in May"), told(log, "I met Kelly in June", hour=1)
    never = told(log, "I have never met Kelly", hour=2)
    asked = [event.data for event in log.events if isinstance(event.data, ConflictDetected)]
    assert [(each.memory_id, each.newer) for each in asked] == [(june, never)]


def test_a_page_that_contradicts_everything_still_fits_into_one_append() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    for number, confidence in enumerate((0.3, 0.9)):
        facts = [learned(f"The user lives in town{number}x{index}.", confidence=confidence) for index in range(256)]
        assert len(log.tell(page(*facts, number=number))) < MAX_BATCH


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (("nora", "activity", "pregnant"), ("user", "child", "ida")),
        (("user", "activity", "struggling with free will"), ("user", "activity", "struggling with guilt")),
        (("user", "home", "leeds"), ("nora", "home", "york")),
        (("user", "interview", "monday"), ("user", "interview", "tuesday")),
    ],
)
def test_what_is_no_value_of_one_attribute_of_one_subject_ends_nothing(
    older: tuple[str, str, str], newer: tuple[str, str, str]
) -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    for number, (subject, attribute, value) in enumerate((older, newer)):
        slot = FactSlot(subject=subject, attribute=attribute, value=value)
        found = log.tell(page(learned(f"Fact {number} of {value}.", slots=(slot,)), number=number))
    assert not types(found) & {*ENDS, "conflict_detected"}


def test_a_fact_of_which_a_part_is_seen_to_hold_is_not_ended_as_a_whole_by_who_names_it() -> None:
    log = PaperLog()
    both = log.tell(remember("I live in Leeds and I work at Bosch"))[0].data.subject or ""
    log.tell(user_says("hi", "s1"))
    moved = extracted("The user moved from Leeds to York", occurred_at=at(50)).model_copy(update={"supersedes": (both,)})
    events = log.tell(page(moved, session="s1"), now=at(60))
    assert [event.type for event in events] == ["fact_remembered", "fact_outdated"]
    assert log.state.memories[MemoryId(both)].status is Status.LIVE


def test_what_a_fact_denies_beside_what_it_states_is_outdated_when_it_holds_again() -> None:
    log = PaperLog()
    [told_first] = log.tell(remember("I don't drink coffee and I live in York", occurred_at=at(60)), now=at(180))
    *_, outdated = (event.data for event in log.tell(remember("I drink coffee again", occurred_at=at(120)), now=at(180)))
    assert isinstance(told_first.data, FactRemembered)
    assert isinstance(outdated, FactOutdated)
    ended = {slot.value for number, slot in enumerate(told_first.data.slots) if number in outdated.slots}
    assert (outdated.memory_id, ended) == (told_first.data.memory_id, {"coffee"})
    assert standing(log, outdated.memory_id) is Status.LIVE
