"""One pointer says which generation of a projection counts."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from shared.runtime.datadir import DataDir
from shared.runtime.generations import Generations, clear
from shared.runtime.turnstile import Turnstile


@pytest.fixture
def generations(tmp_path: Path) -> Generations:
    for name in ("retriever", "retriever.2", "retriever.10"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.db").write_text("rows")
    (tmp_path / "retriever.11.new" / "parts").mkdir(parents=True)
    (tmp_path / "retriever.2.tar").write_text("no generation")
    return Generations(DataDir(tmp_path), "retriever")


def test_without_a_pointer_the_first_counts(generations: Generations) -> None:
    assert generations.current.name == "retriever"
    assert [folder.name for folder in generations.complete] == ["retriever", "retriever.2", "retriever.10"]
    assert not generations.kept


def test_the_older_ones_are_kept_until_they_are_dropped(generations: Generations, tmp_path: Path) -> None:
    (tmp_path / "retriever" / "scratch").mkdir()
    generations.point_at(tmp_path / "retriever.10")
    assert generations.current == DataDir(tmp_path).projection("retriever") == tmp_path / "retriever.10"
    assert generations.next.name == "retriever.11"
    assert generations.drop_kept() == 2
    assert [folder.name for folder in generations.complete] == ["retriever.10"]
    assert DataDir(tmp_path).scratch("retriever").exists()


def test_what_is_half_made_is_no_generation(generations: Generations) -> None:
    (left,) = generations.leftovers()
    clear(left)
    assert not left.exists()


def test_nobody_passes_a_closed_turnstile() -> None:
    turnstile, passed = Turnstile(), threading.Event()

    def pass_it() -> None:
        with turnstile.passing():
            passed.set()

    turnstile.close()
    thread = threading.Thread(target=pass_it)
    thread.start()
    assert not passed.is_set()
    turnstile.open()
    thread.join()
    assert passed.is_set()
