"""Every event once and in order, whatever happens to the server and the consumer."""

import asyncio
import contextlib
import threading
from collections.abc import Sequence

import pytest
from nats.aio.client import Client
from nats.js.api import ConsumerInfo

from shared.contracts.errors import Unavailable
from shared.contracts.ids import EventId, Position, Scope, Slot
from shared.contracts.subjects import memory_subject, scope_filter, slot_filter
from shared.runtime.eventlog.append import NewEvent, append
from shared.runtime.eventlog.read import LogReader
from shared.runtime.ids import new_token
from shared.runtime.projector import Checkpoint, Projector, Recorded
from shared.runtime.tasks import end
from tests.support.installations import PATIENCE_S, Installation, last_position, until


@pytest.fixture
def nats_server(scratch_server: Installation) -> Installation:
    return scratch_server


async def fill(client: Client, count: int, *, scope: Scope | None = None, slot: int = 1, first: int = 0) -> Scope:
    """Append `count` events whose data are their numbers."""
    scope = scope or Scope(new_token())
    events = [
        NewEvent(memory_subject(Slot(slot), scope, "test"), EventId(new_token()), str(number).encode())
        for number in range(first, first + count)
    ]
    for start in range(0, count, 1000):
        await append(client, events[start : start + 1000])
    return scope


async def read(reader: LogReader) -> list[int]:
    return [int(record.data) async for batch in reader.to_end() for record in batch]


async def test_five_thousand_events_are_read_complete_and_in_order(writer: Client) -> None:
    scope = await fill(writer, 5_000)
    reader = LogReader(writer, subjects=[scope_filter(Slot(1), scope)])
    assert await read(reader) == list(range(5_000))
    assert reader.pending == 0


@pytest.mark.parametrize("batch", [1, 7, 1000])
async def test_batches_are_no_larger_than_asked_for(writer: Client, batch: int) -> None:
    scope = await fill(writer, 50)
    reader = LogReader(writer, subjects=[scope_filter(Slot(1), scope)], batch=batch)
    sizes = [len(records) async for records in reader.to_end()]
    assert sum(sizes) == 50
    assert max(sizes) <= batch


async def test_reading_begins_after_a_position(writer: Client) -> None:
    scope = await fill(writer, 10)
    subjects = [scope_filter(Slot(1), scope)]
    records = [record async for batch in LogReader(writer, subjects=subjects).to_end() for record in batch]
    assert await read(LogReader(writer, after=records[3].position, subjects=subjects)) == list(range(4, 10))


async def test_the_end_of_an_empty_log_is_reached_at_once(writer: Client) -> None:
    assert await read(LogReader(writer, subjects=[scope_filter(Slot(1), Scope(new_token()))])) == []
    end = await last_position(writer)
    assert await read(LogReader(writer, after=end)) == []


async def test_filters_choose_scopes_and_slots(writer: Client) -> None:
    one, other = await fill(writer, 3, slot=61), await fill(writer, 4, slot=62)
    both = [scope_filter(Slot(61), one), scope_filter(Slot(62), other)]
    assert len(await read(LogReader(writer, subjects=both))) == 7
    assert len(await read(LogReader(writer, subjects=both[:1]))) == 3
    records = [r async for batch in LogReader(writer, subjects=[slot_filter(Slot(62))]).to_end() for r in batch]
    assert [record.scope for record in records] == [other] * 4


async def test_events_that_were_erased_are_passed_over(own_server: Installation) -> None:
    async with own_server.connected("ingest") as client, own_server.connected("operator") as operator:
        await fill(client, 20)
        for position in (1, 5, 6, 20):
            await operator.jetstream().delete_msg("MEMORY", position)
        assert await read(LogReader(client)) == [n for n in range(20) if n + 1 not in {1, 5, 6, 20}]


