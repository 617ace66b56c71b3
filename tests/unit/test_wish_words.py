"""What is told from words alone leaves out no text in which a wish not to be kept is read."""

import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.commands import doubted, phrases, weighing
from shared.language.commands.asks import Asks
from shared.language.commands.command import ChatCommandName
from shared.language.commands.cued import cued_clause, doubted_clause
from shared.language.commands.doubted import DoubtedClause
from shared.language.commands.language import SHIPPED_LANGUAGES, Language, language
from shared.language.commands.line import _PART, _TOKEN, line, words_in
from shared.language.commands.phrases import Capture, Choice, Phrase, PhraseWord, normal, parse
from shared.language.commands.reading import may_withhold, read_chat_command, read_chat_commands
from shared.language.commands.weighed import Weighed, unknown_words, without_time
from shared.language.text.sentences import _HIDES, _HIDING, message_sentences
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
            assert phrase in known.wishes.that_may_be_in(said), (written, said)


@pytest.mark.parametrize("code", SHIPPED_LANGUAGES)
def test_no_command_of_a_language_is_left_out(code: str) -> None:
    known, dice = language(code), random.Random(code)
    for rule in known.text.rules:
        for written in rule.phrases:
            phrase = parse(written, known.text.named_parts)
            for _ in range(10):
                said = frozenset(_sayings(phrase, dice))
                assert known.may_be_read(said), (written, said)
                assert known.orders.may_be_in(said), (written, said)
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
    found = 0
    for clause in _of_words_of_wishes(known, dice, 6_000):
        words = "".join(f"{word} " for word in clause)
        is_doubtful = doubted_clause(words, cues, joints, known.text.speaks) is not None
        if cued_clause(words, cues, joints) or is_doubtful:
            found += 1
            assert known.wishes.may_be_in(frozenset(clause)), words
            assert known.doubts.may_be_in(frozenset(clause)) or not is_doubtful, words
    assert found > 50, "else this has shown nothing"


def _of_words_of_wishes(known: Language, dice: random.Random, count: int) -> Iterator[list[str]]:
    cues = known.text.cued
    tables = (cues, cues.bare, cues.doubt)
    kinds = [sorted(words) for table in tables for _, words in table if isinstance(words, frozenset) and words]
    return ([dice.choice(dice.choice(kinds)) for _ in range(dice.randint(2, 7))] for _ in range(count))


@pytest.mark.parametrize("code", SHIPPED_LANGUAGES)
def test_what_has_many_other_words_is_no_wish(code: str) -> None:
    """The readings that are left out where a clause has many words that are none of a wish would not have read it."""
    known, dice = language(code), random.Random(code)
    doubt = known.text.cued.doubts
    for said_of_it in _of_words_of_wishes(known, dice, 2_000):
        clause = said_of_it + dice.choices(("otter", "bay", "gmbh"), k=dice.randint(0, 4))
        dice.shuffle(clause)
        said, weighed = DoubtedClause(clause), Weighed(clause, 0, 0, is_first=True, has_colon=True)
        if len(list(doubted._unknown(clause, doubt))) > doubted._MOST_UNKNOWN:
            left_out = [doubted._unsays, *(reads for reads in doubted._READINGS if reads not in doubted._OF_MUCH_THAT_IS_TOLD)]
            assert not any(reads(said, doubt) for reads in left_out), clause
            assert said.has(doubt.places) or not any(reads(said, doubt) for reads in doubted._READINGS), clause
        if unknown_words(without_time(clause, doubt), doubt) > weighing._UNKNOWN_SUBJECT:
            readings = (weighing._denies, weighing._erases, weighing._rests, weighing._labels)
            assert not any(reads(weighed, doubt) for reads in readings), clause


_SIGNED = ("don't", "’", "`", "_", "-", ".", "@", "/", "'-", '"quoted"', "“a”", "#tag", "c++", "<q>", ",", ":", "(")
_PIECES = (*_SIGNED, "x", "İ", "ſ", "秘密", "＿", " ", "\x1c", "\n")


@given(st.lists(st.sampled_from(_PIECES)).map("".join))
def test_the_words_of_a_text_are_those_of_its_tokens(text: str) -> None:
    """What `words_in` guarantees, without its short cuts."""
    shown = normal(text)
    words = _TOKEN.findall(shown)
    words += [part for word in words if not word.isalnum() for part in _PART.findall(word)]
    quoted = re.compile(r"[\"“”„«»‘‚`‹›「」<>]|['’](?=[-.@/])|(?<=[-.@/])['’]")
    words += _TOKEN.findall(normal(quoted.sub(" ", text))) if quoted.search(text) else []
    assert words_in(text) == frozenset(word.strip("_") if "_" in shown else word for word in words)


def test_nothing_is_hidden_that_begins_with_another_sign() -> None:
    others = [sign for sign in map(chr, range(0x4000)) if sign not in _HIDES]
    assert not [sign for sign in others for hides in _HIDING if hides.match(f"{sign * 3}x y{sign}")]


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


@pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ", "´", "`"])
def test_an_apostrophe_may_be_written_by_any_sign(apostrophe: str) -> None:
    """U+02BC counts as a letter."""
    [said] = message_sentences(f"Don{apostrophe}t save this.")
    assert line(said, language("en")).words.split()[0] == "dont"
