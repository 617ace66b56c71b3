import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.domain.keyphrases import MOST_TAGS, keyphrases
from services.ingest.domain.metadata import describe


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Anna bakes sourdough bread and teaches the guitar on Mondays.", ["sourdough bread", "guitar"]),
        ("Anna is allergic to peanuts and shrimp", ["peanut", "shrimp"]),
        ("I work as a software engineer", ["software engineer"]),
        ("The door code is 4711", ["door code"]),
        ("I love jazz", ["jazz"]),
        ("Anna's guitar lessons", ["guitar lesson"]),
        ("It is not very good", []),
        ("12 34 56", []),
        ("我喜欢喝茶", []),
        ("", []),
    ],
)
def test_topics_are_the_phrases_between_stop_words(text: str, tags: list[str]) -> None:
    assert [tag.name for tag in keyphrases(text)] == tags


def test_a_phrase_outweighs_a_word_and_is_surer() -> None:
    first, second = keyphrases("I like tea and oat milk")
    assert (first.name, second.name) == ("oat milk", "tea")
    assert first.confidence > second.confidence


def test_singular_and_plural_are_one_topic() -> None:
    assert keyphrases("i collect a vintage camera") == keyphrases("I collect vintage cameras")


def test_confidence_is_the_mean_of_what_was_found() -> None:
    found = describe("My sister Anna likes oat milk")  # 0.7 a name, 0.65 a phrase
    assert found.metadata_confidence == 0.675
    assert found.found_any


def test_nothing_found_is_no_confidence() -> None:
    found = describe("it is so")
    assert (found.entities, found.tags, found.metadata_confidence, found.found_any) == ((), (), 0.0, False)


@given(st.text(max_size=200))
def test_whatever_the_text_tags_are_few_and_sure_within_bounds(text: str) -> None:
    found = describe(text)
    assert len(found.tags) <= MOST_TAGS
    assert len(set(found.tags)) == len(found.tags)
    assert 0 <= found.metadata_confidence <= 1


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("ffs hes late, whatever", []),
        ("lol my sourdough bread haha", ["sourdough bread"]),
        ("idk maybe oat milk whatever", ["oat milk"]),
        ("hes on a special diet", ["special diet"]),
    ],
)
def test_noise_is_no_part_of_a_topic(text: str, topics: list[str]) -> None:
    assert [topic.name for topic in keyphrases(text)] == topics
