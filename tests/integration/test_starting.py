"""A service that starts: it stops when it is told to, and answers what it is asked a moment too early."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import Any

import pytest

from services.ingest import app as ingest
from services.retriever import app as retriever_app
from services.retriever.app import Retriever, build
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Space
from shared.runtime.projector import Checkpoint
from shared.runtime.service import Service, run_services
from shared.runtime.tasks import end
from shared.runtime.topology import check_streams
from tests.support.installations import Bot, Installation, serving, until


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


@pytest.mark.parametrize(
    ("module", "query", "payload"),
    [
        (retriever_app, "stats", {}),
        (retriever_app, "list", {}),
        (ingest, "forget_preview", {"deleted_message_id": "m1"}),
    ],
    ids=["stats", "list", "forget_preview"],
)
@pytest.mark.parametrize("opens", [True, False])
async def test_what_is_asked_a_moment_too_early_waits_that_moment(
    own_server: Installation,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,  # noqa: ANN401 - has no type of its own
    query: str,
    payload: dict[str, object],
    *,
    opens: bool,
) -> None:
    checked, check = asyncio.Event(), module.check_streams

    async def later(*arguments: Any) -> None:  # noqa: ANN401 - what `check_streams` takes
        await checked.wait()
        await check(*arguments)

    monkeypatch.setattr(module, "check_streams", later)
    service: Service = module.build(own_server.settings)
    running = asyncio.create_task(run_services([service], version="test", http_port=None))
    try:
        async with own_server.connected("bot") as client:
            answer = asyncio.create_task(Bot(client, Space("early")).ask("anna", query, payload))
            await until(lambda: bool(service.broker.subscribers) and service.broker.running, what="it is asked")
            await asyncio.sleep(0.1)
            assert not answer.done()
            if opens:
                checked.set()
                await answer
            else:
                with pytest.raises(Unavailable, match="is starting; ask again"):
                    await answer
    finally:
        await end([running])


async def test_services_are_announced_when_all_are_ready_and_warmed_after_that(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked, warmed = asyncio.Event(), asyncio.Event()
    services: list[Service] = [build(own_server.settings), ingest.build(own_server.settings)]
    steps: list[object] = []

    async def later(*arguments: Any) -> None:  # noqa: ANN401 - what `check_streams` takes
        await checked.wait()
        await check_streams(*arguments)

    async def warm() -> None:
        steps.append("warmed")

    async def warm_later() -> None:
        steps.append("what few wait for")
        warmed.set()

    def announce() -> None:
        steps.append([service.is_ready for service in services])

    monkeypatch.setattr(ingest, "check_streams", later)
    monkeypatch.setattr(services[0], "warm", warm)
    monkeypatch.setattr(services[1], "warm_later", warm_later, raising=False)
    running = asyncio.create_task(run_services(services, version="test", http_port=None, announce=announce))
    try:
        await until(lambda: services[0].is_ready or running.done(), what="the retriever is ready")
        await asyncio.sleep(0.1)
        assert not steps
        checked.set()
        await asyncio.wait_for(warmed.wait(), 30)
        assert steps == [[True, True], "warmed", "what few wait for"]
    finally:
        await end([running])


async def test_what_a_thread_is_at_is_done_before_its_files_are_closed(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite crashed the process where a service was ended in the moments of its start."""
    retriever: Retriever = build(own_server.settings)
    steps: list[str] = []
    is_begun, may_end = threading.Event(), threading.Event()
    checkpoint, close = retriever._projection.checkpoint, retriever._memories.close

    def slowly() -> Checkpoint:
        is_begun.set()
        assert may_end.wait(timeout=30)
        steps.append("read")
        return checkpoint()

    def closed() -> None:
        close()
        steps.append("closed")

    monkeypatch.setattr(retriever._projection, "checkpoint", slowly)
    monkeypatch.setattr(retriever._memories, "close", closed)
    running = asyncio.create_task(run_services([retriever], version="test", http_port=None))
    await asyncio.to_thread(is_begun.wait, 30)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(0.2)
    may_end.set()
    await running
    assert steps == ["read", "closed"]


async def test_whoever_asks_a_retriever_that_stops_is_told_so(own_server: Installation) -> None:
    retriever: Retriever = build(own_server.settings)
    async with serving(retriever), own_server.connected("bot") as client:
        await until(lambda: retriever.broker.running, what="it is asked")
        retriever._files.close()
        with pytest.raises(Unavailable, match="is stopping; ask again"):
            await Bot(client, Space("late")).ask("anna", "stats", {})


async def test_a_retriever_that_is_ended_again_and_again_still_sends_what_is_to_be_recorded(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    retriever: Retriever = build(own_server.settings)
    is_closing, may_end, is_closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def close() -> None:
        is_closing.set()
        await may_end.wait()
        is_closed.set()

    monkeypatch.setattr(retriever._answerer, "close", close)
    await retriever.broker.connect()
    task = asyncio.create_task(retriever.run())
    await retriever._opened.wait()
    task.cancel()
    await is_closing.wait()
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.01)
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    await retriever.broker.stop()
    assert is_closed.is_set()
