"""The small notation in which language files write phrases, and the regular expressions made of it.

`forget (that|this) [please]`, `<erase> everything about {topic}`: words, alternatives, optional parts, parts named in the
file's table, and at most one capture. There is no repetition in it, so no phrase can make matching explode.
An expression is matched against normal words, each with a space after it; a comma may stand before any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeVar

from shared.contracts.errors import Misconfigured

_OfOptions = TypeVar("_OfOptions")

_PIECE = re.compile(r"[()\[\]|]|<\w+>|\{\w+\}|[^\s()\[\]|<>{}]+|\S")
_APOSTROPHES = "'’´`ʼ"
_OPEN = {"(": ")", "[": "]"}
_SIGNS = frozenset((",", ":"))


@dataclass(frozen=True, slots=True)
class PhraseWord:
    """A word in its normal form; `,` and `:` are words too."""

    form: str


@dataclass(frozen=True, slots=True)
class Capture:
    """Captures one word or more."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several alternatives, each a phrase."""

    options: tuple[Phrase, ...]
    is_optional: bool
    kept: dict[Callable[..., Any], Any] | None = field(default=None, compare=False, repr=False)
    """What was made of the options, by what made it; None where it is made anew each time."""

    def made(self, make: Callable[[tuple[Phrase, ...]], _OfOptions]) -> _OfOptions:
        """What a function makes of the options."""
        if self.kept is None:
            return make(self.options)
        if make not in self.kept:
            self.kept[make] = make(self.options)
        found: _OfOptions = self.kept[make]
        return found


Phrase = tuple[PhraseWord | Capture | Choice, ...]


def normal(word: str) -> str:
    """A word as phrases see it: lower case, without apostrophes and emphasis.

    >>> normal("Don’t"), normal("_that_")
    ('dont', 'that')
    """
    bare = word.lower()
    for sign in _APOSTROPHES:  # in a third of the time that a table takes
        bare = bare.replace(sign, "")
    return bare.strip("_")


class NamedParts:
    """What phrases name by `<part>`: each is parsed once, and what is made of it is kept: hundreds of phrases may name it."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._known: dict[str, Choice] = {}
        self._words: dict[str, PhraseWord] = {}
        self._within: list[str] = []
        self.used: set[str] = set()

    def named(self, name: str, text: str) -> Choice:
        """The part of this name. Raises Misconfigured, telling of the phrase `text` that names it."""
        self.used.add(name)
        if name not in self._known:
            if name not in self._texts or name in self._within:
                raise Misconfigured(f"the phrase {text!r} names a part that is not there, or that contains itself")
            self._within.append(name)
            self._known[name] = Choice(_options(_pieces(self._texts[name]), "", text, self), is_optional=False, kept={})
            self._within.pop()
        return self._known[name]

    def word(self, piece: str) -> PhraseWord:
        """A word as phrases see it."""
        if piece not in self._words:
            self._words[piece] = PhraseWord(normal(piece))
        return self._words[piece]


def parse(text: str, parts: NamedParts) -> Phrase:
    """Parse the notation of a phrase. Raises Misconfigured if it is not well formed."""
    options = _options(_pieces(text), "", text, parts)
    return options[0] if len(options) == 1 else (Choice(options, is_optional=False),)


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(text)[::-1]


def _options(pieces: list[str], end: str, text: str, parts: NamedParts) -> tuple[Phrase, ...]:
    options: list[Phrase] = []
    items: list[PhraseWord | Capture | Choice] = []
    while (piece := pieces.pop() if pieces else "") != end:
        if piece == "|":
            options.append(tuple(items))
            items = []
        elif piece in _OPEN:
            items.append(Choice(_options(pieces, _OPEN[piece], text, parts), is_optional=piece == "["))
        elif piece.startswith("<") and len(piece) > 1:
            items.append(parts.named(piece[1:-1], text))
        elif piece.startswith("{"):
            items.append(Capture(piece.strip("{}")))
        elif not piece or piece in ")]<>{}":
            raise Misconfigured(f"the phrase {text!r} has a bracket too many or too few")
        else:
            items.append(parts.word(piece))
    return (*options, tuple(items))


def expression(phrase: Phrase) -> str:
    """The regular expression of a phrase."""
    return "".join(map(_expression, phrase))


def _expression(item: PhraseWord | Capture | Choice) -> str:
    match item:
        case PhraseWord(form):
            return f"{re.escape(form)} " if form in ",:" else f"(?:, )?{re.escape(form)} "
        case Capture(name):
            return f"(?P<{name}>[^ ,:].*)"
        case Choice(is_optional=is_optional):
            return f"(?:{item.made(_any_expression)}){'?' if is_optional else ''}"


def _any_expression(options: tuple[Phrase, ...]) -> str:
    return "|".join(map(expression, options))


def first_words(phrase: Phrase) -> frozenset[str]:
    """The words with which a phrase can begin. Raises Misconfigured if it can begin with a capture, or be empty."""
    found: set[str] = set()
    for item in phrase:
        match item:
            case PhraseWord(form):
                return frozenset(found | {form})
            case Capture(name):
                raise Misconfigured(f"a phrase may not begin with {{{name}}}")
            case Choice():
                found |= item.made(_any_first_words)
                if not item.is_optional:
                    return frozenset(found)
    raise Misconfigured("a phrase needs one word that is not optional")


def _any_first_words(options: tuple[Phrase, ...]) -> frozenset[str]:
    return frozenset[str]().union(*map(first_words, options))


def needed_words(phrase: Phrase) -> list[frozenset[str]]:
    """Sets of words, one of each of which is in every text that the phrase matches; the rarest first, which are the longest.

    >>> [sorted(words) for words in needed_words(parse("in (confidence|[strict] secrecy)", NamedParts({})))]
    [['confidence', 'secrecy'], ['in']]
    """
    return sorted(_needed(phrase), key=lambda words: -min(map(len, words)))


def _needed(phrase: Phrase) -> Iterator[frozenset[str]]:
    for item in phrase:
        match item:
            case PhraseWord(form) if form not in _SIGNS:
                yield frozenset((form,))
            case Choice(is_optional=False) if found := item.made(_any_needed):
                yield found
            case _:
                pass


def _any_needed(options: tuple[Phrase, ...]) -> frozenset[str]:
    """Words, one of which is in every text that is one of these phrases; none if one of them needs none."""
    each = [needed_words(option) for option in options]
    return frozenset[str]().union(*(words[0] for words in each)) if all(each) else frozenset()


def words(phrase: Phrase) -> frozenset[str]:
    """Every word of a phrase."""
    alone = frozenset(item.form for item in phrase if isinstance(item, PhraseWord))
    return alone.union(*(item.made(_any_words) for item in phrase if isinstance(item, Choice)))


def _any_words(options: tuple[Phrase, ...]) -> frozenset[str]:
    return frozenset[str]().union(*map(words, options))


def named(phrase: Phrase) -> Iterator[str]:
    """The names of all captures of a phrase."""
    for item in phrase:
        if isinstance(item, Capture):
            yield item.name
        elif isinstance(item, Choice):
            yield from item.made(_any_named)


def _any_named(options: tuple[Phrase, ...]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(map(named, options)))
