"""Tells which words of a text are distinctive: by them what was forgotten is recognised when it comes in other words."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from shared.language.text.cleaning import clean
from shared.language.text.distinctive_words import (
    NOTHING_SAID,
    SAME,
    everyday,
    foreign,
    homonyms,
    language_of,
    light_words,
    only_english,
    plain,
    stop_stems,
)
from shared.language.text.entities import find_entities
from shared.language.text.frequency import is_listed, place_of
from shared.language.text.languages import STOP_WORDS
from shared.language.text.length import is_read
from shared.language.text.stating import content_words
from shared.language.text.stemming import stem
from shared.language.text.words import words_of

_BRACKETS = str.maketrans("[]", "\n\n")
"""A name may begin after them, but also a sentence."""

_ACCENTS = re.compile("[\u0300-\u036f]")
_CALLED = re.compile(
    r"\b(?:called|named|nam(?:e is|e's)|hei(?:ßt|sst)|s'appelle|se llama) "
    r"(?:(?:ubrigens|jetzt|auch|einfach|just|simply) )?(\w{3,})",
    re.IGNORECASE,
)
_TO_THEM = re.compile(
    r"\b(?:he|she|him|his|her|you|your|yours|you're|you've|user|user's|ihr|dein\w*|du|tu|ton|ta|tes|te|tus?)\b", re.IGNORECASE
)
_OF_THE_TALK = re.compile(
    r"\b(?:you|your|yours|you're|you've|i|i'm|i've|my|mine|me|user|user's|ihr|dein\w*|du|mein\w*|tu|ton|ta|tes|tus?)\b",
    re.IGNORECASE,
)
_OF_THEM = re.compile(
    r"\b(?:you(?:'re|'ve| (?:are|were|have|had|got|take|took))|you?r|user(?:'s| (?:is|was|has|had|takes|took)))\b(?!.*\?)",
    re.IGNORECASE | re.DOTALL,
)
_GREETED = re.compile(
    r"(?:\b(?:hi|hello|hey|dear|thanks|thank you|sure|ok|okay|sorry|well),? |^)([^\W\d_]+)[,!]", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:in|near|around|outside|aus|nach|en|a"
    r"|(?:moved?|moving|went|go|going|back|fly|flew|drove|trip|came|comes?|am|is|are) (?:to|from))"
    r" ([A-Z][^\W\d_]{2,}(?: [A-Z][^\W\d_]{2,})*+)"
)
_OPENING = re.compile(r"(?:^|[.!?\n]\s)([A-Z][^\W\d_]{3,})(?=[\s'’,])")
_NUMBER = re.compile(r"\d(?:[ .\-/,]?\d){3,}+")
_FEWEST_DIGITS = 4
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHORTEST_NAME = 3
_ROOT = 6
_NAMELESS = frozenset({"date", "url"})
_FEWEST_WORDS = 2
_SELDOM, _FREQUENT, _RARE = 5_000, 10_000, 20_000
"""Places of English words, the most frequent first."""

_INSIDE = r"(?:[^.!?。！？\n]|[.!?](?!\s|$))"
_SENTENCE = re.compile(rf"{_INSIDE}{{1,300}}(?=[\s.!?。！？]|$)[.!?。！？\n]*+|{_INSIDE}{{1,300}}+|[.!?。！？\n]++")
_KIN = """Tante Onkel Schwester Bruder Frau Herr Herrn Mann Freundin Freund Tochter Sohn Hund Hündin Katze Kater Kollegin
    Kollege Chef Chefin Mutter Vater Oma Opa Cousine Cousin Nichte Neffe Nachbarin Nachbar Partnerin Partner Dr Prof"""
_NO_PLACES = "Hause Rente Zukunft Ordnung Eile Arbeit Ferien Urlaub Therapie Behandlung"
_CAPITAL = r"[A-ZÄÖÜ]\w+"
_GERMAN_NAME = re.compile(
    rf"\b(?:{'|'.join(_KIN.split())})\.? (?:(?:Dr|Prof)\. )*({_CAPITAL})"
    rf"|\b(?:[MmDdSs]ein|[Uu]nser|[Ii]hr|[Ee]uer|[Ee]ur)\w* (?:[a-zäöüß]+ )?{_CAPITAL} (?:(?:Dr|Prof)\. )*({_CAPITAL})"
    rf"|\b(?:in|aus|nach|bei) (?!(?:{'|'.join(_NO_PLACES.split())})\b)((?:Bad |Sankt |St\. )?{_CAPITAL})"
)
_UNMISTAKABLE_DIGITS = 5
_ROUND = re.compile(r"^\d{,3}0{3,}$")
_OF_A_TELEPHONE = 9
"""Its last digits are the same with and without the code of its country."""


class Distinctive(NamedTuple):
    """By what a statement is recognised: equal for forms of a word, whatever its case and accents."""

    words: frozenset[str]  # beginnings of its content words, names left out
    light: frozenset[str]  # of words that go with many things: `last week`, `got`
    names: frozenset[str]  # names, and numbers that are no years, from end to end
    rare: frozenset[str]  # beginnings of words that are seldom in English, long numbers, and its word if it has only one

    @property
    def all(self) -> frozenset[str]:
        """The beginnings of all its words that say anything."""
        return self.words | self.light | beginnings(self.names)


class SaidPassage(NamedTuple):
    """What is said, in which a statement is looked for."""

    words: frozenset[str]  # beginnings of all its words
    wholes: frozenset[str]  # its content words and names, from end to end
    names: frozenset[str]  # but of those whom it greets
    content: frozenset[str]  # beginnings of its content words that are not light
    telling: frozenset[str]  # those of them that not everybody uses about many things
    rare: frozenset[str]  # the words of which one tells a statement, where it speaks of who listens
    is_of_the_talk: bool  # it speaks of who speaks or who listens
    is_to_them: bool  # it speaks of who listens


_NONE = frozenset[str]()
_NOTHING = Distinctive(_NONE, _NONE, _NONE, _NONE)
_SILENCE = SaidPassage(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, is_of_the_talk=False, is_to_them=False)


def distinctive(text: str) -> Distinctive:
    """What is distinctive of a statement; nothing of one that is too long to be read.

    >>> found = distinctive("My sister Zorvanda got allergic to walnuts.")
    >>> sorted(found.words), sorted(found.light), sorted(found.names)
    (['allerg', 'sister', 'walnut'], ['got'], ['zorvanda'])
    """
    if not is_read(text):
        return _NOTHING
    shown = _unaccented(text)
    said = _words(shown)
    is_english = language_of(said) == "en"
    names = _names_in(shown) | (_opening(shown) if is_english else _NONE)
    if only_english().isdisjoint(said):
        names -= foreign()
    unnamed = _content(shown, said) - {_bare(name) for name in names}
    light = {word for word in unnamed if _is_light(word)}
    sole = unnamed - light - everyday() if len(unnamed - light) == 1 else _NONE
    if not sole and len(unnamed - light) < (1 if names else _FEWEST_WORDS):
        light = set()
    words = unnamed - light
    rare = {word for word in words if _is_beyond(_SELDOM, word)} if is_english else _NONE
    enough = beginnings(rare).union(_digits(names), map(_of_the_talk, beginnings(sole)))
    return Distinctive(beginnings(words), beginnings(light), names, enough)


def passage(text: str, *, is_label: bool = False) -> SaidPassage:
    """What is said in a text; nothing in one that is too long to be read. A label is about the person without saying so."""
    if not is_read(text):
        return _SILENCE
    shown = _unaccented(text)
    said, wholes = _words(shown), content_words(shown)
    names, to_them = _names_in(shown), is_label or _TO_THEM.search(shown) is not None
    of_the_talk = is_label or _OF_THE_TALK.search(shown) is not None
    content = {word for word in wholes - {_bare(name) for name in names} if not _is_light(word)}
    is_all = len(content) == 1 and (is_label or _OF_THEM.search(shown) is not None)
    rare = {word for word in content if _is_beyond(_SELDOM if is_all else _RARE, word)}
    enough = beginnings(rare).union(_digits(names), map(_of_the_talk, beginnings(content)))
    return SaidPassage(
        words=beginnings(wholes | names | set(map(stem, said))),
        wholes=wholes.union(names, map(_of_the_talk, wholes) if of_the_talk else ()),
        names=names - {_as_name(stem(name.casefold())) for name in _GREETED.findall(shown)},
        content=beginnings(content),
        telling=beginnings(content - everyday()),
        rare=enough if to_them else _NONE,
        is_of_the_talk=of_the_talk,
        is_to_them=to_them,
    )


def passages(text: str) -> list[str]:
    """A text in parts within which words belong together: each sentence, and each with the one after it.

    >>> passages("I know. Anna came! So?")
    ['I know.', 'Anna came!', 'So?', 'I know. Anna came!', 'Anna came! So?']
    """
    sentences = [found[0].strip() for found in _SENTENCE.finditer(text)]
    return [*sentences, *map(" ".join, pairwise(sentences))]


def telling_word(query: str, texts: Iterable[str] = ()) -> str | None:
    """The one word that a query consists of, unless everybody uses it about many things. `texts`: what it named.

    A frequent one that is no name tells only where people talk of themselves: `I lost my key`, but not `the key to success`.

    >>> telling_word("Zorvanda"), telling_word("Rose"), telling_word("my key"), telling_word("my sister")
    ('zorvanda', '^rose', '~key', None)
    """
    words = content_words(_unaccented(query))
    if len(words) != 1:
        return None
    [word] = words
    if word in homonyms():
        return _as_name(word) if not query.islower() else None
    if word in everyday():
        return None
    return _of_the_talk(word) if _is_frequent(word) and not _is_name(word, [query, *texts]) else word


def _is_name(word: str, texts: Iterable[str]) -> bool:
    """True if a word is always written with a capital in a text."""
    written = (
        [shown[each.start] for each in words_of(shown) if stem(each.folded) == word] for shown in map(_unaccented, texts)
    )
    return any(first and all(map(str.isupper, first)) for first in written)


def numbers_in(text: str) -> frozenset[str]:
    """The long numbers in a text, equal however their digits are grouped, and with and without the code of a country.

    >>> numbers_in("+44 7700 900461") == numbers_in("07700-900461")
    True
    """
    return frozenset(_numbers(_unaccented(text)))


def unmistakable(text: str) -> frozenset[str]:
    """The names in a text that mean one thing by themselves.

    Not an everyday word such as the second of `Green Party`, nor a round number, nor a place that everybody knows.

    >>> sorted(unmistakable("Ottokar had a stroke in Trieste, not in Kestrelby."))
    ['kestrelbi', 'ottokar']
    """
    shown = _unaccented(text)
    places = {stem(word.casefold()) for found in _PLACE.findall(shown) for word in found.split()}
    names = distinctive(text).names - {place for place in places if is_listed(place)}
    return frozenset(
        name
        for name in names
        if name not in everyday()
        and not (name.isdecimal() and (len(name) < _UNMISTAKABLE_DIGITS or _ROUND.search(name) is not None))
    )


def is_of_many_people(name: str) -> bool:
    """True for a name that many people know one of: its person may speak of another, as of another Anna."""
    return is_listed(_bare(name))


def _of_the_talk(word: str) -> str:
    """A word of which only its use where people talk of themselves counts."""
    return f"~{word}"


def _as_name(word: str) -> str:
    """A name, told apart from the word that it is as well: `Rose` is no rose."""
    return f"^{word}" if word in homonyms() else word


def held_by(words: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
    """The names and numbers of a list that any of the texts holds, in any case and form."""
    left = {_bare(word): word for word in words}
    found: set[str] = set()
    for text in texts if left else ():
        shown = _unaccented(text)
        found.update(left.keys() & {*map(stem, _words(shown)), *_numbers(shown)})
    return frozenset(left[word] for word in found)


def _words(shown: str) -> list[str]:
    return [word.folded for word in words_of(shown)]


def beginnings(words: Iterable[str]) -> frozenset[str]:
    """What forms of a word have in common: `allerg` of `allergy` and `allergic`."""
    return frozenset(SAME.get(word, word)[:_ROOT] for word in map(_bare, words))


def _content(shown: str, said: Sequence[str]) -> frozenset[str]:
    """The content words of a text; of one with a single such word all but its stop words."""
    stop_words = stop_stems(language_of(said), is_told=not STOP_WORDS["en"].isdisjoint(said))
    content = content_words(shown) - stop_words - NOTHING_SAID
    if len(content) >= _FEWEST_WORDS:
        return content
    more = frozenset(map(stem, said)) - stop_words
    return more if len(more) >= _FEWEST_WORDS else frozenset()


def _is_light(word: str) -> bool:
    return word in light_words() or (word.isdecimal() and len(word) < _FEWEST_DIGITS) or _YEAR.fullmatch(word) is not None


def _is_frequent(word: str) -> bool:
    return word.isalpha() and place_of(word) < _FREQUENT


def _is_beyond(place: int, word: str) -> bool:
    """True for a word that is less frequent in English than the one at this place."""
    return word.isalpha() and word not in everyday() and place_of(word) >= place


def _digits(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if name.isdecimal())


def _bare(name: str) -> str:
    return name.removeprefix("^")


def _names_in(shown: str) -> frozenset[str]:
    """The names in a text, word by word, and its numbers that are no years."""
    named = frozenset(word for name in _names(shown) for word in _parts(name)) - plain()
    return frozenset(_as_name(word) for word in named if len(word) >= _SHORTEST_NAME).union(_numbers(shown))


def _opening(shown: str) -> frozenset[str]:
    """Words that open a sentence, and are too seldom to be anything else than names there."""
    opening = (stem(found.casefold()) for found in _OPENING.findall(shown))
    return frozenset(word for word in opening if _is_beyond(_FREQUENT, word))


def _parts(name: str) -> frozenset[str]:
    """The words of a name; of several none that is frequent and not the first, as in `Norrbank Publishing`."""
    first, _, others = name.partition(" ")
    return content_words(first) | {word for word in content_words(others) if not _is_frequent(word)}


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
            yield digits[-_OF_A_TELEPHONE:]


def _unaccented(text: str) -> str:
    """The text in one spelling: without invisible characters and accents."""
    cleaned = clean(text)
    shown = " ".join((cleaned.text, *cleaned.urls)).translate(_BRACKETS)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", shown)))
