"""What a person's file knows of its shared tags; live, twice, in bulk and rebuilt. On real SQLite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.shared_tags import given_to, recipients, shared_numbers, shares
from shared.contracts.event import EventData
from shared.contracts.events import MemoryEnriched
from shared.contracts.ids import MemoryId
from shared.contracts.privacy import MemoryForgotten
from shared.contracts.queries import SharesQuery
from shared.contracts.sharing import TagShared, TagUnshared
from shared.runtime.projector import Recorded
from tests.support.history import fact, history, restored, retired, said, superseded
from tests.support.scopes import SPACE

WORK, CLUB = "a1", "b2"
SUSHI, SOUP = "fact_sushi", "fact_soup"


def shared(tag: str = "food", recipient: str = WORK) -> TagShared:
    return TagShared(tag=tag, with_space="work" if recipient == WORK else "club", recipient=recipient)


def unshared(tag: str = "food", recipient: str = WORK) -> TagUnshared:
    return TagUnshared(**shared(tag, recipient).model_dump())


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MemoryFile]:
    file = MemoryFile(tmp_path / "anna.db")
    yield file
    file.close()


def tell(file: MemoryFile, *told: EventData) -> None:
    file.apply(history(told, first=file.number + 1))


def tags(file: MemoryFile, recipient: str = WORK) -> set[str]:
    with file.connect() as db:
        found = given_to(db, recipient)
        assert found is None or found.own_space == SPACE
        return set(found.tags) if found else set()


def having(file: MemoryFile, *wanted: str) -> set[int]:
    with file.connect() as db:
        return set(shared_numbers(db, wanted))


def test_a_share_is_of_one_tag_and_one_recipient_until_it_is_taken_back(file: MemoryFile) -> None:
    tell(file, shared(), shared("Travel"), shared("music", CLUB))
    assert (tags(file), tags(file, CLUB), tags(file, "c3")) == ({"food", "travel"}, {"music"}, set())
    tell(file, unshared("FOOD"))
    assert tags(file) == {"travel"}
    tell(file, shared("Food"))
    assert tags(file) == {"food", "travel"}


def test_whom_something_was_ever_shared_with_is_known_after_it_was_taken_back(file: MemoryFile) -> None:
    tell(file, shared(), unshared(), shared(recipient=CLUB))
    with file.connect() as db:
        assert recipients(db) == {WORK, CLUB}


def test_active_facts_and_turns_with_the_tag_are_given_in_any_case_of_it(file: MemoryFile) -> None:
    tell(file, fact(SUSHI, tags=("Food",)), fact(SOUP, tags=("FOOD", "warm")), fact("fact_3", tags=("foods",)))
    tell(file, said("ep_1", "sushi!"), enriched("ep_1", "food"), fact("fact_6"))
    assert having(file, "food") == {1, 2, 4}
    tell(file, retired(SUSHI), superseded(SOUP, "fact_3"))
    assert having(file, "food") == {4}
    tell(file, restored(SUSHI, "trimmed"))
    assert having(file, "food") == {1, 4}


def test_a_tag_is_known_in_any_case_of_any_script(file: MemoryFile) -> None:
    tell(file, fact(SUSHI, tags=("ÉTÉ",)), shared("Été"))
    assert having(file, *tags(file)) == {1}


@pytest.mark.parametrize("count", [1, 99, 5_000])
def test_however_many_tags_are_shared_what_has_one_is_found(file: MemoryFile, count: int) -> None:
    tell(file, fact(SUSHI, tags=('the "best"',)), fact(SOUP, tags=("Straße",)), fact("fact_3", tags=("other",)))
    assert having(file, *(f"tag{number}" for number in range(count)), 'the "best"', "strasse") == {1, 2}


def test_a_share_that_is_forgotten_is_gone_at_once_and_in_every_byte_once_the_file_is_rebuilt(tmp_path: Path) -> None:
    live, rebuilt = MemoryFile(tmp_path / "live.db"), MemoryFile(tmp_path / "rebuilt.db")
    log = history([fact(SUSHI, tags=("xylophone",)), shared("xylophone"), shared("music"), forgotten(SUSHI, 1, 2)])
    live.apply(log)
    assert tags(live) == {"music"}
    rebuilt.apply([each for each in log if each.event.number > 2], allow_gaps=True)
    assert live.digest() == rebuilt.digest()
    rebuilt.close()
    assert b"xylophone" not in b"".join(path.read_bytes() for path in tmp_path.glob("rebuilt*"))
    live.close()


def test_the_list_says_since_when_with_whom_and_how_much(file: MemoryFile) -> None:
    tell(file, fact(SUSHI, tags=("food", "japan")), fact(SOUP, tags=("Food",)), shared("Food"), shared("music", CLUB))
    with file.connect() as db:
        listed = shares(db, SharesQuery(), 4).shares
    assert [(each.tag, each.with_space, each.memories) for each in listed] == [("Food", "work", 2), ("music", "club", 0)]


def test_delivered_twice_and_in_pieces_gives_one_digest(tmp_path: Path) -> None:
    log = history([fact(SUSHI, tags=("food",)), shared(), unshared(), shared("Food"), shared("music", CLUB), unshared("food")])
    ways: list[list[Sequence[Recorded]]] = [[log], [log, log], [[each] for each in log], [log[:3], log[1:]]]
    digests = set()
    for number, batches in enumerate(ways):
        file = MemoryFile(tmp_path / f"{number}.db")
        for batch in batches:
            file.apply(batch)
        digests.add(file.digest())
        file.close()
    assert len(digests) == 1


def enriched(memory_id: str, *tags: str) -> MemoryEnriched:
    return MemoryEnriched(memory_id=MemoryId(memory_id), method="test", added_tags=tags, metadata_confidence=0.8)


def forgotten(memory_id: str, *numbers: int) -> MemoryForgotten:
    return MemoryForgotten(forget_id="f", by="memory", memory_ids=(MemoryId(memory_id),), asked=1, numbers=numbers)
