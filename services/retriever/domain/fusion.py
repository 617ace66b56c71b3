"""The learned fusion: relevance is a weighted sum of what is known of a candidate.

The weights are in fusion.toml, made by `memstream eval train`; docs/adr/0034 says from what, and what each is worth.
"""

from __future__ import annotations

import functools
import hashlib
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple

_NEAR = 4.0
"""Standard deviations of the candidates' cosines that count as much as all of any other feature."""

_LEAST_SPREAD = 0.05
"""Of the cosines; in less than this no candidate is nearer than the others."""


class Features(NamedTuple):
    """What the fusion weighs; each is in [0, 1], nearness in [-1, 1]."""

    fused: float  # the weighted mean of the legs
    session: float  # the best of its session
    asks: float  # 1 of a turn that only asks
    nearness: float  # its own cosine beside those of the other candidates
    another: float  # 1 if the question names who speaks and somebody else said it
    dated: float  # 1 if it speaks of a day
    of_self: float  # and the rest as in `Manner`
    to_other: float
    names: float
    numbers: float
    length: float


@dataclass(frozen=True)
class LearnedFusion:
    """The weights of the features, and what is added to their sum."""

    weights: Mapping[str, float]
    offset: float

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of the weights: 16 hex digits."""
        return hashlib.blake2b(repr((sorted(self.weights.items()), self.offset)).encode(), digest_size=8).hexdigest()

    def scaled(self, scale: Mapping[str, float]) -> list[float]:
        """The weight of each feature, in their order, times its `scale`, if that is not 1."""
        return [self.weights[name] * scale.get(name, 1.0) for name in Features._fields]


@functools.cache
def learned_fusion() -> LearnedFusion:
    """The fusion of this package."""
    stored = tomllib.loads(resources.files(__package__).joinpath("fusion.toml").read_text(encoding="utf-8"))
    return LearnedFusion(stored["weights"], stored["offset"])


def nearness(cosines: Sequence[float | None]) -> list[float]:
    """How near each candidate's own vector is beside those of the others: (cosine - mean) / (4 * deviation), in [-1, 1].

    0 where there is no vector, and where all are as near.

    >>> [round(each, 2) for each in nearness([0.2, 0.4, None])]
    [-0.25, 0.25, 0.0]
    """
    known = [cosine for cosine in cosines if cosine is not None]
    if not known:
        return [0.0] * len(cosines)
    mean = math.fsum(known) / len(known)
    deviation = math.sqrt(math.fsum((cosine - mean) ** 2 for cosine in known) / len(known))
    spread = _NEAR * max(deviation, _LEAST_SPREAD)
    return [0.0 if cosine is None else min(max((cosine - mean) / spread, -1.0), 1.0) for cosine in cosines]
