"""What a projection remembers of the log, and how another history is told from a log of which something was erased."""

from __future__ import annotations

from typing import Any
from unittest.mock import AsyncMock

import pytest

from shared.contracts.errors import LogDiverged
from shared.runtime import anchors
from shared.runtime.anchors import Anchor, moved, require_same_history


def remembered(count: int) -> dict[int, Anchor]:
    known: dict[int, Anchor] = {}
    for position in range(1, count + 1):
        known |= moved(known, Anchor(position, f"e{position}"))
    return known


def test_the_newest_event_is_always_remembered_and_others_further_and_further_back() -> None:
    known = remembered(100_000)
    ages = sorted(100_000 - anchor.position for anchor in known.values())
    assert ages[0] == 0
    assert all(age < 32**level for level, age in enumerate(ages))
    assert len(set(ages)) == len(ages)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> dict[int, str]:
    """The ids of events by position; what is missing was erased."""
    events: dict[int, str] = {}

    async def at(_: object, position: int) -> str | None:
        return events.get(position)

    monkeypatch.setattr(anchors, "_event_id_at", at)
    return events


_CLIENT: Any = AsyncMock()


async def test_the_same_log_that_has_grown_is_the_same(log: dict[int, str]) -> None:
    log.update({position: f"e{position}" for position in range(1, 300)})
    await require_same_history(_CLIENT, remembered(200).values(), end=299)


async def test_another_event_at_the_place_of_the_newest_is_another_history(log: dict[int, str]) -> None:
    log.update({position: f"e{position}" if position < 150 else "other" for position in range(1, 300)})
    with pytest.raises(LogDiverged):
        await require_same_history(_CLIENT, remembered(200).values(), end=299)


async def test_where_the_newest_was_erased_one_before_it_decides(log: dict[int, str]) -> None:
    known = remembered(200)
    log.update({position: f"e{position}" for position in range(1, 300) if position != 200})
    await require_same_history(_CLIENT, known.values(), end=299)
    second = sorted(known.values())[-2]
    log[second.position] = "other"
    with pytest.raises(LogDiverged):
        await require_same_history(_CLIENT, known.values(), end=299)


async def test_what_lies_beyond_the_end_decides_nothing(log: dict[int, str]) -> None:
    log.update(dict.fromkeys(range(1, 300), "other"))
    await require_same_history(_CLIENT, remembered(200).values(), end=0)
