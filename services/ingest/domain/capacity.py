"""The soft cap: when more facts are live than it allows, the weakest are retired. `restore` brings them back.

Facts that are pinned or saved by hand are never trimmed. A fact that was just learned competes like all others: else an
imported old conversation would drive out what matters more. Only a fact that was just brought back is spared, this once.

Source: ../reference/memory-upgrade-spec.md, "Capacity Trimming".
"""

from collections.abc import Collection
from datetime import datetime
from heapq import nsmallest
from typing import NamedTuple

from services.ingest.domain.memories import Fact
from services.ingest.domain.policy import STALE_AFTER, TAU_DAYS
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.events import CapacityExceeded, MemoryRetired
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Score
from shared.domain.recency import recency

MOST_TRIMMED = 400
"""Most facts that one command retires, for its events must fit into one append. The next command retires more."""


class TrimCandidate(NamedTuple):
    """A fact that could be trimmed, weakest first: by total, then by age, then by number."""

    total: float
    told_at: datetime
    number: int
    memory_id: MemoryId
    score: Score
    computed_at: datetime


def keep_to_the_cap(ruling: Ruling, *, spared: Collection[MemoryId] = ()) -> None:
    """Retire the weakest facts beyond the cap; report it when there is nothing left that may be retired."""
    cap = ruling.given.policy.cap(ruling.state.settings)
    excess = ruling.state.live - cap
    if excess <= 0:
        return
    state, rivals = ruling.state, ruling.state.rivals()
    candidates = (_candidate(memory_id, state, ruling.given.now) for memory_id in rivals if memory_id not in spared)
    for each in nsmallest(min(excess, MOST_TRIMMED), candidates):
        ruling.add(
            MemoryRetired(memory_id=each.memory_id, reason="trimmed", score=each.score, computed_at=each.computed_at, cap=cap)
        )
    if excess > len(rivals):
        _report(excess - len(rivals), cap, ruling)


def _report(excess: int, cap: int, ruling: Ruling) -> None:
    """Record that the cap is exceeded, when that begins and each time the excess has doubled."""
    before = ruling.state.excess
    if before is None or before.cap != cap or excess >= 2 * (before.live - before.cap):
        ruling.add(CapacityExceeded(live=ruling.state.live, cap=cap))


def _candidate(memory_id: MemoryId, state: ScopeState, now: datetime) -> TrimCandidate:
    fact = state.facts[memory_id]
    score, computed_at = standing_score(fact, now)
    return TrimCandidate(score.total, fact.told_at, state.memories[memory_id].number, memory_id, score, computed_at)


def standing_score(fact: Fact, now: datetime) -> tuple[Score, datetime]:
    """The score by which facts are trimmed, and when it was computed: total = relevance + recency + importance.

    Relevance and recency are those of the last recall that handed it out; after 24 h they are recomputed, with relevance 0 and
    recency = exp(-age / 7 days). All three weigh the same, whatever weights had ranked that recall, so that one fact can be
    compared with another.
    """
    recalled = fact.recalled
    if recalled and now - recalled.computed_at <= STALE_AFTER:
        relevance, recent, computed_at = recalled.relevance, recalled.recency, recalled.computed_at
    else:
        relevance, recent, computed_at = 0.0, recency((now - fact.told_at).total_seconds(), TAU_DAYS), now
    total = relevance + recent + fact.importance
    return Score(total=total, relevance=relevance, recency=recent, importance=fact.importance), computed_at
