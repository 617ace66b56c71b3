"""With a part of the search out of order every question is still answered, and the answer says what is missing."""

from __future__ import annotations

import pytest

from tests.evals.commands import evaluated

pytestmark = pytest.mark.nightly

EXPECTED = {
    "everything works": None,
    "no embedder": "no_embedder",
    "endpoint down": "embedder_failed",
    "embedder slow": "embedder_slow",
    "other dimensions": "other_model",
    "no vectors": "no_vectors",
}


@pytest.mark.timeout(600)
def test_every_question_is_answered_whatever_is_out_of_order() -> None:
    result = evaluated("outages", "--embedder", "hashing", "--task", "two_users", "--task", "nobody_known")
    assert [row["drill"] for row in result["drills"]] == list(EXPECTED)
    for row in result["drills"]:
        reason = EXPECTED[row["drill"]]
        assert row["leg_failures"] == ({reason: 3} if reason else {}), row  # of the stranger nothing is known, nothing fails
        assert (row["questions"], row["unanswered"], row["tasks_passed"], row["holds"]) == (4, 0, 2, True)
