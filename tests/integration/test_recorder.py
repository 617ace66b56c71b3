"""What was recalled reaches ingest: the first at once, those of a busy moment together, and what waits when it closes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from services.retriever.recorder import Recorder
from shared.contracts.commands import RecordRecall
from shared.contracts.ids import MessageId, Position, RecallId, Space, User
from shared.contracts.subjects import work_subject
from shared.runtime.connection import Client
from shared.runtime.metrics import RECALLS_LOST
from shared.runtime.topology import SEND
from tests.support.installations import Installation, until

_NEVER_S = 3_600.0


async def _sent(operator: Client) -> int:
    return (await operator.jetstream().stream_info(SEND)).state.messages


def _recall(index: int) -> Callable[[], RecordRecall]:
    recall_id = RecallId(f"rec_{index:016}")
    return lambda: RecordRecall(
        message_id=MessageId(recall_id),
        recall_id=recall_id,
        at_number=Position(1),
        computed_at=datetime(2026, 5, 4, tzinfo=UTC),
        ranking="0" * 16,
        items=(),
    )


async def test_the_first_goes_at_once_and_the_next_wait_for_the_end_of_the_pause(own_server: Installation) -> None:
    recorder, subject = Recorder(pause_s=_NEVER_S), work_subject(Space("home"), User("anna"), RecordRecall.what)
    async with own_server.connected("retriever") as client, own_server.connected("operator") as operator:
        recorder.soon(client, subject, _recall(0))

        async def is_there() -> bool:
            return await _sent(operator) == 1

        await until(is_there, what="the first record")
        for index in range(1, 6):
            recorder.soon(client, subject, _recall(index))
        await asyncio.sleep(0.05)
        assert await _sent(operator) == 1
        await recorder.close()
        assert await _sent(operator) == 6


async def test_after_the_pause_the_next_go_by_themselves(own_server: Installation) -> None:
    recorder, subject = Recorder(pause_s=0.01), work_subject(Space("home"), User("anna"), RecordRecall.what)
    async with own_server.connected("retriever") as client, own_server.connected("operator") as operator:
        for index in range(10):
            recorder.soon(client, subject, _recall(index))
            await asyncio.sleep(0.005)

        async def are_there() -> bool:
            return await _sent(operator) == 10

        await until(are_there, what="all records")


async def test_a_record_that_no_stream_takes_is_counted_and_the_next_one_goes(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.runtime.sending._PUBLISH_TIMEOUT_S", 0.2)
    recorder, subject = Recorder(), work_subject(Space("home"), User("anna"), RecordRecall.what)
    async with own_server.connected("retriever") as client, own_server.connected("operator") as operator:
        lost = RECALLS_LOST._value.get()
        recorder.soon(client, "work.home.anna.record_nothing", _recall(0))
        recorder.soon(client, subject, _recall(1))
        await recorder.close()
        assert RECALLS_LOST._value.get() == lost + 1
        assert await _sent(operator) == 1
