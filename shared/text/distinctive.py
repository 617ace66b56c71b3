"""Tells which words of a text are distinctive: by them what was forgotten is recognised when it comes in other words."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from shared.text.calendar import MONTHS
from shared.text.cleaning import clean
from shared.text.entities import find_entities
from shared.text.languages import STOP_WORDS, language_of
from shared.text.length import is_read
from shared.text.phrasing import ENGLISH
from shared.text.stating import content_words
from shared.text.stemming import stem
from shared.text.words import words_of

_ACCENTS = re.compile("[\u0300-\u036f]")
_CALLED = re.compile(r"\b(?:called|named|nam(?:e is|e's)|hei(?:ßt|sst)|s'appelle|se llama) (\w{3,})", re.IGNORECASE)
_OF_THE_TALK = re.compile(
    r"\b(?:you|your|yours|you're|you've|i|i'm|i've|my|mine|me|user|user's|ihr|dein\w*|du|mein\w*|tu|ton|ta|tes|tus?)\b",
    re.IGNORECASE,
)
_GREETED = re.compile(
    r"(?:\b(?:hi|hello|hey|dear|thanks|thank you|sure|ok|okay|sorry|well),? |^)([^\W\d_]+)[,!]", re.IGNORECASE
)
_NUMBER = re.compile(r"\d(?:[ .\-/]?\d){3,}+")
_FEWEST_DIGITS = 4
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHORTEST_NAME = 3
_ROOT = 6
_NAMELESS = frozenset({"date", "url"})
_FEWEST_WORDS = 2
_PLAIN = """amber april art august avenue bill chance chase city company dean doctor drew east faith frank french german
    google grace grant great hope hospital house jack joy june lake los mark may miles monday mount new nice north old park
    pat rich river road rob rose royal saint san school south spanish street sue summer sunday texas united university
    violet west will"""
_EVERYDAY = """address age allergy anniversary apartment appointment baby birthday boss boy boyfriend breakfast brother
    budget bus business car cat chat child children city class coffee colleague company conversation country dad date
    daughter day diet dinner doctor dog doctor drink email exam exercise family father favourite favorite fish flat flight
    food friend friends fun game garden girl girlfriend grandma grandpa gym hair health hobby holiday home hospital hotel
    house husband idea illness interview job kid kids language life list lunch meal medicine meeting mom money morning
    mother movie mum music name neighbor neighbour night number office parents partner party people pet phone picture pill
    place plan plans play problem project question relationship rent restaurant running salary school secret sex shop
    shopping sister sleep son song sport story study table talk tea teacher test thing time town train travel trip vacation
    walk water weather wedding week weekend weight wife wine word work year"""


class Distinctive(NamedTuple):
    """What a text is recognised by: equal for forms of a word, whatever its case and accents."""

    roots: frozenset[str]  # beginnings of its content words
    said: frozenset[str]  # beginnings of all its words
    wholes: frozenset[str]  # its content words, and numbers that are no years, from end to end
    names: frozenset[str]  # those of the wholes that are names or such numbers
    greeted: frozenset[str]  # names of those whom it greets
    is_of_the_talk: bool  # it speaks of who speaks or who listens


NOTHING = Distinctive(frozenset(), frozenset(), frozenset(), frozenset(), frozenset(), is_of_the_talk=False)


@cache
def _plain() -> frozenset[str]:
    """Words that may be part of a name, but are none alone."""
    return frozenset(map(stem, (*_PLAIN.split(), *ENGLISH, *MONTHS)))


@cache
def _everyday() -> frozenset[str]:
    return frozenset(map(stem, _EVERYDAY.split())) | _plain()


def distinctive(text: str) -> Distinctive:
    """What is distinctive of a text; nothing of one that is too long to be read.

    >>> found = distinctive("My sister Zorvanda is allergic to walnuts.")
    >>> sorted(found.roots), sorted(found.names)
    (['allerg', 'sister', 'walnut', 'zorvan'], ['zorvanda'])
    """
    if not is_read(text):
        return NOTHING
    shown = _unaccented(text)
    numbers = frozenset(_numbers(shown))
    content = content_words(shown)
    names = frozenset(word for name in _names(shown) for word in content_words(name)) - _plain()
    return Distinctive(
        roots=_beginnings(_content(shown)),
        said=_beginnings(content | set(map(stem, _words(shown)))),
        wholes=content | numbers,
        names=frozenset(name for name in names if len(name) >= _SHORTEST_NAME) | numbers,
        greeted=frozenset(stem(name.casefold()) for name in _GREETED.findall(shown)),
        is_of_the_talk=_OF_THE_TALK.search(shown) is not None,
    )


def telling_word(query: str) -> str | None:
    """The one word that a query consists of, unless everybody uses it about many things.

    >>> telling_word("Zorvanda"), telling_word("my sister"), telling_word("walnut allergy")
    ('zorvanda', None, None)
    """
    words = content_words(_unaccented(query))
    [word] = words if len(words) == 1 else [""]
    return None if word in _everyday() or not word else word


def held_by(words: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
    """The words of a list, or forms of them, that any of the texts holds."""
    looked_for = sorted(words)
    if not looked_for:
        return frozenset()
    found = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, looked_for))})\w{{0,2}}(?!\w)")
    return frozenset(word for text in texts for word in found.findall(_unaccented(text).casefold()))


def _words(shown: str) -> list[str]:
    return [word.folded for word in words_of(shown)]


def _beginnings(words: Iterable[str]) -> frozenset[str]:
    """What forms of a word have in common: `allerg` of `allergy` and `allergic`."""
    return frozenset(word[:_ROOT] for word in words)


def _content(shown: str) -> frozenset[str]:
    """The content words of a text; of one with a single such word all but its stop words."""
    said = _words(shown)
    stops = frozenset(map(stem, STOP_WORDS[language_of(said)]))
    content = content_words(shown) - stops
    if len(content) >= _FEWEST_WORDS:
        return content
    more = frozenset(map(stem, said)) - stops
    return more if len(more) >= _FEWEST_WORDS else frozenset()


def _names(shown: str) -> Iterator[str]:
    """Names by their capitals, but in German, where all nouns have one; and what somebody is called."""
    if language_of(_words(shown)) != "de":
        yield from (found.name for found in find_entities(shown) if found.type not in _NAMELESS)
    yield from _CALLED.findall(shown)


def _numbers(shown: str) -> Iterator[str]:
    """Numbers that stand for one thing: telephones, cards, codes; their digits alone, however they are grouped."""
    for found in _NUMBER.findall(shown):
        digits = re.sub(r"\D", "", found)
        if len(digits) >= _FEWEST_DIGITS and not _YEAR.fullmatch(digits):
            yield digits


def _unaccented(text: str) -> str:
    """The text in one spelling: without invisible characters and accents."""
    cleaned = clean(text)
    shown = " ".join((cleaned.text, *cleaned.urls))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", shown)))
