"""The accounts of the gateway and of readers, tried as those of bots: subjects, replies, headers, positions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
import pytest_asyncio

from services.feed.app import build as build_feed
from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from shared.contracts.commands import COMMANDS, bot_commands
from shared.contracts.ids import Space
from shared.runtime.credentials import create_credentials
from tests.integration.test_permissions import FORBIDDEN, STREAMS, Errors, heads
from tests.support.installations import Bot, Installation, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

GATEWAY, READER, OTHER = "gateway", "crm", "shop-reader_2"
ACCOUNTS = (GATEWAY, READER)
BEYOND = {
    GATEWAY: ["admin.maintenance.run", "admin.ingest.status", "admin.retriever.status", "events.b.anna.x", "schedule.x"],
    READER: [
        *("send.b.anna.user_message", "ask.b.anna.stats", "read.home.events", "read.*.events", "read.b.more"),
        *("admin.ingest.measured", "admin.maintenance.jobs", "events.b.anna.episode_recorded", "work.b.anna.x"),
    ],
}
"""What another of the two may do, or nobody."""
UNHEARD = {
    GATEWAY: [
        "events.>",
        "read.>",
        "_INBOX.>",
        "_INBOX.crm.>",
        "_INBOX.ingest.>",
        ">",
        "send.>",
        "admin.>",
        "memory.>",
        "$JS.>",
    ],
    READER: ["events.>", "events.*.*.*", "events.home.>", "read.>", "_INBOX.>", "_INBOX.gateway.>", ">", "send.>", "memory.>"],
}
REPLIES = (
    *("memory.1.x.y", "work.home.anna.record_recall", "rejected.1.a.b.c", "send.home.anna.user_message", "send.b.anna.pin"),
    *("gate.send.b.anna.user_message", "ask.b.anna.outcome", "events.b.anna.x", "$JS.API.STREAM.DELETE.MEMORY", "schedule.x"),
)
SENT = "send.b.zoe.user_message"
HEADERS: tuple[dict[str, str] | None, ...] = (
    None,
    {"Nats-Trace-Dest": "send.b.anna.user_message"},
    {"Nats-Expected-Last-Sequence": "1"},
    {"Nats-Expected-Last-Subject-Sequence": "1", "Nats-Expected-Last-Subject-Sequence-Subject": "send.*.home.anna.*"},
    {"Nats-Rollup": "all"},
    {"Nats-Msg-Id": "1"},
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """A server with a reader of one space, and the services that answer it and the gateway."""
    credentials = create_credentials().with_reader(READER, (Space("b"),)).with_reader(OTHER, (Space("home"),))
    installation = await Installation.create(tmp_path_factory.mktemp("strangers"), credentials=credentials)
    builds = (build_ingest, build_retriever, build_feed)
    async with serving(*(build(installation.settings) for build in builds)):
        yield installation
    await installation.server.stop()


@pytest.mark.parametrize("name", ACCOUNTS)
async def test_it_may_publish_on_no_other_subject(name: str, guarded: Installation) -> None:
    subjects = [*FORBIDDEN, *BEYOND[name], *(f"work.b.anna.{what}" for what in COMMANDS.keys() - bot_commands())]
    before, errors = await heads(guarded), Errors()
    async with guarded.connected(name, on_error=errors.hear) as client:
        for subject in subjects:
            await client.publish(subject, b"{}", reply=f"_INBOX.{name}.answer")
        refusals = await errors.of(client, len(subjects))
    assert all("permissions violation for publish" in refusal for refusal in refusals)
    assert await heads(guarded) == before


@pytest.mark.parametrize("name", ACCOUNTS)
async def test_it_hears_nothing_of_others(name: str, guarded: Installation) -> None:
    errors = Errors()
    async with guarded.connected(name, on_error=errors.hear) as client:
        for subject in UNHEARD[name]:
            await client.subscribe(subject)
            await client.subscribe(subject, queue="ingest")
        refusals = await errors.of(client, 2 * len(UNHEARD[name]))
    assert all("permissions violation for subscription" in refusal for refusal in refusals)
    assert len(refusals) == 2 * len(UNHEARD[name])


@pytest.mark.parametrize("name", ACCOUNTS)
async def test_no_answer_to_it_and_no_header_of_it_reaches_a_stream(name: str, guarded: Installation) -> None:
    asked = {GATEWAY: ("ask.b.anna.outcome", "ask.b.anna.nosuch", "read.b.events"), READER: ("read.b.events",)}[name]
    async with guarded.connected("bot") as other, guarded.connected(name) as client:
        bot = Bot(other, f"replies-{name}")
        await bot.said("ben", "hello")
        before = await heads(guarded)
        for reply in REPLIES:
            for headers in HEADERS:
                for subject in asked:
                    await client.publish(subject, b"{}", reply=reply, headers=headers)
        await client.flush()
        await bot.said("ben", "goodbye")
        after = await heads(guarded)
    assert {stream: after[stream] - before[stream] for stream in STREAMS} == {"MEMORY": 1, "SEND": 1, "REJECTED": 0}


async def test_what_the_gateway_sends_expects_nothing_of_streams_and_is_told_nothing_of_them(guarded: Installation) -> None:
    """Whether an expectation holds would tell what others do; so would the number of a message in the stream."""
    async with guarded.connected("bot") as other, guarded.connected(GATEWAY) as client:
        acknowledged, positions = [], []
        for number in range(3):
            await Bot(other, "elsewhere").said("ben", f"hello {number}")
            said = json.dumps({"session_id": "s1", "text": f"I have {number} cats"}).encode()
            for headers in HEADERS[2:4]:
                refused = json.loads((await client.request(SENT, said, timeout=20, headers=headers)).data)
                assert (refused["error"]["code"], refused["seq"]) == (400, 0)
            acknowledged.append(json.loads((await client.request(SENT, said, timeout=20)).data)["seq"])
            asked = json.dumps({"sequence": acknowledged[-1], "timeout_s": 20}).encode()
            told = json.loads((await client.request("ask.b.zoe.outcome", asked, timeout=30)).data)
            positions.append((told["position"], told["number"], told["verdict"]))
        end = (await heads(guarded))["SEND"]
    assert positions == [(number, number, "recorded") for number in range(2, 5)]  # as if nobody else were there
    assert min(acknowledged) > 1_000 * end
    assert len({later - earlier for earlier, later in pairwise(acknowledged)}) > 1


@pytest.mark.parametrize("forger", [READER, GATEWAY])
@pytest.mark.parametrize("reply", ["events.home.%.user_forgotten", "events.home.anna.episode_recorded", "events.b.anna.pin"])
async def test_no_answer_to_a_reader_comes_to_another_as_a_live_event(forger: str, reply: str, guarded: Installation) -> None:
    async with guarded.connected("bot") as bot, guarded.connected(forger) as client, guarded.connected(OTHER) as other:
        live, own = await other.subscribe("events.home.>"), await client.subscribe("events.b.>")
        await other.flush()
        for _ in range(3):
            await client.publish("read.b.events", b"{}", reply=reply)
        await client.request("read.b.events", b"{}", timeout=20)  # answered behind the three
        said = await Bot(bot, "home").said("ben", "a true event", f"{forger} {reply}")
        heard = [json.loads((await live.next_msg(timeout=20)).data) for _ in range(2)]
        assert said.number
        assert {each["user"] for each in heard} == {"ben"}
        await own.unsubscribe()


async def test_a_reader_cannot_tell_whether_a_person_of_another_space_is_there(guarded: Installation) -> None:
    async with guarded.connected("bot") as bot, guarded.connected(READER) as client:
        asked = [json.dumps({"user": user, "limit": 5}).encode() for user in ("ida", "nobody")]
        before = [(await client.request("read.b.events", each, timeout=20)).data for each in asked]
        await Bot(bot, "home").said("ida", "I live in Oslo")
        after = [(await client.request("read.b.events", each, timeout=20)).data for each in asked]
    assert before == after
    assert before[0] == before[1]
