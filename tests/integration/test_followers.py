"""What a service of one's own reads of a space: its events, from any position, without what is forgotten."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import NoRespondersError

from memstream import EventReader, FollowedEvent
from memstream.client import MemoryClient
from services.feed.app import build as build_feed
from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from shared.contracts.errors import LogDiverged, Malformed, Misconfigured
from shared.contracts.following import EventsAnswer
from shared.contracts.ids import Space
from shared.contracts.subjects import inbox_prefix, read_subject
from shared.runtime.credentials import create_credentials, load_credentials
from tests.support.installations import PATIENCE_S, Installation, last_position, no_word, serving, until


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Installation]:
    """ingest, retriever and feed, with a reader of `shop` and one of `clinic`."""
    credentials = create_credentials().with_reader("crm", (Space("shop"),)).with_reader("ward", (Space("clinic"),))
    installation = await Installation.create(tmp_path / "shop", credentials=credentials)
    builds = (build_ingest, build_retriever, build_feed)
    async with serving(*(build(installation.settings) for build in builds)):
        yield installation
    await installation.server.stop()


def client(server: Installation, space: str = "shop", user: str = "anna") -> MemoryClient:
    return MemoryClient(space=space, user=user, url=server.server.url, data_dir=server.settings.data_dir)


def reader(server: Installation, space: str = "shop", name: str | None = None) -> EventReader:
    return EventReader(space=space, name=name, url=server.server.url, data_dir=server.settings.data_dir)


@asynccontextmanager
async def connected(server: Installation, name: str, errors: list[str] | None = None) -> AsyncIterator[Client]:
    """A plain NATS client with the account of a reader."""

    async def hear(error: Exception) -> None:
        if errors is not None:
            errors.append(str(error).lower())

    client, password = Client(), load_credentials(server.settings.files.credentials).readers[name].password
    prefix = inbox_prefix(name, password)
    await client.connect(server.server.url, user=name, password=password, inbox_prefix=prefix, error_cb=hear)
    try:
        yield client
    finally:
        await client.close()


async def told(log: EventReader, after: int = 0, **wanted: Any) -> list[FollowedEvent]:  # noqa: ANN401 - of `replay`
    return [event async for event in log.replay(after, **wanted)]


def types(events: Iterable[FollowedEvent]) -> list[str]:
    return [event.type for event in events]


def texts(events: Iterable[FollowedEvent]) -> list[str]:
    return [event.data["text"] for event in events if "text" in event.data]


async def say(memory: MemoryClient, *said: str, session: str = "s1") -> int:
    """Say it; the position of the last."""
    for text in said:
        position = (await memory.outcome(await memory.add(text, session_id=session))).position
    return position


async def test_a_reader_reads_what_was_said_and_learned_in_its_space(shop: Installation) -> None:
    async with client(shop) as anna, client(shop, "clinic") as elsewhere, reader(shop) as log:
        await say(anna, "I am allergic to shrimp.")
        await say(elsewhere, "Something private.")
        await anna.remember("Anna likes tea")
        events = await told(log)
    assert [(event.type, event.user, event.space) for event in events] == [
        ("session_started", "anna", "shop"),
        ("episode_recorded", "anna", "shop"),
        ("fact_remembered", "anna", "shop"),
    ]
    assert texts(events) == ["I am allergic to shrimp.", "Anna likes tea"]
    assert [event.number for event in events] == [1, 2, 3]


async def test_any_client_hears_what_is_recorded_and_reads_pages(shop: Installation) -> None:
    heard: list[Msg] = []

    async def hear(message: Msg) -> None:
        heard.append(message)

    async with client(shop, user="anna@example.com") as anna, connected(shop, "crm") as service:
        await service.subscribe("events.shop.*.session_completed", cb=hear)
        await service.flush()
        await say(anna, "Hello there.")
        await anna.outcome(await anna.end_session("s1"))
        await until(lambda: bool(heard), what="the completion is told")
        event = FollowedEvent.model_validate_json(heard[0].data)
        page = EventsAnswer.model_validate_json((await service.request("read.shop.events", b"{}", timeout=5)).data)
        refused = json.loads((await service.request("read.shop.events", b'{"afer": 1}', timeout=5)).data)
    assert heard[0].subject == "events.shop.anna@example%2Ecom.session_completed"
    assert (event.user, event.data["session_id"], event.data["turns"]) == ("anna@example.com", "s1", 1)
    assert (page.events[-1], page.is_end, page.position) == (event, True, event.position)
    assert (refused["error"]["code"], "afer" in refused["error"]["message"]) == ("malformed", True)


async def test_a_reader_of_another_space_and_a_bot_get_nothing(shop: Installation) -> None:
    errors: list[str] = []
    heard: list[Msg] = []

    async def hear(message: Msg) -> None:
        heard.append(message)

    async with client(shop) as anna, connected(shop, "ward", errors) as ward, shop.connected("bot", on_error=no_word) as bot:
        for subject in (
            "events.shop.>",
            "events.>",
            "events.*.*.*",
            "events.shop.*.session_completed",
            "read.>",
            ">",
            "_INBOX.>",
        ):
            await ward.subscribe(subject, cb=hear)
            await bot.subscribe(subject, cb=hear)
        await ward.subscribe("events.clinic.>", cb=hear)
        for account in (ward, bot):
            await account.publish("read.shop.events", b"{}", reply=f"{account._inbox_prefix.decode()}.x")
            await account.publish("events.shop.anna.session_completed", b"forged")
        await say(anna, "I am allergic to shrimp.")
        for account in (ward, bot):
            with suppress(TimeoutError):
                await account.request("read.shop.events", b"{}", timeout=0.2)
            await account.flush()
        assert heard == []
        assert len([error for error in errors if "permissions violation" in error]) == 10
        await say(anna, "And to nuts.")
    async with reader(shop, "clinic") as log:
        assert await told(log) == []
    async with EventReader(space="shop", name="ward", url=shop.server.url, data_dir=shop.settings.data_dir) as log:
        with pytest.raises(Misconfigured, match=r"does not allow ward to publish on read\.shop\.events"):
            await log.read()


async def test_positions_tell_nothing_of_other_spaces(shop: Installation) -> None:
    async with (
        client(shop) as anna,
        client(shop, "clinic") as elsewhere,
        reader(shop) as log,
        shop.connected("operator") as of_log,
    ):
        await say(anna, "I am allergic to shrimp.")
        page = await log.read()
        await say(elsewhere, "Something private.", "And something more.")
        again = await log.read(page.position)
        end = await last_position(of_log)
        assert (again.position, again.events) == (page.position, ())
        assert all(event.position > 1_000 * end for event in page.events)
        with pytest.raises(Malformed, match="position"):
            await log.read(7)
        with pytest.raises(LogDiverged):
            await log.read(page.position ^ 0b1010101 << 20)
    async with reader(shop, "clinic") as log:
        with pytest.raises(LogDiverged):
            await log.read(page.position)


async def test_pages_of_any_size_make_the_same_whole(shop: Installation) -> None:
    async with client(shop) as anna, client(shop, user="ben") as ben, reader(shop) as log:
        for index in range(5):
            await say(anna, f"Turn {index} of Anna.")
            await say(ben, f"Turn {index} of Ben.")
        whole = await told(log)
        singly: list[FollowedEvent] = []
        page = await log.read(limit=1)
        while page.events:
            singly += page.events
            page = await log.read(page.position, limit=1)
        of_ben = await told(log, user="ben")
        until_then = await told(log, user="ben", through=of_ben[2].position)
        turns = await told(log, types=["episode_recorded"])
        assert await told(log, types=["user_forgotten", "episode_recorded"]) == turns
    assert singly == whole
    assert of_ben == [event for event in whole if event.user == "ben"]
    assert until_then == of_ben[:3]
    assert texts(turns) == texts(whole)
    assert set(types(turns)) == {"episode_recorded"}


async def test_what_is_forgotten_cannot_be_read_as_soon_as_its_outcome_is_known(shop: Installation) -> None:
    async with client(shop) as anna, reader(shop) as log:
        await say(anna, "I am allergic to shrimp.")
        fact = await anna.remember("Anna has a sister Quixeldra")
        before = await told(log)
        await anna.forget(memory_ids=[str(fact.memory_id)])
        after = await told(log, types=["fact_remembered"])
        followed = await told(log, before[-1].position)
    assert "Quixeldra" in str(before)
    assert "Quixeldra" not in str(after)
    forgotten = next(event for event in followed if event.type == "memory_forgotten")
    assert fact.memory_id in forgotten.data["memory_ids"]
    assert forgotten.data["numbers"]
    assert (forgotten.data["tombstones"], forgotten.data["commands"], forgotten.data["values"]) == ([], "", "")
    assert types(after) == ["memory_forgotten"]


async def test_what_waits_to_be_erased_is_hidden_and_comes_again_when_it_is_taken_back(shop: Installation) -> None:
    async with client(shop) as anna, reader(shop) as log:
        await say(anna, "My sister Quixeldra keeps zorbifers in the cellar.")
        before = await told(log)
        await say(anna, "Forget what I said about Quixeldra")
        hidden = await told(log)
        forgetting = next(event for event in hidden if event.type == "memory_forgotten")
        assert forgetting.data["erase_at"]
        assert "zorbifers" not in str(hidden)
        await say(anna, "No wait, undo that!")
        back = await told(log)
        taken_back = next(event for event in back if event.type == "forgetting_taken_back")
        anew = await told(log, user=taken_back.user, through=taken_back.position)
    assert texts(back)[: len(texts(before))] == texts(before)
    assert anew == back[: back.index(taken_back) + 1]
    emptied = next(event for event in anew if event.type == "memory_forgotten")
    assert (emptied.position, emptied.data["memory_ids"]) == (forgetting.position, [])


async def test_who_is_forgotten_as_a_whole_is_told_by_scope_alone(shop: Installation) -> None:
    heard: list[str] = []

    async def hear(message: Msg) -> None:
        heard.append(message.subject)

    async with client(shop) as anna, client(shop, user="ben") as ben, reader(shop) as log, connected(shop, "crm") as service:
        await service.subscribe("events.shop.>", cb=hear)
        await service.flush()
        await say(anna, "I am allergic to shrimp.")
        await say(ben, "I like tea.")
        before = await told(log)
        await anna.forget_user()
        after = await told(log, types=["episode_recorded"])
        gone = next(event for event in after if event.type == "user_forgotten")
        await until(lambda: "events.shop.%.user_forgotten" in heard, what="it is told live")
    assert (gone.user, gone.scope) == ("", before[0].scope)
    assert texts(after) == ["I like tea."]
    assert "anna" not in str([event.model_dump() for event in after])


async def test_a_follower_goes_on_across_restarts_of_feed_and_server(tmp_path: Path) -> None:
    credentials = create_credentials().with_reader("crm", (Space("shop"),))
    own = await Installation.create(tmp_path / "own", credentials=credentials)
    seen: list[str] = []

    async def follow(log: EventReader) -> None:
        async for event in log.follow():
            seen.extend(texts([event]))

    async with reader(own) as log:
        async with serving(build_ingest(own.settings), build_feed(own.settings)), client(own) as anna:
            await anna.remember("Anna likes tea")
            following = asyncio.create_task(follow(log))
            await until(lambda: seen == ["Anna likes tea"], what="the first is read")
        async with serving(build_ingest(own.settings), build_feed(own.settings)), client(own) as anna:
            await anna.remember("Anna plays chess")
            await until(lambda: len(seen) == 2, what="the second is read")
            await own.server.stop()
            await own.server.start()
            await anna.remember("Anna has a dog")
            await until(lambda: len(seen) == 3, what="the third is read")
        following.cancel()
    await own.server.stop()
    assert seen == ["Anna likes tea", "Anna plays chess", "Anna has a dog"]


async def test_without_a_reader_the_feed_follows_nothing(tmp_path: Path) -> None:
    own = await Installation.create(tmp_path / "own")
    async with serving(build_ingest(own.settings), build_feed(own.settings)):
        async with client(own) as anna:
            await anna.remember("Anna likes tea")
        assert not own.settings.files.projection("feed").exists()
    await own.server.stop()


async def test_whoever_asks_first_is_answered_when_it_follows(own_server: Installation) -> None:
    async with serving(build_feed(own_server.settings)), own_server.connected("gateway") as gateway:
        replies: list[Msg] = []

        async def is_answered() -> bool:
            with suppress(NoRespondersError):  # the service is not there yet
                replies.append(await gateway.request(read_subject(Space("home")), b'{"user": "anna"}', timeout=PATIENCE_S))
            return bool(replies)

        await until(is_answered, what="the feed is there")
    assert json.loads(replies[0].data)["events"] == []
