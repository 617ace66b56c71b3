"""Describes what a context handed out for the record of the recall: memories, scores, and keyed hashes of their words."""

from collections.abc import Sequence

from shared.contracts.ids import MemoryId
from shared.contracts.parts import MAX_SHINGLES, RecalledItem
from shared.contracts.queries import ScoredMemory
from shared.text.shingles import Shingler, pack, shared_out


def recalled_items(memories: Sequence[ScoredMemory], shingler: Shingler) -> tuple[RecalledItem, ...]:
    """The recalled items with at most `MAX_SHINGLES` hashes: all of a short text; of a long one the excerpt comes first."""
    hashes = [shingler.hashes(f"{memory.excerpt or ''} {memory.text}", most=MAX_SHINGLES) for memory in memories]
    shares = shared_out([len(found) for found in hashes], MAX_SHINGLES)
    return tuple(
        RecalledItem(memory_id=MemoryId(memory.memory_id), score=memory.score, shingles=pack(found[:share]))
        for memory, found, share in zip(memories, hashes, shares, strict=True)
    )
