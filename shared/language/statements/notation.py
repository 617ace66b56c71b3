"""The notation of the shapes in the language files: `{who} (live|lives) in {place}`.

A shape is a whole clause. `(a|b)` are alternatives, `[a]` may be left out, `{type}` or `{label:type}` is a value, `{who}` the
user or a relative, `{whose}` the same as an owner, `<name>` words that the file defines, `#` a digit.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PIECE = re.compile(r"\{(?:(?P<label>\w+):)?(?P<type>\w+)\}|<(?P<part>\w+)>|(?P<sign>[()|\[\]])|(?P<word>[^\s()|\[\]{}<>]+)")
WHO, WHOSE = "who", "whose"
_VALUE = r".+?"
_VALUES = {"dose": r"\d[\d.,]* ?[^\W\d_]+", "age": r"\S+", "number": r"\S+"}
"""The expressions of values that another one may follow."""


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
    ('leeds', ['i'])
    """
    expanded = _expand(written, parts)
    types: dict[str, str] = {}
    text, words = _Compiler(expanded, persons, types).compile()
    return Shape(re.compile(text), words, types)


def compile_phrase(written: str, parts: Mapping[str, str]) -> str:
    """Return the expression of words without values, which ends behind the space after them or at the end of the text."""
    return _Compiler(_expand(written, parts), {}, {}).compile()[0]


def _expand(written: str, parts: Mapping[str, str]) -> str:
    for _ in range(8):
        if "<" not in written:
            return written
        written = re.sub(r"<(\w+)>", lambda found: f"({parts[found[1]]})", written)
    raise ValueError(f"parts that name each other: {written}")


class _Compiler:
    """Compiles one shape. Every item brings its own space behind it, which the end of the expression need not have."""

    def __init__(self, written: str, persons: Mapping[str, str], types: dict[str, str]) -> None:
        self._pieces = list(_PIECE.finditer(written))
        if "".join(piece[0] for piece in self._pieces) != "".join(written.split()):
            raise ValueError(f"a sign that means nothing: {written}")
        self._persons = persons
        self._types = types
        self._place = 0

    def compile(self) -> tuple[str, frozenset[str]]:
        """Return the expression, and the words of its first item that is not a value."""
        text, words = self._alternatives()
        if self._place < len(self._pieces):
            raise ValueError("a bracket that nothing opens")
        return text, words

    def _alternatives(self) -> tuple[str, frozenset[str]]:
        texts, firsts = [], []
        while True:
            text, words = self._sequence()
            texts.append(text)
            firsts.append(words)
            if self._place >= len(self._pieces) or self._pieces[self._place]["sign"] != "|":
                break
            self._place += 1
        known = frozenset().union(*firsts) if all(firsts) else frozenset()
        return (texts[0] if len(texts) == 1 else f"(?:{'|'.join(texts)})"), known

    def _sequence(self) -> tuple[str, frozenset[str]]:
        done: list[str] = []
        words: frozenset[str] = frozenset()
        while self._place < len(self._pieces):
            piece = self._pieces[self._place]
            if piece["sign"] in ("|", ")", "]"):
                break
            self._place += 1
            text, own = self._item(piece)
            done.append(text)
            words = words or own
        return "".join(done), words

    def _item(self, piece: re.Match[str]) -> tuple[str, frozenset[str]]:
        if piece["word"]:
            return rf"{re.escape(piece['word'])}(?: |$)".replace(r"\#", r"\d"), frozenset((piece["word"],))
        if piece["type"]:
            return rf"{self._value(piece)}(?: |$)", frozenset()
        is_optional = piece["sign"] == "["
        text, words = self._alternatives()
        if self._place >= len(self._pieces) or self._pieces[self._place]["sign"] != ("]" if is_optional else ")"):
            raise ValueError("a bracket that nothing closes")
        self._place += 1
        return (f"(?:{text})?", frozenset()) if is_optional else (f"(?:{text})", words)

    def _value(self, piece: re.Match[str]) -> str:
        kind = piece["type"]
        if kind in self._persons:
            return f"(?P<{kind}>{self._persons[kind]})"
        label = piece["label"] or kind
        self._types[label] = kind
        return rf"(?P<{label}>{_VALUES.get(kind, _VALUE)})"
