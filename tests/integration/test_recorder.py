"""What was recalled reaches ingest: a person's first at once, those of the next second together, what waits when it closes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from services.retriever.recorder import Recorder
from shared.contracts.commands import RecordRecall
from shared.contracts.ids import RecallId, Space, User
from shared.contracts.recalls import MAX_RECALLS, Recall
from shared.contracts.subjects import work_subject
from shared.runtime.connection import Client
from shared.runtime.metrics import RECALLS_LOST
from shared.runtime.topology import SEND
from tests.support.installations import Installation, until

_NEVER_S = 3_600.0


class _Sent(NamedTuple):
    """What SEND has taken."""

    messages: int
    recalls: list[str]  # the ids in them


async def _sent(operator: Client) -> _Sent:
    js = operator.jetstream()
    last = (await js.stream_info(SEND)).state.last_seq
    commands = [RecordRecall.model_validate_json((await js.get_msg(SEND, each)).data or b"") for each in range(1, last + 1)]
    return _Sent(last, [str(recall.recall_id) for command in commands for recall in command.recalls])


def _id(index: int) -> RecallId:
    return RecallId(f"rec_{index:016}")


def _recall(index: int) -> Callable[[], Recall]:
    computed_at = datetime(2026, 5, 4, tzinfo=UTC)
    return lambda: Recall(recall_id=_id(index), at_number=1, computed_at=computed_at, ranking="0" * 16, items=())


def _subject(user: str = "anna") -> str:
    return work_subject(Space("home"), User(user), RecordRecall.what)


async def _until(count: int, operator: Client) -> None:
    async def are_there() -> bool:
        return len((await _sent(operator)).recalls) == count

    await until(are_there, what="the records")


async def test_the_first_goes_at_once_and_the_next_together_when_the_time_of_a_group_is_over(own_server: Installation) -> None:
    recorder = Recorder(group_s=_NEVER_S, pause_s=0.01)
    async with own_server.connected("retriever") as client, own_server.connected("operator") as operator:
        recorder.soon(client, _subject(), _recall(0))
        await _until(1, operator)
        for index in range(1, 6):
            recorder.soon(client, _subject(), _recall(index))
        assert recorder.unsent == 5
        await recorder.close()
        assert recorder.unsent == 0
        assert await _sent(operator) == _Sent(2, [_id(index) for index in range(6)])


async def test_nobody_waits_for_the_group_of_another(own_server: Installation) -> None:
    recorder = Recorder(group_s=_NEVER_S, pause_s=0.01)
    async with own_server.connected("retriever") as client, own_server.connected("operator") as operator:
        for index in range(4):
            recorder.soon(client, _subject(), _recall(index))
            recorder.soon(client, _subject("ben"), _recall(10 + index))
        await _until(8, operator)
        recorder.soon(client, _subject("cleo"), _recall(20))
        recorder.soon(client, _subject(), _recall(4))
        await _until(9, operator)
        assert recorder.unsent == 1
        await recorder.close()
        assert (await _sent(operator)).messages == 4


async def test_after_the_time_of_a_group_the_next_go_by_themselves(own_server: Installation) -> None:
    recorder = Recorder(group_s=0.05, pause_s=0.01)
    async with own_server.connected("retriever") as client, own_server.connected("operator") as operator:
        for index in range(10):
            recorder.soon(client, _subject(), _recall(index))
            await asyncio.sleep(0.005)
        await _until(10, operator)
        assert (await _sent(operator)).messages < 10


async def test_more_than_a_command_holds_go_in_several(own_server: Installation) -> None:
    recorder = Recorder()
    async with own_server.connected("retriever") as client, own_server.connected("operator") as operator:
        for index in range(MAX_RECALLS + 1):
            recorder.soon(client, _subject(), _recall(index))
        await recorder.close()
        assert sorted((await _sent(operator)).recalls) == [_id(index) for index in range(MAX_RECALLS + 1)]
        assert (await _sent(operator)).messages == 2


async def test_a_record_that_no_stream_takes_is_counted_and_the_next_one_goes(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.runtime.sending._PUBLISH_TIMEOUT_S", 0.2)
    recorder = Recorder()
    async with own_server.connected("retriever") as client, own_server.connected("operator") as operator:
        lost = RECALLS_LOST._value.get()
        recorder.soon(client, "work.home.anna.record_nothing", _recall(0))
        recorder.soon(client, "work.home.anna.record_nothing", _recall(1))
        recorder.soon(client, _subject(), _recall(2))
        await recorder.close()
        assert RECALLS_LOST._value.get() == lost + 2
        assert (await _sent(operator)).recalls == [_id(2)]
