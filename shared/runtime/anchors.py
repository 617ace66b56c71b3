"""Places in the log that a projection remembers: by them it notices that the log is not the one that it was built from.

A length tells nothing: an older copy that was restored grows, and is soon as long as the log that was lost.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from shared.contracts.errors import LogDiverged
from shared.runtime.connection import Client, answering
from shared.runtime.eventlog.leader import stored
from shared.runtime.eventlog.new_event import ID_HEADER
from shared.runtime.topology import MEMORY

_LEVELS = 5
_STEP = 32


class Anchor(NamedTuple):
    """An event that was applied, and where it lay."""

    position: int
    event_id: str


def moved(known: Mapping[int, Anchor], newest: Anchor) -> dict[int, Anchor]:
    """The anchors to replace by the newest event, by level: one is always new, the others lie 32 times as far apart each."""
    return {
        level: newest
        for level in range(_LEVELS)
        if level not in known or newest.position - known[level].position >= _STEP**level * (level > 0)
    }


async def require_same_history(client: Client, anchors: Iterable[Anchor], *, end: int) -> None:
    """Raises LogDiverged if the log, which ends at `end`, holds another event where one was applied; else Unavailable.

    The newest that is still there decides; where it was erased, one before it.
    """
    for anchor in sorted(anchors, reverse=True):
        if anchor.position > end:
            continue
        found = await _event_id_at(client, anchor.position)
        if found == anchor.event_id:
            return
        if found is not None:
            raise LogDiverged(
                f"at position {anchor.position} the log holds another event than the one that was applied: it has another "
                "history. Restore the log that was lost, or go on with this one by `memstream rebuild`"
            )


async def _event_id_at(client: Client, position: int) -> str | None:
    with answering("the log did not answer"):
        message = await stored(client, MEMORY, position)
    return None if message is None else (message.headers or {}).get(ID_HEADER)
