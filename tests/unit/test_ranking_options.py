"""Who may set what of the ranking, and what wins."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from services.retriever.domain.weights import SPECIFICATION, Operator, Weights
from services.retriever.settings import RetrieverSettings, operator_ranking
from shared.contracts.errors import Misconfigured
from shared.contracts.preferences import Fusion, RankingOptions
from shared.contracts.queries import ContextQuery, Preset


def ranking_file(folder: Path, text: str) -> Path:
    path = folder / "ranking.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_narrower_setting_wins(tmp_path: Path) -> None:
    path = ranking_file(tmp_path, '[ranking]\nbeta = 0.2\ngamma = 0.2\n[spaces."shop".ranking]\nbeta = 0.3\ntau_days = 3\n')
    operator = operator_ranking(path, RankingOptions(alpha=0.9, gamma=0.9))
    person, asked = RankingOptions(tau_days=5), RankingOptions(rrf_k=7)
    weights = operator.weights("shop", preset=Preset.SHIPPED, person=person, asked=asked)
    assert (weights.alpha, weights.beta, weights.gamma, weights.tau_days, weights.rrf_k) == (0.9, 0.3, 0.2, 5, 7)
    elsewhere = operator.weights("home", preset=Preset.SHIPPED)
    assert (elsewhere.beta, elsewhere.tau_days) == (0.2, Weights().tau_days)


def test_a_preset_is_a_whole_ranking_that_only_the_query_changes() -> None:
    operator = Operator(RankingOptions(beta=0.5, fusion=Fusion.COSINE))
    assert operator.weights("home", preset=Preset.SPECIFICATION, person=RankingOptions(alpha=3)) == SPECIFICATION
    assert operator.weights("home", preset=Preset.SPECIFICATION, asked=RankingOptions(alpha=3)).alpha == 3
    assert operator.weights("home", preset=Preset.RRF).fusion is Fusion.RRF


def test_the_fingerprint_names_the_effective_weights() -> None:
    operator = Operator(RankingOptions(beta=0.5))
    assert operator.weights("home", preset=Preset.SHIPPED).fingerprint == Weights(beta=0.5).fingerprint
    assert Weights(beta=0.5).fingerprint != Weights().fingerprint


def test_the_options_of_weights_give_them_again() -> None:
    weights = Weights(beta=0.5, mmr_lambda=0.3, speaker=0.7, lexical=0.1, session=0, question=0.3)
    assert Weights().under(weights.options) == weights


def test_no_file_means_the_default(tmp_path: Path) -> None:
    operator = operator_ranking(tmp_path / "ranking.toml", RankingOptions(beta=0.5))
    assert operator.weights("home", preset=Preset.SHIPPED).beta == 0.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[ranking]\nbeta = -1\n", "ranking.beta"),
        ("[ranking]\nbetta = 1\n", "ranking.betta"),
        ('[spaces."shop".ranking]\nfusion = "best"\n', "spaces.shop.ranking.fusion"),
        ("ranking = ", "no TOML"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Misconfigured, match=said):
        operator_ranking(ranking_file(tmp_path, text), RankingOptions())


def test_the_environment_sets_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_RETRIEVER_RANKING__BETA", "0.7")
    monkeypatch.setenv("MEMSTREAM_RETRIEVER_RANKING__FUSION", "rrf")
    assert RetrieverSettings().ranking == RankingOptions(beta=0.7, fusion=Fusion.RRF)


def test_a_query_takes_a_ranking_and_refuses_a_wrong_one() -> None:
    assert ContextQuery(query="x", ranking=RankingOptions(mmr_lambda=1)).ranking == RankingOptions(mmr_lambda=1)
    with pytest.raises(ValidationError, match="mmr_lambda"):
        ContextQuery.model_validate({"query": "x", "ranking": {"mmr_lambda": 2}})
