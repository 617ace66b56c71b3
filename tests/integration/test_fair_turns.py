"""One person's many messages do not come before one of others, whose lane and slot they share."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from shared.contracts.ids import User
from shared.contracts.queries import Verdict
from shared.contracts.subjects import slot_of
from tests.support.installations import Bot, Installation, events_of, running, texts_of

MANY = 2_000
HOG = "hog"
NEIGHBOUR = next(name for name in map("ben{}".format, count()) if slot_of(User(name)) == slot_of(User(HOG)))
"""Of the same slot, so of the same lane whatever their number."""


async def test_a_message_that_comes_after_two_thousand_of_another_is_decided_among_the_first(
    own_server: Installation, tmp_path: Path
) -> None:
    async with own_server.connected("bot") as client:
        bot = Bot(client, "home")
        last = await _many(bot)
        sequence = await bot.send(NEIGHBOUR, "user_message", {"session_id": "s", "text": "hello"})
        settings = own_server.elsewhere(tmp_path / "1")
        async with running(settings):
            answer = await bot.outcome(NEIGHBOUR, sequence=sequence)
            assert answer.verdict is Verdict.RECORDED
            assert answer.position < MANY // 4
        async with running(settings):  # whatever it had decided out of turn
            assert (await bot.outcome(HOG, sequence=last)).verdict is Verdict.RECORDED
    assert await _texts(own_server, bot, HOG) == [f"message {number}" for number in range(MANY)]
    assert await _texts(own_server, bot, NEIGHBOUR) == ["hello"]


async def test_from_the_log_alone_it_is_known_what_was_decided_out_of_turn(own_server: Installation, tmp_path: Path) -> None:
    async with own_server.connected("bot") as client:
        bot = Bot(client, "home")
        last = await _many(bot)
        sequence = await bot.send(NEIGHBOUR, "user_message", {"session_id": "s", "text": "hello"})
        async with running(own_server.elsewhere(tmp_path / "1")):
            await bot.outcome(NEIGHBOUR, sequence=sequence)
        async with running(own_server.elsewhere(tmp_path / "2")):  # which has no ingest.db
            assert (await bot.outcome(HOG, sequence=last)).verdict is Verdict.RECORDED
            assert (await bot.outcome(NEIGHBOUR, sequence=sequence)).verdict is Verdict.RECORDED
    assert await _texts(own_server, bot, HOG) == [f"message {number}" for number in range(MANY)]
    assert await _texts(own_server, bot, NEIGHBOUR) == ["hello"]


async def test_what_is_said_live_is_decided_before_all_that_was_imported_earlier(
    own_server: Installation, tmp_path: Path
) -> None:
    async with own_server.connected("bot") as client:
        bot = Bot(client, "home")
        turns = [{"role": "user", "session_id": "s", "text": f"past {number}"} for number in range(100)]
        imports = [await bot.send(HOG, "import_turns", {"turns": turns, "message_id": str(number)}) for number in range(5)]
        sequence = await bot.send(NEIGHBOUR, "user_message", {"session_id": "s", "text": "hello"})
        own = await bot.send(HOG, "user_message", {"session_id": "s", "text": "hello too"})
        async with running(own_server.elsewhere(tmp_path / "1")):
            live = await bot.outcome(NEIGHBOUR, sequence=sequence)
            assert (await bot.outcome(HOG, sequence=own)).verdict is Verdict.RECORDED
            past = [await bot.outcome(HOG, sequence=each) for each in imports]
        assert live.verdict is Verdict.RECORDED
        assert live.position < min(each.position for each in past)
    assert (await _texts(own_server, bot, HOG))[-1] == "hello too", "of one person the order is kept"


async def _many(bot: Bot) -> int:
    return [await bot.send(HOG, "user_message", {"session_id": "s", "text": f"message {number}"}) for number in range(MANY)][-1]


async def _texts(installation: Installation, bot: Bot, user: str) -> list[str]:
    scope = installation.keys.scope_of(bot.space, User(user))
    async with installation.connected("operator") as client:
        return texts_of(await events_of(client, scope, user))
