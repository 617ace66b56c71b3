"""A person whose memory was used by every door and worked on by every job is forgotten: no file holds a byte of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from services.feed.app import build as build_feed
from services.gateway.api import PREFIX
from services.gateway.app import build as build_gateway
from services.gateway.rooms import COOKIE
from shared.contracts.access import OF_A_PERSON
from shared.contracts.ageing import MemoryRolledUp
from shared.contracts.entities import EntitiesMerged
from shared.contracts.ids import Space, User
from shared.contracts.privacy import ForgettingCompleted
from shared.contracts.reflecting import ReflectionRecorded
from shared.runtime.http_tokens import new_http_token, save_tokens
from shared.runtime.links import Links, LinkSettings
from tests.acceptance.everywhere import found
from tests.support.installations import PATIENCE_S, serving, until
from tests.support.lifetime import Life, living

USER = "Grumblethorpe@example.com"
SESSION, MESSAGE, KEY, SPEAKER, TAG = "sess-Wuthermoor", "msg-Pindlewick", "key-Ostermunch", "Fennimara", "Kropfelsang"
FRIENDS = ("Zorvanda", "Quixelby", "Frondlewick", "Blenkotter")
SKIES = ("Drimpsoak", "Plindersplash", "Wubbledrip", "Snorvelpour", "Krumpledrum", "Yodelwhisper")
WORDS = [USER, SESSION, MESSAGE, KEY, SPEAKER, TAG, *FRIENDS, *(sky.lower() for sky in SKIES)]
_INDEX_S = 200.0
"""nats-server writes a stream's index, which names what was erased, every two minutes and a bit."""


@asynccontextmanager
async def _asking(life: Life, url: str) -> AsyncIterator[httpx.AsyncClient]:
    """The person's browser, which opened a link, and a program with a token for whoever it names."""
    files = life.installation.settings.files
    text, kept = new_http_token(
        name="app", rights=tuple(OF_A_PERSON), spaces=(), users=(), now=datetime.now(UTC), expires_at=None
    )
    save_tokens(files.http_tokens, {kept.token_id: kept})
    link = Links(files, LinkSettings()).made(Space("home"), User(USER), now=datetime.now(UTC))
    assert link
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client:
        opened = await client.post(link.url, headers={"origin": url})
        assert COOKIE in opened.cookies
        client.headers["authorization"] = f"Bearer {text}"
        yield client


async def _by_http(life: Life, url: str) -> None:
    async with _asking(life, url) as client:
        where = {"space": "home", "user": USER}
        turns = [{"role": "user", "text": f"The rain in the rainy garden was {sky.lower()} today"} for sky in SKIES]
        said = {"session_id": SESSION, "turns": turns, **where}
        assert (await client.post(f"{PREFIX}/turns?wait=20", json=said, headers={"idempotency-key": KEY})).status_code == 200
        for name in FRIENDS:
            kept = {"text": f"Friend {name} of Anna likes archery", "tags": [TAG], **where}
            assert (await client.post(f"{PREFIX}/entries?wait=20", json=kept)).status_code == 200
        for path in ("/search", "/context", "/explain"):
            assert (await client.post(f"{PREFIX}{path}", params=where, json={"query": f"{FRIENDS[0]}?"})).status_code == 200
        for path in (
            "/entries",
            "/summary",
            "/sessions",
            "/audit",
            "/export",
            f"/entities/{FRIENDS[0]}",
            f"/entries/{SESSION}",
        ):
            assert (await client.get(f"{PREFIX}{path}", params=where)).status_code in {200, 404}
        cookie = {"authorization": ""}
        for path in ("/", "/timeline", "/conversations", "/activity", "/why", "/settings", f"/memories/{SESSION}"):
            await client.get(path, headers=cookie)
        refused = await client.post(f"{PREFIX}/entries", params=where, json={"text": FRIENDS[1], "nonsense": TAG})
        assert refused.status_code == 422
    async with httpx.AsyncClient(base_url=url) as nobody:
        assert (await nobody.get(f"{PREFIX}/entries", params=where)).status_code == 401


async def _by_bus(life: Life) -> None:
    headers = {"Memstream-Correlation": f"corr-{SPEAKER}"}
    turn = {"session_id": SESSION, "message_id": MESSAGE, "speaker": SPEAKER, "text": f"I met {FRIENDS[0]} and {FRIENDS[1]}."}
    sequence = await life.bot.send(USER, "user_message", turn, headers=headers)
    made = (await life.bot.outcome(USER, sequence=sequence)).memory_id
    asked = {"query": f"Who is {FRIENDS[0]}?", "session_id": SESSION}
    answer = await life.bot.ask(USER, "context", asked)
    helped = {"memory_id": made, "helped": True, "recall_id": answer["recall_id"]}
    await life.bot.outcome(USER, sequence=await life.bot.send(USER, "record_feedback", helped))
    await life.at_rest()
    known = (await life.bot.ask(USER, "entities", {}))["entities"]
    one, other = (each["entity_id"] for each in known if each["name"] in FRIENDS[:2])
    await life.bot.outcome(USER, sequence=await life.bot.send(USER, "merge_entities", {"entity_id": one, "into": other}))
    await life.bot.send(USER, "user_message", b'{"nonsense": "' + FRIENDS[2].encode() + b'"}')
    await life.bot.outcome(USER, sequence=await life.bot.send(USER, "end_session", {"session_id": SESSION}))


@pytest.mark.nightly
@pytest.mark.parametrize("nights", [False, True], ids=["days", "nights"])
async def test_who_was_everywhere_is_in_no_file(tmp_path: Path, *, nights: bool) -> None:
    async with living(tmp_path / "life") as life:
        settings = life.installation.settings
        root = settings.files.root
        feed, gateway = build_feed(settings), build_gateway(settings, port=0)
        async with serving(feed, gateway):
            assert gateway.url
            await _by_http(life, gateway.url)
            await _by_bus(life)
            if nights:
                await life.nights.run("reflection")
                await life.nights.past(days=31, only=["decay", "enrichment"])
                await life.nights.past(days=91, only=["ageing"])
            kinds = {type(event.data) for event in await life.events(USER)}
            assert kinds >= ({ReflectionRecorded, MemoryRolledUp, EntitiesMerged} if nights else {EntitiesMerged})
            assert [word for word in (USER, SESSION, TAG, FRIENDS[0]) if not found(root, [word])] == []
            await life.bot.outcome(USER, sequence=await life.bot.send(USER, "forget_user", {}))
            await life.at_rest()
            [receipt] = [each.data for each in await life.events(USER) if isinstance(each.data, ForgettingCompleted)]
            assert (receipt.scan.found, receipt.scan.places) == (0, ())
            await until(lambda: not found(root, WORDS), what="nothing is in any file", within_s=_INDEX_S)
            if nights:
                await life.nights.past(days=200)
        await life.end()
        assert found(root, WORDS) == []
