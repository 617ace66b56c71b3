"""Scores of what a bot is given: how much of the evidence the lines of its context cover, where, and for how many tokens."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from memstream.evaluation.scoring import grouped, mean, turns_needed
from shared.contracts.parts import Kind
from shared.contracts.queries import ContextAnswer

_FIRST_LINES = (1, 3, 6)


@dataclass(frozen=True, slots=True)
class GivenEvidence:
    """The turns that answer one question, and the lines of the context that was given for it."""

    category: int
    evidence: frozenset[str]  # turns, at least one
    lines: tuple[frozenset[str], ...]  # the turns that each line rests on, as the block orders them
    facts: int
    tokens: int

    @property
    def covered(self) -> float:
        """The part of the evidence that any line rests on, in [0, 1]."""
        return len(self.evidence.intersection(frozenset[str]().union(*self.lines))) / len(self.evidence)

    @property
    def place(self) -> int | None:
        """The first line with evidence, from 1; None without any."""
        places = (place for place, turns in enumerate(self.lines, start=1) if not self.evidence.isdisjoint(turns))
        return next(places, None)


def given_evidence(
    answer: ContextAnswer, message_ids: Mapping[str, str], *, category: int, evidence: Iterable[str]
) -> GivenEvidence:
    """What a context holds of the evidence. `message_ids`: of all turns, by memory id."""
    lines: defaultdict[int | None, frozenset[str]] = defaultdict(frozenset)
    for item in answer.items:
        # an item rests on itself and its repeats, or on the turns that it was learned from
        ids = (item.memory_id, *item.said_again, *item.source_ids)
        lines[item.line] |= frozenset(message_ids[each] for each in ids if each in message_ids)
    return GivenEvidence(
        category=category,
        evidence=frozenset(evidence),
        lines=tuple(lines.values()),
        facts=sum(item.kind is not Kind.EPISODE for item in answer.items),
        tokens=answer.tokens,
    )


def covered_summary(results: Sequence[GivenEvidence]) -> dict[str, Any]:
    """The means over all questions, JSON-ready."""
    return {
        **_measured(results),
        "lines": round(fmean([len(result.lines) for result in results] or [0.0]), 1),
        "facts": round(fmean([result.facts for result in results] or [0.0]), 1),
        "empty": sum(not result.lines for result in results),
        "by_category": grouped(results, lambda result: str(result.category), _measured),
        "by_evidence": grouped(results, lambda result: turns_needed(result.evidence), _measured),
    }


def _measured(results: Sequence[GivenEvidence]) -> dict[str, float]:
    places = [result.place for result in results]
    within = {f"in_first_{most}": mean(place is not None and place <= most for place in places) for most in _FIRST_LINES}
    tokens = round(fmean([result.tokens for result in results] or [0.0]), 1)
    return {"covered": mean(result.covered for result in results), **within, "tokens": tokens}
