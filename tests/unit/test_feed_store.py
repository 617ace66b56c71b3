"""What the feed knows of a space, from the log alone: what may be read, live and rebuilt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from services.feed.store import FeedStore
from shared.contracts.event import EventData
from shared.contracts.ids import EventNumber, MemoryId, Position, Space
from shared.contracts.privacy import ForgettingCompleted, ForgettingTakenBack, MemoryForgotten, Scan, UserForgotten
from shared.runtime.projector import Recorded
from tests.support.history import history, said
from tests.support.scopes import ANNAS_SCOPE, KEYS, SPACE

TALK = [said("ep_1", "I like tea."), said("ep_2", "My sister Quixeldra likes it too."), said("ep_3", "So does Ben.")]
HIDES = MemoryForgotten(forget_id="f1", by="memory", memory_ids=(MemoryId("ep_2"),), asked=1, numbers=(2,))
BACK = ForgettingTakenBack(forget_id="f1")
DONE = ForgettingCompleted(forget_id="f1", erased=1, scan=Scan(events=3, found=0, rejected=0, in_transit=0))
ALL_GONE = UserForgotten(forget_id="f2", scope=ANNAS_SCOPE, through_number=4)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FeedStore]:
    store = FeedStore(tmp_path / "feed", KEYS.digester)
    yield store
    store.close()


def hidden(store: FeedStore) -> set[int]:
    """The numbers, of the first nine, that may not be read."""
    unreadable = store.withheld(SPACE)[ANNAS_SCOPE]
    return {number for number in range(1, 10) if unreadable.hides(EventNumber(number))}


def apply(store: FeedStore, *told: EventData, first: int = 1) -> list[Recorded]:
    events = history(told, first=first)
    store.apply(events, events[-1].position)
    return events


def digest_of(events: Sequence[Recorded], folder: Path) -> str:
    store = FeedStore(folder, KEYS.digester)
    store.apply(events, Position(99))
    try:
        return store.digest()
    finally:
        store.close()


def test_what_is_forgotten_is_hidden_until_it_is_erased_or_taken_back(store: FeedStore) -> None:
    apply(store, *TALK, HIDES)
    assert hidden(store) == {2}
    apply(store, BACK, first=5)
    assert (hidden(store), store.withheld(SPACE)[ANNAS_SCOPE].taken_back) == (set(), {"f1"})


def test_of_who_is_forgotten_everything_before_is_hidden(store: FeedStore) -> None:
    apply(store, *TALK, HIDES, ALL_GONE, said("ep_4", "Hello again."))
    assert hidden(store) == {1, 2, 3, 4}


def test_rows_are_those_of_the_log_after_an_erasure(store: FeedStore, tmp_path: Path) -> None:
    events = apply(store, *TALK, HIDES, DONE)
    left = [recorded for recorded in events if recorded.event.number != 2]
    assert store.digest() == digest_of(left, tmp_path / "rebuilt")


def test_rows_are_those_of_the_log_after_a_person_is_gone(store: FeedStore, tmp_path: Path) -> None:
    receipt = DONE.model_copy(update={"forget_id": "f2"})
    events = apply(store, *TALK, HIDES, ALL_GONE, receipt)
    assert store.digest() == digest_of(events[4:], tmp_path / "rebuilt")


def test_what_is_delivered_twice_changes_nothing(store: FeedStore) -> None:
    events = apply(store, *TALK, HIDES, BACK)
    before = store.digest()
    store.apply(events, events[-1].position)
    assert store.digest() == before


def test_people_are_known_by_their_space_and_by_what_is_new_of_them(store: FeedStore) -> None:
    apply(store, *TALK)
    assert [member.scope for member in store.members(SPACE, after=2)] == [ANNAS_SCOPE]
    assert store.members(SPACE, after=3) == []
    assert store.members(Space("another"), after=0) == []
    assert (store.last_position(SPACE), store.last_position(Space("another"))) == (3, 0)


def test_the_file_names_nobody_and_says_nothing(store: FeedStore, tmp_path: Path) -> None:
    apply(store, *TALK, HIDES)
    store.close()
    held = b"".join(path.read_bytes() for path in (tmp_path / "feed").iterdir())
    assert not [word for word in (b"Quixeldra", b"anna", SPACE.encode()) if word in held]
