"""A service ends when it is told to, whatever state the server is in."""

from __future__ import annotations

import asyncio
import os
import signal

from tests.acceptance.processes import SERVICES, Installation
from tests.support.installations import until


async def test_services_end_in_order_when_the_server_is_gone(installation: Installation) -> None:
    await installation.learned()
    assert installation.server.pid is not None
    os.kill(installation.server.pid, signal.SIGKILL)
    await installation.server.wait()
    await until(lambda: all("connection.disturbed" in installation.log_of(name) for name in SERVICES), what="all notice")
    async with asyncio.timeout(60):
        await installation.stop_services()
    assert installation.exit_codes() == dict.fromkeys(SERVICES, 0)
