"""How far the retriever says that it has come: never past an event that is in no file yet."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import sentinel

import pytest

from services.retriever import scope_rebuild
from services.retriever.projection import RetrieverProjection
from services.retriever.scope_rebuild import ScopeRebuilds
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from shared.contracts.ids import Position
from shared.runtime.projector import Recorded
from tests.support.commands import user_says
from tests.support.paper import PaperLog


@pytest.fixture
def records() -> Sequence[Recorded]:
    log = PaperLog()
    for number in range(4):
        log.tell(user_says(f"number {number}"))
    return log.records


def saved(memories: MemoryFolder) -> int:
    return RetrieverProjection(memories, pending_events=99).checkpoint().position


def test_the_checkpoint_moves_with_the_next_events_or_with_a_flush(memories: MemoryFolder, records: Sequence[Recorded]) -> None:
    projection = RetrieverProjection(memories, pending_events=99)
    assert not projection.is_to_flush
    projection.apply(records[:1], records[0].position)
    projection.flush()  # its file is open from here on
    assert (saved(memories), projection.is_to_flush) == (records[0].position, False)
    projection.apply(records[1:2], records[1].position)
    assert (saved(memories), projection.is_to_flush) == (records[0].position, True)
    projection.apply(records[2:3], records[2].position)
    assert saved(memories) == records[1].position
    projection.flush()
    assert (saved(memories), projection.is_to_flush) == (records[2].position, False)


def test_it_stays_before_what_waits_for_its_file(memories: MemoryFolder, records: Sequence[Recorded]) -> None:
    projection = RetrieverProjection(memories, pending_events=99)
    projection.apply(records[:2], records[1].position)
    projection.apply([], Position(99))
    assert (saved(memories), projection.is_to_flush) == (records[0].position - 1, True)
    projection.flush()
    assert (saved(memories), projection.is_to_flush) == (99, False)


def test_after_a_crash_the_same_events_come_again_and_change_nothing(
    memories: MemoryFolder, records: Sequence[Recorded]
) -> None:
    RetrieverProjection(memories, pending_events=1).apply(records, records[-1].position)
    before = memories.each_file(lambda file: file.digest())
    again = RetrieverProjection(memories, pending_events=99)
    again.apply(records[1:], records[-1].position)
    again.flush()
    assert memories.each_file(lambda file: file.digest()) == before
    assert saved(memories) == records[-1].position


def test_whoever_reads_while_events_are_applied_waits_for_the_file(
    memories: MemoryFolder, records: Sequence[Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index takes them in first: in between the file looked as if it were behind, and was read from the log again."""
    projection, scope = RetrieverProjection(memories, pending_events=99), records[0].scope
    projection.apply(records[:1], records[0].position)
    projection.flush()
    in_between, save = threading.Event(), memories.index.save

    def slowly_saved(*arguments: Any, **named: Any) -> None:  # noqa: ANN401 - what `save` takes
        save(*arguments, **named)
        in_between.set()
        time.sleep(0.2)

    monkeypatch.setattr(memories.index, "save", slowly_saved)
    with ThreadPoolExecutor(1) as pool:
        applied = pool.submit(projection.apply, records[1:], records[-1].position)
        assert in_between.wait(timeout=30)
        with memories.reading(scope) as file:
            assert file is not None
            assert file.number == records[-1].event.number
        applied.result(timeout=30)


@pytest.mark.parametrize("built", [3, 4])
def test_a_replaced_file_is_read_from_the_log_again_only_where_it_lacks_something(
    memories: MemoryFolder, records: Sequence[Recorded], built: int
) -> None:
    scope = records[0].scope
    RetrieverProjection(memories, pending_events=1).apply(records, records[-1].position)
    fresh = memories.beside(scope)
    fresh.apply(records[:built])
    memories.replace(scope, fresh)
    if built < len(records):
        with pytest.raises(FileBehind), memories.reading(scope):
            pass
        memories.repair(scope, records[built:])
    with memories.reading(scope) as file:
        assert file is not None
        assert file.number == records[-1].event.number


async def test_what_comes_while_a_file_is_made_anew_is_in_it_before_the_request_is_dropped(
    memories: MemoryFolder, records: Sequence[Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    *first, last = records
    projection, scope = RetrieverProjection(memories, pending_events=1), last.scope
    projection.apply(first, first[-1].position)
    with memories.index.transaction() as db:
        memories.index.ask_rebuild(db, scope)

    async def batches(*_: object, **_aside: object) -> AsyncIterator[list[Recorded]]:
        yield list(first)
        projection.apply([last], last.position)

    async def read(*_: object, after: int, **_aside: object) -> list[Recorded]:
        assert memories.index.scopes_to_rebuild()
        return [each for each in records if each.position > after]

    monkeypatch.setattr(scope_rebuild, "scope_batches", batches)
    monkeypatch.setattr(scope_rebuild, "read_scope", read)
    await ScopeRebuilds(memories).rebuild_requested(sentinel.client, scope)
    assert not memories.index.scopes_to_rebuild()
    with memories.reading(scope) as file:
        assert file is not None
        assert file.number == last.event.number
