"""A bot or a person that sends more than the settings allow is told so; nothing of it enters the log, and others go on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from nats.aio.client import Client

from memstream.cli.admin import ask_service
from services.ingest import app as ingest_app
from services.ingest import rejected, stream_sizes
from services.ingest.domain.allowance import Allowance, Amount
from services.ingest.rejected import OTHERS, DeadLetters
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Malformed
from shared.contracts.ids import Space, User
from shared.contracts.queries import OutcomeAnswer, Verdict
from shared.domain.digests import Digester
from shared.runtime.credentials import create_credentials
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.eventlog.read import StreamReader
from shared.runtime.gate import BOT_HEADER
from shared.runtime.metrics import DEAD_LETTERS, DEAD_LETTERS_LOST, STREAM_BYTES, STREAM_LIMIT_BYTES
from shared.runtime.topology import MAX_REJECTED_OF_A_PERSON, MAX_SEND_BYTES, REJECTED, SEND
from tests.support.installations import Bot, Installation, events_of, last_position, raw_request, running, texts_of, until
from tests.support.logs import told_by

TEN_AT_ONCE = {"PERSON_MESSAGES_PER_S": "0.1", "BURST_S": "100"}


@pytest_asyncio.fixture
async def two_bots(tmp_path: Path) -> AsyncIterator[Installation]:
    """A server with a bot for all spaces, and two for the space `alpha`."""
    credentials = create_credentials().with_bot("alice", (Space("alpha"),)).with_bot("bob", (Space("alpha"),))
    installation = await Installation.create(tmp_path / "bots", credentials=credentials)
    yield installation
    await installation.server.stop()


def _allow(monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"MEMSTREAM_INGEST_{name}", value)


async def _say(bot: Bot, count: int, user: str = "anna", text: str = "hello") -> list[OutcomeAnswer]:
    turns = [{"session_id": "s", "text": f"{text} {number}", "message_id": f"{text[:5]} {number}"} for number in range(count)]
    said = [await bot.send(user, "user_message", turn) for turn in turns]
    return [await bot.outcome(user, sequence=sequence) for sequence in said]


def _codes(answers: list[OutcomeAnswer]) -> list[str | None]:
    return [answer.code for answer in answers]


async def test_a_person_who_sends_too_much_is_refused_and_others_are_not(
    own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _allow(monkeypatch, TEN_AT_ONCE)
    async with own_server.connected("bot") as client, running(own_server.elsewhere(tmp_path / "1")):
        bot = Bot(client, "home")
        answers = await _say(bot, 12)
        assert _codes(answers) == [None] * 10 + ["too_many"] * 2
        assert {answer.verdict for answer in answers[10:]} == {Verdict.REJECTED}
        assert _codes(await _say(bot, 1, "ben")) == [None]
        by_id = await bot.outcome("anna", what="user_message", message_id="hello 11")
        assert by_id.code == "too_many"
        assert texts_of(await _log(own_server, bot)) == [f"hello {number}" for number in range(10)]
        async with own_server.connected("operator") as operator:
            kept = await operator.jetstream().get_last_msg("REJECTED", "rejected.*.home.anna.user_message")
        assert kept.headers
        assert kept.headers["Memstream-Code"] == "too_many"
        assert "too many messages came of this person" in kept.headers["Memstream-Reason"]


async def test_a_person_who_sends_too_many_bytes_is_refused(
    own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _allow(monkeypatch, {"PERSON_BYTES_PER_S": "100", "BURST_S": "100"})
    async with own_server.connected("bot") as client, running(own_server.elsewhere(tmp_path / "1")):
        bot = Bot(client, "home")
        assert _codes([*await _say(bot, 1, text="x" * 9_000), *await _say(bot, 1, text="y" * 9_000)]) == [None, "too_many"]
        assert _codes(await _say(bot, 1)) == [None]


async def test_a_bot_that_sends_too_much_is_refused_and_another_is_not(
    two_bots: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _allow(monkeypatch, {"BOT_MESSAGES_PER_S": "0.05", "BURST_S": "100"})
    async with (
        two_bots.connected("alice") as alice,
        two_bots.connected("bob") as bob,
        running(two_bots.elsewhere(tmp_path / "1")),
    ):
        mine = [*await _say(Bot(alice, "alpha"), 3, "ann"), *await _say(Bot(alice, "alpha"), 3, "ben")]
        assert _codes(mine) == [None] * 5 + ["too_many"]
        assert _codes(await _say(Bot(bob, "alpha"), 1, "ben", "from bob")) == [None]


async def test_nobody_can_send_in_the_name_of_another_bot(
    two_bots: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _allow(monkeypatch, {"BOT_MESSAGES_PER_S": "0.02", "BURST_S": "100"})
    async with (
        two_bots.connected("alice") as alice,
        two_bots.connected("bob") as bob,
        two_bots.connected("bot") as free,
        running(two_bots.elsewhere(tmp_path / "1")),
    ):
        await _forge(alice)
        await _forge(free)
        assert _codes(await _say(Bot(bob, "alpha"), 3, "ben")) == [None, None, "too_many"]


async def _forge(client: Client) -> None:
    info = '{"acc":"LIMITED","user":"bob"}'
    for headers in (
        {BOT_HEADER: "bob 00"},
        {"Nats-Request-Info": info},
        {"nats-request-info": info, BOT_HEADER.lower(): "bob 0"},
    ):
        await Bot(client, "alpha").send("ann", "user_message", {"session_id": "s", "text": "forged"}, headers)


GARBLED = [
    b"NATS/1.0\r\nX-ab",
    b'NATS/1.0\r\nNats-Request-Info: {"user":"bob"}\r\nX-abcdef',
    b'NATS/1.0\r\nNats-Request-Info: {"user":"bob"}\r\nNats-Request-Info: {"user":"bob"}\r\nX-abcdef',
    b'NATS/1.0\r\nX: y\r\nNats-Request-Info: {"user":"bob"} ab',
    b'NATS/1.0\r\nNats-Request-Info : {"user":"bob"}\r\nX-ab',
    b"\x00" * 20,
]
"""Blocks of headers that end so that the server's own runs into the last of them."""


