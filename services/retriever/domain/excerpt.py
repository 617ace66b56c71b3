"""Shortens what is long to the sentences that matter for a question."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from services.retriever.domain.languages import content_words, language_of
from services.retriever.domain.words import words

LEFT_OUT = "…"
_SENTENCE_ENDS = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])")
_STEM = 5
"""Words are compared by so many letters: `painting` and `painted` are the same here."""


def stems(text: str) -> frozenset[str]:
    """The beginnings of the words of a text."""
    return frozenset(word[:_STEM] for word in words(text))


def asked_stems(question: str) -> frozenset[str]:
    """The beginnings of the words of a question that say something; of all where none does.

    >>> sorted(asked_stems("Where is the key of the cabin?"))
    ['cabin', 'key']
    """
    found = words(question)
    return frozenset(word[:_STEM] for word in content_words(found, language_of(found)) or found)


def excerpt(text: str, asked: Collection[str], *, most: int, is_scarce: bool = False) -> str:
    """The text, or of a longer one the sentences with most of the asked stems, in their order, marked where some are missing.

    At most `most` characters and the marks. One line: white space of any kind becomes a space. Where room is scarce, sentences
    without an asked stem go first; else they fill what is left.

    >>> excerpt("It rained. We saw a heron. Then we left.", stems("a heron?"), most=20)
    '… We saw a heron. …'
    """
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    sentences = _SENTENCE_ENDS.split(line)
    hits = [len(stems(sentence).intersection(asked)) for sentence in sentences]
    chosen: set[int] = set()
    left = most
    for index in sorted(range(len(sentences)), key=lambda index: (-hits[index], index)):
        is_idle = is_scarce and not hits[index] and bool(chosen)
        if len(sentences[index]) < left and not is_idle:
            chosen.add(index)
            left -= len(sentences[index]) + 1
    best = max(range(len(sentences)), key=lambda index: (hits[index], -index))
    if best not in chosen:  # it is too long to be given whole
        return _around(sentences[best], asked, most=most)
    return _joined(sentences, chosen)


def _joined(sentences: Sequence[str], chosen: Collection[int]) -> str:
    kept = [sentence if index in chosen else LEFT_OUT for index, sentence in enumerate(sentences)]
    return " ".join(part for index, part in enumerate(kept) if part != LEFT_OUT or kept[index - 1 : index] != [LEFT_OUT])


def _around(sentence: str, asked: Collection[str], *, most: int) -> str:
    """The part of a long sentence about the first asked word, cut at words where there are any."""
    lower = sentence.lower()
    first = min((place for stem in asked if (place := lower.find(stem)) >= 0), default=0)
    begin = min(max(0, first - most // 2), max(0, len(sentence) - most))
    part = sentence[begin : begin + most]
    if begin and " " in part:
        part = part.split(" ", 1)[1]
    if begin + most < len(sentence) and " " in part:
        part = part.rsplit(" ", 1)[0]
    return f"{f'{LEFT_OUT} ' * bool(begin)}{part} {LEFT_OUT}"
