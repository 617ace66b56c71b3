"""Tells which words of a text are distinctive: by them what was forgotten is recognised when it comes in other words."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from shared.text.calendar import MONTHS
from shared.text.cleaning import clean
from shared.text.entities import find_entities
from shared.text.homonyms import HOMONYMS
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
_INSIDE = r"(?:[^.!?。！？\n]|[.!?](?!\s|$))"
_SENTENCE = re.compile(rf"{_INSIDE}{{1,300}}(?=[\s.!?。！？]|$)[.!?。！？\n]*+|{_INSIDE}{{1,300}}+|[.!?。！？\n]++")
_KIN = """Tante Onkel Schwester Bruder Frau Herr Herrn Mann Freundin Freund Tochter Sohn Hund Hündin Katze Kater Kollegin
    Kollege Chef Chefin Mutter Vater Oma Opa Cousine Cousin Nichte Neffe Nachbarin Nachbar Partnerin Partner"""
_NO_PLACES = "Hause Rente Zukunft Ordnung Eile Arbeit Ferien Urlaub Therapie Behandlung"
_GERMAN_NAME = re.compile(
    rf"\b(?:{'|'.join(_KIN.split())}) ([A-ZÄÖÜ]\w+)"
    rf"|\b(?:in|aus|nach|bei) (?!(?:{'|'.join(_NO_PLACES.split())})\b)((?:Bad |Sankt |St\. )?[A-ZÄÖÜ]\w+)"
)
_NOTHING_SAID = frozenset("call name hes shes mr mrs ms dr miss sir heiss heisst s".split())  # noqa: SIM905
_UNMISTAKABLE_DIGITS = 6
_BESIDE_NAMES = """avenue bad city company dean doctor east french german google hospital house los mount new north old park
    road saint san school guten tag morgen abend hallo liebe moin servus bonjour salut hola ciao
    south spanish street texas united university"""
_EVERYDAY = """account address age allergy anniversary apartment appointment baby birthday boss boy boyfriend breakfast brother
    budget bus business car cat chat child children city class coffee colleague company conversation country dad date
    daughter day diet dinner doctor dog doctor drink email exam exercise family father favourite favorite fish flat flight
    food friend friends fun game garage garden girl girlfriend grandma grandpa gym hair health hobby holiday home hospital hotel
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
    return frozenset(map(stem, (*_BESIDE_NAMES.split(), *ENGLISH, *MONTHS)))


@cache
def _homonyms() -> frozenset[str]:
    return frozenset(map(stem, HOMONYMS))


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
    numbers, content = frozenset(_numbers(shown)), content_words(shown)
    named = frozenset(word for name in _names(shown) for word in content_words(name)) - _plain()
    names = frozenset(_as_name(word) for word in named if len(word) >= _SHORTEST_NAME) | numbers
    return Distinctive(
        roots=_beginnings(_content(shown)),
        said=_beginnings(content | set(map(stem, _words(shown)))),
        wholes=content | names,
        names=names,
        greeted=frozenset(_as_name(stem(name.casefold())) for name in _GREETED.findall(shown)),
        is_of_the_talk=_OF_THE_TALK.search(shown) is not None,
    )


def passages(text: str) -> list[str]:
    """A text in parts within which words belong together: each sentence, and each with the one after it.

    >>> passages("I know. Anna came! So?")
    ['I know.', 'Anna came!', 'So?', 'I know. Anna came!', 'Anna came! So?']
    """
    sentences = [found[0].strip() for found in _SENTENCE.finditer(text)]
    return [*sentences, *map(" ".join, pairwise(sentences))]


def telling_word(query: str) -> str | None:
    """The one word that a query consists of, unless everybody uses it about many things.

    >>> telling_word("Zorvanda"), telling_word("Rose"), telling_word("my sister"), telling_word("walnut allergy")
    ('zorvanda', '^rose', None, None)
    """
    words = content_words(_unaccented(query))
    if len(words) != 1:
        return None
    [word] = words
    if word in _homonyms():
        return _as_name(word) if not query.islower() else None
    return None if word in _everyday() else word


def unmistakable(names: Iterable[str]) -> frozenset[str]:
    """The names that mean one thing by themselves: no everyday words such as the second of `Green Party`, no short numbers."""
    return frozenset(
        name for name in names if name not in _everyday() and not (name.isdecimal() and len(name) < _UNMISTAKABLE_DIGITS)
    )


def _as_name(word: str) -> str:
    """A name, told apart from the word that it is as well: `Rose` is no rose."""
    return f"^{word}" if word in _homonyms() else word


def held_by(words: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
    """The names and numbers of a list that any of the texts holds, in any case and form."""
    left = {word.removeprefix("^"): word for word in words}
    found: set[str] = set()
    for text in texts if left else ():
        shown = _unaccented(text)
        found.update(left.keys() & {*map(stem, _words(shown)), *_numbers(shown)})
    return frozenset(left[word] for word in found)


def _words(shown: str) -> list[str]:
    return [word.folded for word in words_of(shown)]


def _beginnings(words: Iterable[str]) -> frozenset[str]:
    """What forms of a word have in common: `allerg` of `allergy` and `allergic`."""
    return frozenset(word[:_ROOT] for word in words)


def _content(shown: str) -> frozenset[str]:
    """The content words of a text; of one with a single such word all but its stop words."""
    said = _words(shown)
    stops = frozenset(map(stem, STOP_WORDS[language_of(said)]))
    content = content_words(shown) - stops - _NOTHING_SAID
    if len(content) >= _FEWEST_WORDS:
        return content
    more = frozenset(map(stem, said)) - stops
    return more if len(more) >= _FEWEST_WORDS else frozenset()


def _names(shown: str) -> Iterator[str]:
    """Names by their capitals; in German, where all nouns have one, behind kin and where; and what somebody is called."""
    if language_of(_words(shown)) == "de":
        yield from ("".join(found) for found in _GERMAN_NAME.findall(shown))
    else:
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
