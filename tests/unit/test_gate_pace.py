"""The gate lets a bot that sends much rest while others are answered."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from itertools import cycle
from types import SimpleNamespace
from typing import Any, cast

import pytest

from shared.domain.digests import Digester
from shared.runtime.background import BACKGROUND
from shared.runtime.gate import Gate
from shared.runtime.outbox import Outbox

SENT = 12


class Server:
    """The client's side of a server that keeps every message and acknowledges it."""

    def __init__(self) -> None:
        self.stored: list[str] = []
        self._handlers: dict[str, Callable[[Any], Awaitable[None]]] = {}
        self._stored_one = asyncio.Condition()

    def new_inbox(self) -> str:
        return "inbox"

    async def subscribe(self, _: str, *, cb: Callable[[Any], Awaitable[None]], queue: str = "") -> None:
        self._handlers[queue] = cb

    async def publish(self, _: str, data: bytes, *, reply: str = "", **__: object) -> None:
        if not reply:
            return
        self.stored.append(data.decode())
        async with self._stored_one:
            self._stored_one.notify_all()
        stored = SimpleNamespace(subject=reply, headers={}, data=json.dumps({"seq": len(self.stored)}).encode())
        asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(self._handlers[""](stored)))

    async def until_stored(self, count: int) -> None:
        async with asyncio.timeout(30), self._stored_one:
            await self._stored_one.wait_for(lambda: len(self.stored) >= count)

    async def take(self, text: str) -> None:
        headers = {"Nats-Request-Info": json.dumps({"user": "loud"})}
        asked = SimpleNamespace(subject="gate.send.a.b.user_message", headers=headers, data=text.encode(), reply="answer")
        await self._handlers["gate"](asked)


@pytest.mark.parametrize("is_asked", [False, True])
def test_what_rests_goes_on_by_itself_in_its_order(monkeypatch: pytest.MonkeyPatch, *, is_asked: bool) -> None:
    rests = cycle([0.001, 0.0])  # by turns: no clock decides what the test sees
    monkeypatch.setattr(Outbox, "rest_s", lambda *_: next(rests))
    monkeypatch.setattr(BACKGROUND.attention, "is_asked_beside", lambda space: is_asked and space == "a")
    texts = [str(number) for number in range(SENT)]

    async def send_all() -> tuple[int, list[str]]:
        server = Server()
        await Gate(cast("Any", server), Digester(b"k" * 32)).open()
        for text in texts:
            await server.take(text)
        at_once = len(server.stored)
        await server.until_stored(SENT)
        return at_once, server.stored

    at_once, stored = asyncio.run(send_all())
    assert stored == texts
    assert (at_once < SENT) is is_asked
