"""What a bot that is limited to a space cannot learn of the others by what the server answers to a publish."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import pytest_asyncio
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.js.errors import APIError

from shared.contracts.ids import Space
from shared.runtime import outbox
from shared.runtime.credentials import create_credentials
from tests.support.installations import Bot, Installation, Running, last_position, running, until

HEADERS = [
    {"Nats-Expected-Last-Subject-Sequence": "999999", "Nats-Expected-Last-Subject-Sequence-Subject": "send.*.beta.victim.>"},
    {"Nats-Expected-Last-Subject-Sequence": "999999"},
    {"Nats-Expected-Last-Sequence": "999999"},
    {"Nats-Expected-Last-Msg-Id": "m1"},
    {"Nats-Expected-Stream": "MEMORY"},
    {"nats-expected-last-sequence": "999999"},
    {"Nats-Rollup": "all"},
    {"Nats-TTL": "1s"},
    {"Nats-Schedule": "@at 2030-01-01T00:00:00Z"},
    {"Nats-Batch-Id": "b", "Nats-Batch-Sequence": "1"},
]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """A server with a bot for all spaces, and one for the space `alpha`."""
    credentials = create_credentials().with_bot("alice", (Space("alpha"),))
    installation = await Installation.create(tmp_path_factory.mktemp("gate"), credentials=credentials)
    yield installation
    await installation.server.stop()


def _running(guarded: Installation, folder: Path) -> AbstractAsyncContextManager[Running]:
    return running(guarded.elsewhere(folder / "1"))


@pytest.mark.parametrize("headers", HEADERS, ids="+".join)
async def test_no_header_of_the_servers_tells_what_others_send(
    headers: dict[str, str], guarded: Installation, tmp_path: Path
) -> None:
    async with (
        guarded.connected("bot") as free,
        guarded.connected("alice") as alice,
        running(guarded.elsewhere(tmp_path / "1")),
    ):
        told = []
        for _ in range(2):
            with pytest.raises(APIError) as refused:
                await Bot(alice, "alpha").send("anna", "user_message", {"session_id": "s", "text": "x"}, headers)
            told.append((refused.value.code, refused.value.description))
            await Bot(free, "beta").said("victim", "hello")
        assert told[0] == told[1]
        assert not any(character.isdigit() for character in str(told[0][1]))


async def test_a_refused_header_takes_nothing_into_the_stream(guarded: Installation, tmp_path: Path) -> None:
    async with guarded.connected("operator") as operator, guarded.connected("alice") as alice, _running(guarded, tmp_path):
        before = await last_position(operator, "SEND")
        with pytest.raises(APIError):
            await Bot(alice, "alpha").send("anna", "user_message", {"session_id": "s", "text": "x"}, HEADERS[0])
        assert await last_position(operator, "SEND") == before


async def test_an_acknowledgement_does_not_tell_how_much_others_send(guarded: Installation, tmp_path: Path) -> None:
    async with (
        guarded.connected("bot") as free,
        guarded.connected("alice") as alice,
        running(guarded.elsewhere(tmp_path / "1")),
    ):
        mine = Bot(alice, "alpha")
        seen = []
        for user in ("anna", "anna", "ben"):
            sequence = await mine.say(user, "hello")
            seen.append(sequence)
            assert (await mine.outcome(user, sequence=sequence)).memory_id
            await Bot(free, "beta").said("victim", "hello")
    gaps = {later - earlier for earlier, later in itertools.pairwise(seen)}
    assert len(set(seen)) == 3
    assert min(map(abs, gaps)) > 1_000
    assert max(seen) < 2**53  # what JSON parsers of all languages keep


async def test_what_a_limited_bot_sends_at_once_stays_in_order(guarded: Installation, tmp_path: Path) -> None:
    async with guarded.connected("alice") as alice, _running(guarded, tmp_path):
        bot = Bot(alice, "alpha")
        for number in range(50):
            data = json.dumps({"session_id": "order", "text": f"number {number}"}).encode()
            await alice.publish("send.alpha.order.user_message", data)
        last = await bot.said("order", "the last one", session="order")
        numbers = [await bot.outcome("order", sequence=await bot.say("order", "again", session="order"))]
    assert (last.number, numbers[0].number) == (52, 53)


async def test_a_repeat_within_the_window_of_the_server_is_one_message(guarded: Installation, tmp_path: Path) -> None:
    async with guarded.connected("alice") as alice, _running(guarded, tmp_path):
        bot, turn = Bot(alice, "alpha"), {"session_id": "s", "text": "once"}
        both = await asyncio.gather(*(bot.send("twice", "user_message", turn, {"Nats-Msg-Id": "m1"}) for _ in range(2)))
        other = await bot.send("third", "user_message", turn, {"Nats-Msg-Id": "m1"})
        assert (both[0] == both[1], (await bot.outcome("third", sequence=other)).verdict.value) == (True, "recorded")


async def test_without_ingest_a_limited_bot_is_told_at_once_that_nobody_listens(guarded: Installation) -> None:
    async with guarded.connected("alice") as alice:
        with pytest.raises(NoRespondersError):
            await alice.request("send.alpha.anna.user_message", b"{}", timeout=5)


class Acknowledgements:
    """What a bot is told of many messages that it sends at once."""

    def __init__(self, client: Client) -> None:
        self.told: Counter[str] = Counter()
        self._client = client

    async def send(self, count: int) -> None:
        inbox = self._client.new_inbox()
        await self._client.subscribe(f"{inbox}.*", cb=self._hear)
        for number in range(count):
            data = json.dumps({"session_id": "s", "text": f"number {number}"}).encode()
            await self._client.publish(f"send.alpha.u{number % 100}.user_message", data, reply=f"{inbox}.{number}")
        await self._client.flush()

    async def _hear(self, message: Msg) -> None:
        self.told["refused" if b"too many messages at once" in message.data else "taken"] += 1


@pytest_asyncio.fixture
async def two_bots(tmp_path: Path) -> AsyncIterator[Installation]:
    """A running ingest with alice for `alpha` and bob for `beta`."""
    credentials = create_credentials().with_bot("alice", (Space("alpha"),)).with_bot("bob", (Space("beta"),))
    installation = await Installation.create(tmp_path / "flood", credentials=credentials)
    async with running(installation.settings):
        yield installation
    await installation.server.stop()


async def test_a_bot_that_sends_much_at_once_keeps_no_other_waiting(two_bots: Installation) -> None:
    async with (
        two_bots.connected("alice") as alice,
        two_bots.connected("bob") as bob,
        two_bots.connected("operator") as operator,
    ):
        many, count = Acknowledgements(alice), 4_000
        await many.send(count)
        assert await Bot(bob, "beta").say("ben", "hello")
        assert (await operator.jetstream().get_last_msg("SEND", "send.*.beta.ben.*")).seq < count // 2  # type: ignore[operator]
        await until(lambda: many.told["taken"] == count, what="every message is acknowledged")


async def test_more_than_a_bot_may_send_at_once_is_refused_and_said_so(
    two_bots: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_MOST_WAITING", 10)
    async with two_bots.connected("alice") as alice:
        many = Acknowledgements(alice)
        await many.send(1_000)
        await until(lambda: many.told.total() == 1_000, what="every message is answered")
        assert min(many.told["taken"], many.told["refused"]) >= 10
        assert (await Bot(alice, "alpha").said("ann", "later")).memory_id
