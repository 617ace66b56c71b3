"""What was learned tells wishes not to be kept from what only looks like them, and is what would be learned now."""

import json
from importlib import resources

import pytest

from bench.wishes.corpus import examples, words_of
from bench.wishes.learning import learn
from shared.language.commands.command import ChatCommandName
from shared.language.commands.language import language
from shared.language.commands.learned import likest, weights_of
from shared.language.commands.reading import read_chat_commands

_MOST_BYTES = 60_000


def likeness(text: str) -> int:
    known, weights = language("en"), weights_of("en")
    assert weights is not None
    found = [likest(words, known.text.cued.kinds, weights) for words in words_of(text, known)]
    return max(place.likeness for place in found if place)


@pytest.mark.parametrize(
    ("wish", "look_alike"),
    [
        ("please don't save this, I lied", "please don't save the photo, I look tired"),
        ("I'd rather you didn't keep that", "I'd rather not keep that dog"),
        ("can you not write this down?", "did you not write this down?"),
        ("none of this is to be recorded", "none of my runs is recorded"),
    ],
)
def test_a_wish_is_more_likely_than_what_looks_like_it(wish: str, look_alike: str) -> None:
    assert likeness(wish) > 0 > likeness(look_alike)


def test_where_nothing_denies_erases_or_hushes_no_place_is_looked_at() -> None:
    known, weights = language("en"), weights_of("en")
    assert weights is not None
    assert likest(["i", "keep", "a", "diary"], known.text.cued.kinds, weights) is None


def test_a_language_without_weights_has_none() -> None:
    assert weights_of("de") is None


def test_the_weights_are_few() -> None:
    assert len(resources.files("shared.language.commands").joinpath("weights", "en.json").read_bytes()) < _MOST_BYTES


@pytest.mark.nightly
def test_the_weights_are_those_of_the_sentences() -> None:
    known, weights = language("en"), weights_of("en")
    assert weights is not None
    anew = learn(list(examples(known)), known.text.cued.kinds)
    assert anew.features.keys() ^ weights.features.keys() == set(), "learn them anew: python -m bench.wishes"
    assert max(abs(anew.features[each] - weights.features[each]) for each in anew.features) <= 1
    assert json.dumps(anew.bias)


@pytest.mark.parametrize("text", ["No wait, undo that!", "No, wait! Undo that please", "no no, bring it back"])
def test_what_takes_back_a_forgetting_is_no_wish(text: str) -> None:
    assert read_chat_commands(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "If you're about to store this, don't: I lied.",
        "Let that escape your mind, I drink.",
        "I'd be mad if you saved this: I lied.",
        "This mustn't become part of what you know about me, I drink.",
        "Don't let that stick, I lied.",
        "off the record ofc, I drink",
    ],
)
def test_what_the_bot_is_about_to_keep_is_not_kept(text: str) -> None:
    assert [command.name for command in read_chat_commands(text)] == [ChatCommandName.NOT_THIS]


@pytest.mark.parametrize(
    ("text", "topics"),
    [("cross that out", [None]), ("Take out the part about my diet, please.", ["my diet"]), ("Take out the bins.", [])],
)
def test_what_is_crossed_out_is_to_be_forgotten(text: str, topics: list[str | None]) -> None:
    assert [command.topic for command in read_chat_commands(text)] == topics
