"""Builds ingest.db anew from the log: beside the old one, which is replaced only by a complete copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from services.ingest.app import slots_of_lane
from services.ingest.projection import IngestProjection
from services.ingest.store import Store, open_store
from shared.contracts.errors import EventsLost
from shared.runtime.connection import operator_connection
from shared.runtime.keys import load_keys
from shared.runtime.projector import Projector
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import SEND, identify_log


async def rebuild(runtime: RuntimeSettings, on_progress: Callable[[int, int], None] | None = None) -> str:
    """Replay the whole log; return the projection digest. The service must not run on this data folder meanwhile.

    `on_progress` gets (events applied, events left). Raises Poison or EventsLost: nothing is replaced then.
    """
    folder = runtime.files.ingest
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    store = open_store(fresh)
    try:
        async with operator_connection(runtime) as client:
            send_id = (await identify_log(client, SEND)).log_id
            store.follow_send(send_id)
            digester = load_keys(runtime.files.keys).digester
            projection = IngestProjection(store, digester, slots=slots_of_lane(0, 1), send_id=send_id, live=False)
            await Projector(client, projection, live=False).catch_up(on_progress)
        if lost := store.missing():
            raise EventsLost(f"the log lacks events of {len({scope for scope, *_ in lost})} scopes; restore it from a backup")
        digest = store.digest()
    finally:
        store.close()
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return digest


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
