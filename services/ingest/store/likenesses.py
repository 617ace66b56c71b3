"""Likenesses as columns: of facts, of facts under other names, and of tombstones."""

from services.ingest.domain.likeness import Likeness
from services.ingest.store.schema import Found
from shared.contracts.ids import MemoryId, Scope

_SIMHASH_BYTES = 8


def likeness_in(row: Found) -> Likeness:
    """The likeness in a row."""
    return Likeness(row.digest, int.from_bytes(row.simhash, "big"), row.guard, row.tokens)


def columns_of(one: Likeness) -> dict[str, object]:
    """The columns of a likeness."""
    simhash = one.simhash.to_bytes(_SIMHASH_BYTES, "big")
    return {"digest": one.digest, "simhash": simhash, "guard": one.guard, "tokens": one.tokens}


def row_of(scope: Scope, memory_id: MemoryId, one: Likeness) -> dict[str, object]:
    """The row of a memory's likeness, with the key of its index."""
    return {"scope": raw(scope), "memory_id": memory_id, "key": one.key, **columns_of(one)}


def raw(scope: Scope) -> bytes:
    """A scope as bytes, half as many as its hex digits."""
    return bytes.fromhex(scope)
