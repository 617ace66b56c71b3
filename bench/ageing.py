"""What ageing costs over many old memories: to follow them, to cluster their vectors, and to choose sentences of them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench._options import Findings, Options, run
from bench._result import amount
from services.maintenance.domain.summarising import SentenceChooser, SourceText, SummaryAim
from services.maintenance.domain.topics import clusters
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import AgeingLimits, MaintenanceStore, OldMemory
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.event import EventData
from shared.contracts.events import EpisodeRecorded, MemoryEmbedded
from shared.contracts.ids import CommandId, EventId, EventNumber, MemoryId, Position, Scope, SessionId, Space, User
from shared.contracts.parts import Role
from shared.domain.arrays import Floats
from shared.domain.digests import Digester
from shared.domain.moments import microseconds
from shared.domain.vectors import pack
from shared.runtime.projector import Recorded

_DIGESTER = Digester(b"b" * 32)
_SCOPE = Scope("0" * 32)
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_DIMENSIONS = 256
_OF_A_TOPIC = 12
_MODEL = "bench"
_BATCH = 16
_AIM_S = 60.0


class _Costs(NamedTuple):
    """Seconds."""

    followed: float
    clustered: float
    chosen: float


async def measure(options: Options) -> Findings:
    """Small talk of one person, a dozen turns of a topic, as the job reads it: a page at a time."""
    turns = options.size(10_000, 500)
    runs = [await _costs(turns) for _ in range(options.runs)]
    said = f"{turns:,} turns"
    return Findings(
        rows=[
            amount(f"to follow {said} and their vectors, each", "us", [each.followed / turns * 1e6 for each in runs]),
            amount(f"to cluster {said} in pages", "s", [each.clustered for each in runs], at_most=_AIM_S),
            amount(f"to choose the sentences of their roll-ups, {said}", "s", [each.chosen for each in runs]),
        ],
        notes=["Ingest, the log and the retriever are not among what is measured; no model is asked."],
    )


async def _costs(turns: int) -> _Costs:
    vectors = _vectors(turns)
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        store = MaintenanceStore(Path(folder), _DIGESTER)
        events = [each for start in range(0, turns, _BATCH) for each in _told(start, vectors[start : start + _BATCH])]
        began = time.perf_counter()
        for start in range(0, len(events), 1_000):
            some = events[start : start + 1_000]
            store.apply(some, some[-1].position)
        followed = time.perf_counter() - began
        began = time.perf_counter()
        found = [topic for page in _pages(store) for topic in _topics(page, vectors)]
        clustered = time.perf_counter() - began
        store.close()
    assert found, "nothing was rolled up"
    began = time.perf_counter()
    for topic in found:
        sources = [SourceText(_id(number), _text(number), _BEGIN, is_fact=False) for number in topic]
        assert (await SentenceChooser().summarise(sources, aim=SummaryAim.TOPIC, run_id="bench")).lines
    return _Costs(followed, clustered, time.perf_counter() - began)


def _pages(store: MaintenanceStore) -> list[list[OldMemory]]:
    chosen, pages, after = MaintenanceSettings(), list[list[OldMemory]](), 0
    limits = AgeingLimits(
        microseconds(_BEGIN + timedelta(days=1)), chosen.ageing_score_below, chosen.ageing_most_recalls, _MODEL
    )
    while page := store.ageing_page(_SCOPE, limits, after=after, most=chosen.ageing_page):
        pages.append(page)
        after = page[-1].position
    return pages


def _topics(page: Sequence[OldMemory], vectors: Floats) -> list[list[int]]:
    chosen = MaintenanceSettings()
    numbers = [int(each.memory_id.removeprefix("ep_"), 16) for each in page]
    found = clusters(vectors[numbers], cosine=chosen.ageing_cosine, least=chosen.ageing_least, most=chosen.ageing_most)
    return [[numbers[place] for place in topic] for topic in found]


def _vectors(turns: int) -> Floats:
    made = np.random.default_rng(0)
    topics = made.normal(size=(turns // _OF_A_TOPIC + 1, _DIMENSIONS))
    vectors = topics[np.arange(turns) // _OF_A_TOPIC] + 0.7 * made.normal(size=(turns, _DIMENSIONS))
    found: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return found


def _text(number: int) -> str:
    return f"today it rains on garden {number // _OF_A_TOPIC}, as it did {number} times before"


def _id(number: int) -> MemoryId:
    return MemoryId(f"ep_{number:024x}")


def _told(first: int, vectors: Floats) -> list[Recorded]:
    """Turns, then their vectors."""
    ids = [_id(number) for number in range(first, first + len(vectors))]
    said: list[EventData] = [
        EpisodeRecorded(memory_id=each, session_id=SessionId("s"), role=Role.USER, text=_text(first + place))
        for place, each in enumerate(ids)
    ]
    embedded = [
        MemoryEmbedded(memory_id=each, embedding=pack(vector, _MODEL)) for each, vector in zip(ids, vectors, strict=True)
    ]
    return [_recorded(2 * first + place, data) for place, data in enumerate([*said, *embedded], start=1)]


def _recorded(position: int, data: EventData) -> Recorded:
    event = Envelope(
        event_id=EventId(f"{position:032x}"),
        type=data.event_type,
        version=data.event_version,
        space=Space("bench"),
        user=User("user"),
        number=EventNumber(position),
        occurred_at=_BEGIN,
        recorded_at=_BEGIN,
        actor=Actor(channel="work"),
        correlation_id="c",
        causation_id=CommandId("c"),
        data=data,
    )
    return Recorded(Position(position), _SCOPE, event)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("ageing", (__doc__ or "").strip(), measure, arguments)
