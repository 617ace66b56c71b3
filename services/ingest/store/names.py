"""The rows of names that the events and facts of a scope mention, as keyed hashes."""

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from sqlalchemy import Connection

from services.ingest.domain.likeness import match
from services.ingest.domain.names import Called
from services.ingest.store.schema import CALLED, IS_FULL, LIKENESSES, NAME, look_up, upsert
from shared.contracts.ids import MemoryId, Scope
from shared.domain.aliases import TypedName
from shared.runtime.sqlite import driver

_AT_ONCE = 500


def find_called(db: Connection, scope: Scope, told: Collection[Called]) -> dict[MemoryId, Called]:
    """The facts of a scope that match one of these except for the names: one index look-up for each."""
    rows = look_up(db, CALLED, {one.short.key for one in told}, column="key", scope=bytes.fromhex(scope))
    known = {MemoryId(row.memory_id): Called(_unpacked(row.names), LIKENESSES.read(row)) for row in rows}
    return {memory_id: one for memory_id, one in known.items() if any(match(one.short, new.short) for new in told)}


def load_names(db: Connection, scope: Scope, names: Collection[TypedName]) -> frozenset[TypedName]:
    """Load the names that tell whom these names mean; see `_names_like`."""
    asked = sorted(map(_halves, names))
    found: set[TypedName] = set()
    for start in range(0, len(asked), _AT_ONCE):
        portion = asked[start : start + _AT_ONCE]
        values = [half for halves in portion for half in halves]
        rows = driver(db).execute(_names_like(len(portion)), (*values, *[bytes.fromhex(scope)] * 3))
        found.update(TypedName(kind, f"{head.hex()} {rest.hex()}" if rest else head.hex()) for head, rest, kind in rows)
    return frozenset(found)


def save_names(db: Connection, scope: Scope, before: AbstractSet[TypedName], after: AbstractSet[TypedName]) -> None:
    """Write the names that are new; none is ever removed but by a rebuild of the scope."""
    rows = []
    for name in after - before:
        head, rest = _halves(name)
        rows.append({"scope": bytes.fromhex(scope), "head": head, "rest": rest, "type": name.type})
    upsert(db, NAME, rows)


def save_called(db: Connection, scope: Scope, before: Mapping[MemoryId, Called], after: Mapping[MemoryId, Called]) -> None:
    """Write the names of new facts; those of a fact never change."""
    upsert(
        db,
        CALLED,
        [
            LIKENESSES.row(
                one.short,
                scope=bytes.fromhex(scope),
                memory_id=each,
                key=one.short.key,
                names=";".join(f"{name.type} {name.alias}" for name in one.names),
            )
            for each, one in after.items()
            if each not in before
        ],
    )


@lru_cache(maxsize=64)
def _names_like(count: int) -> str:
    """The names spelt like one of these, like its first word, or like one of two full names that begin with it.

    Two are enough to know that there are several, and of thousands no more are read.
    """
    full = f"FROM name INDEXED BY name_is_full WHERE scope = ? AND name.head = asked.head AND {IS_FULL}"
    return (
        f"WITH asked(head, rest) AS (VALUES {', '.join(['(?, ?)'] * count)}),"
        " wanted(head, rest) AS (SELECT head, rest FROM asked UNION SELECT head, x'' FROM asked"
        f" UNION SELECT head, (SELECT min(rest) {full}) FROM asked UNION SELECT head, (SELECT max(rest) {full}) FROM asked)"
        " SELECT name.head, name.rest, name.type FROM wanted CROSS JOIN name"
        " WHERE name.scope = ? AND name.head = wanted.head AND name.rest = wanted.rest"
    )


def _halves(name: TypedName) -> tuple[bytes, bytes]:
    """The hash of a name's first word, and of the whole name if it has several words."""
    head, _, rest = name.alias.partition(" ")
    return bytes.fromhex(head), bytes.fromhex(rest)


def _unpacked(packed: str) -> tuple[TypedName, ...]:
    pieces = (piece.partition(" ") for piece in packed.split(";"))
    return tuple(TypedName(kind, alias) for kind, _, alias in pieces)
