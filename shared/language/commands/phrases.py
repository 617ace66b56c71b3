"""The small notation in which language files write phrases, and the regular expressions made of it.

`forget (that|this) [please]`, `<erase> everything about {topic}`: words, alternatives, optional parts, parts named in the
file's table, and at most one capture. There is no repetition in it, so no phrase can make matching explode.
An expression is matched against normal words, each with a space after it; a comma may stand before any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeVar

from shared.contracts.errors import Misconfigured

_OfOptions = TypeVar("_OfOptions")

_PIECE = re.compile(r"[()\[\]|]|<\w+>|\{\w+\}|[^\s()\[\]|<>{}]+|\S")
_APOSTROPHES = "'’´`ʼ"
_OPEN = {"(": ")", "[": "]"}
_SIGNS = frozenset((",", ":"))
_MOST_WAYS = 32
"""Ways of saying a phrase that are told apart."""


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
    single: frozenset[str] = field(init=False, compare=False)
    """The options that are a word: a text is compared with all of them at once."""
    longer: tuple[Phrase, ...] = field(init=False, compare=False)
    """The other options."""

    def __post_init__(self) -> None:
        words = list(map(_one_word, self.options))
        object.__setattr__(self, "single", frozenset(filter(None, words)))
        object.__setattr__(self, "longer", tuple(option for option, word in zip(self.options, words, strict=True) if not word))

    def made(self, make: Callable[[tuple[Phrase, ...]], _OfOptions]) -> _OfOptions:
        """What a function makes of the options."""
        if self.kept is None:
            return make(self.options)
        if make not in self.kept:
            self.kept[make] = make(self.options)
        found: _OfOptions = self.kept[make]
        return found


Phrase = tuple[PhraseWord | Capture | Choice, ...]


def _one_word(phrase: Phrase) -> str | None:
    """The word that a phrase is; None if it is another phrase."""
    if len(phrase) == 1 and isinstance(item := phrase[0], PhraseWord) and item.form not in _SIGNS:
        return item.form
    return None


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

    def named(self, name: str, text: str) -> Choice:
        """The part of this name. Raises Misconfigured, telling of the phrase `text` that names it."""
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


def always_has(phrase: Phrase, words: frozenset[str]) -> bool:
    """True if every text that the phrase matches has one of these words."""
    return any(
        item.form in words
        if isinstance(item, PhraseWord)
        else isinstance(item, Choice) and not item.is_optional and all(always_has(option, words) for option in item.options)
        for item in phrase
    )


def may_match(phrase: Phrase, words: AbstractSet[str]) -> bool:
    """True if a text of these words could be this phrase, in any order: much quicker to tell than by its expression.

    >>> phrase = parse("[please] (keep|save) nothing", NamedParts({}))
    >>> [may_match(phrase, words) for words in ({"save", "nothing"}, {"please", "keep"})]
    [True, False]
    """
    for item in phrase:
        if isinstance(item, PhraseWord):
            if item.form not in words and item.form not in _SIGNS:
                return False
        elif isinstance(item, Choice) and not _may_be_any(item, words):
            return False
    return True


def _may_be_any(item: Choice, words: AbstractSet[str]) -> bool:
    if item.is_optional or not item.single.isdisjoint(words):
        return True
    return any(may_match(option, words) for option in item.longer)


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


def ways(phrase: Phrase) -> list[frozenset[frozenset[str]]]:
    """For each way of saying a phrase sets of words, one of each of which is in every text that says it so.

    >>> [sorted(map(sorted, way)) for way in ways(parse("(keep|hold [on]|write down) nothing", NamedParts({})))]
    [[['down'], ['nothing'], ['write']], [['hold', 'keep'], ['nothing']]]
    """
    found = _ways(phrase)
    return sorted(found, key=lambda way: sorted(map(sorted, way))) if len(found) > 1 else list(found)


def _ways(phrase: Phrase) -> AbstractSet[frozenset[frozenset[str]]]:
    found: AbstractSet[frozenset[frozenset[str]]] = {frozenset()}
    for item in phrase:
        match item:
            case PhraseWord(form) if form not in _SIGNS:
                word = frozenset((frozenset((form,)),))
                found = {way | word for way in found}
            case Choice(is_optional=False):
                chosen = item.made(_any_ways)
                if len(found) * len(chosen) > _MOST_WAYS:
                    chosen = {frozenset(needed_words((item,))[:1])}
                found = {way | more for way in found for more in chosen}
            case _:
                pass
    return found


def _any_ways(options: tuple[Phrase, ...]) -> AbstractSet[frozenset[frozenset[str]]]:
    """The ways of saying one of several phrases: those that need one word are one way."""
    each = [way for option in options for way in _ways(option)]
    if frozenset() in each:
        return {frozenset()}
    short = frozenset[str]().union(*(next(iter(way)) for way in each if len(way) == 1))
    return {way for way in each if len(way) > 1} | ({frozenset((short,))} if short else set())


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
