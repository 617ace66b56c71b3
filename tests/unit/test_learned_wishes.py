"""What was learned tells wishes not to be kept from what only looks like them, and is what would be learned now."""

import json
import random
import re
from array import array
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.wishes.corpus import examples
from bench.wishes.learning import digest, learn, shown
from shared.language.commands.command import ChatCommandName
from shared.language.commands.language import SHIPPED_LANGUAGES, Language, language
from shared.language.commands.line import _PART, _TOKEN, line, words_in
from shared.language.commands.phrases import Capture, Choice, Phrase, PhraseWord, normal
from shared.language.commands.reading import may_withhold, read_chat_commands
from shared.language.commands.sentences import _HIDES, _HIDING, sentences
from shared.language.commands.slips import Slips
from shared.language.commands.wishes import Wish, may_wish, wish_of
from tests.unit.test_chat_commands import SURE
from tests.unit.test_remarks_in_plain_words import LOOK_ALIKES, REMARKS

_MOST_BYTES = 60_000


def wish(text: str) -> Wish:
    found = wish_of(shown(text))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("private", "look_alike"),
    [
        ("please don't save this, I lied", "please don't save the photo, I look tired"),
        ("I'd rather you didn't keep that", "I'd rather not keep that dog"),
        ("can you not write this down?", "did you not write this down?"),
        ("none of this is to be recorded", "none of my runs is recorded"),
        ("this stays between us: I lied", "I'm torn between the blue and the red one, I can't decide"),
    ],
)
def test_a_wish_is_more_likely_than_what_looks_like_it(private: str, look_alike: str) -> None:
    assert wish(private).withhold > 0 > wish(look_alike).withhold


@pytest.mark.parametrize(
    "text",
    [
        "I'm not sure how to stay on track, can you help me plan the week?",
        "We never know what to cook, so can you make a list for us?",
        "My app has a memory leak and I don't know how to find it.",
        "This message was deleted",
        "Rewrite this: Hi Tom, please don't hesitate to call, and keep it confidential until May.",
    ],
)
def test_ordinary_talk_is_no_wish(text: str) -> None:
    assert read_chat_commands(text, languages=SHIPPED_LANGUAGES) == ()


@pytest.mark.parametrize("text", ["I keep a diary", "What a lovely day it was in Graz!"])
def test_what_nothing_denies_erases_or_hushes_is_not_looked_at(text: str) -> None:
    assert wish_of(shown(text)) is None
    assert not may_wish(text, words_in(text))


def test_the_weights_are_few() -> None:
    assert len(resources.files("shared.language.commands").joinpath("wish_weights.json").read_bytes()) < _MOST_BYTES


def test_the_weights_were_learned_from_the_sentences_as_they_are() -> None:
    learned = json.loads(resources.files("shared.language.commands").joinpath("wish_weights.json").read_text("utf-8"))
    assert learned["of"] == digest(), "learn them anew: python -m bench.wishes"


@pytest.mark.nightly
def test_the_same_sentences_give_the_same_weights() -> None:
    anew, known = learn(examples()), _shipped()
    for question, weights in anew.items():
        assert max(abs(one - other) for one, other in zip(weights.features, known[question], strict=True)) <= 1


def _shipped() -> dict[str, array[int]]:
    from shared.language.commands.wishes import _weights

    return {question: weights.features for question, weights in _weights().items()}


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
        "off-record: I cried",
        "I cried. #nolog",
        "Das bleibt unter uns: ich wurde entlassen.",
    ],
)
def test_what_the_bot_is_about_to_keep_is_not_kept(text: str) -> None:
    assert [command.name for command in read_chat_commands(text)] == [ChatCommandName.NOT_THIS]
    assert may_withhold(text, ("en",))


@pytest.mark.parametrize(
    ("text", "topics"),
    [("cross that out", [None]), ("Take out the part about my diet, please.", ["my diet"]), ("Take out the bins.", [])],
)
def test_what_is_crossed_out_is_to_be_forgotten(text: str, topics: list[str | None]) -> None:
    assert [command.topic for command in read_chat_commands(text)] == topics


def _sayings(phrase: Phrase, dice: random.Random) -> list[str]:
    """The words of one way of saying a phrase, its optional parts left out."""
    found: list[str] = []
    for item in phrase:
        match item:
            case PhraseWord(form):
                found.append(form)
            case Capture():
                found.append("things")
            case Choice(options, is_optional=False):
                found += _sayings(dice.choice(options), dice)
            case _:
                pass
    return found


@pytest.mark.parametrize("code", SHIPPED_LANGUAGES)
def test_no_command_of_a_language_is_left_out(code: str) -> None:
    known, dice = language(code), random.Random(code)
    for rules in known.rules.values():
        for rule in rules:
            said = frozenset(_sayings(rule.phrase, dice))
            assert known.may_be_read(said), (rule.text.name, said)
            assert rule.may_be_in(said), (rule.text.name, said)
            assert known.may_ask(said) or rule.text.name is not ChatCommandName.ASK_ABOUT, said


@pytest.mark.parametrize("text", [*REMARKS.split("\n")[::9], *LOOK_ALIKES.split("\n")[::9], *(text for text, *_ in SURE[::3])])
def test_what_is_told_from_words_alone_changes_no_reading(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_chat_commands(text)
    monkeypatch.setattr(Language, "may_be_read", lambda *_: True)
    monkeypatch.setattr("shared.language.commands.reading.may_wish", lambda *_: True)
    assert read_chat_commands(text) == read


_SIGNED = ("don't", "’", "`", "_", "-", ".", "@", "/", "'-", '"quoted"', "“a”", "#tag", "c++", "<q>", ",", ":", "(")
_PIECES = (*_SIGNED, "x", "İ", "ſ", "秘密", "＿", " ", "\x1c", "\n")


@given(st.lists(st.sampled_from(_PIECES)).map("".join))
def test_the_words_of_a_text_are_those_of_its_tokens(text: str) -> None:
    """What `words_in` guarantees, without its short cuts."""
    shown_ = normal(text)
    words = _TOKEN.findall(shown_)
    words += [part for word in words if not word.isalnum() for part in _PART.findall(word)]
    quoted = re.compile(r"[\"“”„«»‘‚`‹›「」<>]|['’](?=[-.@/])|(?<=[-.@/])['’]")
    words += _TOKEN.findall(normal(quoted.sub(" ", text))) if quoted.search(text) else []
    assert words_in(text) == frozenset(word.strip("_") if "_" in shown_ else word for word in words)


def test_nothing_is_hidden_that_begins_with_another_sign() -> None:
    others = [sign for sign in map(chr, range(0x4000)) if sign not in _HIDES]
    assert not [sign for sign in others for hides in _HIDING if hides.match(f"{sign * 3}x y{sign}")]


@pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ", "´", "`"])
def test_an_apostrophe_may_be_written_by_any_sign(apostrophe: str) -> None:
    """U+02BC counts as a letter."""
    [said] = sentences(f"Don{apostrophe}t save this.")
    assert line(said, language("en")).words.split()[0] == "dont"


def test_a_slip_means_the_more_frequent_of_two_words() -> None:
    assert Slips(["forget", "forfeit"]).meant("frget") == "forget"
