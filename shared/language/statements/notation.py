"""The notation of the phrases and shapes in the language files: `{who} (live|lives) in {place}`.

`(a|b)` are alternatives, `[a]` may be left out, `<name>` stands for words that the file defines, and `#` for a digit. A shape
is a whole clause with values: `{type}` or `{label:type}`, `{who}` for the user or a relative, `{whose}` for such an owner.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_PIECE = re.compile(r"\{(?:(?P<label>\w+):)?(?P<type>\w+)\}|<(?P<part>\w+)>|(?P<sign>[()|\[\]])|(?P<word>[^\s()|\[\]{}<>]+)")
WHO, WHOSE = "who", "whose"
_VALUE = r".+?"
_VALUES = {"event": r"\S+", "dose": r"\d[\d.,]* ?[^\W\d_]+", "age": r"\S+", "number": r"\S+"}
"""The expressions of values that another one may follow."""
_ANY = "#"
"""Stands among the first words of a phrase that may begin with anything."""
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a phrase: its expression, which takes the space behind it, and the words with which it may begin and end."""

    text: str
    firsts: frozenset[str]
    lasts: frozenset[str]
    words: frozenset[str]  # at least one of these stands in it; empty if it may be without words of its own
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """A compiled shape."""

    pattern: re.Pattern[str]
    words: frozenset[str]  # at least one of these stands in each clause of the shape; empty if it has only values
    types: Mapping[str, str]  # of the labels of its values


def compile_shape(written: str, parts: Mapping[str, str], persons: Mapping[str, str]) -> Shape:
    """Compile a shape. `persons`: the expressions of `who` and `whose`. Raises ValueError for an unknown part or sign.

    >>> shape = compile_shape("i live in {place} [now]", {}, {})
    >>> shape.pattern.fullmatch("i live in leeds now")["place"], sorted(shape.words)
    ('leeds', ['live'])
    """
    parser = _Parser(written, parts, persons)
    items = parser.sequence()
    parser.finish()
    whole = _join(items)
    return Shape(re.compile(whole.text), whole.words, parser.types)


