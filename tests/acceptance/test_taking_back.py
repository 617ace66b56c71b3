"""What was forgotten in chat is hidden at once, can be taken back for a while, and is then erased from every byte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.ids import Space, User
from tests.acceptance.everywhere import found
from tests.acceptance.processes import SERVICES, Bot, Installation
from tests.acceptance.settling import rebuilt_digests, stopped_at_rest

SECRET = "My sister Quixeldra keeps zorbifers in the cellar."
WORDS = ["Quixeldra", "zorbifers"]
GRACE_S = 6.0


@pytest.fixture
async def patient(tmp_path: Path) -> AsyncIterator[Installation]:
    """Ten minutes, as it is shipped."""
    running = Installation(tmp_path / "data")
    await running.start()
    yield running
    await running.stop()


@pytest.fixture
async def hasty(tmp_path: Path) -> AsyncIterator[Installation]:
    running = Installation(tmp_path / "data", environment={"MEMSTREAM_INGEST_GRACE_MINUTES": str(GRACE_S / 60)})
    await running.start()
    yield running
    await running.stop()


class Person:
    """Talks to a bot in one session."""

    def __init__(self, bot: Bot, user: str = "anna") -> None:
        self.bot = bot
        self.user = user
        self.said = 0

    async def sends(self, what: str, payload: dict[str, Any]) -> dict[str, Any]:
        sequence = await self.bot.send(f"send.home.{self.user}.{what}", payload)
        return await self.asks("outcome", {"sequence": sequence, "timeout_s": 10})

    async def asks(self, what: str, payload: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = await self.bot.ask(f"ask.home.{self.user}.{what}", payload)
        return answer

    async def says(self, text: str, session: str = "s1") -> dict[str, Any]:
        """The command that the turn was read as; empty for talk."""
        self.said += 1
        named = {"session_id": session, "message_id": f"m{self.said}"}
        await self.sends("user_message", {**named, "text": text})
        return (await self.asks("context", {**named, "query": text}))["command"] or {}

    async def known(self) -> str:
        listed = await self.asks("list", {})
        return " | ".join(item["text"] for item in listed["items"])


async def test_what_is_taken_back_is_known_and_recalled_as_before_and_a_rebuild_agrees(patient: Installation) -> None:
    async with patient.bot() as bot:
        anna = Person(bot)
        await anna.says(SECRET)
        await anna.sends("remember_fact", {"text": "Quixeldra is 41 years old.", "session_id": "s1"})
        await patient.learned()
        before = await anna.known()
        forgotten = await anna.says("Forget what I said about Quixeldra")
        if forgotten["outcome"] == "asked_back":
            forgotten = await anna.says("yes")
        assert forgotten["outcome"] == "done"
        assert "10 minutes" in forgotten["say"]
        receipt = await anna.asks("receipt", {"number": forgotten["forgetting"]})
        assert (receipt["state"], receipt["erase_at"]) == ("waiting", forgotten["erase_at"])
        hidden = [await anna.known(), str(await anna.asks("export", {})), str(await anna.asks("audit", {"everything": True}))]
        hidden.append(str(await anna.asks("context", {"query": "Who keeps zorbifers?", "session_id": "s2"})))
        hidden.append(str(await anna.asks("list", {"as_of": receipt["forgotten_at"]})))
        assert not [text for text in hidden if any(word in text for word in WORDS)]
        await _agree_with_the_log(patient)
        back = await anna.says("No wait, undo that!")
        assert (back["name"], back["outcome"]) == ("take_back", "done")
        assert (await anna.known()).endswith(before)  # the turn that asked is there as well
        context = await anna.asks("context", {"query": "Who keeps zorbifers?", "session_id": "s2"})
        assert "Quixeldra" in context["markdown"]
        assert (await anna.asks("receipt", {"number": forgotten["forgetting"]}))["state"] == "taken_back"
        told = await anna.sends("user_message", {"session_id": "s3", "text": "Quixeldra came to see me."})
        assert (told["verdict"], told.get("held_back")) == ("recorded", False)
        await patient.at_rest()
    live = await stopped_at_rest(patient)
    assert await rebuilt_digests(patient) == live


async def _agree_with_the_log(installation: Installation) -> None:
    """As `memstream verify` compares them."""
    scope = installation.keys.scope_of(Space("home"), User("anna"))
    for service in SERVICES:
        compared = await installation.admin(f"admin.{service}.compare", {"scopes": [scope]})
        assert compared == {"compared": 1, "differing": [], "untold": 0}, service


async def test_after_the_time_it_is_gone_from_every_byte_although_all_was_killed_meanwhile(hasty: Installation) -> None:
    async with hasty.bot() as bot:
        anna = Person(bot)
        await anna.says(SECRET)
        await hasty.learned()
        forgotten = await anna.says("Forget that.")
        await anna.says("thanks")
        for service in SERVICES:
            await hasty.kill(service)
        receipt = await anna.asks("receipt", {"number": forgotten["forgetting"]})
        assert receipt["state"] == "waiting"
        assert found(hasty.files.root, ["zorbifers"])  # it is in the log still
        done = await bot.receipt("anna", forgotten["forgetting"])
        assert done["completed_at"] >= receipt["erase_at"]
        assert (done["scan"]["found"], done["scan"]["places"]) == (0, [])
        assert (await anna.sends("take_back", {}))["code"] == "nothing_waits"
        await hasty.at_rest()
        assert not found(hasty.files.root, WORDS)
    live = await stopped_at_rest(hasty)
    assert not found(hasty.files.root, WORDS)
    assert await rebuilt_digests(hasty) == live


async def test_the_api_a_bot_and_right_now_do_not_wait(patient: Installation) -> None:
    async with patient.bot() as bot:
        for number, (what, payload) in enumerate(
            [
                ("forget", {"query": "Quixeldra"}),
                ("forget_user", {}),
                ("user_message", {"session_id": "s1", "text": "Forget what I said about Quixeldra right now"}),
            ]
        ):
            person = Person(bot, f"user{number}")
            await person.says(SECRET)
            forgotten = await person.says("Forget that.")
            assert (await person.asks("receipt", {"number": forgotten["forgetting"]}))["state"] == "waiting"
            await person.sends(what, payload)
        await patient.at_rest()
        assert not found(patient.files.root, WORDS)


async def test_what_was_taken_back_in_time_stays_although_ingest_was_down_until_after_it(hasty: Installation) -> None:
    async with hasty.bot() as bot:
        anna = Person(bot)
        await anna.says(SECRET)
        await anna.says("Forget that.")
        await hasty.stop_services()
        await bot.send("send.home.anna.user_message", {"session_id": "s1", "text": "Oops, bring it back!"})
        await asyncio.sleep(GRACE_S)
        for service in SERVICES:
            await hasty.start_service(service)
        await hasty.at_rest()
        assert "zorbifers" in await anna.known()
