"""What was learned tells wishes not to be kept from what only looks like them, and is of the sentences of today."""

import json
from importlib import resources

import pytest

from bench.wishes.learning import digest
from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_commands
from shared.language.commands.wishes import may_wish, tokens, wish_of

_WEIGHTS = resources.files("shared.language.commands").joinpath("wish_weights.json")
_MOST_BYTES = 80_000
_TALK = [
    "I don't like how the train to Leeds is always late.",
    "What do you think, should I keep the old car or sell it?",
    "This is between the two houses on the left.",
    "You should record a song about the bus to Leeds.",
]


def _withheld(text: str) -> float:
    wish = wish_of([text])
    return wish.withhold if wish else float("-inf")


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
    assert _withheld(wish) > 0 > _withheld(look_alike)


@pytest.mark.parametrize("text", _TALK)
def test_talk_is_no_wish(text: str) -> None:
    assert read_chat_commands(text) == ()


@pytest.mark.parametrize(
    "text", ["#nolog I cried", "don't save that", "this stays between us", "keep it out of your notes", "off the record"]
)
def test_what_has_a_wish_passes_the_words(text: str) -> None:
    assert may_wish(text, frozenset(tokens(text)))


def test_the_weights_are_few() -> None:
    assert len(_WEIGHTS.read_bytes()) <= _MOST_BYTES


def test_the_weights_are_those_of_the_sentences() -> None:
    assert json.loads(_WEIGHTS.read_text(encoding="utf-8"))["of"] == digest(), "learn them anew: python -m bench.wishes"


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


@pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ", "´", "`"])
def test_an_apostrophe_may_be_written_by_any_sign(apostrophe: str) -> None:
    commands = read_chat_commands(f"I cried. Don{apostrophe}t save that.")
    assert [command.name for command in commands] == [ChatCommandName.NOT_THIS]
