"""Quarantine when live, a loud stop in a rebuild, and waiting for a position. No server: the log is a list."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from shared.contracts.errors import LogDiverged, NotCaughtUp, Poison
from shared.contracts.ids import Position
from shared.runtime import projector
from shared.runtime.eventlog.read import Record
from shared.runtime.import_watch import ImportWatch
from shared.runtime.metrics import EVENTS_QUARANTINED, PROJECTION_LAG
from shared.runtime.projector import Checkpoint, Progress, Projector, Recorded
from shared.runtime.topology import LogIdentity, guard
from tests.support.commands import remember
from tests.support.paper import PaperLog
from tests.support.scopes import LOG_ID

Log = Callable[[list[Record]], None]
BROKEN = b'{"type":"nonsense","version":1}'


class NumbersProjection:
    """A projection by hand: keeps the numbers of events; some it cannot apply."""

    def __init__(self, *, refuses: Sequence[int] = (), log_id: str | None = None, position: int = 0) -> None:
        self.name = "numbers"
        self.numbers: list[int] = []
        self.put_aside: list[tuple[int, str]] = []
        self.log_id = log_id
        self.position = position
        self._refuses = set(refuses)

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.position, self.log_id)

    def adopt(self, log_id: str) -> None:
        self.log_id = log_id

    def apply(self, events: Sequence[Recorded], position: Position) -> None:
        for event in events:
            if event.event.number in self._refuses:
                raise RuntimeError("the secret words of the user")
        self.numbers += [event.event.number for event in events]
        self.position = position

    def quarantine(self, record: Record, reason: str) -> None:
        self.put_aside.append((record.position, reason))


def log_of(count: int, *, broken: Sequence[int] = ()) -> list[Record]:
    paper = PaperLog()
    for number in range(count):
        paper.tell(remember(f"fact {number}"))
    return [
        Record(record.position, record.scope, BROKEN if record.position in broken else record.event.encode(), {})
        for record in paper.records
    ]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Log:
    """Let a projector read this list as the log, three records at a time."""

    def prepare(records: list[Record]) -> None:
        async def identify(_: object, **__: object) -> LogIdentity:
            return LogIdentity(LOG_ID, records[-1].position)

        class ListReader:
            pending = 0

            def __init__(self, _: object, *, after: int, subjects: Sequence[str]) -> None:
                assert list(subjects) == []
                self._left = [record for record in records if record.position > after]

            async def to_end(self, *, linger_s: float = 0.0) -> AsyncIterator[list[Record]]:
                assert linger_s == 0.0
                while self._left:
                    batch, self._left = self._left[:3], self._left[3:]
                    self.pending = len(self._left)
                    yield batch

            batches = to_end

        monkeypatch.setattr(projector, "identify_log", identify)
        monkeypatch.setattr(projector, "LogReader", ListReader)

    return prepare


def reading(projection: NumbersProjection, *, live: bool) -> Projector:
    client: Any = SimpleNamespace()
    return Projector(client, projection, live=live)


@pytest.mark.parametrize("live", [True, False])
async def test_a_projection_gets_every_event_in_order(read: Log, live: bool) -> None:  # noqa: FBT001
    read(log_of(8))
    target = NumbersProjection()
    await reading(target, live=live).catch_up()
    assert target.numbers == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (target.position, target.log_id) == (8, LOG_ID)


async def test_whoever_follows_a_flood_looks_whether_it_is_an_import(read: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    target = NumbersProjection()

    async def look() -> None:
        looks.append(target.position)

    imports = ImportWatch()
    monkeypatch.setattr(projector, "IMPORTS", imports)
    read(log_of(8))
    with imports.look_by(look):
        await reading(target, live=True).run()
    assert looks == [3, 6], "after each batch behind which more waits"
    assert target.position == 8


async def test_it_goes_on_after_the_checkpoint(read: Log) -> None:
    read(log_of(8))
    target = NumbersProjection(log_id=LOG_ID, position=5)
    await reading(target, live=True).catch_up()
    assert target.numbers == [6, 7, 8]


async def test_an_event_that_cannot_be_read_is_put_aside_when_live(read: Log) -> None:
    read(log_of(8, broken=[2, 7]))
    target = NumbersProjection()
    aside = EVENTS_QUARANTINED.labels(target.name)._value.get()
    await reading(target, live=True).catch_up()
    assert target.numbers == [1, 3, 4, 5, 6, 8]
    assert EVENTS_QUARANTINED.labels(target.name)._value.get() == aside + 2
    assert PROJECTION_LAG.labels(target.name)._value.get() == 0
    assert [position for position, _ in target.put_aside] == [2, 7]


async def test_an_event_that_cannot_be_applied_is_put_aside_when_live_and_no_other(read: Log) -> None:
    read(log_of(8))
    target = NumbersProjection(refuses=[5])
    await reading(target, live=True).catch_up()
    assert target.numbers == [1, 2, 3, 4, 6, 7, 8]
    assert target.put_aside == [(5, "RuntimeError")]
    assert target.position == 8


async def test_the_checkpoint_passes_a_bad_event_at_the_end_of_the_log(read: Log) -> None:
    read(log_of(4, broken=[4]))
    target = NumbersProjection()
    await reading(target, live=True).catch_up()
    assert target.position == 4


async def test_why_an_event_was_put_aside_says_nothing_of_its_text(read: Log) -> None:
    read(log_of(3, broken=[1]))
    target = NumbersProjection(refuses=[2])
    await reading(target, live=True).catch_up()
    assert len(target.put_aside) == 2
    assert "secret" not in str(target.put_aside)


async def test_a_rebuild_stops_at_an_event_that_cannot_be_read(read: Log) -> None:
    read(log_of(8, broken=[5]))
    target = NumbersProjection()
    with pytest.raises(Poison, match="position 5"):
        await reading(target, live=False).catch_up()
    assert (target.numbers, target.position) == ([1, 2, 3], 3)


async def test_a_rebuild_stops_at_an_event_that_cannot_be_applied(read: Log) -> None:
    read(log_of(8))
    target = NumbersProjection(refuses=[5])
    with pytest.raises(Poison, match="between positions 4 and 6"):
        await reading(target, live=False).catch_up()
    assert target.put_aside == []


async def test_a_projection_of_another_log_is_refused_before_it_applies_anything(read: Log) -> None:
    read(log_of(8))
    target = NumbersProjection(log_id="another", position=3)
    with pytest.raises(LogDiverged, match="another log"):
        await reading(target, live=True).catch_up()
    assert (target.numbers, target.log_id) == ([], "another")


async def test_a_projection_that_knows_more_than_the_log_is_refused(read: Log) -> None:
    read(log_of(8))
    with pytest.raises(LogDiverged, match="ends at 8, the projection knows 9"):
        await reading(NumbersProjection(log_id=LOG_ID, position=9), live=True).catch_up()


def test_the_guard_lets_a_new_projection_and_one_at_the_end_of_the_log_pass() -> None:
    guard(LogIdentity(LOG_ID, 5), log_id=None, position=0)
    guard(LogIdentity(LOG_ID, 5), log_id=LOG_ID, position=5)


async def test_waiting_for_a_position_that_is_reached_takes_no_time() -> None:
    progress = Progress()
    await progress.advance(5)
    await progress.wait_for(5, timeout_s=0)


async def test_waiting_ends_when_the_position_is_reached() -> None:
    progress = Progress()
    waiting = [asyncio.create_task(progress.wait_for(position, timeout_s=5)) for position in (1, 2, 3)]
    for position in (1, 2, 3):
        await asyncio.sleep(0)
        await progress.advance(position)
    await asyncio.gather(*waiting)


async def test_waiting_in_vain_says_how_far_it_came() -> None:
    progress = Progress()
    await progress.advance(4)
    with pytest.raises(NotCaughtUp, match=r"position 5 was not reached .* it is at 4"):
        await progress.wait_for(5, timeout_s=0.01)


async def test_progress_never_goes_back() -> None:
    progress = Progress()
    await progress.advance(5)
    await progress.advance(3)
    assert progress.position == 5


async def test_whoever_waits_for_something_else_is_asked_again_when_the_position_moves() -> None:
    progress, known, asked = Progress(), [0], [0]

    async def is_known() -> bool:
        asked[0] += 1
        return known[0] >= 2

    waiting = asyncio.create_task(progress.wait_until(is_known, 10))
    for position in (1, 2, 3):
        await asyncio.sleep(0.01)
        assert not waiting.done()
        known[0] += position > 1
        await progress.advance(position)
    await waiting
    assert asked[0] <= 4


async def test_what_does_not_come_in_time_tells_no_position() -> None:
    progress = Progress()
    await progress.advance(12_345)

    async def never() -> bool:
        return False

    with pytest.raises(NotCaughtUp) as late:
        await progress.wait_until(never, 0.01)
    assert "12" not in late.value.message
