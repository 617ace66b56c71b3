"""How recent something is, as a number that fades with its age."""

from __future__ import annotations

import math
from typing import Any

from shared.domain.arrays import NDArray, np

_DAY_S = 86_400.0


def recency(age_s: float, tau_days: float) -> float:
    """exp(-age / tau): 1 now, 0.37 after tau. What lies in the future is as recent as now.

    Source: ../reference/memory-upgrade-spec.md, "Tri-Score Re-Ranking".

    >>> round(recency(7 * 86_400, 7), 4)
    0.3679
    """
    return math.exp(-max(age_s, 0.0) / (tau_days * _DAY_S))


def recencies(ages_s: NDArray[Any], tau_days: float) -> NDArray[Any]:
    """`recency` of many.

    >>> recencies(np.array([0, 7 * 86_400]), 7).round(4).tolist()
    [1.0, 0.3679]
    """
    return np.asarray(np.exp(-np.maximum(ages_s, 0.0) / (tau_days * _DAY_S)))
