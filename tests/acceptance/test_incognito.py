"""Promise 4: what is said in an incognito session is in SEND until it is decided, and nowhere after that."""

from __future__ import annotations

from typing import Any

from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation


async def _sent(bot: Bot, what: str, payload: dict[str, Any]) -> dict[str, Any]:
    sequence = await bot.send(f"send.home.anna.{what}", payload)
    return await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 10})


async def _context(bot: Bot, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as the query has it
    return await bot.ask("ask.home.anna.context", {"query": "What is my sister called?", "timeout_s": 20, **fields})


def _told(text: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as the command has it
    return {"session_id": "secret", "text": text, **fields}


async def test_incognito_words_are_in_send_until_decided_and_nowhere_after(installation: Installation) -> None:
    root, words = installation.files.root, ["Quixeldra", "zorbifers", "Snollygoster"]
    async with installation.bot() as bot:
        await _sent(bot, "user_message", {"session_id": "open", "text": "My sister is called Mary."})
        started = await _sent(bot, "start_incognito", {"session_id": "secret"})
        assert started["verdict"] == "recorded"
        await installation.stop_services()
        await bot.send("send.home.anna.user_message", _told("My sister Quixeldra keeps zorbifers.", message_id="m1"))
        assert {place.split("/")[1] for place in found(root, words)} == {"jetstream"}
        for name in ("ingest", "retriever", "maintenance", "consolidator"):
            await installation.start_service(name)
        outcome = await _sent(bot, "agent_response", _told("Quixeldra and her zorbifers!"))
        assert outcome["verdict"] == "not_recorded", outcome
        malformed = await _sent(bot, "user_message", _told("A Snollygoster, too.", typo=1))
        assert malformed["verdict"] == "rejected"
        assert not found(root, words)  # erased one by one, not only purged
        context = await _context(bot, session_id="secret", min_position=started["position"])
        assert (context["items"], context["withheld"]) == ([], "incognito")
        assert (await _context(bot, session_id="other"))["items"]
        fails_closed = await _context(bot, session_id="never", incognito=True)
        assert (fails_closed["items"], fails_closed["withheld"]) == ([], "incognito")
        await _sent(bot, "change_settings", {"settings": {"incognito_default": True}})
        first = await _sent(bot, "user_message", {"session_id": "new", "text": "Hear: Snollygoster."})
        assert (first["verdict"], first["code"]) == ("not_recorded", "incognito")
        answer = await _context(bot, session_id="new", min_position=first["position"])
        assert answer["withheld"] == "incognito"
        await installation.at_rest()
        assert not found(root, words)


async def test_chat_commands_forget_and_switch_and_tell_the_bot_what_came_of_them(installation: Installation) -> None:
    async with installation.bot() as bot:
        await _sent(bot, "user_message", {"session_id": "s1", "text": "My sister Quixeldra keeps zorbifers."})
        await bot.send("send.home.anna.user_message", {"session_id": "s1", "text": "Forget that right now", "message_id": "f1"})
        command = (await _context(bot, session_id="s1", message_id="f1"))["command"]
        assert (command["name"], command["outcome"]) == ("forget_that", "done")
        assert command["say"]
        await bot.send("send.home.anna.user_message", {"session_id": "s1", "text": "Turn memory off", "message_id": "o1"})
        off = await _context(bot, session_id="s1", message_id="o1")
        assert (off["withheld"], off["command"]["outcome"], off["items"]) == ("memory_off", "done", [])
        await _sent(bot, "user_message", {"session_id": "s1", "text": "A Snollygoster is here."})
        await installation.at_rest()
        assert not found(installation.files.root, ["Quixeldra", "zorbifers", "Snollygoster"])
