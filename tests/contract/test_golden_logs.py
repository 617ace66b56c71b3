"""The log that a tagged version wrote is read by every later one, to the same memories."""

import json
from pathlib import Path

import pytest

from tests.support.golden_log import LOGS, records_of, replayed


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_log_of_a_tagged_version_leads_to_the_same_memories(path: Path, tmp_path: Path) -> None:
    expected = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
    assert replayed(records_of(path), tmp_path) == expected


def test_the_first_version_has_its_log() -> None:
    assert (LOGS / "0.1.0.jsonl").exists()
