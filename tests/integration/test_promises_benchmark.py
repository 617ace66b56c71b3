"""`bench promises` finds out what a memory lost in a SIGKILL, what it left of a deleted text, and what it finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench._options import Findings, Options
from bench.peers import promises as trials
from bench.peers.entry import Entry
from bench.promises import ACKNOWLEDGED, FOUND, LEFT, LEFT_STOPPED, LOST, entries_of, measure
from memstream.importers.locomo import parse

KEEPING = Entry("keeping", "keeping", "tests.support.peers.keeping")
LEAKY = Entry("leaky", "leaky", "tests.support.peers.leaky")
BROKEN = Entry("broken", "broken", "tests.support.peers.broken")
TALK = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "The harbour opens again."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "My cat came home."},
        ],
    },
    "qa": [
        {"question": "Which cat came home?", "answer": "Ben's", "evidence": ["D1:2"], "category": 4},
        {"question": "Who sings?", "answer": "nobody", "evidence": ["D9:9"], "category": 4},
    ],
}


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.setattr(trials, "_FOLLOWS_S", 0.0)
    return Options(runs=2, is_quick=True, embedder="hashing", data=tmp_path, results=tmp_path / "results")


def figures(findings: Findings, who: str) -> dict[str, float]:
    """The worst of what was measured of one contender."""
    rows = {row.what: row.figures["value"].high for row in findings.rows}
    return {what.removeprefix(f"{who}: "): value for what, value in rows.items() if what.startswith(who)}


async def test_who_acknowledges_too_early_loses_and_who_only_marks_leaves_the_text(options: Options) -> None:
    conversation = parse([TALK])[0]
    found = await measure([KEEPING, LEAKY], [(conversation, conversation.questions)], options)

    kept, leaked = figures(found, "keeping"), figures(found, "leaky")
    assert (kept[LOST], kept[LEFT], kept[LEFT_STOPPED]) == (0, 0, 0)
    assert leaked[LOST] > 0
    assert (leaked[LEFT], leaked[LEFT_STOPPED]) == (1, 1)
    assert min(kept[ACKNOWLEDGED], leaked[ACKNOWLEDGED]) >= 100
    assert kept[FOUND] == 50
    assert "Of what leaky deleted, the text stood in memories.jsonl." in found.notes


async def test_the_others_go_on_without_one_that_cannot_be_started(options: Options) -> None:
    found = await measure([BROKEN, KEEPING], [], options)

    assert figures(found, "broken") == {}
    assert FOUND not in figures(found, "keeping")
    assert [note for note in found.notes if note.startswith("Left out: broken: ") and "this store wants a license" in note]


@pytest.mark.parametrize(
    ("peers", "tried"),
    [(None, ["memstream", "recipe"]), ([], ["memstream", "chroma", "langgraph", "mem0", "recipe"]), (["mem0"], ["mem0"])],
)
def test_nothing_is_installed_unless_peers_are_asked_for(peers: list[str] | None, tried: list[str]) -> None:
    assert [entry.name for entry in entries_of(peers)] == tried
