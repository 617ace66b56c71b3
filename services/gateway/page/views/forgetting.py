"""What would be forgotten, and how far a forgetting has come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from services.gateway.page.views.memories import MemoryView, memory_view
from shared.contracts.memories import Memory
from shared.contracts.queries import AuditEntry, ForgetPreviewAnswer, ReceiptAnswer


@dataclass(frozen=True, slots=True)
class PreviewView:
    """What would go."""

    shown: Sequence[tuple[MemoryView, str]]
    """Memories, with why each would go."""
    others: int
    """How many more."""
    keeping: int
    """Facts that would stay, with one source less."""

    @property
    def count(self) -> int:
        """How many memories would go."""
        return len(self.shown) + self.others


@dataclass(frozen=True, slots=True)
class ReceiptView:
    """How far a forgetting has come."""

    state: str
    memories: int
    events: int
    erased: int
    forgotten_at: datetime
    erase_at: datetime | None
    completed_at: datetime | None
    looked_through: int | None
    found: int
    backups: Sequence[str]

    @property
    def goes_on(self) -> bool:
        """Whether the forgetting is not over."""
        return self.state in {"waiting", "erasing"}


def preview_view(preview: ForgetPreviewAnswer, known: Mapping[str, Memory]) -> PreviewView:
    """What would go: those memories in words that are known by now."""
    shown = [(memory_view(known[each.memory_id]), each.why) for each in preview.memories if each.memory_id in known]
    return PreviewView(shown, len(preview.memories) - len(shown), len(preview.losing_a_source))


def receipt_view(receipt: ReceiptAnswer) -> ReceiptView:
    """A receipt."""
    scan = receipt.scan
    return ReceiptView(
        state=receipt.state,
        memories=receipt.memories,
        events=receipt.events,
        erased=receipt.erased,
        forgotten_at=receipt.forgotten_at,
        erase_at=receipt.erase_at,
        completed_at=receipt.completed_at,
        looked_through=scan.events if scan else None,
        found=scan.found + len(scan.places) if scan else 0,
        backups=receipt.backups,
    )


def forgettings(trail: Sequence[AuditEntry]) -> list[tuple[int, datetime, int]]:
    """The forgettings of a trail, newest first: number of the receipt, when, and how many memories."""
    found: dict[str, tuple[int, datetime, int]] = {}
    for entry in trail:
        key = str(entry.details.get("forget_id", entry.number))
        number, at, count = found.get(key, (entry.number, entry.at, 0))
        found[key] = (number, at, count + len(entry.memory_ids))
    return list(found.values())
