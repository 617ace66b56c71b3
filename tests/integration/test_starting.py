"""A service that is told to stop while it starts does so, although the server never answers."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from services.retriever.app import Retriever, build
from shared.runtime.service import run_services
from tests.support.installations import Installation


@pytest.mark.parametrize("step", ["connect", "start"])
async def test_a_signal_ends_a_start_that_does_not_come_to_its_end(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    retriever: Retriever = build(own_server.settings)
    reached = asyncio.Event()

    async def for_ever() -> None:
        reached.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(retriever.broker, step, for_ever)
    running = asyncio.create_task(run_services([retriever], version="test", http_port=None))
    await reached.wait()
    os.kill(os.getpid(), signal.SIGTERM)
    done, _ = await asyncio.wait([running], timeout=30)
    running.cancel()
    assert done == {running}
    assert running.exception() is None
