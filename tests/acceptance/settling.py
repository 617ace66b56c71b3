"""The projection digests of all services: live, when they have come to rest, and built anew."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from services.consolidator.rebuild import rebuild as rebuild_consolidator
from services.ingest.rebuild import rebuild as rebuild_ingest
from services.maintenance.rebuild import rebuild as rebuild_maintenance
from services.retriever.rebuild import rebuild as rebuild_retriever
from shared.runtime.connection import operator_connection
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import identify_log
from tests.acceptance.processes import SERVICES, Installation

_REBUILDS: dict[str, Callable[[RuntimeSettings], Awaitable[str]]] = {
    "ingest": rebuild_ingest,
    "retriever": rebuild_retriever,
    "consolidator": rebuild_consolidator,
    "maintenance": rebuild_maintenance,
}


async def settled_digests(installation: Installation) -> dict[str, Any]:
    """Of every service, when all have come to the same end of the log and nothing is left to be made anew."""
    before: dict[str, Any] = {}
    for _ in range(100):
        answers = {name: await installation.admin(f"admin.{name}.digests") for name in SERVICES}
        digests = {name: answer["projection"] for name, answer in answers.items()}
        waiting = (await installation.admin("admin.retriever.status"))["to_replay"]
        if digests == before and not waiting:
            return digests
        before = digests
        await asyncio.sleep(0.6)
    raise AssertionError(f"it does not come to rest: {before}")


async def stopped_at_rest(installation: Installation) -> dict[str, Any]:
    """The digests of the last event: what maintenance looks at later, between asking and stopping, may lead to more."""
    while True:
        await installation.at_rest()
        before = await _log_end(installation)
        digests = await settled_digests(installation)
        await installation.stop_services()
        if await _log_end(installation) == before:
            return digests
        for name in SERVICES:
            await installation.start_service(name)


async def _log_end(installation: Installation) -> int:
    async with operator_connection(installation.settings) as client:
        return (await identify_log(client)).last_position


async def rebuilt_digests(installation: Installation) -> dict[str, Any]:
    """Of every service, built anew from the log. The services must not run."""
    return {name: await rebuild(installation.settings) for name, rebuild in _REBUILDS.items()}
