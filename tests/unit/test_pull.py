"""The pull consumer against a server by hand: what it asks for, and everything odd that it must notice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from shared.runtime.connection import _telling
from shared.runtime.eventlog import pull as pull_module
from shared.runtime.eventlog.pull import ConsumerLost, Delivery, pull
from tests.support.clocks import LoopTime
from tests.support.installations import PATIENCE_S, until


class HandMadeSubscription:
    """What nats-py's subscription is to `pull`: a queue of messages."""

    def __init__(self) -> None:
        self._pending_queue: asyncio.Queue[Msg] = asyncio.Queue()
        self._pending_size = 0
        self.unsubscribed = False

    async def unsubscribe(self) -> None:
        self.unsubscribed = True


class HandMadeClient:
    """What nats-py's client is to `pull`; the test plays the server."""

    def __init__(self) -> None:
        self.stats = {"reconnects": 0}
        self.is_closed = False
        self.subscription = HandMadeSubscription()
        self.requests: list[dict[str, Any]] = []

    def new_inbox(self) -> str:
        return "_INBOX.test"

    async def subscribe(self, _: str, **__: object) -> HandMadeSubscription:
        return self.subscription

    async def publish(self, subject: str, payload: bytes, reply: str) -> None:
        assert (subject, reply) == ("$JS.API.CONSUMER.MSG.NEXT.MEMORY.me", "_INBOX.test")
        self.requests.append(json.loads(payload))

    def deliver(self, sequence: int, *, consumer_sequence: int | None = None, domain: str = "") -> None:
        reply = f"$JS.ACK.{domain}MEMORY.me.1.{sequence}.{consumer_sequence or sequence}.1000.7" + (".x" if domain else "")
        self._put(Msg(_client=self, subject="memory.1.x.y", reply=reply, data=str(sequence).encode()))  # type: ignore[arg-type]

    def status(self, code: str, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._put(Msg(_client=self, subject="_INBOX.test", data=b"", headers={"Status": code} | named))  # type: ignore[arg-type]

    def _put(self, message: Msg) -> None:
        self.subscription._pending_size += len(message.data)
        self.subscription._pending_queue.put_nowait(message)


@pytest.fixture
def server() -> HandMadeClient:
    return HandMadeClient()


def pulling(server: HandMadeClient, batch: int = 10, linger_s: float = 0.0) -> AsyncIterator[list[Delivery]]:
    client: Any = server
    return pull(client, stream="MEMORY", consumer="me", batch=batch, linger_s=linger_s)


async def first(server: HandMadeClient, batch: int = 10, linger_s: float = 0.0) -> list[Delivery]:
    async for deliveries in pulling(server, batch, linger_s):
        return list(deliveries)
    raise AssertionError("it ended")


async def test_what_is_there_comes_in_order_with_two_requests_in_flight(server: HandMadeClient) -> None:
    for sequence in (1, 2, 3):
        server.deliver(sequence)
    found = await first(server)
    assert [(d.sequence, d.data, d.timestamp_ns, d.pending) for d in found] == [
        (n, str(n).encode(), 1000, 7) for n in (1, 2, 3)
    ]
    assert [request["batch"] for request in server.requests] == [10, 10]
    assert server.subscription._pending_size == 0


async def test_the_long_form_of_an_acknowledgement_is_understood(server: HandMadeClient) -> None:
    server.deliver(5, consumer_sequence=1, domain="hub.ACCOUNT.")
    assert [delivery.sequence for delivery in await first(server)] == [5]


async def test_no_more_than_a_batch_comes_at_once(server: HandMadeClient) -> None:
    for sequence in range(1, 8):
        server.deliver(sequence)
    sizes = []
    async for deliveries in pulling(server, 3):
        sizes.append(len(deliveries))
        if sum(sizes) == 7:
            break
    assert sizes == [3, 3, 1]


async def test_who_lingers_gets_what_comes_meanwhile_in_one_batch(
    server: HandMadeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = LoopTime(monkeypatch)
    waiting = asyncio.create_task(first(server, linger_s=0.2))
    server.deliver(1)
    await time.passes(0.1)
    assert server.subscription._pending_queue.empty(), "the first is taken"
    server.deliver(2)
    await time.passes(0.2)
    assert [delivery.sequence for delivery in await waiting] == [1, 2]


async def test_a_full_batch_does_not_linger(server: HandMadeClient) -> None:
    for sequence in (1, 2):
        server.deliver(sequence)
    assert len(await first(server, batch=2, linger_s=10 * PATIENCE_S)) == 2


async def test_gaps_of_the_stream_are_legal_those_of_the_consumer_are_not(server: HandMadeClient) -> None:
    server.deliver(4, consumer_sequence=1)
    server.deliver(9, consumer_sequence=2)
    assert [delivery.sequence for delivery in await first(server)] == [4, 9]
    server.deliver(10, consumer_sequence=1)
    server.deliver(11, consumer_sequence=3)
    with pytest.raises(ConsumerLost, match="from 1 to 3"):
        await first(server)


async def test_a_heartbeat_keeps_it_waiting(server: HandMadeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """For longer than it would wait without."""
    time = LoopTime(monkeypatch)
    waiting = asyncio.create_task(first(server))
    for _ in range(4):
        await time.passes(pull_module.HEARTBEAT_S * 3)
        server.status("100")
    await time.passes(0)
    server.deliver(1)
    assert len(await waiting) == 1


async def test_missed_heartbeats_mean_that_the_consumer_is_lost(
    server: HandMadeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pull_module, "_MISSED", 0.01 / pull_module.HEARTBEAT_S)
    monkeypatch.setattr(pull_module, "_SELF_ASLEEP_S", 0.01)
    with pytest.raises(ConsumerLost):
        await first(server)
    assert server.subscription.unsubscribed


@pytest.mark.parametrize(("code", "headers"), [("409", {}), ("503", {}), ("400", {}), ("", {})])
async def test_any_other_status_means_that_the_consumer_is_lost(
    server: HandMadeClient, code: str, headers: dict[str, str]
) -> None:
    server.status(code, **headers)
    with pytest.raises(ConsumerLost):
        await first(server)


@pytest.mark.parametrize("code", ["408", "404", "409"])
async def test_a_request_that_ran_out_is_made_again(server: HandMadeClient, code: str) -> None:
    server.status(code, Nats_Pending_Messages="10")
    waiting = asyncio.create_task(first(server))
    await until(lambda: len(server.requests) == 3)
    server.deliver(1)
    await waiting
    assert len(server.requests) == 3


async def test_a_reconnect_means_that_something_may_be_missing(server: HandMadeClient) -> None:
    server.deliver(1)
    waiting = pulling(server)
    assert len(await anext(waiting)) == 1
    server.stats["reconnects"] = 1
    server.deliver(2)
    with pytest.raises(ConsumerLost, match="connection was lost"):
        await anext(waiting)


async def test_who_waits_notices_a_reconnect_at_once(server: HandMadeClient) -> None:
    """It looks at nothing meanwhile, so it must be told."""

    async def reconnect(client: Client) -> None:
        client.stats["reconnects"] += 1

    waiting = asyncio.create_task(first(server))
    await until(lambda: len(server.requests) == 2)
    await _telling(reconnect)(server)  # type: ignore[arg-type]
    with pytest.raises(ConsumerLost, match="connection was lost"):
        await waiting


async def test_a_cancellation_is_not_lost_when_a_message_comes_at_the_same_moment(server: HandMadeClient) -> None:
    """asyncio.wait_for of Python 3.11 returns the message and forgets the cancellation: a lane would never stop."""

    async def follow() -> None:
        async for _ in pulling(server):
            pass

    task = asyncio.create_task(follow())
    await until(lambda: len(server.requests) == 2)
    server.deliver(1)
    task.cancel()
    await asyncio.wait([task], timeout=PATIENCE_S)
    was_cancelled = task.cancelled()
    task.cancel()
    await asyncio.wait([task])
    assert was_cancelled
