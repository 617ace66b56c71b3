"""After a person is forgotten no file holds any name of theirs: running, stopped, and whatever was killed meanwhile."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation
from tests.acceptance.settling import rebuilt_digests, stopped_at_rest
from tests.support.installations import until

_USER = "grumble.thorpe@mail"
_TOKEN = "grumble%2Ethorpe@mail"
_MISSPELT = ("grumble%2Ethorpe%40mail", "grumble%2ethorpe@mail", "%67rumble%2Ethorpe@mail")
_SESSION, _OTHER, _HIDDEN = "Wimblechat +49 170 5550123", "Zankelchat", "Quonkelchat"
_GONE = [
    *("grumble.thorpe", "grumble%2Ethorpe", "grumble%2ethorpe", "rumble%2Ethorpe"),
    *("Wimblechat", "5550123", "Zankelchat", "Quonkelchat"),
    *("Fizzlemsg", "Yodelmsg", "Krumplecorr", "Drondlecorr", "Snorvelspeaker", "Blenkeltag", "Quixeldra", "Misspelledra"),
]
_MORE = [
    *("Prumblemeta", "Prumblekey", "Prumblesource", "Prumbleimport", "Prumblemoved", "Prumbleasked", "Prumblegrace"),
    *("Prumbleback", "Prumbleheld", "Prumblefield", "Prumblejson", "Prumblewide", "Prumbletype", "Prumblerun", "Prumblequery"),
]
_INDEX_S = 200.0
"""nats-server 2.15 writes a stream's index.db, which names subjects, every two minutes and a bit."""


async def _sent(bot: Bot, what: str, payload: dict[str, Any], *, token: str = _TOKEN, **headers: str) -> int:
    named = {f"Memstream-{name.title()}": value for name, value in headers.items()}
    ack = await bot.client.jetstream().publish(f"send.home.{token}.{what}", json.dumps(payload).encode(), headers=named or None)
    return ack.seq


async def _live(bot: Bot) -> None:
    """Leave every kind of name in every place that takes one."""
    said = {"session_id": _SESSION, "text": "My sister Quixeldra lives in Leeds.", "speaker": "Snorvelspeaker"}
    await _sent(bot, "user_message", {**said, "message_id": "Fizzlemsg-1"}, correlation="Krumplecorr-1")
    await _sent(bot, "agent_response", {"session_id": _SESSION, "text": "Quixeldra, lovely."})
    await _sent(bot, "remember_fact", {"text": "Quixeldra likes tea.", "tags": ["Blenkeltag"], "session_id": _SESSION})
    await _sent(bot, "user_message", {"session_id": _OTHER, "text": "I work in Leeds.", "message_id": "Yodelmsg-2"})
    await _sent(bot, "start_incognito", {"session_id": _HIDDEN})
    await _sent(bot, "user_message", {"session_id": _HIDDEN, "text": "Misspelledra is a secret."})
    for token in _MISSPELT:
        await _sent(bot, "user_message", {"session_id": _SESSION, "text": "Misspelledra came."}, token=token)
    sequence = await _sent(bot, "user_message", {**said, "message_id": "Fizzlemsg-1", "text": "Quixeldra again"})  # refused
    await bot.ask(f"ask.home.{_TOKEN}.outcome", {"sequence": sequence, "timeout_s": 10})
    await bot.client.publish(f"work.home.{_TOKEN}.violation", b"")  # refused by the server, which notes it
    await bot.client.flush()


async def _live_more(bot: Bot) -> None:
    """Leave names in what only few bots send, in what is refused in other ways, in questions, and in what can be taken back."""
    metadata = {"Prumblekey": [{"deep": "Prumblemeta"}]}
    await _sent(bot, "agent_response", {"session_id": _SESSION, "text": "I see.", "metadata": metadata})
    await _sent(bot, "remember_fact", {"text": "I own a boat.", "source_ids": ["Prumblesource.pdf"]})
    turns = [{"role": "user", "session_id": "Prumbleimport", "text": "Prumblemoved is a cat.", "message_id": "Prumbleimport-1"}]
    await _sent(bot, "import_turns", {"turns": turns})
    for text in ("My goat Prumbleasked is old.", "Prumbleasked bit me.", "Forget what I said about Prumbleasked."):
        await _sent(bot, "user_message", {"session_id": _OTHER, "text": text})
    for name in ("Prumblegrace", "Prumbleback"):
        await _sent(bot, "user_message", {"session_id": "Zankelchat-2", "text": f"My parrot {name} sings."})
        await _sent(bot, "user_message", {"session_id": "Zankelchat-2", "text": "Forget that."})
    await _sent(bot, "user_message", {"session_id": "Zankelchat-2", "text": "Undo that."})
    await _sent(bot, "user_message", {"session_id": "Zankelchat-2", "text": "Prumblegrace sings again, Prumbleheld."})
    await _sent(bot, "user_message", {"session_id": "x", "text": "hi", "Prumblefield": 1})
    await _sent(bot, "prumbletype", {"text": "hi"})
    await _sent(bot, "undo", {"run_id": "Prumblerun"})
    for payload in (b'{"text": "Prumblejson', "Prumblewide".encode("utf-16-le")):
        await bot.client.jetstream().publish(f"send.home.{_TOKEN}.user_message", payload)
    for query in ({"query": "Prumblequery", "session_id": "Prumblequery"}, {"Prumblequery": 1}):
        await bot.ask(f"ask.home.{_TOKEN}.context", query)


async def _forgotten(bot: Bot, *kill: str, installation: Installation) -> dict[str, Any]:
    sequence = await _sent(bot, "forget_user", {}, correlation="Drondlecorr-9", actor="Snorvelspeaker")
    for victim in kill:
        await asyncio.sleep(0.05)
        await installation.kill(victim)
    outcome = await bot.ask(f"ask.home.{_TOKEN}.outcome", {"sequence": sequence, "timeout_s": 20})
    return await bot.receipt(_TOKEN, outcome["number"])


@pytest.mark.timeout(400)
@pytest.mark.parametrize("kill", [(), ("ingest", "retriever"), ("maintenance", "consolidator", "ingest")], ids="-".join)
async def test_after_forget_user_no_name_is_in_any_file(installation: Installation, kill: tuple[str, ...]) -> None:
    root = installation.files.root
    async with installation.bot() as bot:
        with installation.standing_still("ingest"):  # which has it purged from SEND at once
            await _sent(bot, "user_message", {"session_id": _SESSION, "text": "Misspelledra came."}, token=_MISSPELT[0])
            undecided = found(root, ["Misspelledra"])
        await _live_more(bot)
        await _live(bot)
        await installation.learned()
        before = " ".join([*undecided, *found(root, [*_GONE, *_MORE])])
        assert all(word in before for word in ("nats-server.log", "Quonkelchat", "Blenkeltag", "Misspelledra"))
        assert "Krumplecorr" not in before, "a correlation that is no UUID is kept as a hash"
        assert all(word in before for word in ("Prumblemeta", "Prumblesource", "Prumblemoved", "Prumbleback", "Prumbleheld"))
        receipt = await _forgotten(bot, *kill, installation=installation)
        assert receipt["scan"]["found"] == 0
        await installation.at_rest()
    gone = [*_GONE, *_MORE]
    await until(lambda: not found(root, gone), what="no name is in any file", within_s=_INDEX_S)
    live = await stopped_at_rest(installation)
    assert not found(root, gone)
    assert await rebuilt_digests(installation) == live
