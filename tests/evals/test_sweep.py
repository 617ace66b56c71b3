"""Rankings compared over one import."""

from __future__ import annotations

from pathlib import Path

import pytest

from memstream.evaluation.variants import USUAL, options, values, variants
from shared.contracts.errors import Malformed
from shared.contracts.preferences import Fusion, RankingOptions
from tests.evals.commands import evaluated
from tests.evals.conversations import write_conversations


@pytest.mark.timeout(300)
def test_chosen_on_one_conversation_the_best_are_checked_on_the_other(tmp_path: Path) -> None:
    file = write_conversations(tmp_path / "small.json")
    rankings = ("--option", "alpha=0,1", "--option", "fusion=rrf")
    result = evaluated("sweep", str(file), "--choose-on", "harbour", *rankings, MEMSTREAM_EMBEDDER_KIND="hashing")
    assert [row["ranking"] for row in result["rankings"]] == ["shipped", "alpha=0.0", "alpha=1.0", "fusion=rrf"]
    assert {row["questions"] for row in result["rankings"]} == {3}
    assert {row["incomplete"] for row in result["rankings"]} == {0}
    assert result["rankings"][0]["recall_at_5"] == 1.0
    assert (result["chosen_on"], result["checked_on"]) == (["harbour"], ["orchard"])
    assert result["checked"][0]["ranking"] == "shipped"
    assert [row["questions"] for row in result["checked"]] == [2] * 4


def test_one_change_at_a_time_or_every_combination() -> None:
    given = values(["beta=0,1", "lambda=0.5,0.9"])
    assert [each.label for each in variants(given, is_grid=False)][1:] == [
        "beta=0.0",
        "beta=1.0",
        "mmr_lambda=0.5",
        "mmr_lambda=0.9",
    ]
    assert len(variants(given, is_grid=True)) == 1 + 4


def test_the_usual_ones_fit() -> None:
    assert len(variants(USUAL, is_grid=False)) == 1 + sum(map(len, USUAL.values()))


def test_the_constant_of_rrf_is_asked_with_rrf() -> None:
    assert options({"rrf_k": "10"}) == RankingOptions(fusion=Fusion.RRF, rrf_k=10)


@pytest.mark.parametrize("option", ["beta", "beta=", "colour=red"])
def test_what_is_no_option_is_refused(option: str) -> None:
    with pytest.raises(Malformed, match="is no option"):
        values([option])


@pytest.mark.parametrize("changes", [{"beta": "much"}, {"mmr_lambda": "2"}, {"fusion": "cold"}])
def test_a_value_that_does_not_fit_is_refused_by_name(changes: dict[str, str]) -> None:
    with pytest.raises(Malformed, match=next(iter(changes))):
        options(changes)
