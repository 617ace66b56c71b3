"""What the evaluation of recall says of two small conversations, through the real path."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals.commands import evaluated
from tests.evals.conversations import write_conversations


@pytest.mark.timeout(300)
def test_what_a_bot_is_given_is_measured_beside_the_ranking_of_turns(tmp_path: Path) -> None:
    file = write_conversations(tmp_path / "small.json")
    scores = evaluated("recall", "--data", str(file), "--as-given", MEMSTREAM_EMBEDDER_KIND="hashing")
    given = scores["as_given"]
    assert (scores["questions"], scores["recall_at_5"], scores["session_recall_at_5"]) == (5, 1.0, 1.0)
    assert (given["covered"], given["in_first_3"], given["empty"]) == (1.0, 1.0, 0)
    assert 0 < given["tokens"] < 200
    assert given["by_evidence"]["1"]["questions"] == scores["by_evidence"]["1"]["questions"] == 5
