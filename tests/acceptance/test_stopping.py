"""A service ends when it is told to, whatever state the server is in."""

from __future__ import annotations

import asyncio
import os
import signal

from tests.acceptance.processes import SERVICES, Installation


async def test_services_end_in_order_when_the_server_is_gone(installation: Installation) -> None:
    await installation.learned()
    assert installation.server.pid is not None
    os.kill(installation.server.pid, signal.SIGKILL)
    await installation.server.wait()
    for service in SERVICES:
        while "connection.disturbed" not in installation.log_of(service):
            await asyncio.sleep(0.05)
    async with asyncio.timeout(60):
        await installation.stop_services()
    assert installation.exit_codes() == dict.fromkeys(SERVICES, 0)
