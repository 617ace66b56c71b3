"""Several workers on one folder: each applies, remembers and reports what concerns the people of its slots."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retriever.projection import RetrieverProjection
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import MemoryFolder
from shared.contracts.ids import Position, Slot, Space, User
from shared.contracts.subjects import SLOTS, slot_of
from shared.domain.parts import Part
from shared.runtime.projector import Recorded
from tests.support.commands import user_says
from tests.support.paper import PaperLog


@given(count=st.integers(1, SLOTS), slot=st.integers(0, SLOTS - 1))
def test_every_slot_is_in_exactly_one_part(count: int, slot: int) -> None:
    assert [part for part in Part.each(count) if slot in part.slots] == [Part.of_slot(Slot(slot), count)]


@given(count=st.integers(1, SLOTS))
def test_parts_are_of_equal_size_but_for_one_slot(count: int) -> None:
    sizes = {len(part.slots) for part in Part.each(count)}
    assert max(sizes) - min(sizes) <= 1


def people(count: int) -> Iterator[User]:
    """As many of each half of the slots."""
    names = (User(f"user-{number}") for number in itertools.count())
    wanted = [count // 2, count // 2]
    while any(wanted):
        half = slot_of(user := next(names)) * 2 // SLOTS
        if wanted[half]:
            wanted[half] -= 1
            yield user


@pytest.fixture(scope="module")
def records() -> Sequence[Recorded]:
    log = PaperLog()
    users = list(people(8))
    for turn, user in itertools.product(range(3), users):
        log.tell(user_says(f"word {turn}"), user=user, space=Space("home"))
    return log.records


def opened(folder: Path, part: Part) -> MemoryFolder:
    return MemoryFolder(folder / "retriever", open_files=9, slots=part.slots)


def applied(folder: Path, part: Part, records: Sequence[Recorded]) -> None:
    """What a worker does that owns this part, from where it was to the end of these records; then it ends."""
    with closing(opened(folder, part)) as memories:
        projection = RetrieverProjection(memories, pending_events=1)
        after = projection.checkpoint().position
        own = [each for each in records if each.position > after and each.slot_of_scope in part.slots]
        projection.apply(own, records[-1].position)
        projection.flush()


def digest(folder: Path) -> str:
    with closing(opened(folder, Part(0, 1))) as memories:
        return memories.each_file(MemoryFile.digest)


def test_two_workers_leave_the_files_that_one_leaves(tmp_path: Path, records: Sequence[Recorded]) -> None:
    applied(tmp_path / "one", Part(0, 1), records)
    for part in Part.each(2):
        applied(tmp_path / "two", part, records)
    assert digest(tmp_path / "two") == digest(tmp_path / "one")


def test_a_worker_knows_only_its_own_people(tmp_path: Path, records: Sequence[Recorded]) -> None:
    scopes = []
    for part in Part.each(2):
        applied(tmp_path, part, records)
        with closing(opened(tmp_path, part)) as memories:
            scopes.append(memories.index.scopes())
    assert [len(each) for each in scopes] == [4, 4]
    assert not set(scopes[0]) & set(scopes[1])


@settings(max_examples=25, deadline=None)
@given(steps=st.lists(st.tuples(st.integers(1, 5), st.integers(0, 4), st.integers(1, 24)), min_size=1, max_size=12))
def test_whoever_takes_over_begins_where_the_slowest_before_it_was(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int, int]]
) -> None:
    """Parts of any number follow each other, each as far as it comes; nobody's position passes what a slot of it has seen."""
    folder = tmp_path_factory.mktemp("index")
    reached = dict.fromkeys(range(SLOTS), 0)
    for count, index, ahead in steps:
        part = Part(index % count, count)
        with closing(opened(folder, part)) as memories:
            known = min(reached[slot] for slot in part.slots)
            assert memories.index.position == known
            projection = RetrieverProjection(memories, pending_events=1)
            projection.checkpoint()
            projection.apply([], Position(known + ahead))
            projection.flush()
        reached |= dict.fromkeys(part.slots, known + ahead)


def test_both_write_the_index_at_once(tmp_path: Path, records: Sequence[Recorded]) -> None:
    with closing(opened(tmp_path, Part(0, 2))) as left, closing(opened(tmp_path, Part(1, 2))) as right:
        projections = [RetrieverProjection(each, pending_events=1) for each in (left, right)]
        for each in records:
            owner = Part.of_slot(each.slot_of_scope, 2).index
            projections[owner].apply([each], each.position)
            projections[1 - owner].apply([], each.position)
        for projection in projections:
            projection.flush()
        assert left.index.position == right.index.position == records[-1].position
        left.index.require_tallied()
    applied(tmp_path / "one", Part(0, 1), records)
    assert digest(tmp_path) == digest(tmp_path / "one")
