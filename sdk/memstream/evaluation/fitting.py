"""Fits the weights of the learned fusion to questions whose evidence is known: ridge regression, solved at once.

Each file of conversations counts the same, whatever its size, and so does each question of it. Of a question the evidence
counts as much as all the rest. Weights are judged on conversations that they were not fitted on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RIDGE = 0.02
"""How much a weight costs, in units of its feature's variance."""

TRUST = 0.65
"""How far the weights go from the formula without them to what the questions say: a few hundred of them know less than all."""

CUTOFFS = (5, 10, 20)
_CONVEX = {"fused": 1 / 1.1, "session": 0.1 / 1.1, "asks": -0.05 / 1.1}
"""The formula without learned weights, of whose relevances the learned ones keep the size: other thresholds are made for it."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class JudgedQuestion:
    """The candidates for a question, newest first, and which of them answer it."""

    file: str
    conversation: str
    features: Matrix  # float64[candidates, features]
    answers: NDArray[np.bool_]
    evidence: int  # turns that answer, whether found or not

    def recalls(self, scores: Matrix) -> tuple[float, ...]:
        """The part of the evidence among the best 5, 10 and 20 by these scores."""
        best = self.answers[np.argsort(-scores, kind="stable")[: CUTOFFS[-1]]]
        return tuple(float(best[:cutoff].sum()) / self.evidence for cutoff in CUTOFFS)


@dataclass(frozen=True)
class FittedWeights:
    """A weight for each feature and what is added, so that relevances are as large as the convex ones."""

    weights: Mapping[str, float]
    offset: float

    def toml(self) -> str:
        """The file that holds them."""
        lines = [f"{name} = {weight:.4f}" for name, weight in self.weights.items()]
        return "\n".join([f"offset = {self.offset:.4f}", "", "[weights]", *lines, ""])


def fitted(questions: Sequence[JudgedQuestion], names: Sequence[str], *, trust: float = TRUST) -> FittedWeights:
    """The weights of these features for these questions, scaled."""
    convex = np.array([_CONVEX.get(name, 0.0) for name in names])
    weights = _trusted(questions, convex, trust)
    scale, offset = _like_convex(questions, weights, convex)
    return FittedWeights(dict(zip(names, (weights * scale).tolist(), strict=True)), offset)


def _trusted(questions: Sequence[JudgedQuestion], convex: Matrix, trust: float) -> Matrix:
    """The weights between the convex formula and what the questions say; the legs weigh the same in all of them."""
    weights, legs = solved(questions), int(convex.argmax())
    trusted: Matrix = convex + trust * (weights * convex[legs] / weights[legs] - convex)
    return trusted


def solved(questions: Sequence[JudgedQuestion]) -> Matrix:
    """The weights w with the least sum(share * (x w + c - y)²) + ridge * sum(variance * w²), y 1 for answers, else -1."""
    shares = list(_shares(questions))
    rows, share = np.concatenate([each.features for each in questions]), np.concatenate(shares)
    target = np.concatenate([np.where(each.answers, 1.0, -1.0) for each in questions])
    centred = rows - share @ rows
    moments = (centred * share[:, None]).T @ centred
    weights: Matrix = np.linalg.solve(moments + RIDGE * np.diag(rows.var(axis=0) + 1e-9), centred.T @ (share * target))
    return weights


def _shares(questions: Sequence[JudgedQuestion]) -> Iterator[Matrix]:
    """How much each candidate counts; 1 in all. A question whose evidence was not found says nothing."""
    telling = [each for each in questions if 0 < each.answers.sum() < len(each.answers)]
    files = {each.file: sum(other.file == each.file for other in telling) for each in telling}
    for each in questions:
        right = each.answers.sum()
        if 0 < right < len(each.answers):
            whole = 2 * len(files) * files[each.file]
            yield np.where(each.answers, 1 / right, 1 / (len(each.answers) - right)) / whole
        else:
            yield np.zeros(len(each.answers))


def _like_convex(questions: Sequence[JudgedQuestion], weights: Matrix, convex: Matrix) -> tuple[float, float]:
    """Scale and offset that leave the mean candidate and the mean best one where the convex formula has them."""
    found = [each.features for each in questions if len(each.features)]

    def levels(by: Matrix) -> tuple[float, float]:
        scores = [rows @ by for rows in found]
        return float(np.mean(np.concatenate(scores))), float(np.mean([each.max() for each in scores]))

    (mean, best), (like_mean, like_best) = levels(weights), levels(convex)
    scale = (like_best - like_mean) / (best - mean)
    return scale, like_mean - scale * mean


def left_out(
    questions: Sequence[JudgedQuestion], names: Sequence[str], *, trust: float = TRUST
) -> dict[str, list[tuple[float, ...]]]:
    """The recalls of each file's questions, of each conversation by weights that were fitted on all the others."""
    found: dict[str, list[tuple[float, ...]]] = {each.file: [] for each in questions}
    for conversation in dict.fromkeys((each.file, each.conversation) for each in questions):
        others = [each for each in questions if (each.file, each.conversation) != conversation]
        weights = np.array(list(fitted(others, names, trust=trust).weights.values()))
        for each in questions:
            if (each.file, each.conversation) == conversation:
                found[each.file].append(each.recalls(each.features @ weights))
    return found
