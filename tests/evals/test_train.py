"""Weights of the learned fusion are fitted through the real path."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from services.retriever.domain.fusion import Features
from tests.evals.commands import evaluated
from tests.evals.conversations import write_conversations


@pytest.mark.timeout(300)
def test_every_feature_gets_a_weight_and_each_conversation_is_judged_by_the_others(tmp_path: Path) -> None:
    file, out = write_conversations(tmp_path / "small.json"), tmp_path / "fusion.toml"
    result = evaluated("train", "--data", str(file), "--out", str(out), MEMSTREAM_EMBEDDER_KIND="hashing")
    assert result["questions"] == 5
    assert set(result["weights"]) == set(Features._fields)
    for title in ("convex", "left_out"):
        assert result[title][str(file)]["recall_at_20"] == 1.0
    written = tomllib.loads(out.read_text(encoding="utf-8"))
    assert set(written["weights"]) == set(Features._fields)
    assert written["offset"] == pytest.approx(result["offset"], abs=1e-4)
