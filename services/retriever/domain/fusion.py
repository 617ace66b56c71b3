"""The learned fusion: relevance is a weighted sum of what is known of a candidate.

The weights are in fusion.toml, made by `memstream eval train`; docs/adr/0034 says from what, and what each is worth.
"""

from __future__ import annotations

import functools
import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple


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
