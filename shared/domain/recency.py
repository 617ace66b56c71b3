"""How recent something is, as a number that fades with its age."""

import math

_DAY_S = 86_400.0


def recency(age_s: float, tau_days: float) -> float:
    """exp(-age / tau): 1 now, 0.37 after tau. What lies in the future is as recent as now.

    Source: ../reference/memory-upgrade-spec.md, "Tri-Score Re-Ranking".

    >>> round(recency(7 * 86_400, 7), 4)
    0.3679
    """
    return math.exp(-max(age_s, 0.0) / (tau_days * _DAY_S))
