"""Calibrates the evidence by which a context stays empty: logistic regression over its signs, judged on files left out.

A question that its own conversation answers is told from questions of another one: half of these as they are, half with the
names of the speakers exchanged. Each file counts the same, and so do both kinds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

ANSWERED, EXCHANGED, AS_IS = "answered", "exchanged", "as_is"
_SHARES = {ANSWERED: 1.0, EXCHANGED: 0.5, AS_IS: 0.5}
WITH_VECTORS = ("near", "covered", "held", "missing", "strangers")
BY_WORDS = WITH_VECTORS[1:]

MOST_WRONGLY_EMPTY = 0.02
"""The share of answerable questions, the mean of the files, that may have less evidence than the threshold."""

THRESHOLD = 0.2
"""The evidence that stands for this share."""

_QUESTIONS_OF_A_FILE = 300
_RIDGE = 2.0
_STEPS = 50

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class SignedQuestion:
    """A question, what was asked of whom, and the signs that there is an answer."""

    file: str
    asked: str  # ANSWERED, EXCHANGED or AS_IS
    signs: Mapping[str, float]


@dataclass(frozen=True)
class CalibratedEvidence:
    """The weights of the signs and what is added to their sum."""

    weights: Mapping[str, float]
    offset: float

    def evidence(self, signs: Mapping[str, float]) -> float:
        """1 / (1 + exp(-offset - sum(w_i * x_i)))."""
        said = self.offset + sum(weight * signs[name] for name, weight in self.weights.items())
        return float(1 / (1 + np.exp(-said)))

    def toml(self, title: str) -> str:
        """The weights as a table of TOML with this title."""
        weights = ", ".join(f"{name} = {weight:.4f}" for name, weight in self.weights.items())
        return f"\n[{title}]\noffset = {self.offset:.4f}\nweights = {{ {weights} }}\n"


def calibrated(questions: Sequence[SignedQuestion], names: Sequence[str]) -> CalibratedEvidence:
    """The calibration for these questions; by its offset MOST_WRONGLY_EMPTY of the answerable fall below THRESHOLD."""
    rows = np.array([[each.signs[name] for name in names] for each in questions], np.float64)
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    weights = _logistic((rows - mean) / spread, questions)[:-1] / spread
    lowest = [np.quantile(_of(rows @ weights, questions, file, ANSWERED), MOST_WRONGLY_EMPTY) for file in _files(questions)]
    offset = float(np.log(THRESHOLD / (1 - THRESHOLD)) - fmean(map(float, lowest)))
    return CalibratedEvidence(dict(zip(names, weights.tolist(), strict=True)), offset)


def _logistic(rows: Numbers, questions: Sequence[SignedQuestion]) -> Numbers:
    """The weights and the offset with the least loss, by Newton's method."""
    known = np.c_[rows, np.ones(len(rows))]
    right = np.array([each.asked == ANSWERED for each in questions], np.float64)
    counts = _counts(questions)
    share = np.array([_QUESTIONS_OF_A_FILE * _SHARES[each.asked] / counts[each.file, each.asked] for each in questions])
    ridge = _RIDGE * np.eye(known.shape[1])
    ridge[-1, -1] = 1e-6
    weights: Numbers = np.zeros(known.shape[1])
    for _ in range(_STEPS):
        told = 1 / (1 + np.exp(-known @ weights))
        curve = (known * (share * told * (1 - told))[:, None]).T @ known + ridge
        weights = weights + np.linalg.solve(curve, known.T @ (share * (right - told)) - ridge @ weights)
    return weights


def _counts(questions: Sequence[SignedQuestion]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for each in questions:
        counts[each.file, each.asked] = counts.get((each.file, each.asked), 0) + 1
    return counts


def _files(questions: Sequence[SignedQuestion]) -> list[str]:
    return list(dict.fromkeys(each.file for each in questions))


def _of(scores: Numbers, questions: Sequence[SignedQuestion], file: str, asked: str) -> Numbers:
    return scores[[each.file == file and each.asked == asked for each in questions]]


def empty_shares(questions: Sequence[SignedQuestion], calibration: CalibratedEvidence) -> dict[str, dict[str, float]]:
    """The share below THRESHOLD, by file and by what was asked of whom."""
    return {
        file: {
            asked: round(
                fmean(
                    calibration.evidence(each.signs) < THRESHOLD
                    for each in questions
                    if (each.file, each.asked) == (file, asked)
                ),
                4,
            )
            for asked in _SHARES
        }
        for file in _files(questions)
    }


def left_out(questions: Sequence[SignedQuestion], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The shares of each file by a calibration that was made on all the others; empty where there is one file."""
    shares: dict[str, dict[str, float]] = {}
    for file in _files(questions):
        own = [each for each in questions if each.file == file]
        if others := [each for each in questions if each.file != file]:
            shares |= empty_shares(own, calibrated(others, names))
    return shares
