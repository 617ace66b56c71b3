"""The evidence is calibrated through the real path, by questions of another conversation."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from services.retriever.domain.evidence import calibrations
from tests.evals.commands import evaluated
from tests.evals.conversations import write_conversations


@pytest.mark.timeout(300)
def test_questions_are_asked_where_they_belong_and_where_they_do_not(tmp_path: Path) -> None:
    file, out = write_conversations(tmp_path / "small.json"), tmp_path / "evidence.toml"
    result = evaluated("abstain", "--data", str(file), "--out", str(out), MEMSTREAM_EMBEDDER_KIND="hashing")
    assert result["questions"] == 5
    shares = result["empty"][str(file)]
    assert shares["answered"] == 0
    assert shares["as_is"] > 0.5
    written = tomllib.loads(out.read_text(encoding="utf-8"))
    assert {legs: set(of["weights"]) for legs, of in written.items()} == {
        legs: set(of.weights) for legs, of in calibrations().items()
    }
