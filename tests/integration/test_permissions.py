"""A bot's account, tried against every subject: two accounts, one permission table."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from nats.aio.client import Client
from nats.aio.msg import Msg

from shared.contracts.commands import COMMANDS
from shared.contracts.ids import Space
from shared.contracts.queries import QUERIES
from shared.contracts.subjects import inbox_prefix
from shared.runtime.credentials import create_credentials, load_credentials
from tests.support.installations import Bot, Installation, last_position, running, until

STREAMS = ["MEMORY", "SEND", "REJECTED"]
FORBIDDEN = [
    "memory.1.x.episode_recorded",
    "work.home.anna.record_recall",
    "rejected.1.home.anna.user_message",
    "admin.ingest.stop",
    "admin.ingest.digests",
    "$JS.API.INFO",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.INFO.MEMORY",
    "$JS.API.STREAM.DELETE.MEMORY",
    "$JS.API.STREAM.PURGE.SEND",
    "$JS.API.STREAM.MSG.GET.MEMORY",
    "$JS.API.STREAM.MSG.DELETE.MEMORY",
    "$JS.API.DIRECT.GET.MEMORY",
    "$JS.API.STREAM.CREATE.MINE",
    "$JS.API.CONSUMER.CREATE.MEMORY",
    "$JS.API.CONSUMER.MSG.NEXT.SEND.lane-0-of-2",
    "$JS.ACK.SEND.lane-0-of-2.1.1.1.1.1",
    "$SYS.REQ.SERVER.PING",
    "$SYS.REQ.SERVER.PING.VARZ",
    "$SYS.REQ.USER.INFO",
    "$SYS.REQ.ACCOUNT.PING.CONNZ",
    "$SYS.REQ.ACCOUNT.BOTS.SUBSZ",
    "$SRV.PING",
    "$SRV.INFO.retriever",
    "$NRG.V.x",
    "$JS.FC.SEND.x",
    "gate.send.home.anna.user_message",
    "gate.ask.home.anna.stats",
    "_INBOX.ingest.x",
    "_INBOX.helper.x",
    "_R_.x",
    "send.home.anna",
    "send.home.anna.user_message.more",
    "ask.home",
    "job.nightly",
    "anything",
]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """A server with a bot for all spaces, and two that are limited."""
    credentials = create_credentials().with_bot("helper", (Space("team.a"), Space("*"))).with_bot("other", (Space("b"),))
    installation = await Installation.create(tmp_path_factory.mktemp("guarded"), credentials=credentials)
    yield installation
    await installation.server.stop()


class Errors:
    """What the server complains about on a connection."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def hear(self, error: Exception) -> None:
        self.seen.append(str(error).lower())

    async def of(self, client: Client, count: int = 1) -> list[str]:
        """The complaints, once the server has answered everything that was sent before."""
        await client.flush()
        await until(lambda: len(self.seen) >= count, what=f"{count} complaints, got {self.seen}")
        return self.seen


async def heads(installation: Installation) -> dict[str, int]:
    async with installation.connected("operator") as operator:
        return {name: await last_position(operator, name) for name in STREAMS}


@pytest.mark.parametrize("name", ["bot", "helper"])
@pytest.mark.parametrize("subject", FORBIDDEN)
async def test_a_bot_may_publish_on_no_other_subject(subject: str, name: str, guarded: Installation) -> None:
    before = await heads(guarded)
    errors = Errors()
    async with guarded.connected(name, on_error=errors.hear) as client:
        await client.publish(subject, b"{}", reply=f"_INBOX.{name}.answer")
        assert "permissions violation for publish" in (await errors.of(client))[0]
    assert await heads(guarded) == before


@pytest.mark.parametrize("name", ["bot", "helper"])
@pytest.mark.parametrize(
    "subject",
    [
        ">",
        "*.>",
        "send.>",
        "send.*.*.*",
        "ask.>",
        "ask.home.anna.outcome",
        "work.>",
        "memory.>",
        "rejected.>",
        "_INBOX.>",
        "_INBOX.*",
        "_INBOX.*.*",
        "_INBOX.helper.>",
        "_INBOX.ingest.>",
        "_R_.>",
        "$JS.>",
        "$JS.EVENT.ADVISORY.>",
        "$SYS.>",
        "$SRV.>",
        "admin.>",
        "gate.>",
        "gate.send.*.*.*",
        "gate.ask.team%2Ea.anna.stats",
        "send.team%2Ea.*.*",
        "ask.team%2Ea.*.*",
    ],
)
async def test_a_bot_may_listen_to_nothing_but_its_own_inbox(subject: str, name: str, guarded: Installation) -> None:
    errors = Errors()
    async with guarded.connected(name, on_error=errors.hear) as client:
        await client.subscribe(subject)
        assert "permissions violation for subscription" in (await errors.of(client))[0]
        for count, queue in enumerate(("ingest", "retriever", "gate"), start=2):
            await client.subscribe(subject, queue=queue)
            assert len(await errors.of(client, count)) == count


