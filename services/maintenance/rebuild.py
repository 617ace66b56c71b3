"""Builds maintenance.db anew from the log: beside the old one, which is replaced only by a complete copy."""

from __future__ import annotations

from services.maintenance.store import MaintenanceStore
from shared.runtime.rebuilding import RebuildProgress
from shared.runtime.settings import RuntimeSettings
from shared.runtime.worklist import digests_of, rebuild_worklist


async def rebuild(runtime: RuntimeSettings, on_progress: RebuildProgress | None = None) -> str:
    """Replay the whole log, asking no model; return the projection digest. The service must not run meanwhile."""
    return await rebuild_worklist(runtime, runtime.files.maintenance, MaintenanceStore, on_progress)


def digests(runtime: RuntimeSettings) -> dict[str, str | int]:
    """The projection digest of maintenance.db as it lies there. The service must not run meanwhile."""
    return digests_of(runtime.files.maintenance, MaintenanceStore)
