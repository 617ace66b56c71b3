"""Lets what holds now stand in the place of what does not hold any more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from services.retriever.domain.candidate import Parts, Placed
from services.retriever.domain.ranking import best_first, certainty, place
from services.retriever.domain.weights import Weights

SUPERSEDED_CONFIDENCE = 0.3
"""How sure a turn is that states nothing but superseded facts. Source: ../reference/memory-system.md, "resolve_conflict"."""

_LEAST = 1e-6
_BOTH_ANSWER = 0.5
"""Where a part is outdated of which the question does not seem to ask, the newer fact comes first if its own relevance is at
least this share of the older's."""


class Heir(NamedTuple):
    """A live fact that holds in the place of what does not, or the turn that puts it right."""

    number: int
    memory_id: str


class MemoryEnding(NamedTuple):
    """How much of a memory does not hold any more, and what holds in its place."""

    is_whole: bool
    heirs: tuple[Heir, ...] = ()
    since: int | None = None  # microseconds; None where some of it holds
    slots: frozenset[int] = frozenset()  # of a fact of which some holds: the places of those that do not
    about: frozenset[str] = frozenset()  # the attributes of which it says what does not hold
    is_doubted: bool = False  # nobody has said yet whether it holds
    is_told: bool = True  # False where it stays true as it was said: who quit a job has another one now
    is_corrected: bool = False  # its own speaker has put it right

    def joined(self, other: MemoryEnding) -> MemoryEnding:
        """The ending of a memory that has both, in whole if both are; it held until the later one."""
        heirs = tuple(dict.fromkeys((*self.heirs, *other.heirs)))
        about = self.about | other.about
        is_corrected = self.is_corrected or other.is_corrected
        if self.is_whole and other.is_whole:
            since = max(self.since or 0, other.since or 0)
            return MemoryEnding(is_whole=True, heirs=heirs, since=since, about=about, is_corrected=is_corrected)
        return MemoryEnding(
            is_whole=False,
            heirs=heirs,
            slots=self.slots | other.slots,
            about=about,
            is_doubted=self.is_doubted or other.is_doubted,
            is_told=self.is_told or other.is_told,
            is_corrected=is_corrected,
        )

    @property
    def in_part(self) -> MemoryEnding:
        """This ending, of a turn that says more than what has ended."""
        return self._replace(is_whole=False, since=None, slots=frozenset())


def merged(found: Mapping[int, MemoryEnding], others: Mapping[int, MemoryEnding]) -> dict[int, MemoryEnding]:
    """All these endings; a memory that is in both has both."""
    both = {number: found[number].joined(others[number]) for number in found.keys() & others.keys()}
    return {**found, **others, **both}


def succeeded(
    places: Sequence[Placed], endings: Mapping[int, MemoryEnding], weights: Weights, *, asked: Collection[str] = ()
) -> list[Placed]:
    """The places with what holds now before what it outdates. `asked`: the attributes that the question is about.

    What stands in the place of a memory is as relevant as that was. A turn that states nothing else is as sure as a superseded
    fact; what is outdated in part stays behind what outdates it, where both answer.
    """
    if not endings:
        return list(places)
    found = {each.candidate.number: each for each in places}
    heirs: dict[int, int] = {}
    for old in (each for each in places if each.candidate.number in endings):
        number = old.candidate.number
        if (heir := _heir(old, endings[number], found, asked)) is not None:
            heirs[number] = heir
            found[heir] = _in_place_of(old, found[heir], weights)
    for number in endings.keys() & found.keys():
        heir_place = found[heirs[number]] if number in heirs else None
        found[number] = _outdated(found[number], endings[number], heir_place, weights)
    return best_first(found.values())


def answering(places: Sequence[Placed], stating: Collection[int], weights: Weights) -> list[Placed]:
    """The places with those first that state just what is asked. `stating`: their numbers.

    They gain what they need, as far as relevance reaches; whatever is still above them goes behind them.
    """
    if not stating:
        return list(places)
    best = max((each.total for each in places if each.candidate.number not in stating), default=0.0)
    raised = [
        _gaining(max(best + _LEAST - each.total, 0.0), each, weights) for each in places if each.candidate.number in stating
    ]
    if not raised or not weights.alpha:
        return list(places)
    least = min(each.total for each in raised)
    others = (each for each in places if each.candidate.number not in stating)
    above = [each for each in others if each.total >= least]
    behind = [_gaining(least - _LEAST * rank - each.total, each, weights) for rank, each in enumerate(above, start=1)]
    moved = {each.candidate.number: each for each in (*raised, *behind)}
    return best_first(moved.get(each.candidate.number, each) for each in places)


def _gaining(missing: float, old: Placed, weights: Weights) -> Placed:
    """A place with so much more of the total, or less, as far as relevance reaches from 0 to 1."""
    if not weights.alpha:
        return old
    gained = missing / certainty(old.candidate.confidence) / weights.alpha
    gained = min(gained, 1.0 - old.relevance) if gained > 0 else gained
    return _placed_anew(old, old.parts._replace(states=gained), weights)


def _heir(old: Placed, ending: MemoryEnding, found: Mapping[int, Placed], asked: Collection[str]) -> int | None:
    """The number of what takes the place of an old memory: the most relevant that outdates it, for that answers the same."""
    there = [found[heir.number] for heir in ending.heirs if heir.number in found]
    best = max(there, key=lambda heir: (heir.relevance, heir.candidate.number), default=None)
    if best is None:
        return None
    answers = ending.is_whole or ending.is_doubted or ending.is_corrected or not ending.about.isdisjoint(asked)
    return best.candidate.number if answers or best.relevance >= _BOTH_ANSWER * old.relevance else None


def _in_place_of(old: Placed, heir: Placed, weights: Weights) -> Placed:
    """The heir, as relevant as what it stands for, or more."""
    gained = max(old.relevance - heir.relevance, 0.0)
    parts = heir.parts._replace(stands_for=heir.parts.stands_for + gained)
    return _placed_anew(heir, parts, weights, stands_for=(*heir.stands_for, old.candidate.number))


def _outdated(old: Placed, ending: MemoryEnding, heir: Placed | None, weights: Weights) -> Placed:
    """The old memory: hardly sure if nothing of it holds, else just behind its heir."""
    if ending.is_whole:
        return _placed_anew(old, old.parts, weights, confidence=min(old.candidate.confidence, SUPERSEDED_CONFIDENCE))
    if heir is None or old.total < heir.total or not weights.alpha:
        return old
    behind = old.parts._replace(outdated=(heir.total - old.total) / weights.alpha - _LEAST)
    return _placed_anew(old, behind, weights)


def _placed_anew(
    old: Placed,
    parts: Parts,
    weights: Weights,
    *,
    confidence: float | None = None,
    stands_for: tuple[int, ...] | None = None,
) -> Placed:
    """A place with these parts of its relevance, and what follows from them. What is not told is as it was."""
    candidate, whose = old.candidate, old.stands_for if stands_for is None else stands_for
    if confidence is not None and confidence != candidate.confidence:
        candidate = candidate._replace(confidence=confidence)
    elif parts == old.parts:  # it stays where it is, as most do
        return old._replace(stands_for=whose)
    total, relevant, recent, of, penalty, *_ = place(candidate, parts, weights)
    return Placed(total, relevant, recent, of, penalty, parts, whose, old.features)
