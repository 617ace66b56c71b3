"""What decay costs over many facts: to follow them, to find what falls in a night, and to follow that it was retired."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from bench._options import Findings, Options, run
from bench._result import amount
from services.maintenance.store import Falling, MaintenanceStore
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.event import EventData
from shared.contracts.events import FactRemembered, MemoryRetired
from shared.contracts.ids import CommandId, EventId, EventNumber, MemoryId, Position, Scope, Space, User
from shared.domain.decay import SHIPPED
from shared.domain.digests import Digester
from shared.domain.moments import microseconds
from shared.runtime.projector import Recorded

_DIGESTER = Digester(b"b" * 32)
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_DAYS = 100
_BATCH = 1_000
_AIM_US = 100.0


class _Costs(NamedTuple):
    """Seconds."""

    followed: float
    found_all: float
    found_night: float
    retired: float


async def measure(options: Options) -> Findings:
    """Facts of a hundred days on paper; a night finds those of one day, the last one all of them."""
    facts = options.size(100_000, 2_000)
    runs = [_costs(facts) for _ in range(options.runs)]
    said = f"{facts:,} facts"
    return Findings(
        rows=[
            amount(f"to follow {said}, each", "us", [each.followed / facts * 1e6 for each in runs]),
            amount(f"to find what falls in one of {_DAYS} nights, of {said}", "ms", [each.found_night * 1e3 for each in runs]),
            amount(f"to find all {said} in pages", "ms", [each.found_all * 1e3 for each in runs]),
            amount(
                f"to follow that {said} were retired, each",
                "us",
                [each.retired / facts * 1e6 for each in runs],
                at_most=_AIM_US,
            ),
        ],
        notes=["Events are made beforehand; ingest, the log and the retriever are not among what is measured."],
    )


def _costs(facts: int) -> _Costs:
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        store = MaintenanceStore(Path(folder), _DIGESTER)
        told = [_recorded(number, _fact(number), _DAYS * number / facts) for number in range(facts)]
        followed = _timed(lambda: _apply(store, told))
        first = microseconds(_BEGIN + timedelta(days=31))
        found_night = _timed(lambda: list(_pages(store, first)))
        last = microseconds(_BEGIN + timedelta(days=_DAYS + 31))
        found_all = _timed(lambda: list(_pages(store, last)))
        assert len(list(_pages(store, last))) == facts, "not all fell"
        ended = [
            _recorded(facts + number, MemoryRetired(memory_id=_id(number), reason="decayed"), _DAYS + 31)
            for number in range(facts)
        ]
        retired = _timed(lambda: _apply(store, ended))
        assert not list(_pages(store, last)), "some are live"
        store.close()
    return _Costs(followed, found_all, found_night, retired)


def _pages(store: MaintenanceStore, until: int) -> Iterator[Falling]:
    after = None
    while page := store.falling(below=SHIPPED.retires_below, until=until, limit=2_500, after=after):
        yield from page
        after = page[-1]


def _apply(store: MaintenanceStore, events: list[Recorded]) -> None:
    for start in range(0, len(events), _BATCH):
        some = events[start : start + _BATCH]
        store.apply(some, some[-1].position)


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _fact(number: int) -> FactRemembered:
    return FactRemembered(memory_id=_id(number), text=f"fact {number}", manually_saved=False)


def _id(number: int) -> MemoryId:
    return MemoryId(f"fact_{number * 7_919 % 1_000_003:024x}")


def _recorded(index: int, data: EventData, days: float) -> Recorded:
    user = User(f"user-{index % 500}") if isinstance(data, FactRemembered) else User("user")
    scope = Scope(f"{int((data.subject or '_0').split('_')[1], 16) % 500:032x}")
    moment = _BEGIN + timedelta(days=days)
    event = Envelope(
        event_id=EventId(f"{index:032x}"),
        type=data.event_type,
        version=data.event_version,
        space=Space("bench"),
        user=user,
        number=EventNumber(index + 1),
        occurred_at=moment,
        recorded_at=moment,
        actor=Actor(channel="work"),
        correlation_id="c",
        causation_id=CommandId("c"),
        data=data,
    )
    return Recorded(Position(index + 1), scope, event)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("decaying", (__doc__ or "").strip(), measure, arguments)
