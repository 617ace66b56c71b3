"""The weights of the ranking, and who may set them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from services.retriever.domain.fusion import learned_fusion
from shared.contracts.preferences import Fusion, RankingOptions
from shared.contracts.queries import Preset

RRF_K = 60
"""The constant of reciprocal rank fusion. Source: Cormack, Clarke, Büttcher 2009, and both specifications."""


@dataclass(frozen=True, slots=True)
class Weights:
    """All weights of a ranking; each recall records their hash. How they were chosen: docs/adr/0006, 0011, 0013 and 0034."""

    fusion: Fusion = Fusion.LEARNED
    alpha: float = 1.0  # relevance
    beta: float = 0.1  # recency
    gamma: float = 0.1  # importance
    tau_days: float = 7.0
    rrf_k: int = RRF_K
    candidates: int = 100  # of each leg
    mmr_lambda: float = 0.95
    abstain_below: float = 0.15
    lexical: float = 0.5
    vector: float = 0.5
    speaker: float = 0.4
    entity: float = 0.1
    time: float = 0.2
    session: float = 0.1  # share of the best of the same session
    of_bot: float = 0.65  # share of its relevance that a turn of a bot keeps where the question does not ask for it
    question: float = 0.05  # less for a turn that is itself a question
    profile_tokens: int = 150
    cut_below: float = 0.5  # share of the best relevance that a line of a context has at least

    @property
    def hints(self) -> dict[str, float]:
        """The weights of the legs that score only few memories."""
        return {"speaker": self.speaker, "entity": self.entity, "time": self.time}

    @property
    def fingerprint(self) -> str:
        """A hash of these weights, the learned ones included: 16 hex digits."""
        own = [(name, getattr(self, name)) for name in _NAMES]
        named = (own, learned_fusion().fingerprint) if self.fusion is Fusion.LEARNED else own
        return hashlib.blake2b(repr(named).encode(), digest_size=8).hexdigest()

    @property
    def options(self) -> RankingOptions:
        """All values that can be set; together with the code they give these weights again."""
        return RankingOptions.model_validate({name: getattr(self, name) for name in RankingOptions.model_fields})

    def trusting(self, trust: float) -> Weights:
        """These weights, with so much of the weight of vectors.

        >>> Weights().trusting(0.5).vector
        0.25
        """
        return self if trust == 1 else replace(self, vector=self.vector * trust)

    def under(self, options: RankingOptions | None) -> Weights:
        """These weights, with the values that the options set.

        >>> Weights().under(RankingOptions(beta=0.5)).beta
        0.5
        """
        given = options.model_dump(exclude_none=True) if options and options.model_fields_set else {}
        return replace(self, **given) if given else self


_NAMES = sorted(each.name for each in fields(Weights))


SHIPPED = Weights()

SPECIFICATION = Weights(fusion=Fusion.COSINE, beta=1.0, gamma=1.0, abstain_below=0.0, cut_below=0.0, profile_tokens=0)
"""The preset of the specification: candidates by RRF, cosine relevance, alpha = beta = gamma = 1."""


@dataclass(frozen=True, slots=True)
class Operator:
    """The operator's ranking options: for everybody, and for some spaces."""

    everywhere: RankingOptions = field(default_factory=RankingOptions)
    spaces: Mapping[str, RankingOptions] = field(default_factory=dict)

    def weights(
        self, space: str, *, preset: Preset, person: RankingOptions | None = None, asked: RankingOptions | None = None
    ) -> Weights:
        """The weights for a query: its own options, then its preset, the person's, the space's, the operator's, the defaults.

        >>> operator = Operator(RankingOptions(beta=0.3), {"shop": RankingOptions(beta=0.2)})
        >>> [operator.weights(space, preset=Preset.SHIPPED).beta for space in ("shop", "home")]
        [0.2, 0.3]
        """
        if preset is Preset.SPECIFICATION:
            return SPECIFICATION.under(asked)
        weights = Weights().under(self.everywhere).under(self.spaces.get(space)).under(person)
        if preset is Preset.RRF:
            weights = replace(weights, fusion=Fusion.RRF)
        return weights.under(asked)
