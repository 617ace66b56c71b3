"""Tells the language of a text, and holds the stop words of each language."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from string import ascii_letters
from typing import ClassVar, NamedTuple

from shared.language.tables import CODES, ENGLISH, LanguagePart, Phrases, Section, WordList, WordSet, table
from shared.language.text.scripts import is_mostly_latin

_LONGEST_LOOK = 1_000
_FEW = 3
_RAREST = 5
_LETTERS = re.compile(r"(?<!\d)[^\W\d_]++(?!\d)")


class CalendarTables(Section):
    """The names of months and weekdays."""

    months: Phrases
    """Each with its short forms, with semicolons between the months."""
    weekdays: WordList


class TextTables(LanguagePart):
    """`[text]` of a language's file: its words."""

    part: ClassVar[str] = "text"
    name: str
    """The language's name in English."""
    stop_words: WordSet
    little_words: WordSet = frozenset()
    talk_words: WordSet
    """Words of small talk: a turn of these alone says nothing."""
    common_words: WordSet
    """More frequent words, by which the language of a text is told."""
    signs: WordList
    """What is in many words of this language and few of its neighbours: `^` begins a word, `$` ends one."""
    abbreviations: WordSet
    """Behind which a full stop ends no sentence."""
    calendar: CalendarTables


def text_tables(code: str) -> TextTables:
    """Return the words of a language that has a file."""
    return table(code, TextTables)


@cache
def _others() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath("other_languages.toml").read_text(encoding="utf-8"))


STOP_WORDS: Mapping[str, frozenset[str]] = {code: text_tables(code).stop_words for code in CODES} | {
    code: frozenset(words.split()) for code, words in _others()["stop_words"].items()
}
"""Stop words: function words, and in English the halves of contractions. Left out of a question, 73 % of the evidence was
found, with them 60 %."""

LITTLE_WORDS: Mapping[str, frozenset[str]] = {code: text_tables(code).little_words for code in CODES}
"""Words that say of a question as little as stop words do, and would be looked for: the stem of `us` is that of `use`."""


class _Evidence(NamedTuple):
    """What words show of a language. A letter stands for each language, with a file or without."""

    letters: Mapping[str, str]
    """The letter of each language with a file."""
    others: Mapping[str, str]
    """The letter of each language without a file that has stop words."""
    languages: Mapping[str, str]
    """The letters of the languages of a word."""
    alphabets: Mapping[str, frozenset[str]]
    """All letters of the words of each language with a file."""
    signs: Mapping[str, re.Pattern[str]]


@cache
def _evidence() -> _Evidence:
    own = {code: text_tables(code) for code in CODES}
    lists = [text.stop_words | text.little_words | text.talk_words | text.common_words for text in own.values()]
    lists += [frozenset(words.split()) for words in _others()["words"].values()]
    languages: dict[str, str] = {}
    for letter, words in zip(ascii_letters, lists, strict=False):
        for word in {part for each in words for part in _LETTERS.findall(each)}:
            languages[word] = languages.get(word, "") + letter
    signs = {code: re.compile("|".join(text.signs).replace("^", r"\b").replace("$", r"\b")) for code, text in own.items()}
    alphabets = {code: frozenset("".join(words)).union(ascii_letters) for code, words in zip(CODES, lists, strict=False)}
    letters = dict(zip((*CODES, *_others()["words"]), ascii_letters, strict=False))
    others = {code: letters.pop(code) for code in _others()["words"]}
    return _Evidence(letters, {code: others[code] for code in _others()["stop_words"]}, languages, alphabets, signs)


def detect_language(text: str, usual: str | None = None) -> str | None:
    """Return the language that has a file and most of a text's words; None for any other language, and where nothing shows.

    `usual` is the language that the person usually writes. It decides where the words of a text are in several languages,
    and for a few words that are in none, if it has all their letters. Reads the first 1,000 characters.

    >>> [detect_language(text) for text in ("wann war ich in berlin", "ik woon in Utrecht", "mi sono trasferita", "Oslo")]
    ['de', None, 'it', None]
    >>> detect_language("no"), detect_language("no", usual="es")
    (None, 'es')
    """
    shown, words = _look(text)
    best, others = _best(text, words)
    if usual in best:
        return None if others and set("".join(words)) - _evidence().alphabets[usual] else usual
    return None if others or not best else _by_signs(shown, words, best)


def possible_languages(text: str) -> tuple[str, ...]:
    """Return the languages with a file of which a text may be: several for a few words, none for a text in another language.

    >>> possible_languages("wann war ich in berlin"), possible_languages("no"), possible_languages("ik woon in Utrecht")
    (('de',), ('en', 'es', 'it', 'pt'), ())
    """
    shown, words = _look(text)
    best, others = _best(text, words)
    found = None if others or not best else _by_signs(shown, words, best)
    return (found,) if found else best


def _look(text: str) -> tuple[str, list[str]]:
    shown = text[:_LONGEST_LOOK].lower().replace("’", "'")
    return shown, _LETTERS.findall(shown)


def _best(text: str, words: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """The languages with a file that have most of the words, all where no word is known; and whether others have as many."""
    evidence = _evidence()
    counts = _counts(words)
    most = max(counts.values(), default=0)
    if not most:
        return (CODES if len(words) <= _FEW and is_mostly_latin(text) else ()), True
    if _RAREST * most < len(words):
        return (), True
    best = tuple(code for code, letter in evidence.letters.items() if counts[letter] == most)
    return best, len(best) < sum(count == most for count in counts.values())


def _counts(words: Sequence[str]) -> Counter[str]:
    """How many of the words each language has, by its letter."""
    return Counter("".join([_evidence().languages.get(word, "") for word in words]))


def _by_signs(shown: str, words: Sequence[str], best: Sequence[str]) -> str | None:
    """The one of several languages with most stop words and signs in a text of these words; None if two have as many."""
    if len(best) == 1:
        return best[0]
    signs = _evidence().signs
    points = {code: sum(word in STOP_WORDS[code] for word in words) + len(signs[code].findall(shown)) for code in best}
    first, second = sorted(points, key=points.__getitem__, reverse=True)[:2]
    return first if points[first] > points[second] else None


def language_of(text: str) -> str:
    """Return the language with a file by whose rules a question is read: English where no other shows.

    >>> language_of("wann war ich in berlin"), language_of("war in europe")
    ('de', 'en')
    """
    return detect_language(text, usual=ENGLISH) or ENGLISH


def find_other_language(text: str) -> str | None:
    """Return the language without a file that has more of a text's words than any other, if its stop words are known.

    >>> find_other_language("waar is mijn fiets"), find_other_language("war in europe")
    ('nl', None)
    """
    (first, most), (_, second) = (*_counts(_look(text)[1]).most_common(2), ("", 0), ("", 0))[:2]
    return next((code for code, letter in _evidence().others.items() if letter == first and most > second), None)


def may_be_english(words: Sequence[str]) -> bool:
    """False if another language has more stop words of its own among these than English has.

    >>> [may_be_english(words.split()) for words in ("was heisst hund auf englisch", "what was it", "zumba")]
    [False, True, True]
    """
    said, english = set(words), STOP_WORDS[ENGLISH]
    of_english, others = said & english, said - english
    return all(len(others & stops) <= len(of_english - stops) for stops in STOP_WORDS.values())
