"""A message that comes late stands between its neighbours, as if it had come in time. On real SQLite."""

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from sqlalchemy import select

from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.schema import memories
from shared.runtime.projector import Recorded
from tests.support.commands import turn
from tests.support.paper import PaperLog
from tests.support.scopes import at

SAID = {"one": 1, "two": 2, "three": 3, "four": 4}


def log_of(order: Sequence[str]) -> list[Recorded]:
    log = PaperLog()
    for minutes, text in enumerate(order, start=10):
        log.tell(turn(text, occurred_at=at(SAID[text])), now=at(minutes))
        log.tell(turn(f"{text} elsewhere", "s2", occurred_at=at(SAID[text])), now=at(minutes))
    return log.records


def beside(file: MemoryFile) -> dict[str, list[str | None]]:
    """The turns of s1 with what stands before and after each."""
    with file.connect() as db:
        columns = file.searched(db).columns
        found = dict(db.execute(select(memories.c.number, memories.c.content)).all())
    texts = [found[number] for number in columns["number"].tolist()]
    around = ((before2, before1, after1, after2) for before1, after1, before2, after2 in columns["beside"].tolist())
    told = {text: [texts[row] if row >= 0 else None for row in rows] for text, rows in zip(texts, around, strict=True)}
    return {text: rows for text, rows in told.items() if "elsewhere" not in text}


@pytest.mark.parametrize("order", list(permutations(SAID)), ids=" ".join)
def test_whenever_a_message_comes_its_neighbours_are_those_of_its_moment(order: Sequence[str], tmp_path: Path) -> None:
    events = log_of(order)
    live, bulk = MemoryFile(tmp_path / "live.db"), MemoryFile(tmp_path / "bulk.db")
    for event in events:
        live.apply([event])
        beside(live)
    bulk.apply(events)
    assert beside(live) == {
        "one": [None, None, "two", "three"],
        "two": [None, "one", "three", "four"],
        "three": ["one", "two", "four", None],
        "four": ["two", "three", None, None],
    }
    assert live.digest() == bulk.digest()
    live.close()
    bulk.close()


def test_messages_of_one_moment_stand_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    log = PaperLog()
    for text in ("one", "two", "three"):
        log.tell(turn(text, occurred_at=at(1)))
    file = MemoryFile(tmp_path / "file.db")
    file.apply(log.records)
    assert beside(file)["two"] == [None, "one", "three", None]
    file.close()
