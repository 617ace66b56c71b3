"""How much a fact matters before anything else is known of it."""

from __future__ import annotations

BASE = 0.3
ASKED = 0.5
LASTING = 0.3
SMALL_TALK = -0.1


def importance(*, asked: bool = False, lasting: bool = False, small_talk: bool = False) -> float:
    """In [0, 1]: base + 0.5 asked to save + 0.3 lasting preference, commitment or goal - 0.1 small talk, clamped.

    The 0.2 for entities is ingest's, which finds them.
    Source: ../reference/memory-upgrade-spec.md, "Importance Heuristics".

    >>> importance(lasting=True)
    0.6
    """
    total = BASE + asked * ASKED + lasting * LASTING + small_talk * SMALL_TALK
    return round(min(max(total, 0.0), 1.0), 3)
