"""`bench ask --peers` asks all alike, goes on without those that fail, and says who is missing and why."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from bench import ask
from bench._machine import cpu_s, family
from bench._options import Findings, Options
from bench._result import load_results
from bench.peers.comparison import measure
from bench.peers.embedding import PACKAGED, embedding
from bench.peers.entry import ENTRIES, Entry
from bench.peers.environments import REQUIREMENTS, NotInstalled, python_with

HOLDING = "60 memories, "
OURS = Entry("memstream", "ours", "tests.support.peers.by_words")
PEER = Entry("peer", "a peer", "tests.support.peers.by_words")


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.setenv("UV_OFFLINE", "1")
    return Options(runs=1, is_quick=True, embedder="hashing", data=tmp_path, results=tmp_path / "results")


def rows_of(findings: Findings) -> set[str]:
    return {row.what for row in findings.rows}


def left_out(findings: Findings) -> dict[str, str]:
    """Why somebody is missing, by who."""
    told = [note.removeprefix("Left out: ") for note in findings.notes if note.startswith("Left out: ")]
    return dict(note.split(": ", 1) for note in told)


async def test_each_contender_has_latencies_processor_time_and_answers_of_eight_clients(options: Options) -> None:
    found = await measure([OURS, PEER], (), replace(options, runs=2))

    for who in ("ours", "a peer"):
        rows = {row.what.removeprefix(f"{HOLDING}{who}: "): row for row in found.rows if who in row.what}
        assert list(rows) == ["a new question", "processor time of a new question", "8 clients"]
        assert set(rows["a new question"].figures) == {"p50", "p95", "p99"}
        assert all(spread.low >= 0 for row in rows.values() for spread in row.figures.values())
        assert rows["8 clients"].figures["value"].low > 0
    assert "60 memories: memstream's p50 against the quickest peer's" in rows_of(found)
    assert left_out(found) == {}


async def test_the_others_go_on_without_one_that_fails(options: Options) -> None:
    cannot = Entry("cannot", "broken", "tests.support.peers.broken")
    wrong = Entry("wrong", "forgetful", "tests.support.peers.forgetful")
    empty = Entry("empty", "literal", "tests.support.peers.literal")
    found = await measure([OURS, cannot, wrong, empty, PEER], (), options)

    missing = left_out(found)
    assert "this store wants a license" in missing["broken at 60 memories"]
    assert "by their own words" in missing["forgetful at 60 memories"]
    assert "24 of 24 answers had no memory" in missing["literal at 60 memories"]
    assert {what.removeprefix(HOLDING).partition(":")[0] for what in rows_of(found)} == {"ours", "a peer", "60 memories"}


async def test_what_cannot_be_installed_is_left_out_with_what_to_do(options: Options) -> None:
    requirements = options.data / "absent.txt"
    requirements.write_text("no-such-package-of-ours==1.0\n", encoding="utf-8")
    found = await measure([OURS, Entry("absent", "absent", "tests.support.peers.by_words", requirements)], (), options)

    assert "make setup" in left_out(found)["absent"]
    assert "uv pip install" in left_out(found)["absent"]
    assert f"{HOLDING}ours: a new question" in rows_of(found)


async def test_a_store_is_filled_once_and_kept(options: Options) -> None:
    first = await measure([PEER], (), options)
    again = await measure([PEER], (), options)  # it refuses to be filled twice

    assert left_out(first) == left_out(again) == {}


def test_an_environment_is_made_once_and_anew_for_other_requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    requirements = tmp_path / "peer.txt"
    requirements.write_text("# nothing\n", encoding="utf-8")
    python = python_with(requirements, tmp_path)
    made = python.parent.parent.stat().st_mtime_ns

    assert python.exists()
    assert python_with(requirements, tmp_path) == python
    assert python.parent.parent.stat().st_mtime_ns == made
    requirements.write_text("no-such-package-of-ours==1.0\n", encoding="utf-8")
    with pytest.raises(NotInstalled, match="no-such-package-of-ours"):
        python_with(requirements, tmp_path)
    with pytest.raises(NotInstalled):  # what could not be installed is not there the next time
        python_with(requirements, tmp_path)


def test_every_requirement_of_a_peer_is_pinned_and_names_no_address() -> None:
    files = [entry.requirements for entry in ENTRIES if entry.requirements]
    lines = list(chain.from_iterable(path.read_text("utf-8").splitlines() for path in files))
    asked = [line for line in lines if not line.startswith("#")]

    assert sorted(files) == sorted(REQUIREMENTS.glob("*.txt"))
    assert [line for line in asked if "==" not in line or "/" in line or "@" in line or line.startswith("-")] == []
    assert all(entry.called.split()[-1][0].isdigit() for entry in ENTRIES if entry.requirements)


def test_the_packaged_embedder_makes_about_the_same_vectors(tmp_path: Path) -> None:
    texts = ["Ada: The harbour opens again in May.", "Ben: Did the cat come home?", "Yes."]
    packaged, ours = embedding(PACKAGED, tmp_path)(texts), embedding("minilm", tmp_path)(texts)

    assert packaged.shape == ours.shape == (3, 384)
    assert (packaged * ours).sum(axis=1).min() > 0.98
    assert abs(packaged[0] @ ours[1]) < 0.5


def test_a_family_is_a_process_with_its_children() -> None:
    own = os.getpid()

    assert own in family(os.getppid())
    assert own not in family(os.getppid(), but=[own])
    assert cpu_s(own) > 0


@pytest.mark.nightly
@pytest.mark.timeout(180)
def test_memstream_itself_is_compared_with_the_plain_recipe(tmp_path: Path) -> None:
    folders = ("--data", str(tmp_path), "--results", str(tmp_path / "results"))
    ask.main(["--peers", "memstream", "recipe", "--quick", "--runs", "1", "--embedder", "hashing", *folders])

    [result] = load_results(tmp_path / "results")
    assert result.name == "ask_peers"
    assert {row.what.removeprefix(HOLDING).partition(":")[0] for row in result.rows} >= {"memstream", "the plain recipe"}
    assert not [note for note in result.notes if note.startswith("Left out")]
