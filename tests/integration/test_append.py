"""The port to the log, on the real server: expected version, ids, all or nothing."""

import pytest
from nats.aio.client import Client

from shared.contracts.errors import Unavailable, VersionConflict
from shared.contracts.ids import EventId, Scope, Slot
from shared.contracts.subjects import memory_subject, scope_filter
from shared.runtime.eventlog import append as append_module
from shared.runtime.eventlog.append import MAX_BATCH, Expected, NewEvent, append
from shared.runtime.eventlog.read import LogReader
from shared.runtime.ids import new_token
from tests.support.installations import Installation, last_position

SLOT = Slot(3)


@pytest.fixture
def nats_server(scratch_server: Installation) -> Installation:
    return scratch_server


@pytest.fixture
def scope() -> Scope:
    return Scope(new_token())


def event(scope: Scope, *, expected: int | None = None, event_id: str | None = None, data: bytes = b"{}") -> NewEvent:
    version = None if expected is None else Expected(scope_filter(SLOT, scope), expected)
    return NewEvent(memory_subject(SLOT, scope, "test"), EventId(event_id or new_token()), data, version)


async def count(client: Client, scope: Scope) -> int:
    reader = LogReader(client, subjects=[scope_filter(SLOT, scope)])
    return sum([len(batch) async for batch in reader.to_end()])


async def test_one_event_is_appended_at_the_end(writer: Client, operator: Client, scope: Scope) -> None:
    (position,) = await append(writer, [event(scope, expected=0, data=b"hello")])
    assert position == await last_position(operator)
    stored = await operator.jetstream().get_msg("MEMORY", position)
    assert (stored.data, stored.subject) == (b"hello", f"memory.3.{scope}.test")


@pytest.mark.parametrize("size", [2, 10, MAX_BATCH])
async def test_many_events_are_appended_in_order_without_another_between(writer: Client, scope: Scope, size: int) -> None:
    events = [event(scope, data=str(n).encode(), expected=0 if n == 0 else None) for n in range(size)]
    positions = await append(writer, events)
    assert positions == list(range(positions[0], positions[0] + size))
    reader = LogReader(writer, subjects=[scope_filter(SLOT, scope)])
    records = [record async for batch in reader.to_end() for record in batch]
    assert [(r.position, r.data) for r in records] == [(p, str(n).encode()) for n, p in enumerate(positions)]


@pytest.mark.parametrize("size", [0, MAX_BATCH + 1])
async def test_no_event_or_too_many_are_refused(writer: Client, scope: Scope, size: int) -> None:
    with pytest.raises(ValueError, match="1 to 1000 events"):
        await append(writer, [event(scope)] * size)
    assert await count(writer, scope) == 0


async def test_a_decision_on_the_newest_event_is_appended(writer: Client, scope: Scope) -> None:
    (first,) = await append(writer, [event(scope, expected=0)])
    (second,) = await append(writer, [event(scope, expected=first)])
    assert second > first


@pytest.mark.parametrize("size", [1, 3])
async def test_a_decision_on_an_older_event_is_refused(writer: Client, scope: Scope, size: int) -> None:
    (first,) = await append(writer, [event(scope, expected=0)])
    await append(writer, [event(scope, expected=first)])
    for stale in (0, first):
        with pytest.raises(VersionConflict):
            await append(writer, [event(scope, expected=stale), *[event(scope)] * (size - 1)])
    assert await count(writer, scope) == 2


async def test_the_version_is_that_of_the_scope_alone(writer: Client, scope: Scope) -> None:
    (first,) = await append(writer, [event(scope, expected=0)])
    await append(writer, [event(Scope(new_token()), expected=0)])
    assert await append(writer, [event(scope, expected=first)])


async def test_the_same_event_twice_is_a_conflict_and_is_there_once(writer: Client, scope: Scope) -> None:
    first = event(scope, event_id=new_token())
    await append(writer, [first])
    with pytest.raises(VersionConflict):
        await append(writer, [first])
    assert await count(writer, scope) == 1


async def test_a_batch_with_one_event_that_is_there_is_not_appended_at_all(writer: Client, scope: Scope) -> None:
    first = event(scope, event_id=new_token())
    await append(writer, [first])
    with pytest.raises(VersionConflict):
        await append(writer, [event(scope), first, event(scope)])
    assert await count(writer, scope) == 1


async def test_the_same_batch_twice_is_a_conflict_and_is_there_once(writer: Client, scope: Scope) -> None:
    events = [event(scope, expected=0), event(scope), event(scope)]
    await append(writer, events)
    with pytest.raises(VersionConflict):
        await append(writer, events)
    assert await count(writer, scope) == 3


async def test_a_batch_over_several_scopes_is_all_or_nothing(writer: Client, operator: Client, scope: Scope) -> None:
    known = Scope(new_token())
    (position,) = await append(writer, [event(known, expected=0)])
    before = await last_position(operator)
    with pytest.raises(VersionConflict):
        await append(writer, [event(scope, expected=0), event(scope), event(known, expected=0), event(known)])
    assert await last_position(operator) == before
    await append(writer, [event(scope, expected=0), event(scope), event(known, expected=position), event(known)])
    assert (await count(writer, scope), await count(writer, known)) == (2, 3)


async def test_a_batch_that_failed_can_be_decided_again_and_appended(writer: Client, scope: Scope) -> None:
    with pytest.raises(VersionConflict):
        await append(writer, [event(scope, expected=77), event(scope)])
    assert len(await append(writer, [event(scope, expected=0), event(scope)])) == 2


async def test_nobody_else_may_append(nats_server: Installation, scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append_module, "_TIMEOUT_S", 0.2)
    for user, size in (("retriever", 1), ("retriever", 2), ("operator", 1)):
        async with nats_server.connected(user) as client:
            with pytest.raises(Unavailable):
                await append(client, [event(scope)] * size)
            assert await count(client, scope) == 0


async def test_an_event_that_is_larger_than_the_server_takes_is_refused(writer: Client, scope: Scope) -> None:
    with pytest.raises(Unavailable):
        await append(writer, [event(scope, data=b"x" * 3_000_000)])
    assert await count(writer, scope) == 0


async def test_a_log_that_does_not_answer_is_unavailable(own_server: Installation, scope: Scope) -> None:
    async with own_server.connected("ingest", reconnect=False) as client:
        await own_server.server.stop()
        with pytest.raises(Unavailable, match="is not known"):
            await append(client, [event(scope)])