@pytest.mark.parametrize("block", GARBLED)
async def test_garbled_headers_hide_no_bot(two_bots: Installation, tmp_path: Path, block: bytes) -> None:
    async with two_bots.connected("alice") as alice, running(two_bots.elsewhere(tmp_path / "1")):
        reply = await raw_request(alice, "send.alpha.ann.user_message", b'{"session_id": "s", "text": "x"}', block)
        assert b"the headers cannot be read" in reply
        async with two_bots.connected("operator") as operator:
            assert await last_position(operator, "SEND") == 0


async def test_what_was_refused_may_come_again_later(
    own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _allow(monkeypatch, {"PERSON_MESSAGES_PER_S": "10", "BURST_S": "0.1"})
    async with own_server.connected("bot") as client, running(own_server.elsewhere(tmp_path / "1")):
        bot = Bot(client, "home")
        payload = {"session_id": "s", "text": "hello", "message_id": "m"}
        sent = [await bot.send("anna", "user_message", payload | {"message_id": f"m{number}"}) for number in range(20)]
        refused = [number for number, each in enumerate(sent) if (await bot.outcome("anna", sequence=each)).code]
        assert refused
        answer = await bot.outcome("anna", sequence=await bot.send("anna", "user_message", payload))
        while answer.code == "too_many":
            answer = await bot.outcome("anna", sequence=await bot.send("anna", "user_message", payload))
        assert answer.verdict is Verdict.RECORDED


async def _log(installation: Installation, bot: Bot) -> list[Envelope]:
    async with installation.connected("operator") as client:
        return await events_of(client, installation.keys.scope_of(bot.space, User("anna")), "anna")


THREE_LETTERS = Allowance(Amount(messages=0, bytes=0.1), burst_s=65_536)


async def _junk(bot: Bot, count: int) -> None:
    for number in range(count):
        sequence = await bot.send(f"user{number}", "pin", {})
        assert (await bot.outcome(f"user{number}", sequence=sequence)).code == "malformed"


async def _kept(installation: Installation) -> Counter[str]:
    async with installation.connected("operator") as operator:
        reader = StreamReader(operator, "REJECTED")
        return Counter([letter.headers[BOT_HEADER] async for letters in reader.to_end() for letter in letters])


async def test_a_bot_with_junk_leaves_the_dead_letters_of_others_alone(
    two_bots: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_app, "DeadLetters", partial(DeadLetters, share=THREE_LETTERS))
    settings = two_bots.elsewhere(tmp_path / "1")
    async with (
        two_bots.connected("alice") as alice,
        two_bots.connected("bob") as bob,
        two_bots.connected("bot") as free,
        two_bots.connected("operator") as operator,
    ):
        async with running(settings):
            await _junk(Bot(bob, "alpha"), 1)
            await _junk(Bot(alice, "alpha"), 10)
            await _junk(Bot(bob, "alpha"), 1)
            await _junk(Bot(free, "alpha"), 4)
            assert await _kept(two_bots) == {"bob": 2, "alice": 3, OTHERS: 3}
            lost = await ask_service(operator, "ingest", "lost_letters", timeout_s=10)
            assert lost == {"alice": 7, OTHERS: 1}
        async with running(settings):  # a restart gives nobody a new share
            await _junk(Bot(alice, "alpha"), 2)
            await _junk(Bot(bob, "alpha"), 2)
            assert await _kept(two_bots) == {"bob": 3, "alice": 3, OTHERS: 3}


async def test_a_bot_cannot_push_out_what_was_refused_of_another_in_its_space(two_bots: Installation, tmp_path: Path) -> None:
    async with (
        two_bots.connected("alice") as alice,
        two_bots.connected("bob") as bob,
        running(two_bots.elsewhere(tmp_path / "1")),
    ):
        await Bot(bob, "alpha").send("anna", "user_message", {"bob": 1})
        junk = Bot(alice, "alpha")
        sent = [await junk.send("anna", "user_message", {"junk": number}) for number in range(MAX_REJECTED_OF_A_PERSON + 1)]
        await junk.outcome("anna", sequence=sent[-1])
        assert await _kept(two_bots) == {"bob": 1, "alice": MAX_REJECTED_OF_A_PERSON // 4}


async def test_it_is_told_when_the_oldest_dead_letters_go(two_bots: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_sizes, "FULL_REJECTED_BYTES", 980)
    monkeypatch.setattr(stream_sizes, "_LOOK_S", 0.01)
    async with two_bots.connected("ingest") as client:
        with told_by(stream_sizes) as told:
            looking = asyncio.create_task(stream_sizes.measure_streams(client))
            for number in range(3):
                assert told == []
                await client.jetstream().publish(f"rejected.1.alpha.ann{number}.pin", b"x" * 400)
            await until(lambda: bool(told), what="it is told")
            await asyncio.sleep(0.1)
            looking.cancel()
    assert [each["event"] for each in told] == ["dead_letters.full"]
    assert STREAM_BYTES.labels(REJECTED)._value.get() > 980
    assert STREAM_LIMIT_BYTES.labels(SEND)._value.get() == MAX_SEND_BYTES


async def test_lanes_that_refuse_at_the_same_time_count_for_the_same_share(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[str] = []

    async def slowly(_: object, subject: str, __: bytes, ___: object) -> int:
        await asyncio.sleep(0.01)
        kept.append(subject)
        return len(kept)

    monkeypatch.setattr(rejected, "publish", slowly)
    letters = DeadLetters(Digester(b"k" * 32), THREE_LETTERS)
    lost = DEAD_LETTERS_LOST.labels(OTHERS)._value.get()
    counted = DEAD_LETTERS.labels(Malformed.code)._value.get()
    sent = [Delivery(number, 1, f"send.1.alpha.u{number}.pin", b"{}", {}, "", 0) for number in range(10)]
    await asyncio.gather(*(letters.keep(Client(), each, Malformed(), send_id="s") for each in sent))
    assert (len(kept), letters.lost) == (3, {OTHERS: 7})
    assert DEAD_LETTERS_LOST.labels(OTHERS)._value.get() == lost + 7
    assert DEAD_LETTERS.labels(Malformed.code)._value.get() == counted + 3
