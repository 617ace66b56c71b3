"""Learns weights from examples, of each of which only some places are known to be a wish."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from bench.wishes.corpus import Example
from bench.wishes.fitting import fit, table
from shared.language.commands.learned import Likening, places

_ROUNDS = 3
_RAREST = 2
"""Places that have a feature, at least."""
_HUNDREDTHS = 100


def learn(examples: Sequence[Example], kinds: Mapping[str, str]) -> Likening:
    """The weights by which each wish has a place that is one, and nothing else has any.

    A wish does not say which of its places it is: at first all are, then the one that is most like a wish.
    """
    found = [(index, place) for index, example in enumerate(examples) for place in _places(example, kinds)]
    counted = Counter(feature for _, place in found for feature in place)
    number = {feature: at for at, feature in enumerate(sorted(each for each, count in counted.items() if count >= _RAREST))}
    numbered = [sorted(number[feature] for feature in place if feature in number) for _, place in found]
    of_example = np.array([index for index, _ in found])
    wished = np.array([float(examples[index].is_wish) for index, _ in found])
    weight = np.array([examples[index].weight for index, _ in found])
    everything, used = table(numbered, len(number)), np.arange(len(found))
    for _ in range(_ROUNDS):
        weights, bias = fit(table([numbered[at] for at in used], len(number)), wished[used], weight[used])
        order = np.argsort(everything.times(weights), kind="stable")
        likest = {of_example[at]: at for at in order if wished[at]}
        used = np.array(sorted([*np.flatnonzero(wished == 0), *likest.values()]))
    rounded = {feature: round(float(weights[at]) * _HUNDREDTHS) for feature, at in number.items()}
    return Likening(round(bias * _HUNDREDTHS), {feature: each for feature, each in rounded.items() if each})


def _places(example: Example, kinds: Mapping[str, str]) -> list[set[str]]:
    return [features for words in example.said for _, features in places(words, kinds)]


def written(weights: Likening) -> str:
    """The file of the weights, a feature a line."""
    return json.dumps({"bias": weights.bias, "features": dict(weights.features)}, ensure_ascii=False, indent=0) + "\n"
