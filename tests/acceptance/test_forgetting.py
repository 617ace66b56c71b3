"""Forgotten is gone: rare words are looked for in every byte under the data folder, before and after."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from services.consolidator.rebuild import rebuild as rebuild_consolidator
from services.ingest.rebuild import rebuild as rebuild_ingest
from services.maintenance.rebuild import rebuild as rebuild_maintenance
from services.retriever.rebuild import rebuild as rebuild_retriever
from shared.runtime.settings import RuntimeSettings
from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation

RARE = ["Quixeldra", "zorbifers", "Bramblethwick"]
_SAID = (
    ("user_message", "Hello, how are you today?"),
    ("user_message", "My sister Quixeldra keeps zorbifers in Bramblethwick."),
    ("agent_response", "Zorbifers! Your sister Quixeldra in Bramblethwick must love them."),
    ("user_message", "I work as a pastry chef in Leeds."),
    ("agent_response", "A pastry chef, lovely."),
)
_REBUILDS: dict[str, Callable[[RuntimeSettings], Awaitable[str]]] = {
    "ingest": rebuild_ingest,
    "retriever": rebuild_retriever,
    "consolidator": rebuild_consolidator,
    "maintenance": rebuild_maintenance,
}


async def _outcome(bot: Bot, user: str, sequence: int) -> dict[str, Any]:
    return await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequence, "timeout_s": 10})


async def _converse(bot: Bot, user: str = "anna") -> None:
    for number, (what, text) in enumerate(_SAID):
        await bot.send(f"send.home.{user}.{what}", {"session_id": "s1", "text": text, "message_id": f"m{number}"})
    # The same id with other words is refused, and kept with its body.
    await bot.send(f"send.home.{user}.user_message", {"session_id": "s1", "text": "Quixeldra again", "message_id": "m0"})
    sequence = await bot.send(f"send.home.{user}.end_session", {"session_id": "s1"})
    await _outcome(bot, user, sequence)


async def _forgotten(bot: Bot, user: str, command: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Send it, and wait for its receipt."""
    outcome = await _outcome(bot, user, await bot.send(f"send.home.{user}.{command}", fields))
    assert outcome["verdict"] == "recorded", outcome
    return await bot.receipt(user, outcome["number"])


async def _facts(bot: Bot, user: str = "anna") -> list[dict[str, Any]]:
    return list((await bot.ask(f"ask.home.{user}.list", {"kinds": ["fact"]}))["items"])


async def test_a_forgotten_fact_is_gone_from_every_byte_and_stays_gone(installation: Installation) -> None:
    root = installation.files.root
    async with installation.bot() as bot:
        await _converse(bot)
        await installation.learned()
        known = await _facts(bot)
        [fact] = [each for each in known if "Quixeldra" in each["text"]]
        context = await bot.ask("ask.home.anna.context", {"query": "Where does Quixeldra live?", "session_id": "s2"})
        assert "Quixeldra" in context["markdown"]
        assert {place.split(":")[0].split("/")[0] for place in found(root, RARE)} >= {"nats", "retriever"}
        preview = await bot.ask("ask.home.anna.forget_preview", {"memory_ids": [fact["memory_id"]]})
        assert {each["why"] for each in preview["memories"]} >= {"named", "states_it"}

        receipt = await _forgotten(bot, "anna", "forget", {"memory_ids": [fact["memory_id"]]})
        assert receipt["scan"]["found"] == 0
        assert receipt["scan"]["rejected"] == 1
        assert receipt["memories"] == len(preview["memories"])
        await installation.rebuilt()
        await _gone(installation, bot)

        digest = (await installation.admin("admin.ingest.digests"))["projection"]
        assert await _rebuilt(installation, "ingest") == digest
        await _gone(installation, bot)
        turns = [
            {"role": "user" if what == "user_message" else "assistant", "session_id": "s1", "text": text}
            for what, text in _SAID
        ]
        with_ids = [turn | {"message_id": f"m{number}"} for number, turn in enumerate(turns)]
        for again in (with_ids, turns):
            outcome = await _outcome(bot, "anna", await bot.send("send.home.anna.import_turns", {"turns": again}))
            assert outcome["verdict"] in {"recorded", "unchanged"}
        await _outcome(bot, "anna", await bot.send("send.home.anna.end_session", {"session_id": "s1"}))
        await installation.learned()
        await _gone(installation, bot)
        assert any("pastry chef" in each["text"] for each in await _facts(bot))


async def test_forgetting_a_user_leaves_no_byte_of_them_and_no_name(installation: Installation) -> None:
    root = installation.files.root
    user = "Grumblethorpe"
    async with installation.bot() as bot:
        await _converse(bot, user)
        await _converse(bot, "ben")
        await installation.learned()
        receipt = await _forgotten(bot, user, "forget_user", {})
        assert receipt["scan"]["found"] == 0
        assert receipt["memories"] >= len(_SAID)
        await installation.rebuilt()
        context = await bot.ask(f"ask.home.{user}.context", {"query": "Quixeldra"})
        assert context["items"] == []
        await installation.at_rest()
        assert not found(root, [user])
        assert (await bot.ask("ask.home.ben.search", {"query": "Quixeldra"}))["items"]
        again = [{"role": "user", "session_id": "s1", "text": text, "message_id": f"m{n}"} for n, (_, text) in enumerate(_SAID)]
        outcome = await _outcome(bot, user, await bot.send(f"send.home.{user}.import_turns", {"turns": again[1:2]}))
        assert outcome["code"] == "forgotten"


async def _gone(installation: Installation, bot: Bot) -> None:
    for query in ("Quixeldra", "zorbifers in Bramblethwick"):
        answer = await bot.ask("ask.home.anna.search", {"query": query})
        assert not [item["text"] for item in answer["items"] for word in RARE if word in item["text"]]
    for item in (await bot.ask("ask.home.anna.list", {"limit": 500}))["items"]:
        assert not any(word.lower() in item["text"].lower() for word in RARE)
    await installation.at_rest()
    assert not found(installation.files.root, RARE)


async def _rebuilt(installation: Installation, service: str) -> str:
    """Stop everything, build every projection anew, start again."""
    await installation.stop_services()
    digests = {name: await rebuild(installation.settings) for name, rebuild in _REBUILDS.items()}
    for name in _REBUILDS:
        await installation.start_service(name)
    await installation.admin("admin.retriever.digests")
    return digests[service]
