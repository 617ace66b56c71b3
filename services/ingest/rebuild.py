"""Builds ingest.db anew from the log: beside the old one, which is replaced only by a complete copy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from services.ingest.projection import IngestProjection
from services.ingest.store import Store, open_store
from shared.contracts.ids import Scope, Slot
from shared.contracts.subjects import SLOTS
from shared.domain.digests import Digester
from shared.runtime.connection import operator_connection
from shared.runtime.keys import load_keys
from shared.runtime.log_parts import LogPart
from shared.runtime.rebuilding import Built, apply_part, built_in_parts, rebuild_beside, require_whole
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread
from shared.runtime.topology import SEND, identify_log


class _Rows(NamedTuple):
    """What is known of the rows of some scopes beside them."""

    decided: dict[Slot, int]
    missing: set[Scope]


async def rebuild(runtime: RuntimeSettings, on_progress: Callable[[int, int], None] | None = None) -> str:
    """Replay the whole log; return the projection digest. The service must not run on this data folder meanwhile.

    `on_progress` gets (events applied, events left). Raises Poison or EventsLost: nothing is replaced then.
    """
    async with operator_connection(runtime) as client:
        send_id = (await identify_log(client, SEND)).log_id
    open_one = partial(_open, load_keys(runtime.files.keys).digester, send_id)

    async def built(fresh: Path) -> str:
        async with built_in_parts(runtime, fresh, partial(_build, open_one), on_progress) as parts:
            return await in_thread(_put_together, *open_one(fresh), parts)

    return await rebuild_beside(runtime.files.ingest, built)


def digests(runtime: RuntimeSettings) -> dict[str, str | int]:
    """The projection digest of ingest.db as it lies there. The service must not run meanwhile."""
    store: Store = open_store(runtime.files.ingest)
    try:
        return {
            "position": store.last_position(),
            "projection": store.digest(),
        }
    finally:
        store.close()


def _open(digester: Digester, send_id: str, folder: Path) -> tuple[Store, IngestProjection]:
    store = open_store(folder)
    store.follow_send(send_id)
    return store, IngestProjection(store, digester, slots=map(Slot, range(SLOTS)), send_id=send_id, live=False)


def _build(open_one: Callable[[Path], tuple[Store, IngestProjection]], part: LogPart) -> _Rows:
    """The rows of a part, in a file of their own."""
    store, projection = open_one(part.folder)
    try:
        apply_part(projection, part)
        return _Rows(projection.decided(), {scope for scope, *_ in store.missing()})
    finally:
        store.close()


def _put_together(store: Store, projection: IngestProjection, built: Built[_Rows]) -> str:
    """All rows in one file; return its digest."""
    try:
        require_whole({scope for _, rows in built.parts for scope in rows.missing})
        projection.adopt(built.log_id)
        for part, rows in built.parts:
            store.take_over(part.folder)
            projection.skip(rows.decided)
        projection.apply([], built.position)
        return store.digest()
    finally:
        store.close()