async def test_what_is_erased_while_it_is_read_to_the_end_is_not_waited_for(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.runtime.eventlog.read._SILENCE_S", 0.3)
    async with own_server.connected("ingest") as client, own_server.connected("operator") as operator:
        await fill(client, 3)
        reader = LogReader(client)
        begin = reader._begin

        async def begun_then_erased() -> ConsumerInfo | None:
            found = await begin()
            if found:
                for position in (1, 2, 3):
                    await operator.jetstream().delete_msg("MEMORY", position)
            return found

        monkeypatch.setattr(reader, "_begin", begun_then_erased)
        async with asyncio.timeout(PATIENCE_S):
            assert await read(reader) == []


class Follower:
    """Follows the log in the background."""

    def __init__(self, reader: LogReader) -> None:
        self.read: list[int] = []
        self._reader = reader
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async for batch in self._reader.batches():
            self.read += [int(record.data) for record in batch]

    async def reach(self, count: int) -> None:
        await until(lambda: len(self.read) >= count or self._task.done(), what=f"{count} events, read {len(self.read)}")
        if self._task.done():
            self._task.result()

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_following_gets_what_comes_later(writer: Client) -> None:
    scope = await fill(writer, 5)
    follower = Follower(LogReader(writer, subjects=[scope_filter(Slot(1), scope)]))
    await follower.reach(5)
    await fill(writer, 5, scope=scope, first=5)
    await follower.reach(10)
    await follower.stop()
    assert follower.read == list(range(10))


async def test_following_begins_behind_what_was_read_to_the_end(writer: Client) -> None:
    scope = await fill(writer, 5)
    reader = LogReader(writer, subjects=[scope_filter(Slot(1), scope)])
    assert await read(reader) == list(range(5))
    follower = Follower(reader)
    await fill(writer, 5, scope=scope, first=5)
    await until(lambda: 9 in follower.read)
    await follower.stop()
    assert follower.read == list(range(5, 10))


async def test_following_goes_on_after_a_restart_of_the_server(own_server: Installation) -> None:
    async with own_server.connected("ingest") as client, own_server.connected("retriever") as reading:
        scope = await fill(client, 2_500)
        follower = Follower(LogReader(reading, batch=100))
        await follower.reach(200)
        for restart in range(2):
            await own_server.server.stop()
            await own_server.server.start()
            await connected(client)
            await fill(client, 500, scope=scope, first=2_500 + 500 * restart)
        await follower.reach(3_500)
        await follower.stop()
    assert follower.read == list(range(3_500))


async def connected(client: Client) -> None:
    """The connection came back, and the streams with it."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with contextlib.suppress(Exception):
                await client.jetstream(timeout=1).stream_info("MEMORY")
                return
            await asyncio.sleep(0.02)


async def test_following_goes_on_when_its_consumer_is_deleted(own_server: Installation) -> None:
    async with own_server.connected("ingest") as client, own_server.connected("operator") as operator:
        scope = await fill(client, 300)
        follower = Follower(LogReader(client, batch=50))
        await follower.reach(300)
        js = operator.jetstream()
        for round_ in range(1, 4):
            for consumer in await js.consumers_info("MEMORY"):
                await js.delete_consumer("MEMORY", consumer.name)
            await fill(client, 10, scope=scope, first=290 + 10 * round_)
            await follower.reach(300 + 10 * round_)
        await follower.stop()
    assert follower.read == list(range(330))


async def test_a_reader_that_ends_leaves_no_consumer_behind(own_server: Installation) -> None:
    async with own_server.connected("ingest") as client, own_server.connected("operator") as operator:
        await fill(client, 10)
        assert len(await read(LogReader(client))) == 10
        follower = Follower(LogReader(client))
        await follower.reach(10)
        await follower.stop()
        assert await operator.jetstream().consumers_info("MEMORY") == []


async def test_a_reader_that_came_to_the_end_has_left_no_consumer_behind(own_server: Installation) -> None:
    """Even where the connection is closed at once, as the command line does it."""
    async with own_server.connected("operator") as operator:
        async with own_server.connected("ingest") as client:
            await fill(client, 10)
            assert len(await read(LogReader(client))) == 10
        assert await operator.jetstream().consumers_info("MEMORY") == []


async def test_a_slow_reader_is_not_flooded(own_server: Installation) -> None:
    async with own_server.connected("ingest") as client:
        await fill(client, 3_000)
        reader = LogReader(client, batch=10)
        async for _ in reader.batches():
            await asyncio.sleep(0.05)
            break
        assert reader.pending > 2_900


async def test_a_log_that_does_not_exist_is_not_waited_for(own_server: Installation) -> None:
    async with own_server.connected("operator") as operator, own_server.connected("ingest") as client:
        await operator.jetstream().delete_stream("MEMORY")
        with pytest.raises(Unavailable):
            await read(LogReader(client))


class _Slow:
    """A projection that is told when it may go on, and keeps nothing."""

    name = "slow"

    def __init__(self, position: int) -> None:
        self.is_begun, self.may_end = threading.Event(), threading.Event()
        self._position = position

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self._position, None)

    def adopt(self, log_id: str) -> None: ...

    def apply(self, _: Sequence[Recorded], __: Position) -> None:
        self.is_begun.set()
        assert self.may_end.wait(timeout=30)

    def quarantine(self, *_: object) -> None: ...


async def test_a_projector_that_ends_at_work_leaves_no_subscription_behind(nats_server: Installation, writer: Client) -> None:
    projection = _Slow(await last_position(writer))
    async with nats_server.connected("retriever") as client:
        before = set(client._subs)
        task = asyncio.create_task(Projector(client, projection).run())
        await fill(writer, 3)
        await asyncio.to_thread(projection.is_begun.wait, 30)
        await fill(writer, 3)  # comes while nobody reads
        ending = asyncio.create_task(end([task]))
        await asyncio.sleep(0.1)
        projection.may_end.set()
        await ending
        left = set(client._subs) - before
        assert {sid for sid in left if client._subs[sid]._cb is None} == set()
