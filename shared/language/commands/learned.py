"""How much a place in a sentence is like a wish not to be kept, by weights that were learned from sentences of both kinds.

It looks at the words around each that keeps where something denies, that erases or hushes: at the words themselves, at their
kinds (what denies, whom it is said to, what is kept), and at what stands side by side. `bench/wishes` learns the weights, which
rest in `weights/`; a language without a file there has none.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

_BEFORE, _AFTER, _NEAR = 8, 5, 3
"""Words before and after the middle of a place, and nearest to it."""
_BEYOND = 5
"""Words of the clause before."""
_SIGNS = frozenset((",", ":"))
QUESTION = "?"
"""Stands at the end of a question."""
_START, _END, _UNKNOWN = "<", ">", "*"
_KEPT = frozenset(("K", "Kg", "Kd", "P"))
_GONE_OR_HUSHED = frozenset(("E", "S"))
_DENIES = frozenset(("no", "without", "off", "away", "nowhere", "nothing", "none", "zero", "nobody"))
_US = frozenset(("us", "you", "me", "ourselves"))
_NOBODY = frozenset(("nobody", "no-one"))
_KNOWS = frozenset(("know", "hear", "learn", "find"))


class Place(NamedTuple):
    """The middle of a place in a sentence, and how much the place is like a wish, in hundredths of a logit."""

    at: int
    likeness: int


class Likening(NamedTuple):
    """What is learned: a weight by feature."""

    bias: int
    features: Mapping[str, int]


def likest(words: Sequence[str], kinds: Mapping[str, str], weights: Likening) -> Place | None:
    """The place of a sentence that is most like a wish; None if there is none to look at. `kinds`: of the words, by word."""
    known = weights.features
    found = (
        Place(at, weights.bias + sum(known.get(feature, 0) for feature in features)) for at, features in places(words, kinds)
    )
    return max(found, key=lambda place: place.likeness, default=None)


@cache
def weights_of(code: str) -> Likening | None:
    """The weights of a language; None if it has none."""
    source = resources.files(__package__).joinpath("weights", f"{code}.json")
    if not source.is_file():
        return None
    learned = json.loads(source.read_text(encoding="utf-8"))
    return Likening(learned["bias"], learned["features"])


def places(words: Sequence[str], kinds: Mapping[str, str]) -> Iterator[tuple[int, set[str]]]:
    """The middle of each place to look at, with its features."""
    named = (_START, *(QUESTION if word == QUESTION else kinds.get(word, _UNKNOWN) for word in words), _END)
    shown = (_START, *(word if word in kinds or word == QUESTION else _UNKNOWN for word in words), _END)
    for at in range(1, len(words) + 1):
        if _is_middle(shown, named, at):
            yield at - 1, set(_features(shown, named, at))


def _is_middle(shown: Sequence[str], named: Sequence[str], at: int) -> bool:
    following = shown[at + 1 : at + 1 + _NEAR]
    if named[at] in _KEPT:
        return _is_denied(shown, named, at)
    if shown[at] == "between":
        return not _US.isdisjoint(following)
    return named[at] in _GONE_OR_HUSHED or (shown[at] in _NOBODY and not _KNOWS.isdisjoint(following))


def _is_denied(shown: Sequence[str], named: Sequence[str], at: int) -> bool:
    """Whether a word that keeps may be denied: `don't keep`, `keep nothing`, `keep it out of`, `keep it to yourself`."""
    first, last = max(at - _BEFORE, 0), at + _NEAR + 1
    around, following = (*shown[first:at], *shown[at + 1 : last]), shown[at + 1 : last]
    is_out = any(pair == ("out", "of") for pair in pairwise(shown[first : last + 1]))
    return is_out or "N" in named[first:at] or "yourself" in following or not _DENIES.isdisjoint(around)


def _features(shown: Sequence[str], named: Sequence[str], at: int) -> Iterator[str]:
    first, last, begin, end = _window(shown, at)
    words, kinds, here = shown[first:last], named[first:last], at - first
    for index, both in enumerate(zip(words, kinds, strict=True), first):
        side = "=" if index == at else "l" if index < at else "r"
        beyond = "" if begin <= index < end else side
        yield from (f"{side}{beyond}{each}" for each in both)
    for each in (words, kinds):
        yield from (f"{a} {b}" for a, b in pairwise(each))
    yield from (" ".join(kinds[index : index + 3]) for index in range(len(kinds) - 2))
    for a in kinds[max(here - _NEAR, begin - first, 0) : here]:
        yield f"{a}_{kinds[here]}"
        yield from (f"{a}_{kinds[here]}_{b}" for b in kinds[here + 1 : min(here + 1 + _NEAR, end - first)])
    yield " ".join(kinds[max(here - _NEAR, 0) : here + 2])
    yield " ".join(words[max(here - 2, 0) : here + 2])


def _window(shown: Sequence[str], at: int) -> tuple[int, int, int, int]:
    """Where the words around a place begin and end; and between these, where its clause begins and ends."""
    begin = next((each + 1 for each in range(at - 1, -1, -1) if shown[each] in _SIGNS), 0)
    end = next((each for each in range(at + 1, len(shown)) if shown[each] in _SIGNS), len(shown))
    first, last = max(at - _BEFORE, begin - _BEYOND, 0), min(at + _AFTER + 1, end + 2)
    return first, last, max(begin, first), min(end, last)
