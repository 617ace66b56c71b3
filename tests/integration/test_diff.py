"""What changed between two moments, asked of the retriever."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.errors import Malformed
from tests.integration.test_as_of import USER, running  # noqa: F401 - a fixture
from tests.support.services import Answering


async def told(running: Answering, what: str, payload: dict[str, object]) -> Any:  # noqa: ANN401, F811
    return await running.bot.outcome(USER, sequence=await running.bot.send(USER, what, payload))


async def changes(running: Answering, **asked: object) -> dict[str, str]:  # noqa: F811
    answer = await running.bot.ask(USER, "diff", asked)
    return {each["memory"]["text"]: each["change"] for each in answer["changes"]}


async def test_what_was_learned_corrected_pinned_and_forgotten_in_between_is_told(running: Answering) -> None:  # noqa: F811
    lake = await told(running, "remember_fact", {"text": "The heron nests by the lake"})
    otter = await told(running, "remember_fact", {"text": "The otter sleeps in the reeds"})
    start = otter.number
    canal = await told(running, "correct_fact", {"memory_id": lake.memory_id, "text": "The heron nests by the canal"})
    await told(running, "pin", {"memory_id": otter.memory_id})
    bream = await told(running, "remember_fact", {"text": "The bream is gone"})
    gone = await told(running, "forget", {"memory_ids": [bream.memory_id], "only": True})
    now = {"min_position": gone.position}
    assert await changes(running, since_number=start, **now) == {
        "The heron nests by the lake": "superseded",
        "The otter sleeps in the reeds": "pinned",
        "The heron nests by the canal": "learned",
    }
    assert (await running.bot.ask(USER, "diff", {"since_number": start, **now}))["forgotten"] == 1
    assert await changes(running, since_number=start, at_number=canal.number) == {
        "The heron nests by the lake": "superseded",
        "The heron nests by the canal": "learned",
    }
    limited = await running.bot.ask(USER, "diff", {"since_number": start, "limit": 1, **now})
    assert (len(limited["changes"]), limited["left_out"]) == (1, 2)
    assert await changes(running, since_number=gone.number, **now) == {}
    with pytest.raises(Malformed, match="exchange"):
        await changes(running, since_number=canal.number, at_number=start)
    with pytest.raises(Malformed):
        await changes(running)
