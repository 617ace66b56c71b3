"""Scores of retrieval against the turns that are known to answer a question."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean
from typing import Any

ADVERSARIAL = 5
"""LoCoMo's category of questions that the conversation does not answer; left out."""

_HIT_K = 10
_SESSION_KS = (5, 10)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The evidence that answers one question, and what was found for it, best first."""

    category: int
    evidence: frozenset[str]  # turns, at least one
    turns: tuple[str, ...]
    evidence_sessions: frozenset[str]
    sessions: tuple[str, ...]  # distinct, each at its best turn


def recall_at(k: int, evidence: frozenset[str], ranked: Sequence[str]) -> float:
    """The part of the evidence among the first k, in [0, 1].

    >>> recall_at(2, frozenset({"a", "b"}), ["a", "x", "b"])
    0.5
    """
    return len(evidence.intersection(ranked[:k])) / len(evidence)


def hit_at(k: int, evidence: frozenset[str], ranked: Sequence[str]) -> float:
    """1 if any of the evidence is among the first k, else 0."""
    return float(not evidence.isdisjoint(ranked[:k]))


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
        scores[f"recall_at_{k}"] = _mean(recall_at(k, result.evidence, result.turns) for result in results)
    scores["hit_at_10"] = _mean(hit_at(_HIT_K, result.evidence, result.turns) for result in results)
    for k in _SESSION_KS:
        scores[f"session_recall_at_{k}"] = _mean(recall_at(k, result.evidence_sessions, result.sessions) for result in results)
    categories = sorted({result.category for result in results})
    scores["by_category"] = {str(category): _of_category(results, category) for category in categories}
    return scores


def latencies(values_ms: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds."""
    return {f"p{percent}": round(percentile(values_ms, percent), 2) for percent in (50, 95, 99)}


def _of_category(results: Sequence[Retrieved], category: int) -> dict[str, float]:
    chosen = [result for result in results if result.category == category]
    recall = _mean(recall_at(_HIT_K, result.evidence, result.turns) for result in chosen)
    return {"questions": len(chosen), f"recall_at_{_HIT_K}": recall}


def _mean(values: Iterable[float]) -> float:
    collected = list(values)
    return round(fmean(collected), 4) if collected else 0.0
