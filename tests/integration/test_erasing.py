"""What waits together is erased together; each forgetting tells its own progress."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unittest.mock import create_autospec

import pytest
from nats.aio.client import Client

from services.ingest.store import Store
from shared.runtime import erasing
from shared.runtime.metrics import ERASURES_PENDING
from tests.support.installations import Bot, Installation, running, until
from tests.support.measures import Measures

USER = "anna"


class Gate:
    """Lets single events of the log be erased, one for each permit, until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._permits = asyncio.Semaphore(0)
        self._is_open = False
        self._erase_one = erasing._erase_one
        self.waiting = asyncio.Event()
        monkeypatch.setattr("shared.runtime.erasing._erase_one", self._pass)

    def permit(self) -> None:
        """Let one through."""
        self._permits.release()

    def open(self) -> None:
        """Let the one that waits through, and all that come."""
        self._is_open = True
        self._permits.release()

    async def _pass(self, client: Client, stream: str, sequence: int) -> bool:
        if stream == "MEMORY" and not self._is_open:
            self.waiting.set()
            await self._permits.acquire()
        return await self._erase_one(client, stream, sequence)


async def test_forgettings_of_one_person_that_wait_together_share_the_work(
    own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    wiped = create_autospec(Store.wipe, side_effect=Store.wipe)
    monkeypatch.setattr(Store, "wipe", wiped)
    async with own_server.connected("bot") as client, running(own_server.elsewhere(tmp_path / "live")) as ingest:
        bot = Bot(client, "home")
        for session in ("s1", "s2", "s3"):
            for turn in range(2):
                await bot.said(USER, f"Something about {session}, in turn {turn}.", session)
        first = await forgotten(bot, "s1")
        await gate.waiting.wait()
        assert ERASURES_PENDING._value.get() == 1
        assert Measures().now("memstream_erasures_oldest_seconds") > 0
        others = [await forgotten(bot, session) for session in ("s2", "s3")]
        gate.permit()

        async def one_is_erased() -> bool:
            return await erased(bot, first) == 1

        await until(one_is_erased, what="one of two events is erased")
        assert [await erased(bot, number) for number in others] == [0, 0]
        gate.open()

        async def are_done() -> bool:
            receipts = [await receipt(bot, number) for number in (first, *others)]
            return all(each["state"] == "done" for each in receipts)

        await until(are_done, what="all have their receipts")
        assert [await erased(bot, number) for number in (first, *others)] == [2, 2, 2]
        await until(lambda: wiped.call_count > 0, what="the rows are made anew")
        live = ingest.digest()
    assert wiped.call_count == 1
    async with running(own_server.elsewhere(tmp_path / "rebuilt")) as rebuilt:
        assert rebuilt.digest() == live


async def forgotten(bot: Bot, session: str) -> int:
    """Have a session forgotten; the number that names the receipt."""
    outcome = await bot.outcome(USER, sequence=await bot.send(USER, "forget", {"session_id": session, "only": True}))
    assert outcome.number is not None
    return outcome.number


async def receipt(bot: Bot, number: int) -> dict[str, object]:
    return await bot.ask(USER, "receipt", {"number": number})


async def erased(bot: Bot, number: int) -> object:
    return (await receipt(bot, number))["erased"]
