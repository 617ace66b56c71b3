"""What is told from words alone leaves out no text in which a wish not to be kept is read."""

import random
from collections.abc import Iterator

import pytest

from shared.chat import phrases
from shared.chat.asks import Asks
from shared.chat.command import ChatCommandName
from shared.chat.cued import cued_clause, doubted_clause
from shared.chat.language import SHIPPED_LANGUAGES, Language, language
from shared.chat.line import words_in
from shared.chat.phrases import Capture, Choice, Phrase, PhraseWord, parse
from shared.chat.reading import may_withhold, read_chat_command, read_chat_commands
from tests.unit.test_chat_commands import SURE
from tests.unit.test_remarks_in_plain_words import LOOK_ALIKES, REMARKS

TALK = [
    "I don't like how the train to Leeds is always late.",
    "What do you think, should I keep the old car or sell it?",
    "This is between the two houses on the left.",
    "You should record a song about the bus to Leeds.",
]
WISHES = [
    "I was fired by Bob. Don't save this.",
    "my salary is 5000 don't save that",
    "off-record: I cried",
    "x-'quoted'-off-record: I cried",
    "I cried. #nolog",
    "I'm bipolar. Forget that.",
    "keep it out of your notes that I drink",
    "Das bleibt unter uns: ich wurde entlassen.",
]


def _sayings(phrase: Phrase, dice: random.Random) -> Iterator[str]:
    """The words of one way of saying a phrase, its optional parts left out."""
    for item in phrase:
        match item:
            case PhraseWord(form):
                yield form
            case Capture():
                yield "things"
            case Choice(options, is_optional=False):
                yield from _sayings(dice.choice(options), dice)
            case _:
                pass


def _written(known: Language) -> list[str]:
    return [phrase for asks in Asks for phrase in getattr(known.text, asks.value)]


@pytest.mark.parametrize("code", SHIPPED_LANGUAGES)
def test_no_phrase_of_a_language_is_left_out(code: str) -> None:
    known, dice = language(code), random.Random(code)
    for written in _written(known):
        phrase = parse(written, known.text.named_parts)
        for _ in range(20):
            said = frozenset(_sayings(phrase, dice))
            assert phrases.may_match(phrase, said)
            assert known.wishes.may_be_in(said), (written, said)


@pytest.mark.parametrize("code", SHIPPED_LANGUAGES)
def test_no_command_of_a_language_is_left_out(code: str) -> None:
    known, dice = language(code), random.Random(code)
    for rule in known.text.rules:
        for written in rule.phrases:
            phrase = parse(written, known.text.named_parts)
            for _ in range(10):
                said = frozenset(_sayings(phrase, dice))
                assert known.may_be_read(said), (written, said)
                assert known.may_ask(said) or rule.name is not ChatCommandName.ASK_ABOUT, (written, said)


@pytest.mark.parametrize("text", [*REMARKS.split("\n")[::9], *LOOK_ALIKES.split("\n")[::9], *(text for text, *_ in SURE[::3])])
def test_what_is_told_from_words_alone_changes_no_reading(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_chat_commands(text)
    monkeypatch.setattr(Language, "may_be_read", lambda *_: True)
    assert read_chat_commands(text) == read


@pytest.mark.parametrize("code", SHIPPED_LANGUAGES)
def test_no_clause_that_is_told_by_its_words_is_left_out(code: str) -> None:
    known, dice = language(code), random.Random(code)
    cues, joints = known.text.cued, known.text.joints
    tables = (cues, cues.bare, cues.doubt)
    kinds = [sorted(words) for table in tables for _, words in table if isinstance(words, frozenset) and words]
    found = 0
    for _ in range(6_000):
        words = "".join(f"{dice.choice(dice.choice(kinds))} " for _ in range(dice.randint(2, 7)))
        if cued_clause(words, cues, joints) or doubted_clause(words, cues, joints, known.text.speaks):
            found += 1
            assert known.wishes.may_be_in(frozenset(words.split())), words
    assert found > 50, "else this has shown nothing"


@pytest.mark.parametrize("text", WISHES)
def test_a_wish_is_read_in_full(text: str) -> None:
    found = read_chat_command(text)
    assert found is not None
    assert found.name == "not_this"
    assert may_withhold(text, ("en",))


@pytest.mark.parametrize("text", TALK)
def test_talk_that_has_words_of_wishes_is_not_read_in_full(text: str) -> None:
    assert any(not language(code).withholding.isdisjoint(words_in(text)) for code in SHIPPED_LANGUAGES)
    assert not may_withhold(text, ("en",))