@dataclass(slots=True)
class Phrases:
    """Phrases that are looked for in a text of words, with single spaces. Only where one may begin is an expression tried."""

    parts: Mapping[str, str]
    _firsts: dict[str, list[str]] = field(default_factory=dict)
    _lasts: dict[str, list[str]] = field(default_factory=dict)
    _compiled: dict[tuple[str, bool], re.Pattern[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, phrases: Iterable[str], parts: Mapping[str, str]) -> Phrases:
        """Return these phrases. Raises ValueError for an unknown part or sign."""
        found = cls(parts)
        for phrase in phrases:
            parser = _Parser(phrase, parts, {})
            for item in parser.alternatives():
                for first in item.firsts:
                    found._firsts.setdefault(first, []).append(item.text)
                for last in item.lasts:
                    found._lasts.setdefault(last, []).append(item.text)
            parser.finish()
        return found

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the phrase with which a text begins at a word, and the space behind it."""
        end = text.find(" ", start)
        first = text[start:] if end < 0 else text[start:end]
        if first not in self._firsts and first.isalpha():  # most words
            return None
        first = next((each for each in (first, *_general(first)) if each in self._firsts), first)
        return self._find(first, self._firsts, is_end=False).match(text, start) if first in self._firsts else None

    def search(self, text: str) -> bool:
        """Return True if a phrase stands anywhere in a text."""
        start = 0
        for word in text.split():
            if word in self._firsts and self.match(text, start):
                return True
            start += len(word) + 1
        return False

    def match_end(self, text: str) -> re.Match[str] | None:
        """Return the phrase with which a text ends, behind other words."""
        last = text.rpartition(" ")[2]
        key = next((each for each in (last, *_general(last)) if each in self._lasts), last)
        return self._find(key, self._lasts, is_end=True).search(text) if key in self._lasts else None

    def fullmatch(self, text: str) -> bool:
        """Return True if a text is one of the phrases."""
        found = self.match(text)
        return found is not None and found.end() == len(text)

    def _find(self, word: str, by_word: Mapping[str, list[str]], *, is_end: bool) -> re.Pattern[str]:
        if (word, is_end) not in self._compiled:
            options = "|".join(by_word[word])
            self._compiled[word, is_end] = re.compile(f"(?<= )(?:{options})$" if is_end else f"(?:{options})")
        return self._compiled[word, is_end]


class _Parser:
    """Parses one phrase or shape."""

    def __init__(self, written: str, parts: Mapping[str, str], persons: Mapping[str, str]) -> None:
        expanded = written
        for _ in range(_DEEPEST):
            expanded = re.sub(r"<(\w+)>", lambda found: f"({parts[found[1]]})", expanded)
        self._written = written
        self._pieces = list(_PIECE.finditer(expanded))
        if "".join(piece[0] for piece in self._pieces) != "".join(expanded.split()):
            raise ValueError(f"a sign that means nothing: {written}")
        self._persons = persons
        self._place = 0
        self.types: dict[str, str] = {}

    def finish(self) -> None:
        """Raise ValueError if a bracket is closed that nothing opened."""
        if self._place < len(self._pieces):
            raise ValueError(f"a bracket that nothing opens: {self._written}")

    def alternatives(self) -> Iterator[Item]:
        """Parse what stands between bars."""
        while True:
            yield _join(self.sequence())
            if self._place >= len(self._pieces) or self._pieces[self._place]["sign"] != "|":
                return
            self._place += 1

    def sequence(self) -> list[Item]:
        """Parse items up to a bar or a closing bracket."""
        items = []
        while self._place < len(self._pieces) and self._pieces[self._place]["sign"] not in ("|", ")", "]"):
            piece = self._pieces[self._place]
            self._place += 1
            items.append(self._item(piece))
        return items

    def _item(self, piece: re.Match[str]) -> Item:
        if word := piece["word"]:
            own = frozenset((word,))
            return Item(rf"{re.escape(word)}(?: |$)".replace(r"\#", r"\d"), own, own, own)
        if piece["type"]:
            return Item(rf"{self._value(piece)}(?: |$)", frozenset((_ANY,)), frozenset((_ANY,)), frozenset())
        is_optional = piece["sign"] == "["
        options = list(self.alternatives())
        if self._place >= len(self._pieces) or self._pieces[self._place]["sign"] != ("]" if is_optional else ")"):
            raise ValueError(f"a bracket that nothing closes: {self._written}")
        self._place += 1
        return Item(
            f"(?:{'|'.join(option.text for option in options)}){'?' * is_optional}",
            frozenset().union(*(option.firsts for option in options)),
            frozenset().union(*(option.lasts for option in options)),
            frozenset().union(*(option.words for option in options))
            if all(option.words for option in options)
            else frozenset(),
            is_optional,
        )

    def _value(self, piece: re.Match[str]) -> str:
        kind = piece["type"]
        if kind in self._persons:
            return f"(?P<{kind}>{self._persons[kind]})"
        label = piece["label"] or kind
        self.types[label] = kind
        return rf"(?P<{label}>{_VALUES.get(kind, _VALUE)})"


def _general(word: str) -> Iterator[str]:
    """The forms of a number in a phrase: `2019` is one of `20##` and of `####`.

    >>> list(_general("2019"))
    ['201#', '20##', '2###', '####']
    """
    for kept in range(len(word) - 1, -1, -1):
        if word[kept].isdigit():
            yield word[:kept] + re.sub(r"\d", "#", word[kept:])


def _join(items: list[Item]) -> Item:
    return Item(
        "".join(item.text for item in items),
        _edge(items, lambda item: item.firsts),
        _edge(items[::-1], lambda item: item.lasts),
        max((item.words for item in items if item.words and not item.is_optional), key=_least_length, default=frozenset()),
        is_optional=all(item.is_optional for item in items),
    )


def _least_length(words: frozenset[str]) -> int:
    """Return the length of the shortest word. Longer words stand in fewer clauses."""
    return min(map(len, words))


def _edge(items: list[Item], words: Callable[[Item], frozenset[str]]) -> frozenset[str]:
    """The words with which items may begin: those of the first, and of the next where it may be left out."""
    found: frozenset[str] = frozenset()
    for item in items:
        found |= words(item)
        if not item.is_optional:
            break
    return found