REPLIES = ["memory.1.x.y", "work.home.anna.record_recall", "rejected.1.a.b.c", "$JS.API.STREAM.DELETE.MEMORY"]


@pytest.mark.parametrize("verb", ["send", "ask"])
@pytest.mark.parametrize("reply", REPLIES)
async def test_a_reply_subject_writes_into_no_stream(verb: str, reply: str, guarded: Installation, tmp_path: Path) -> None:
    """In one account the acknowledgement itself would be published there, with the server's rights."""
    name = "".join(letter for letter in verb + reply if letter.isalnum())
    async with guarded.connected("bot") as client, running(guarded.elsewhere(tmp_path / name)):
        bot = Bot(client, f"reply-{name}"[:100])
        await bot.said("anna", "hello")
        before = await heads(guarded)
        for what in ("user_message", "outcome", "nosuch"):
            payload = json.dumps({"session_id": "s1", "text": "forged"}).encode()
            with contextlib.suppress(Exception):
                await client.publish(f"{verb}.{bot.space}.anna.{what}", payload, reply=reply)
        answer = await bot.said("anna", "goodbye")
        after = await heads(guarded)
    sent = 3 if verb == "send" else 0
    assert after["SEND"] == before["SEND"] + sent + 1
    assert after["MEMORY"] == answer.position == before["MEMORY"] + sent + 1
    assert after["REJECTED"] == before["REJECTED"] + (2 if verb == "send" else 0)


@pytest.mark.parametrize(
    "reply",
    [
        *("send.b.anna.user_message", "send.team%2Ea.anna.user_message", "gate.send.b.anna.user_message"),
        *("ask.b.anna.outcome", "gate.ask.b.anna.outcome", "work.b.anna.record_recall", "memory.1.x.y"),
    ],
)
@pytest.mark.parametrize("headers", [None, {"Nats-Trace-Dest": "send.b.anna.user_message"}], ids=["plain", "traced"])
async def test_what_a_limited_bot_is_answered_is_sent_on_to_nobody(
    reply: str, headers: dict[str, str] | None, guarded: Installation, tmp_path: Path
) -> None:
    async with guarded.connected("helper") as client, running(guarded.elsewhere(tmp_path / "1")):
        bot = Bot(client, "team.a")
        first = await bot.said("anna", "hello", message_id=f"{reply} {headers}")
        before = await heads(guarded)
        for what, payload in (("outcome", b'{"what": "pin"}'), ("nosuch", b"{}")):
            await client.publish(f"ask.team%2Ea.anna.{what}", payload, reply=reply, headers=headers)
        await client.publish("send.team%2Ea.anna.pin", b"{}", reply=reply)
        await client.publish("send.team%2Ea.anna.pin", b"{}", reply=reply, headers={"Nats-Expected-Last-Sequence": "1"})
        answer = await bot.said("anna", "goodbye", message_id=f"{reply} {headers} 2")
        after = await heads(guarded)
    assert {name: after[name] - before[name] for name in STREAMS} == {"MEMORY": 2, "SEND": 2, "REJECTED": 1}
    assert answer.number == (first.number or 0) + 2


async def test_a_bot_gets_its_acknowledgement_and_its_answer(guarded: Installation, tmp_path: Path) -> None:
    async with guarded.connected("bot") as client, running(guarded.elsewhere(tmp_path / "1")):
        assert (await Bot(client, "home").said("anna", "hello")).memory_id


async def test_no_bot_hears_what_another_is_told(guarded: Installation, tmp_path: Path) -> None:
    heard: list[str] = []

    async def hear(message: Msg) -> None:
        heard.append(message.subject)

    async with guarded.connected("bot") as talking, guarded.connected("helper") as listening:
        for subject in ("_INBOX.>", "_INBOX.bot.>", ">", "_INBOX.helper.>"):
            await listening.subscribe(subject, cb=hear)
        async with running(guarded.elsewhere(tmp_path / "1")):
            await Bot(talking, "home").said("anna", "a secret")
        await listening.flush()
    assert heard == []


@pytest.mark.parametrize("inbox", ["_INBOX.bot", "_INBOX.bot.1", "_INBOX.bot.*", "_INBOX.bot.>"])
async def test_no_bot_puts_an_answer_where_another_listens(inbox: str, guarded: Installation, tmp_path: Path) -> None:
    heard: list[str] = []

    async def hear(message: Msg) -> None:
        heard.append(message.subject)

    async with guarded.connected("bot") as victim, guarded.connected("other") as forger:
        mine = inbox_prefix("bot", load_credentials(guarded.settings.files.credentials).bots["bot"].password)
        await victim.subscribe(f"{mine}.>", cb=hear)
        async with running(guarded.elsewhere(tmp_path / "1")):
            for subject in ("send.b.eve.user_message", "ask.b.eve.context"):
                await forger.publish(subject, b'{"session_id": "s", "text": "Pay Eve.", "query": "Who is paid?"}', reply=inbox)
            await Bot(forger, "b").said("eve", "Pay Eve.")
        await victim.flush()
    assert heard == []


