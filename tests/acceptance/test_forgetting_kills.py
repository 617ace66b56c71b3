"""A forgetting ends with its receipt and without a byte left, wherever its services are killed; live equals rebuilt."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.acceptance.everywhere import found
from tests.acceptance.processes import Installation
from tests.acceptance.settling import rebuilt_digests, stopped_at_rest
from tests.support.installations import until

_ROUNDS = 4
_INDEX_S = 200.0
"""nats-server 2.15 writes a stream's index.db, which names subjects, every two minutes and a bit, not when it is purged."""


async def _kill_at_random(installation: Installation, chance: random.Random) -> None:
    for victim in chance.sample(["ingest", "retriever"], k=chance.choice([1, 2, 2])):
        await asyncio.sleep(chance.uniform(0, 0.25))
        await installation.kill(victim)


@pytest.mark.timeout(900)
async def test_killed_at_any_step_a_forgetting_completes_and_live_equals_rebuilt(installation: Installation) -> None:
    """Every other round forgets a whole user."""
    chance = random.Random(7)
    words = []
    async with installation.bot() as bot:
        for turn in range(_ROUNDS):
            user, word = f"Grumblethorpe{turn}" if turn % 2 else "anna", f"Zorb{'abcdefgh'[turn]}quixeld"
            words.append(word)
            for n in range(12):
                text = f"My cat {word} is number {n} of the cats." if n % 3 else f"Thing {n} has no name in round {turn}."
                sequence = await bot.send(f"send.home.{user}.user_message", {"session_id": f"s{turn}", "text": text})
            await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequence, "timeout_s": 10})
            command, fields = ("forget_user", {}) if turn % 2 else ("forget", {"query": word})
            sequence = await bot.send(f"send.home.{user}.{command}", fields)
            await _kill_at_random(installation, chance)
            outcome = await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequence, "timeout_s": 20})
            assert outcome["verdict"] == "recorded", outcome
            receipt = await bot.receipt(user, outcome["number"])
            assert receipt["scan"]["found"] == 0
            answer = await bot.ask(f"ask.home.{user}.search", {"query": word})
            assert not [item["text"] for item in answer["items"] if word in item["text"]]
        live = await stopped_at_rest(installation)
        assert not found(installation.files.root, words)
        await until(lambda: not found(installation.files.root, ["Grumblethorpe"]), what="the name is gone", within_s=_INDEX_S)
    assert await rebuilt_digests(installation) == live
