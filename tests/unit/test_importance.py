from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.importance import CaselessWords, enriched, is_lasting, is_small_talk, judge, merged, repeat_boost


@pytest.mark.parametrize(
    "text",
    [
        "Anna likes tea",
        "I love jazz",
        "I don't eat meat",
        "Anna is allergic to nuts",
        "My goal is to run a marathon",
        "Anna promised to call her mother",
        "Anna is saving for a boat",
        "Anna lives in Rome",
        "My sister is a nurse",
        "My name is Anna",
        "Anna works as a nurse",
    ],
)
def test_preferences_commitments_goals_and_who_one_is_last(text: str) -> None:
    assert is_lasting(text)
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    ["Hello there!", "Thanks a lot", "Good morning", "It is raining here", "I am tired right now", "lol", "How are you?"],
)
def test_courtesies_the_weather_and_what_is_of_today_are_small_talk(text: str) -> None:
    assert is_small_talk(text)
    assert judge(text).parts == {"base": 0.3, "small_talk": -0.1}


@pytest.mark.parametrize(
    "text", ["The door code is 4711", "Anna bought a boat", "It looks like a boat", "Nice is a town in France near Cannes"]
)
def test_other_facts_are_neither(text: str) -> None:
    assert not is_lasting(text)
    assert not is_small_talk(text)


@given(st.text("lLiİıkKKsſ '’.Éé"))
def test_a_wording_is_in_a_text_whatever_its_case(text: str) -> None:
    wording = CaselessWords(r"\b(?:likes?|skis|(?:\w+['’]s) k)\b")
    assert wording.is_in(text) == bool(wording.ignoring_case.search(text))


def test_each_rule_says_what_it_added() -> None:
    everything = judge("Anna loves Rome", asked=True, metadata_confidence=0.6, has_metadata=True)
    assert everything.parts == {"base": 0.3, "asked": 0.5, "lasting": 0.3, "entities": 0.2}
    assert everything.value == 1.0  # clamped


@pytest.mark.parametrize(("confidence", "has_metadata", "value"), [(0.6, True, 0.5), (0.59, True, 0.3), (0.9, False, 0.3)])
def test_metadata_counts_where_it_is_sure_and_there(confidence: float, has_metadata: bool, value: float) -> None:  # noqa: FBT001
    assert judge("A boat", metadata_confidence=confidence, has_metadata=has_metadata).value == value


def test_an_extractors_estimate_takes_the_place_of_the_rules_for_the_text() -> None:
    assert judge("Anna loves Rome", estimate=0.7).parts == {"base": 0.7}
    assert judge("Anna loves Rome", estimate=0.7, tags=["asked_to_remember"]).parts == {"base": 0.7, "asked": 0.5}


def test_what_was_asked_for_once_stays_asked_for() -> None:
    assert merged(judge("A", asked=True).parts, judge("A").parts, repeats=1).parts == {
        "base": 0.3,
        "asked": 0.5,
        "repeats": 0.035,
    }


def test_what_a_later_method_finds_adds_to_what_is_known_and_takes_nothing() -> None:
    found = enriched(judge("I am tired today").parts, metadata_confidence=0.8, has_metadata=True, repeats=0)
    assert found.parts == {"base": 0.3, "small_talk": -0.1, "entities": 0.2}
    assert enriched(found.parts, metadata_confidence=0.8, has_metadata=True, repeats=0) == found


tellings = st.fixed_dictionaries(
    {
        "asked": st.booleans(),
        "estimate": st.none() | st.floats(0, 1),
        "metadata_confidence": st.floats(0, 1),
        "has_metadata": st.booleans(),
    }
)
texts = st.sampled_from(["Anna loves Rome", "I am tired today", "A boat"])


@given(st.lists(st.tuples(texts, tellings), min_size=1, max_size=4))
def test_the_order_of_tellings_changes_nothing_and_nothing_leaves_the_range(told: list[tuple[str, dict[str, float]]]) -> None:
    found = set()
    for order in permutations(judge(text, **kind).parts for text, kind in told):  # type: ignore[arg-type]  # mixed kinds
        parts = order[0]
        for repeats, new in enumerate(order[1:], start=1):
            importance = merged(parts, new, repeats=repeats)
            assert 0 <= importance.value <= 1
            parts = importance.parts
        found.add(tuple(sorted(parts.items())))
    assert len(found) == 1


@given(st.integers(0, 10_000))
def test_a_repeat_never_lowers_and_never_adds_more_than_a_fifth(repeats: int) -> None:
    assert repeat_boost(repeats) <= repeat_boost(repeats + 1) <= 0.2


@given(st.integers(1, 50))
def test_computing_it_again_does_not_compound(repeats: int) -> None:
    known = judge("Anna loves Rome")
    once = merged(known.parts, known.parts, repeats=repeats)
    assert merged(once.parts, known.parts, repeats=repeats) == once
