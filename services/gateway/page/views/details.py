"""One memory with all that is known of it: from where, how sure, what it was before, what holds now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from services.gateway.page.views.memories import LONG_CHARACTERS, MemoryView, memory_view
from shared.contracts.memories import MemoryDetail
from shared.contracts.parts import Kind, Standing

_BY_RULES = "rules/"
_REASONS = {"corrected", "conflict", "trimmed", "decayed", "rolled_up", "denied", "undone", "held_back"}


@dataclass(frozen=True, slots=True)
class DetailView:
    """One memory as its page shows it."""

    memory: MemoryView
    is_long: bool
    is_fact: bool
    learned_at: datetime
    ended_at: datetime | None
    ended_because: str | None
    """A key of the catalogue."""
    chain: Sequence[MemoryView]
    """What it said in its time, oldest first; empty where it was never corrected."""
    sources: Sequence[MemoryView]
    repeats: Sequence[tuple[str, datetime]]
    newer: Sequence[MemoryView]
    """What holds in its place."""
    origin: str | None
    """How it was learned, as a key of the catalogue."""
    model: str | None
    fading: str | None
    """Whether it fades, as a key; of what was said word for word none."""
    used: int
    used_at: datetime | None
    entities: Sequence[tuple[str, str]]
    can_confirm: bool
    can_restore: bool


def detail_view(memory: MemoryDetail, newer: Sequence[MemoryDetail]) -> DetailView:
    """A memory with those that hold in its place."""
    shown = memory_view(memory, shortened=False)
    is_fact = memory.kind is Kind.FACT
    return DetailView(
        memory=shown,
        is_long=len(memory.text) > LONG_CHARACTERS,
        is_fact=is_fact,
        learned_at=memory.recorded_at,
        ended_at=memory.ended_at or memory.valid_until,
        ended_because=memory.ended_because if memory.ended_because in _REASONS else None,
        chain=[memory_view(each, shortened=False) for each in memory.chain],
        sources=[memory_view(each, shortened=False) for each in memory.sources],
        repeats=[(each.text, each.occurred_at) for each in memory.repeats],
        newer=[memory_view(each) for each in newer],
        origin=_origin(memory),
        model=memory.origin.model if memory.origin else None,
        fading=_fading(memory) if is_fact else None,
        used=memory.access_count,
        used_at=memory.last_accessed_at,
        entities=list(dict.fromkeys((each.name, each.entity_id) for each in memory.entities)),
        can_confirm=is_fact and memory.status is Standing.ACTIVE,
        can_restore=memory.status is not Standing.ACTIVE,
    )


def _origin(memory: MemoryDetail) -> str | None:
    if memory.kind is not Kind.FACT:
        return None
    if memory.manually_saved:
        return "saved"
    if memory.origin is None:
        return "told"
    return "rules" if memory.origin.extractor.startswith(_BY_RULES) else "model"


def _fading(memory: MemoryDetail) -> str:
    if memory.pinned:
        return "pinned"
    return "fades" if memory.decay_rate > 0 else "lasts"
