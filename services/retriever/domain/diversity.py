"""Orders by maximal marginal relevance: a memory that is like one above it comes later.

Source: Carbonell, Goldstein 1998; ../reference/memory-upgrade-spec.md, "Tri-Score Re-Ranking".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from shared.domain.arrays import Floats, NDArray, np
from shared.language.text.length import beginning
from shared.language.text.stating import content_words

TagsOfAll: TypeAlias = Callable[[], Sequence[Collection[str]]]
"""The tags of all items: asked for only where they count."""

_EQUAL = 1e-6
_NO_SLOTS = "[]"
NEARLY_THE_SAME = 0.85
"""Cosine from which on two texts speak of one thing in one way: `on Mondays` and `moved to Wednesdays` have 0.88."""

LEAST_SHARE = 0.85
CHANGED_LIKENESS, CHANGED_SHARE = 0.4, 0.75
"""The same for what says itself that something has changed: `no more night shifts` beside `I do night shifts`."""

NAMED_SHARE, ENDED_SHARE = 0.5, 0.1
"""The least share of the older one's total for what says that something has changed of which the older one tells, and for what
says that it is over: `Petra left` beside `my boss is called Petra`, to whoever asks for the boss."""

BESIDE_LIKENESS = 0.3
"""Cosine from which on a later statement is about the same thing, if both share a word or the later one tells of a change."""
_FIRST = 10
"""Only a statement among so many first ones may move to the first place, so that the others stay among them."""


class Pick(NamedTuple):
    """An item by its place in the ranking, and the penalty for its likeness to those above it."""

    place: int
    penalty: float


def likeness(vectors: Floats | Sequence[Floats | None], tags: TagsOfAll) -> Floats:
    """The likeness of every two items, float32[n, n]: the cosine of their vectors, else the overlap of their tags (Jaccard)."""
    if isinstance(vectors, np.ndarray):
        return np.asarray(np.maximum(vectors @ vectors.T, 0.0))
    known = [index for index, vector in enumerate(vectors) if vector is not None]
    alike, tags_of = np.zeros((len(vectors), len(vectors)), np.float32), tags()
    for one, other in combinations([index for index, each in enumerate(tags_of) if each], 2):
        alike[one, other] = alike[other, one] = _overlap(tags_of[one], tags_of[other])
    if known:
        rows = np.stack([vector for vector in vectors if vector is not None])
        alike[np.ix_(known, known)] = rows @ rows.T
    return np.maximum(alike, 0.0)


def diverse(totals: Sequence[float], alike: Floats, tags: TagsOfAll, *, mmr_lambda: float) -> list[Pick]:
    """All items; at each place stands the one with the highest lambda * total - (1 - lambda) * likeness to the nearest above.

    Of equals the one that shares the fewest tags with those above, then the one that was ranked first.

    >>> alike = np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], np.float32)
    >>> [pick.place for pick in diverse([1.0, 0.9, 0.8], alike, lambda: [(), (), ()], mmr_lambda=0.5)]
    [0, 2, 1]
    """
    costs = alike * np.float32(1 - mmr_lambda)
    marginal = np.asarray(totals, np.float32) * mmr_lambda
    beside = marginal - costs  # a row for each item: what all others are worth beside it
    order: list[int] = []
    for _ in totals:
        index = int(marginal.argmax())
        best = marginal[index]
        marginal[index] = -np.inf
        if marginal[marginal.argmax()] >= best - _EQUAL:
            marginal[index] = best
            index = _sharing_fewest((marginal >= best - _EQUAL).nonzero()[0].tolist(), order, tags())
            marginal[index] = -np.inf
        order.append(index)
        np.minimum(marginal, beside[index], out=marginal)
    return [Pick(place, penalty) for place, penalty in zip(order, _penalties(costs, order), strict=True)]


def _penalties(costs: Floats, order: Sequence[int]) -> list[float]:
    """What its likeness to the nearest above costs each item in an order."""
    highest = np.maximum.accumulate(costs.take(order, axis=0).take(order, axis=1), axis=0)
    return [0.0, *highest.diagonal(1).tolist()] if order else []


def _sharing_fewest(equals: Sequence[int], above: Iterable[int], tags: Sequence[Collection[str]]) -> int:
    """The first of these that share the fewest tags with those above."""
    of_above = set[str]().union(*(tags[place] for place in above))
    return min(equals, key=lambda each: len(of_above.intersection(tags[each])))


@dataclass
class RankedText:
    """What tells of two statements which one counts. Texts are looked into only where all else says that they may be of one."""

    total: float
    age_s: float
    session: int | str | None = None
    text: str = ""  # empty where it is not a statement of the user
    values: Sequence[str] = ()  # of what it states
    attributes: Sequence[str] = ()
    tells_change: bool = False  # its text says itself that something has changed
    tells_end: bool = False  # or that something is over

    def tell(self, text: str, packed: str) -> None:
        """Make it a statement of the user with this text and these slots, as JSON."""
        self.text = beginning(text)
        if packed == _NO_SLOTS:
            return
        slots = [slot for slot in json.loads(packed) if not (slot.get("negated") or slot.get("is_implied"))]
        self.values = [slot["value"] for slot in slots if slot.get("value")]
        self.attributes = [slot["attribute"] for slot in slots]

    @cached_property
    def _words(self) -> frozenset[str]:
        return content_words(self.text)

    @cached_property
    def _attributes_by_words(self) -> list[frozenset[str]]:
        return list(filter(None, map(content_words, self.attributes)))

    @cached_property
    def _values_by_words(self) -> list[frozenset[str]]:
        return list(filter(None, map(content_words, self.values)))

    def is_newer_of(self, other: RankedText, likeness: float) -> bool:
        """True if it says anew, in a later session and nearly as well, what the other one says."""
        if self.age_s >= other.age_s or (self.session is not None and self.session == other.session):
            return False
        if likeness >= NEARLY_THE_SAME and self.total >= LEAST_SHARE * other.total:
            return True
        is_near = likeness >= CHANGED_LIKENESS and self.total >= CHANGED_SHARE * other.total
        if is_near and self.tells_change and self._is_worded_like(other):
            return True
        if self.total >= NAMED_SHARE * other.total and self.tells_change and self._names(other._attributes_by_words):
            return True
        return self.total >= ENDED_SHARE * other.total and self.tells_end and self._names(other._values_by_words)

    def is_beside(self, other: RankedText, likeness: float) -> bool:
        """True if it speaks of the same thing as the other one, in a later session."""
        if not (self.text and other.text) or self.age_s >= other.age_s or self.session == other.session:
            return False
        return likeness >= BESIDE_LIKENESS and (self.tells_change or not self._words.isdisjoint(other._words))

    @property
    def is_of_something(self) -> bool:
        """True if it states something by name, so that what is not like it may still say that it is over."""
        return bool(self.values or self.attributes)

    def _names(self, stated: Sequence[frozenset[str]]) -> bool:
        """True if it has all words of one of these."""
        return any(words <= self._words for words in stated)

    def _is_worded_like(self, other: RankedText) -> bool:
        """True if at least half of the words of the one that has fewer are in both."""
        fewer = min(len(self._words), len(other._words))
        return 0 < fewer <= 2 * len(self._words & other._words)


def newest_first(order: Sequence[int], alike: Floats, statements: Sequence[RankedText]) -> list[int]:
    """In each group of nearly the same statements from different sessions, move the newest to the place of the first.

    What was said of one thing at different times may contradict itself; the newer word counts, the more so where it says itself
    that something has changed. Only what is nearly as good comes forward, one place for each; nothing else changes its order.

    >>> alike = np.array([[1, 0, 0.9], [0, 1, 0], [0.9, 0, 1]], np.float32)
    >>> newest_first([0, 1, 2], alike, [RankedText(1.0, 60.0, "a"), RankedText(0.9, 5.0, "b"), RankedText(0.9, 2.0, "c")])
    [2, 0, 1]
    """
    if not _is_any_near(alike, statements):
        return list(order)
    may_be = _may_be_newer(alike, statements)
    outdated: list[bool] = np.any(may_be, axis=1).tolist()
    left, found = list(order), []
    while left:
        best = first = left[0]
        if outdated[first]:
            of, near = statements[first], alike[first].tolist()
            others = (each for each in left[1:] if may_be[first][each])
            newer = [each for each in others if statements[each].is_newer_of(of, near[each])]
            best = min(newer, key=lambda each: statements[each].age_s, default=first)
        left.remove(best)
        found.append(best)
    return found


def current_first(order: Sequence[int], alike: Floats, statements: Sequence[RankedText]) -> list[int]:
    """Move the newest of the statements about the same thing as the first one to the first place.

    Call it for questions about what holds now.

    >>> alike = np.array([[1, 0.1, 0.6], [0.1, 1, 0], [0.6, 0, 1]], np.float32)
    >>> told = [RankedText(1, 9, "a", "My rent is 900"), RankedText(1, 5, "b", "Hi"), RankedText(1, 2, "c", "Rent went up")]
    >>> current_first([0, 1, 2], alike, told)
    [2, 0, 1]
    """
    if not order:
        return []
    best, near = statements[order[0]], alike[order[0]].tolist()
    newer = [each for each in order[1:_FIRST] if statements[each].is_beside(best, near[each])]
    newest = min(newer, key=lambda each: statements[each].age_s, default=None)
    return list(order) if newest is None else [newest, *(each for each in order if each != newest)]


def _is_any_near(alike: Floats, statements: Sequence[RankedText]) -> bool:
    """False where no two say nearly the same, and none says that something has changed: none is newer than another."""
    if any(each.tells_change or each.tells_end for each in statements):
        return True
    near = alike >= NEARLY_THE_SAME
    np.fill_diagonal(near, val=False)
    return bool(near.any())


def _may_be_newer(alike: Floats, statements: Sequence[RankedText]) -> NDArray[Any]:
    """Whether the statement of a column may be newer of that of a row, by all that no text need be read for."""
    totals, ages = np.array([each.total for each in statements]), np.array([each.age_s for each in statements])
    known = {session: place for place, session in enumerate(dict.fromkeys([each.session for each in statements]))}
    sessions = np.array([known[each.session] for each in statements])
    is_later: NDArray[Any] = (ages < ages[:, None]) & ((sessions != sessions[:, None]) | (sessions == known.get(None, -1)))
    changes, ends = ([getattr(each, name) for each in statements] for name in ("tells_change", "tells_end"))
    says_the_same = (alike >= NEARLY_THE_SAME) & (totals >= LEAST_SHARE * totals[:, None])
    may_be: NDArray[Any] = is_later & says_the_same
    if not (any(changes) or any(ends)):
        return may_be
    is_of_something = np.array([[each.is_of_something] for each in statements])
    if any(changes):
        changed = (alike >= CHANGED_LIKENESS) & (totals >= CHANGED_SHARE * totals[:, None])
        named = is_of_something & (totals >= NAMED_SHARE * totals[:, None])
        may_be |= is_later & changes & (changed | named)
    if any(ends):
        may_be |= is_later & ends & is_of_something & (totals >= ENDED_SHARE * totals[:, None])
    return may_be


def _overlap(one: Collection[str], other: Collection[str]) -> float:
    both = len(set(one).intersection(other))
    return both / len(set(one).union(other)) if both else 0.0
