"""A secret that somebody tells lies in no byte of any file, whatever it came with; the same one is known again by its mask."""

from __future__ import annotations

import json
from typing import Any

from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation

CARD = "4929 1373 9184 9965"
PLAIN_CARD = CARD.replace(" ", "")
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowZorbiferKey\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ6b3JiaWZlciJ9.c2lnbmF0dXJlWm9yYmlmZXI"
TOLD = {
    "My wifi password is Zorbifer77!": ["password"],
    "meine PIN lautet 739164": ["pin"],
    f"my card is {CARD}, please book it": ["card number"],
    f"the deploy key is\n{PEM}": ["private key"],
    f"use {JWT} for now": ["token"],
    "github token: ghp_Zorbifer0123456789abcdefghijklmnop12": ["key"],
}
SECRETS = ["Zorbifer", "739164", CARD, PLAIN_CARD, JWT.split(".")[1], "sunnyzorb", "882211"]


async def _told(bot: Bot, what: str, payload: dict[str, Any]) -> dict[str, Any]:
    sequence = await bot.send(f"send.home.anna.{what}", payload)
    return await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 10})


async def test_no_secret_lies_in_any_file_by_whatever_route_it_came(installation: Installation) -> None:
    async with installation.bot() as bot:
        for number, (text, kinds) in enumerate(TOLD.items()):
            outcome = await _told(bot, "user_message", {"session_id": "s1", "text": text, "message_id": f"m{number}"})
            assert (outcome["verdict"], outcome["masked"]) == ("recorded", kinds), text
        turns = [{"role": "user", "session_id": "old", "text": text} for text in (*TOLD, "I live in Leeds.")]
        imported = await _told(bot, "import_turns", {"turns": turns})
        assert imported["masked"] == ["password", "pin", "card number", "private key", "token", "key"]
        fact = await _told(bot, "remember_fact", {"text": "The alarm code is 882211", "tags": ["pin 882211"]})
        assert fact["masked"] == ["code", "pin"]
        await _told(bot, "correct_fact", {"memory_id": fact["memory_id"], "text": "The alarm code is 882211 now"})
        replied = {"session_id": "s1", "text": "Done.", "metadata": {"password": "sunnyzorb"}}
        assert (await _told(bot, "agent_response", replied))["masked"] == ["password"]
        refused = await _told(bot, "user_message", {"session_id": "s1", "text": next(iter(TOLD)), "nonsense": 1})
        assert refused["verdict"] == "rejected"
        await bot.ask("ask.home.anna.context", {"query": f"is {CARD} mine, my pin is 739164", "session_id": "s1"})
        ordinary = await _told(bot, "user_message", {"session_id": "s1", "text": "My pin board is 120 cm wide."})
        assert ordinary["masked"] == []
        await _told(bot, "end_session", {"session_id": "s1"})
        await installation.at_rest()
        assert not found(installation.files.root, SECRETS)
        listed = await bot.ask("ask.home.anna.list", {"kinds": ["episode"]})
        assert "My pin board is 120 cm wide." in [item["text"] for item in listed["items"]]


async def test_forgetting_finds_what_was_said_by_the_secret_itself(installation: Installation) -> None:
    async with installation.bot() as bot:
        await _told(bot, "user_message", {"session_id": "s1", "text": "My wifi password is Zorbifer77!"})
        await _told(bot, "user_message", {"session_id": "s1", "text": "My locker code is 882211."})
        for query in ("Zorbifer77", "882211"):
            preview = await bot.ask("ask.home.anna.forget_preview", {"query": query})
            assert len(preview["memories"]) == 1
        outcome = await _told(bot, "forget", {"query": "882211"})
        assert outcome["verdict"] == "recorded"
        await bot.receipt("anna", outcome["number"])
        await installation.at_rest()
        listed = await bot.ask("ask.home.anna.list", {"kinds": ["episode"]})
        assert "locker" not in json.dumps(listed)
        assert "wifi" in json.dumps(listed)