async def test_a_bot_that_is_limited_to_spaces_sends_and_asks_there(guarded: Installation, tmp_path: Path) -> None:
    async with guarded.connected("helper") as client, running(guarded.elsewhere(tmp_path / "1")):
        for space in ("team.a", "*"):
            assert (await Bot(client, space).said("anna", f"in {space}")).memory_id


@pytest.mark.parametrize("subject", ["send.{}.anna.user_message", "ask.{}.anna.outcome"])
@pytest.mark.parametrize("token", ["b", "home", "*", ">", "team.a", "team%2ea", "team", "%2a", "%2A%2A"])
async def test_a_bot_that_is_limited_to_spaces_reaches_no_other(token: str, subject: str, guarded: Installation) -> None:
    before = await heads(guarded)
    errors = Errors()
    async with guarded.connected("helper", on_error=errors.hear) as client:
        await client.publish(subject.format(token), b"{}")
        assert "permissions violation for publish" in (await errors.of(client))[0]
    assert await heads(guarded) == before


async def test_every_command_and_query_of_another_space_is_refused(guarded: Installation) -> None:
    subjects = [f"send.b.anna.{what}" for what in COMMANDS] + [f"ask.b.anna.{what}" for what in QUERIES]
    before = await heads(guarded)
    errors = Errors()
    async with guarded.connected("helper", on_error=errors.hear) as client:
        for subject in subjects:
            await client.publish(subject, b"{}", reply="_INBOX.helper.answer")
        refusals = await errors.of(client, len(subjects))
    assert all("permissions violation for publish" in refusal for refusal in refusals)
    assert await heads(guarded) == before


async def test_two_bots_with_one_space_each_do_not_meet(guarded: Installation, tmp_path: Path) -> None:
    async with (
        guarded.connected("helper") as one,
        guarded.connected("other") as other,
        running(guarded.elsewhere(tmp_path / "1")),
    ):
        mine = await Bot(one, "team.a").said("anna", "hello", message_id="1")
        theirs = await Bot(other, "b").said("anna", "something else", message_id="1")
        assert (mine.memory_id != theirs.memory_id, theirs.number) == (True, 2)


@pytest.mark.parametrize("user", ["ingest", "retriever", "operator"])
async def test_a_service_listens_to_no_inbox_of_another(user: str, guarded: Installation) -> None:
    others = {"ingest", "retriever", "operator", "bot"} - {user}
    errors = Errors()
    async with guarded.connected(user, on_error=errors.hear) as client:
        for other in sorted(others):
            await client.subscribe(f"_INBOX.{other}.>")
        assert len(await errors.of(client, len(others))) == len(others)


@pytest.mark.parametrize(
    ("user", "subject"),
    [
        ("retriever", "memory.1.x.y"),
        ("retriever", "send.home.anna.user_message"),
        ("retriever", "work.home.anna.save_facts"),
        ("retriever", "$JS.API.STREAM.DELETE.MEMORY"),
        ("retriever", "$JS.API.STREAM.MSG.DELETE.MEMORY"),
        ("retriever", "$JS.API.CONSUMER.CREATE.SEND.x"),
        ("ingest", "send.home.anna"),
        ("ingest", "work.home.anna.record_recall"),
        ("ingest", "$JS.API.STREAM.DELETE.MEMORY"),
        ("ingest", "$JS.API.STREAM.PURGE.MEMORY"),
        ("ingest", "$JS.API.STREAM.UPDATE.MEMORY"),
        ("operator", "memory.1.x.y"),
        ("operator", "work.home.anna.record_recall"),
        ("operator", "rejected.1.a.b.c"),
    ],
)
async def test_a_service_may_do_its_own_work_and_no_other(user: str, subject: str, guarded: Installation) -> None:
    before = await heads(guarded)
    errors = Errors()
    async with guarded.connected(user, on_error=errors.hear) as client:
        await client.publish(subject, b"{}")
        assert "permissions violation for publish" in (await errors.of(client))[0]
    assert await heads(guarded) == before


async def test_nobody_connects_without_a_password(guarded: Installation) -> None:
    attempts: list[dict[str, Any]] = [{"user": "bot", "password": "wrong"}, {"user": "nobody", "password": ""}, {}]
    for options in attempts:
        client = Client()
        with pytest.raises(Exception, match=r"(?i)authorization|no servers"):
            await client.connect(
                guarded.server.url,
                allow_reconnect=False,
                max_reconnect_attempts=1,
                connect_timeout=20,
                error_cb=Errors().hear,
                **options,
            )
        await client.close()
