"""Scores of retrieval against the turns that are known to answer a question."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean
from typing import Any, TypeVar

T = TypeVar("T")
ADVERSARIAL = 5
"""LoCoMo's category of questions that the conversation does not answer; left out."""

_HIT_K = 10
_SESSION_KS = (5, 10)
_FEW, _SEVERAL = 3, 9


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The evidence that answers one question, and what was found for it, best first."""

    category: int
    evidence: frozenset[str]  # turns, at least one
    turns: tuple[str, ...]
    evidence_sessions: frozenset[str]  # empty if the conversation has none of these turns
    sessions: tuple[str, ...]  # distinct, each at its best turn


def recall_at(k: int, evidence: frozenset[str], ranked: Sequence[str]) -> float:
    """The part of the evidence among the first k, in [0, 1].

    >>> recall_at(2, frozenset({"a", "b"}), ["a", "x", "b"])
    0.5
    """
    return len(evidence.intersection(ranked[:k])) / len(evidence)


def distinct(ranked: Iterable[str]) -> tuple[str, ...]:
    """The ids without repeats, each at its first place."""
    return tuple(dict.fromkeys(ranked))


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile; 0 of no values.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 50)
    2.0
    """
    if not values:
        return 0.0
    return sorted(values)[max(ceil(len(values) * percent / 100), 1) - 1]


def summary(results: Sequence[Retrieved], *, ks: Sequence[int]) -> dict[str, Any]:
    """The means over all questions, rounded to four places; recall and sessions as JSON-ready keys."""
    scores: dict[str, Any] = {"questions": len(results)}
    for k in ks:
        scores[f"recall_at_{k}"] = mean(recall_at(k, result.evidence, result.turns) for result in results)
    scores["hit_at_10"] = mean(float(not result.evidence.isdisjoint(result.turns[:_HIT_K])) for result in results)
    for k in _SESSION_KS:
        known = (result for result in results if result.evidence_sessions)
        scores[f"session_recall_at_{k}"] = mean(recall_at(k, result.evidence_sessions, result.sessions) for result in known)
    scores["by_category"] = grouped(results, lambda result: str(result.category), _recall)
    scores["by_evidence"] = grouped(results, lambda result: turns_needed(result.evidence), _recall)
    return scores


def turns_needed(evidence: frozenset[str]) -> str:
    """The group of a question by the number of turns that answer it.

    >>> turns_needed(frozenset({"a"})), turns_needed(frozenset({"a", "b"}))
    ('1', '2-3')
    """
    if len(evidence) == 1:
        return "1"
    if len(evidence) <= _FEW:
        return "2-3"
    return "4-9" if len(evidence) <= _SEVERAL else "10+"


def grouped(
    results: Iterable[T], group_of: Callable[[T], str], measured: Callable[[Sequence[T]], dict[str, float]]
) -> dict[str, dict[str, float]]:
    """What is measured of the results of each group, with their number, by group."""
    groups: dict[str, list[T]] = {}
    for result in results:
        groups.setdefault(group_of(result), []).append(result)
    return {name: {"questions": len(found), **measured(found)} for name, found in sorted(groups.items(), key=_in_order)}


def mean(values: Iterable[float]) -> float:
    """The mean, rounded to four places; 0 of no values."""
    collected = list(values)
    return round(fmean(collected), 4) if collected else 0.0


def latencies(values_ms: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds."""
    return {f"p{percent}": round(percentile(values_ms, percent), 2) for percent in (50, 95, 99)}


def _recall(results: Sequence[Retrieved]) -> dict[str, float]:
    return {f"recall_at_{_HIT_K}": mean(recall_at(_HIT_K, result.evidence, result.turns) for result in results)}


def _in_order(group: tuple[str, object]) -> int:
    return int(group[0].partition("-")[0].removesuffix("+"))
