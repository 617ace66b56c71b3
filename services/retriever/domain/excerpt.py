"""Shortens what is long to the sentences that matter for a question."""

import functools
from collections.abc import Collection, Iterator
from itertools import repeat
from typing import NamedTuple

from shared.language.text.languages import STOP_WORDS, language_of
from shared.language.text.length import LONGEST_READ, is_read
from shared.language.text.sentences import sentences
from shared.language.text.stemming import stem
from shared.language.text.words import folded_words, is_by_character, words_of

LEFT_OUT = "…"
_MOST_SOUGHT = 64


class AskedWords(NamedTuple):
    """The words of a question by their stems, and its language."""

    stems: frozenset[str]
    language: str

    def places(self, text: str) -> dict[str, int]:
        """Where in a text each of these words stands, if it does."""
        return {found: place for found, place in _stems(text, self.language) if found in self.stems}

    def count(self, text: str) -> int:
        """How many of these words stand in a text."""
        if not text.isascii():  # its words may be of characters
            return len(self.places(text))
        return len(self.stems.intersection(map(stem, folded_words(text), repeat(self.language))))


NOTHING_ASKED = AskedWords(frozenset(), "en")


@functools.lru_cache(256)
def asked_words(question: str, language: str | None = None) -> AskedWords:
    """The words of a question that say something; all of them where none does. Its language is told by its words, if not given.

    >>> sorted(asked_words("Where are the keys of the cabin?").stems)
    ['cabin', 'key']
    """
    language = language or language_of(question)
    stems = {stem for stem, _ in _stems(question, language, without=STOP_WORDS[language])}
    return AskedWords(frozenset(stems or {stem for stem, _ in _stems(question, language)}), language)


def _stems(text: str, language: str, *, without: Collection[str] = ()) -> Iterator[tuple[str, int]]:
    """Each word's stem, or of scripts without spaces each pair of characters, and where it stands."""
    for word in words_of(text):
        if word.folded in without:
            continue
        pair = text[word.start : word.start + 2]
        yield (pair if is_by_character(pair) else stem(word.folded, language)), word.start


def excerpt(text: str, asked: AskedWords, *, most: int, is_scarce: bool = False) -> str:
    """The text, or of a longer one the sentences with most of the asked words, in their order, marked where some are missing.

    At most `most` characters and the marks. One line: white space of any kind becomes a space. Where room is scarce, sentences
    without an asked word go first; else they fill what is left.

    >>> excerpt("It rained. We saw a heron. Then we left.", asked_words("a heron?"), most=20)
    '… We saw a heron. …'
    """
    line = _read(" ".join(text.split()), asked)
    if len(line) <= most:
        return line
    parts = sentences(line)
    hits = [asked.count(part) for part in parts]
    chosen: set[int] = set()
    left = most
    for index in sorted(range(len(parts)), key=lambda index: (-hits[index], index)):
        is_idle = is_scarce and not hits[index] and bool(chosen)
        if len(parts[index]) < left and not is_idle:
            chosen.add(index)
            left -= len(parts[index]) + 1
    best = max(range(len(parts)), key=lambda index: (hits[index], -index))
    if best not in chosen:  # it is too long to be given whole
        return _around(parts[best], asked, most=most)
    kept = [sentence if index in chosen else LEFT_OUT for index, sentence in enumerate(parts)]
    return " ".join(part for index, part in enumerate(kept) if part != LEFT_OUT or kept[index - 1 : index] != [LEFT_OUT])


def _read(line: str, asked: AskedWords) -> str:
    """The line, or of one that is too long to be read the part about the first asked word."""
    if is_read(line):
        return line
    folded = line.casefold()
    places = (folded.find(stem) for stem in sorted(asked.stems)[:_MOST_SOUGHT])
    first = min((place for place in places if place >= 0), default=0)
    begin = min(max(0, first - LONGEST_READ // 2), len(line) - LONGEST_READ)
    return line[begin : begin + LONGEST_READ]


def _around(sentence: str, asked: AskedWords, *, most: int) -> str:
    """The part of a long sentence about the first asked word, cut at words where there are any."""
    first = min(asked.places(sentence).values(), default=0)
    begin = min(max(0, first - most // 2), max(0, len(sentence) - most))
    part = sentence[begin : begin + most]
    if begin and " " in part:
        part = part.split(" ", 1)[1]
    if begin + most < len(sentence) and " " in part:
        part = part.rsplit(" ", 1)[0]
    return f"{f'{LEFT_OUT} ' * bool(begin)}{part} {LEFT_OUT}"
