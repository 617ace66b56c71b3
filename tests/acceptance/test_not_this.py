"""What a person asks not to keep rests nowhere, nor does the bot's answer; look-alikes are ordinary turns."""

from __future__ import annotations

from typing import Any

import pytest

from shared.chat.reading import read_chat_command
from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation

PRIVATE = [
    "dont remember this: im seeing a therapist about zorbifers",
    "don't save this but my boss collects zorbifers",
    "off the record: I stole the zorbifers",
    "between us, dont write this down, zorbifers are overrated",
    "please do not store this, I owe him nine zorbifers",
    "My salary is nine zorbifers, don't save that",
    "I sold the zorbifers. Please don't remember that.",
    "this stays between you and me: the zorbifers are fake",
    "I'm the zorbifers man, keep that between us",
    "pls dont log this... my ex came back for the zorbifers",
    "I owe him 400 zorbifers (don't note that)",
    "Don't write this down anywhere. I hate zorbifers.",
    "I was fired over zorbifers. And don't you dare save that",
    "my weight is 120 zorbifers pls dont save that lol",
    "can you not save this? i had the zorbifers removed",
]
LONG = [
    "dont remember this: " + "the zorbifers go on and on " * 60,
    "the zorbifers go on and on " * 60 + ", but don't save that",
]
LOOK_ALIKES = [
    "I don't remember where I parked the zorbifers",
    "she said: don't save this file of zorbifers",
    "Don't save this zorbifers file to the desktop, use the other drive",
    "I never write zorbifers down",
    "How do I make Word not save zorbifers automatically?",
    "My mum says off the record she likes zorbifers",
    "it's between us and the zorbifers now",
    "We keep this between the two zorbifers",
]


async def _said(bot: Bot, what: str, text: str, session: str = "s1", **more: object) -> dict[str, Any]:
    payload = {"session_id": session, "text": text, **more}
    sequence = await bot.send(f"send.home.anna.{what}", payload)
    return await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 10})


@pytest.mark.parametrize("text", [*PRIVATE, *LONG])
def test_a_request_not_to_keep_a_turn_is_read(text: str) -> None:
    read = read_chat_command(text)
    assert read is not None
    assert (read.name, read.is_sure) == ("not_this", True)


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_is_an_ordinary_turn(text: str) -> None:
    read = read_chat_command(text)
    assert read is None or read.name not in {"not_this", "not_next"}


async def test_what_is_not_to_be_kept_is_nowhere_and_the_bot_can_say_so(installation: Installation) -> None:
    async with installation.bot() as bot:
        for number, text in enumerate(PRIVATE):
            outcome = await _said(bot, "user_message", text, message_id=f"m{number}")
            assert (outcome["verdict"], outcome["code"]) == ("not_recorded", "not_this"), text
            reply = await _said(bot, "agent_response", "I see, the zorbifers.", message_id=f"a{number}")
            assert (reply["verdict"], reply["code"]) == ("not_recorded", "not_this")
            context = await bot.ask("ask.home.anna.context", {"query": text, "session_id": "s1", "message_id": f"m{number}"})
            assert context["command"]["name"] == "not_this"
            assert context["command"]["say"] == "All right, I do not keep that."
        kept = await _said(bot, "user_message", "I live in Leeds.")
        assert kept["verdict"] == "recorded"
        answer = await _said(bot, "agent_response", "Leeds is nice.")
        assert answer["verdict"] == "recorded"
        await installation.at_rest()
        assert not found(installation.files.root, ["zorbifers"])
        listed = await bot.ask("ask.home.anna.list", {"kinds": ["episode"]})
        assert [item["text"] for item in listed["items"]] == ["Leeds is nice.", "I live in Leeds."]


async def test_an_announcement_withholds_the_next_turn_only(installation: Installation) -> None:
    async with installation.bot() as bot:
        announced = await _said(bot, "user_message", "Don't remember what I say next.")
        assert announced["verdict"] == "recorded"
        assert (await _said(bot, "user_message", "I sold the zorbifers."))["code"] == "not_this"
        assert (await _said(bot, "agent_response", "The zorbifers!"))["code"] == "not_this"
        assert (await _said(bot, "user_message", "I live in Leeds."))["verdict"] == "recorded"
        await installation.at_rest()
        assert not found(installation.files.root, ["zorbifers"])


async def test_an_import_leaves_out_what_was_not_to_be_kept(installation: Installation) -> None:
    async with installation.bot() as bot:
        turns = [{"role": "user", "session_id": "old", "text": text} for text in (PRIVATE[0], "I live in Leeds.")]
        sequence = await bot.send("send.home.anna.import_turns", {"turns": turns})
        await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 10})
        await installation.at_rest()
        assert not found(installation.files.root, ["zorbifers"])
