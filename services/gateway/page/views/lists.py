"""Lists of memories, by month."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from services.gateway.page.views.memories import MemoryView


def months(memories: Sequence[MemoryView]) -> list[tuple[datetime, list[MemoryView]]]:
    """The memories in the order in which they were learned, parted by month; with a moment of each."""
    parted = [list(part) for _, part in groupby(memories, lambda each: (each.learned_at.year, each.learned_at.month))]
    return [(part[0].learned_at, part) for part in parted]
