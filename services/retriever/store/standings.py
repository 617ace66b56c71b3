"""What can change of each memory, as a person's file has it."""

from collections.abc import Sequence

from sqlalchemy import select

from services.retriever.domain.differing import MemoryThen
from services.retriever.store.legs import Connection
from services.retriever.store.schema import memories
from shared.contracts.parts import Kind, Standing


def standings(db: Connection, kinds: Sequence[Kind]) -> dict[str, MemoryThen]:
    """Every memory of these kinds by its id, in the order in which they were learned."""
    of = memories.c
    wanted = select(of.id, of.status, of.pinned, of.decay_rate, of.repeat_count).where(of.kind.in_(kinds)).order_by(of.number)
    return {
        memory_id: MemoryThen(Standing(status), bool(pinned), confirmed=rate == 0, repeats=repeats)
        for memory_id, status, pinned, rate, repeats in db.execute(wanted)
    }
