"""Rebuilds ingest.db from the log, beside the old one, which is replaced only by a complete copy."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeAlias

from services.ingest.comparing import StoreComparison
from services.ingest.projection import IngestProjection
from services.ingest.settings import IngestSettings
from services.ingest.store import Store
from shared.contracts.errors import Misconfigured
from shared.contracts.ids import Slot
from shared.contracts.subjects import SLOTS
from shared.domain.digests import Digester
from shared.runtime.comparing import CompareRequest, Comparison
from shared.runtime.connection import Client, operator_connection
from shared.runtime.keys import load_keys
from shared.runtime.log_parts import LogPart
from shared.runtime.rebuilding import Built, RebuildProgress, apply_part, rebuild_in_parts, require_whole
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import SEND, identify_log


async def rebuild(runtime: RuntimeSettings, on_progress: RebuildProgress | None = None) -> str:
    """Replay the whole log, and put what it leads to in the place of the old ingest.db; see `rebuild_in_parts`."""
    if IngestSettings().own_part.count > 1:
        raise Misconfigured(
            "each of several ingests builds its part from the log at its start: stop it, delete ingest/part-... of its data"
            " folder, and start it again"
        )
    async with operator_connection(runtime) as client:
        send_id = (await identify_log(client, SEND)).log_id
    open_one = partial(_open, load_keys(runtime.files.keys).digester, send_id)
    build, put_together = partial(_build, open_one), partial(_put_together, open_one)
    return await rebuild_in_parts(runtime, runtime.files.projection("ingest"), build, put_together, on_progress)


def digests(runtime: RuntimeSettings) -> dict[str, str | int]:
    """The projection digest of the ingest.db in the data folder. The service must not run meanwhile."""
    with closing(Store(runtime.files.projection("ingest"), load_keys(runtime.files.keys).digester)) as store:
        return store.digests()


async def compare(runtime: RuntimeSettings, client: Client, request: CompareRequest) -> Comparison:
    """Compare the ingest.db in the data folder with the log. The service must not run meanwhile."""
    digester = load_keys(runtime.files.keys).digester
    with closing(Store(runtime.files.projection("ingest"), digester)) as store:
        return await StoreComparison(client, store, digester, runtime.files.scratch("ingest")).of(request)


_Open: TypeAlias = Callable[[Path], tuple[Store, IngestProjection]]


def _open(digester: Digester, send_id: str, folder: Path) -> tuple[Store, IngestProjection]:
    store = Store(folder, digester)
    store.follow_send(send_id)
    return store, IngestProjection(store, digester, slots=map(Slot, range(SLOTS)), send_id=send_id, live=False)


def _build(open_one: _Open, part: LogPart) -> None:
    """Build the rows of a part in a file of their own."""
    store, projection = open_one(part.folder)
    with closing(store):
        apply_part(projection, part)


def _put_together(open_one: _Open, folder: Path, built: Built[None]) -> str:
    """Copy all rows into one file; return its digest. Raises EventsLost."""
    store, projection = open_one(folder)
    with closing(store):
        for part, _ in built.parts:
            store.take_over(part.folder)
        require_whole(store)
        store.adopt(built.log_id, built.newest)
        projection.apply([], built.position)
        return store.digest()
