"""What goes on while something is disturbed. Each is the same whenever it is played: its messages have ids of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias

from tests.acceptance.processes import Bot
from tests.faults.world import World

Activity: TypeAlias = Literal["idle", "import", "consolidation", "forget", "rebuild"]

_PEOPLE = ("anna", "marcus", "zoe")
_GONE = "marcus"
"""Who has everything forgotten, where that is the activity."""
_WORD = "quixelberry"
_TRIES = 100


class Play:
    """The messages of one run, all of which are acknowledged when it is over."""

    def __init__(self, world: World, bot: Bot) -> None:
        self.world = world
        self.bot = bot
        self.sent: dict[str, list[str]] = {}
        """The ids of the turns that were acknowledged, by person, in order."""

    async def before(self) -> None:
        """Something is known of everybody, and learned."""
        await self._of_all(self._introduced)
        await self.world.learned()

    async def during(self, activity: Activity) -> None:
        """Play the activity to its end."""
        play: dict[Activity, Callable[[str], Awaitable[object]]] = {
            "idle": self._nothing,
            "import": self._imported,
            "consolidation": self._conversed,
            "forget": self._forgot,
            "rebuild": self._talked,
        }
        await self._of_all(play[activity])
        if activity == "consolidation":
            await self.world.learned()

    async def after(self, activity: Activity) -> None:
        """Everybody who is still known says something, and is answered with it."""
        await asyncio.gather(*(self._closing(user) for user in _PEOPLE if (activity, user) != ("forget", _GONE)))

    async def _of_all(self, one: Callable[[str], Awaitable[object]]) -> None:
        await asyncio.gather(*map(one, _PEOPLE))

    async def _introduced(self, user: str) -> None:
        await self._import(user, "before", 8)
        await self._turn(user, "talk", f"I grow {_WORD} in my garden.")
        await self._turn(user, "talk", "My sister lives in Oslo.")
        await self._known(user, await self._send(user, "end_session", {"session_id": "talk", "message_id": f"{user}-talk-end"}))

    async def _nothing(self, user: str) -> None:
        del user

    async def _imported(self, user: str) -> None:
        for number in range(4):
            sequence = await self._import(user, f"import{number}", 12)
            await self._send(
                user, "remember_fact", {"message_id": f"{user}-fact{number}", "text": f"{user} owns boat {number}."}
            )
        await self._known(user, sequence)

    async def _conversed(self, user: str) -> None:
        for number in range(3):
            session = f"chat{number}"
            for text in _SAID[number]:
                await self._turn(user, session, text)
            end = await self._send(user, "end_session", {"session_id": session, "message_id": f"{user}-{session}-end"})
        await self._known(user, end)

    async def _forgot(self, user: str) -> None:
        if user == "anna":
            await self._forgotten(user, "forget", {"query": _WORD})
        elif user == _GONE:
            await self._forgotten(user, "forget_user", {})
        else:
            await self._talked(user)

    async def _talked(self, user: str) -> None:
        for number in range(10):
            sequence = await self._turn(user, "beside", f"Beside it {user} says word{number}.")
        await self._known(user, sequence)

    async def _closing(self, user: str) -> None:
        sequence = await self._turn(user, "closing", f"At last {user} says goodbye.")
        position = await self._known(user, sequence)
        answer = await self._answered(user, "search", {"query": "goodbye", "min_position": position, "timeout_s": 4})
        assert any("goodbye" in item["text"] for item in answer["items"]), answer

    async def _forgotten(self, user: str, command: str, fields: dict[str, Any]) -> None:
        sequence = await self._send(user, command, fields | {"message_id": f"{user}-{command}"})
        outcome = await self._outcome(user, sequence)
        assert outcome["verdict"] in {"recorded", "duplicate"}, outcome
        for _ in range(_TRIES):
            receipt = await self.bot.ask(f"ask.home.{user}.receipt", {"number": outcome["number"]})
            if receipt.get("state") == "done":
                assert not receipt["scan"]["found"], receipt
                return
            await asyncio.sleep(0.2)
        raise AssertionError(f"no receipt: {receipt}")

    async def _import(self, user: str, session: str, turns: int) -> int:
        ids = [f"{user}-{session}-{turn}" for turn in range(turns)]
        told = [
            {
                "role": ("user", "assistant")[turn % 2],
                "session_id": session,
                "message_id": ids[turn],
                "occurred_at": f"2026-03-01T10:{turn:02}:00Z",
                "text": f"{user} tells {session} word{session}x{turn}. A long tale about boats and bees.",
            }
            for turn in range(turns)
        ]
        sequence = await self._send(user, "import_turns", {"message_id": f"{user}-{session}", "turns": told})
        self.sent.setdefault(user, []).extend(ids)
        return sequence

    async def _turn(self, user: str, session: str, text: str) -> int:
        known = self.sent.setdefault(user, [])
        message_id = f"{user}-{session}-{len(known)}"
        fields = {"session_id": session, "message_id": message_id, "text": text, "occurred_at": "2026-03-02T10:00:00Z"}
        sequence = await self._send(user, "user_message", fields)
        known.append(message_id)
        return sequence

    async def _send(self, user: str, what: str, payload: dict[str, Any]) -> int:
        return await self.bot.send(f"send.home.{user}.{what}", payload)

    async def _known(self, user: str, sequence: int) -> int:
        """Wait until a message is decided, and everything before it; the position."""
        return int((await self._outcome(user, sequence))["position"])

    async def _outcome(self, user: str, sequence: int) -> dict[str, Any]:
        return await self._answered(user, "outcome", {"sequence": sequence, "timeout_s": 4})

    async def _answered(self, user: str, query: str, payload: dict[str, Any]) -> dict[str, Any]:
        answer = await self.bot.ask(f"ask.home.{user}.{query}", payload)
        assert "error" not in answer, answer
        return answer


_SAID = (
    ("My dog is called Bruno.", "I work as a nurse in Leeds.", "I am allergic to peanuts."),
    ("I play the cello every Sunday.", "My brother Tom lives in Lyon.", "I am learning Greek."),
    ("I moved to Hull in May.", "My favourite colour is teal.", "I keep three hens."),
)
