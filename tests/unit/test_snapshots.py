"""Of an append that a snapshot holds half, nothing is kept; what is purged while a backup is made is noticed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import pytest
from nats.js.errors import NotFoundError

from services.ingest.drain import Purging
from shared.runtime.connection import Client
from shared.runtime.snapshots import drop_half_batch
from tests.support.clocks import LoopTime


@dataclass
class FakeLog:
    """A log of these messages, given by their headers."""

    messages: list[dict[str, str] | None]
    deleted: list[int] = field(default_factory=list)

    def jetstream(self) -> FakeLog:
        return self

    async def stream_info(self, _: str) -> _State:
        return _State(_Last(len(self.messages)))

    async def get_msg(self, _: str, position: int) -> _Message:
        headers = self.messages[position - 1]
        if headers is None:
            raise NotFoundError
        return _Message(headers)

    async def delete_msg(self, _: str, position: int) -> None:
        self.deleted.append(position)


@dataclass
class _Last:
    last_seq: int


@dataclass
class _State:
    state: _Last


@dataclass
class _Message:
    headers: dict[str, str]


def first(batch: str) -> dict[str, str]:
    return {"Nats-Batch-Id": batch}


def last(batch: str) -> dict[str, str]:
    return {"Nats-Batch-Id": batch, "Nats-Batch-Commit": "1"}


ALONE: dict[str, str] = {"Nats-Msg-Id": "x"}


@pytest.mark.parametrize(
    ("messages", "deleted"),
    [
        ([], []),
        ([ALONE], []),
        ([first("a"), last("a")], []),
        ([first("a"), first("a")], [2, 1]),
        ([ALONE, first("a"), first("a"), first("a")], [4, 3, 2]),
        ([first("a"), last("a"), first("b"), first("b")], [4, 3]),
        ([first("a"), None], []),  # what was erased ends nothing
    ],
)
async def test_what_a_snapshot_holds_of_an_unfinished_append_is_dropped(
    messages: list[dict[str, str] | None], deleted: list[int]
) -> None:
    log = FakeLog(messages)
    assert await drop_half_batch(cast("Client", log)) == len(deleted)
    assert log.deleted == deleted


async def test_nothing_is_purged_while_it_is_held_and_a_hold_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    time, purging, purges = LoopTime(monkeypatch), Purging(), 0

    async def purge() -> int:
        nonlocal purges
        purges += 1
        return 7

    before = await purging.hold(0.2)
    assert await purging.unless_held(purge) == 0
    assert await purging.hold(0.1) == before
    await time.passes(0.3)
    assert await purging.unless_held(purge) == 7
    assert purges == 1
    assert await purging.hold(0.1) != before


async def test_another_ingest_answers_otherwise() -> None:
    assert await Purging().hold(1) != await Purging().hold(1)
