"""What was forgotten comes back neither by its bot nor by its person within the time, in no answer and in no file."""

from __future__ import annotations

from typing import Any

from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation

TOLD = "My parrot Quibbleton only eats mangoes."


async def _told(bot: Bot, what: str, payload: dict[str, Any]) -> dict[str, Any]:
    sequence = await bot.send(f"send.home.anna.{what}", payload)
    return await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 10})


async def _answers(bot: Bot, **more: object) -> str:
    query = {"query": "What does the parrot Quibbleton eat, mangoes?"}
    return str([await bot.ask("ask.home.anna.context", query), await bot.ask("ask.home.anna.search", query | more)])


async def test_what_was_forgotten_stays_out_of_every_answer(installation: Installation) -> None:
    async with installation.bot() as bot:
        await _told(bot, "user_message", {"session_id": "s0", "text": "My brother Ole has a parrot, too: Rex."})
        told = await _told(bot, "user_message", {"session_id": "s1", "text": TOLD})
        assert "Quibbleton" in await _answers(bot, min_position=told["position"])
        await _told(bot, "forget", {"query": "quibbleton"})
        echo = await _told(bot, "agent_response", {"session_id": "s1", "text": "Mangoes for Quibbleton, zimplequark!"})
        assert (echo["verdict"], echo["code"]) == ("not_recorded", "forgotten")
        again = await _told(
            bot, "user_message", {"session_id": "s2", "text": "I think Quibbleton the parrot eats mangoes again."}
        )
        assert (again["verdict"], again["held_back"]) == ("recorded", True)
        await _told(bot, "end_session", {"session_id": "s2"})
        at = {"min_position": again["position"]}
        shown = await _answers(bot, **at)
        assert "Ole" in shown
        assert "mangoes again" not in shown
        named = [await bot.ask(f"ask.home.anna.{query}", {}) for query in ("entities", "summary")]
        assert "Quibbleton" not in str(named)
        assert "mangoes again" in str(await bot.ask("ask.home.anna.list", {"status": "retired"}))
        saved = await _told(bot, "remember_fact", {"text": "Quibbleton the parrot eats papayas"})
        assert saved["lifted"]
        assert "papayas" in await _answers(bot, min_position=saved["position"])
    assert found(installation.files.root, ["zimplequark"]) == []
