"""Turns on their way in: whose they are, their ids, and how they fit into messages."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memstream._contracts import MAX_TURNS, ImportedTurn, MessageId

MAX_BATCH_BYTES = 900_000
"""Below the largest payload that ingest takes (1 MiB)."""


class Owner(NamedTuple):
    """The person whose conversation it is, and the space."""

    space: str
    user: str


class OwnedTurn(NamedTuple):
    """A turn of somebody's past."""

    owner: Owner
    turn: ImportedTurn


def derived_id(*, user: str, session_id: str, ordinal: int, text: str) -> MessageId:
    """The id of a turn that came without one: equal whenever the same file is read again."""
    parts = "\0".join((user, session_id, str(ordinal), text))
    return MessageId(f"imported-{hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()}")


def by_owner(turns: Iterable[OwnedTurn]) -> dict[Owner, list[ImportedTurn]]:
    """Each person's turns, in the order in which they came."""
    owners: dict[Owner, list[ImportedTurn]] = {}
    for owner, turn in turns:
        owners.setdefault(owner, []).append(turn)
    return owners


def batches(
    turns: Iterable[ImportedTurn], *, most: int = MAX_TURNS, most_bytes: int = MAX_BATCH_BYTES
) -> Iterator[list[ImportedTurn]]:
    """The turns in order, in portions that fit one `import_turns`."""
    batch: list[ImportedTurn] = []
    weight = 0
    for turn in turns:
        cost = len(turn.model_dump_json().encode()) + 1
        if batch and (len(batch) == most or weight + cost > most_bytes):
            yield batch
            batch, weight = [], 0
        batch.append(turn)
        weight += cost
    if batch:
        yield batch
