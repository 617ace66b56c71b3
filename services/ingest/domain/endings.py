"""Ends a fact because another one stands in its place."""

from datetime import datetime
from typing import Literal

from services.ingest.domain.ruling import Ruling
from shared.contracts.events import FactSuperseded
from shared.contracts.ids import MemoryId

CONFIDENCE_WHEN_SUPERSEDED = 0.3
"""Source: ../reference/memory-system.md, "Consolidator tools", `resolve_conflict`."""


def supersede(
    memory_id: MemoryId,
    by: MemoryId,
    reason: Literal["corrected", "conflict"],
    ruling: Ruling,
    *,
    valid_until: datetime | None = None,
    told_at: datetime | None = None,
) -> None:
    """Let a fact be superseded by another; it stays readable from that one.

    `told_at`: when the statement was told that ends it; without, somebody says so now. What is superseded already keeps the
    confidence that it had before.
    """
    confidence = ruling.state.facts[memory_id].confidence_once
    superseded = FactSuperseded(
        memory_id=memory_id,
        superseded_by=by,
        reason=reason,
        confidence=min(confidence, CONFIDENCE_WHEN_SUPERSEDED),
        confidence_before=confidence,
        valid_until=valid_until,
    )
    ruling.add(superseded, told_at)
