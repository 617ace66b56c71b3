"""A service ends when it is told to, whatever state the server is in."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.acceptance.processes import SERVICES, Installation, Process
from tests.support.installations import until


async def as_an_operator_does(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Process:
    """A fresh interpreter, which imports what it needs."""
    command = (sys.executable, "-m", *arguments)
    with log.open("ab") as output:
        return await asyncio.create_subprocess_exec(
            *command, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output
        )


@pytest.fixture
async def fresh(tmp_path: Path) -> AsyncIterator[Installation]:
    running = Installation(tmp_path / "data", starter=as_an_operator_does)
    await running.start()
    yield running
    await running.stop()


async def kill_server(installation: Installation) -> None:
    assert installation.server.pid is not None
    os.kill(installation.server.pid, signal.SIGKILL)
    await installation.server.wait()


async def test_services_end_in_order_when_the_server_is_gone(fresh: Installation) -> None:
    for name in SERVICES:
        await fresh.admin(f"admin.{name}.digests")
    await kill_server(fresh)
    await until(lambda: all("connection.disturbed" in fresh.log_of(name) for name in SERVICES), what="all notice")
    async with asyncio.timeout(60):
        await fresh.stop_services()
    assert fresh.exit_codes() == dict.fromkeys(SERVICES, 0)


async def test_services_end_when_the_server_goes_while_they_start(installation: Installation) -> None:
    """nats-py's wait for a server, once begun, did not always notice that it was cancelled."""
    await until(lambda: any("services.started" in installation.log_of(name) for name in SERVICES), what="one has started")
    await kill_server(installation)
    await until(lambda: any("connection.disturbed" in installation.log_of(name) for name in SERVICES), what="one notices")
    async with asyncio.timeout(60):
        await installation.stop_services()
    assert set(installation.exit_codes().values()) <= {0, -signal.SIGTERM}  # by the signal itself: not even begun
