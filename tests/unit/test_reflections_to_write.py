"""Maintenance knows whom to reflect on, out of what, and what is to be written anew: from the log alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from services.maintenance.store import MaintenanceStore
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.event import EventData
from shared.contracts.events import FactRemembered, MemoryRetired
from shared.contracts.ids import CommandId, EventId, EventNumber, MemoryId, Position
from shared.contracts.learning import TokensSpent
from shared.contracts.parts import Kind, Origin
from shared.contracts.preferences import PersonSettings, SettingsChanged
from shared.contracts.privacy import MemoryForgotten
from shared.contracts.reflecting import LostSummary, ReflectionRecorded
from shared.domain.moments import microseconds
from shared.runtime.projector import Recorded
from tests.support.scopes import ANNA, KEYS, SPACE, T0, scope_of

FACTS = tuple(MemoryId(f"fact_{number:024x}") for number in range(3))
REFLECTION = MemoryId(f"ref_{1:024x}")
RENEWED = MemoryId(f"ref_{2:024x}")
ORIGIN = Origin(extractor="extractive/1", run_id="r")


class Followed:
    """A log on paper, and a store that follows it."""

    def __init__(self, folder: Path) -> None:
        self.store = MaintenanceStore(folder, KEYS.digester)
        self.records: list[Recorded] = []

    def add(self, data: EventData, at: datetime = T0, told: datetime | None = None) -> Position:
        position = Position(len(self.records) + 1)
        event = Envelope(
            event_id=EventId(f"{position:032x}"),
            type=data.event_type,
            version=data.event_version,
            space=SPACE,
            user=ANNA,
            number=EventNumber(position),
            occurred_at=told or at,
            recorded_at=at,
            actor=Actor(channel="work"),
            correlation_id="c",
            causation_id=CommandId("c"),
            data=data,
        )
        self.records.append(Recorded(position, scope_of(ANNA), event))
        self.store.apply(self.records[-1:], position)
        return position

    def learn(self, at: datetime = T0, *, imported: bool = False) -> None:
        for memory_id in FACTS:
            self.add(FactRemembered(memory_id=memory_id, text=memory_id, manually_saved=False, imported=imported), at)

    def reflect(
        self, memory_id: MemoryId = REFLECTION, renews: MemoryId | None = None, tokens: TokensSpent | None = None
    ) -> None:
        self.add(
            ReflectionRecorded(memory_id=memory_id, text="Tea.", source_ids=FACTS, made_by=ORIGIN, renews=renews, tokens=tokens)
        )

    def forget(self, gone: MemoryId, *left: MemoryId) -> Position:
        lost = LostSummary(memory_id=gone, kind=Kind.REFLECTION, occurred_at=T0, source_ids=left)
        return self.add(
            MemoryForgotten(forget_id="f", by="memory", memory_ids=(gone,), asked=1, numbers=(), lost=(lost,)),
            T0 + timedelta(days=1),
        )

    def is_due(self, now: datetime = T0) -> bool:
        since, last = microseconds(now - timedelta(days=7)), microseconds(now - timedelta(days=6))
        return bool(self.store.to_reflect_on(since=since, last=last, least_facts=3, after="", limit=9))

    def lost(self) -> list[int]:
        return [each.position for each in self.store.lost_reflections(after=0, limit=9)]

    def rebuilt(self, folder: Path, without: set[int]) -> str:
        """The digest of a store that never knew the events that were erased."""
        other = MaintenanceStore(folder, KEYS.digester)
        other.apply([each for each in self.records if each.position not in without], Position(len(self.records)))
        digest = other.digest()
        other.close()
        return digest


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    followed = Followed(tmp_path / "live")
    yield followed
    followed.store.close()


def test_three_facts_of_seven_days_are_enough_and_two_are_not(followed: Followed) -> None:
    followed.learn()
    assert followed.is_due()
    assert not followed.is_due(T0 + timedelta(days=7, seconds=1))
    followed.add(MemoryRetired(memory_id=FACTS[0], reason="denied"))
    assert not followed.is_due()


def test_what_was_imported_is_not_of_these_days(followed: Followed) -> None:
    followed.learn(imported=True)
    assert not followed.is_due()


def test_nobody_is_reflected_on_twice_in_six_days(followed: Followed) -> None:
    followed.learn(T0 + timedelta(days=1))
    followed.reflect()
    assert not followed.is_due(T0 + timedelta(days=5, hours=23))
    assert followed.is_due(T0 + timedelta(days=6))


def test_of_whom_turned_memory_off_nothing_is_written(followed: Followed) -> None:
    followed.learn()
    off, on = PersonSettings(memory_enabled=False), PersonSettings(memory_enabled=True)
    followed.add(SettingsChanged(settings=off, before=PersonSettings(), asked=off))
    assert not followed.is_due()
    followed.add(SettingsChanged(settings=on, before=off, asked=on))
    assert followed.is_due()


def test_what_it_cost_is_counted_once(followed: Followed) -> None:
    followed.reflect(tokens=TokensSpent(prompt=9, completion=1))
    followed.store.apply(followed.records, Position(1))
    [day] = followed.store.usage(since="2026-05-01", until="2026-05-31")
    assert (day.day, day.total) == ("2026-05-03", 10)


def test_what_goes_with_a_source_is_written_anew_once_however_often_it_goes(followed: Followed, tmp_path: Path) -> None:
    followed.learn()
    followed.reflect()
    first = followed.forget(REFLECTION, *FACTS[1:])
    assert followed.lost() == [first]
    followed.reflect(RENEWED, renews=REFLECTION)
    assert followed.lost() == []
    second = followed.forget(RENEWED, FACTS[2])
    assert followed.lost() == [second]
    assert followed.store.digest() == followed.rebuilt(tmp_path / "rebuilt", {4, 6})


def test_what_its_person_wants_gone_is_not_written_anew(followed: Followed, tmp_path: Path) -> None:
    followed.learn()
    followed.reflect()
    followed.forget(REFLECTION, *FACTS[1:])
    followed.reflect(RENEWED, renews=REFLECTION)
    followed.forget(RENEWED)
    assert followed.lost() == []
    assert followed.store.digest() == followed.rebuilt(tmp_path / "rebuilt", {4, 6})
