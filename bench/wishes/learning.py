"""Learns the weights of each question from examples, and writes them."""

from __future__ import annotations

import hashlib
import json
from array import array
from base64 import b85encode
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from math import sqrt
from pathlib import Path
from zlib import compress

import numpy as np

import shared.language.commands
from bench.wishes.corpus import Example, sources
from bench.wishes.fitting import Floats, fit, table
from shared.language.commands import wishes
from shared.language.commands.language import SHIPPED_LANGUAGES
from shared.language.commands.wishes import QUESTIONS
from shared.language.tables import section
from shared.language.text.sentences import message_sentences
from shared.language.text.weighing import UNIT, Weights

WEIGHTS = Path(shared.language.commands.__file__).with_name("wish_weights.json")
_READERS = ("wishes.py", "slips.py")
"""What the weights fit, beside the examples and the words of the languages."""
_BALANCED = ("next", "bare", "before")
"""Questions of which a yes is as likely as a no, however many examples there are."""
_OF_ALL = ("bare", "before")
"""Questions about a whole message."""
_ROUNDS = 3
"""Of choosing the part of a message that has its wish."""
_LEAST, _STEPS = 2, 127
"""Steps of the least weight and of the greatest."""

Features = Collection[int]


def learn(examples: Sequence[Example]) -> dict[str, Weights]:
    """Return the weights of each question."""
    return {
        question: _learned(question, [each for each in examples if getattr(each, question) is not None])
        for question in QUESTIONS
    }


def _learned(question: str, examples: Sequence[Example]) -> Weights:
    """Fit to the part of each message that is most like a yes, where it is one, and to all parts, where it is none."""
    yes = [(parts, each.weight) for each in examples if getattr(each, question) and (parts := _parts(question, each.text))]
    no = [(part, each.weight) for each in examples if not getattr(each, question) for part in _parts(question, each.text)]
    chosen = [(part, weight / len(parts)) for parts, weight in yes for part in parts]
    found = None
    for _ in range(_ROUNDS):
        both = [*chosen, *no]
        wished = np.repeat(np.array([1, 0], dtype=np.float32), [len(chosen), len(no)])
        weight = np.array([weight for _, weight in both], dtype=np.float32)
        if question in _BALANCED:
            weight *= np.where(wished, 1 / weight[wished > 0].sum(), 1 / weight[wished == 0].sum())
        found = weights = fit(table([part for part, _ in both]), wished, weight, found)
        chosen = [(max(parts, key=partial(_sum, weights)), weight) for parts, weight in yes]
    steps = np.clip(np.round(weights[:-1] * UNIT), -_STEPS, _STEPS).astype(np.int8)
    steps[abs(steps) < _LEAST] = 0
    return Weights(round(float(weights[-1]) * UNIT), array("b", steps.tobytes()))


def _sum(weights: Floats, part: Features) -> float:
    return float(weights[list(part)].sum()) / sqrt(max(len(part), 1))


def _parts(question: str, text: str) -> list[Features]:
    return _of_all(text) if question in _OF_ALL else _of_chunks(text)


@cache
def _of_chunks(text: str) -> list[Features]:
    return [wishes.features_of(chunk) for sentence in shown(text) for chunk in wishes.chunks(wishes.tokens(sentence))]


@cache
def _of_all(text: str) -> list[Features]:
    found = wishes.features_of_all(map(wishes.tokens, shown(text)))
    return [found] if found else []


def shown(text: str) -> list[str]:
    """Return the sentences of a message, quotations masked."""
    return [sentence.shown for sentence in message_sentences(text)]


def digest() -> str:
    """Return the hash of the data and the scripts."""
    found = hashlib.sha256()
    for path in [*sources(), *(WEIGHTS.with_name(name) for name in _READERS)]:
        found.update(path.name.encode() + path.read_bytes())
    for code in SHIPPED_LANGUAGES:
        found.update(json.dumps(section(code, wishes.WishWords.part)).encode())
    return found.hexdigest()


def written(weights: Mapping[str, Weights]) -> str:
    """Return the weights as their file has them."""
    packed = {
        question: [learned.bias, b85encode(compress(learned.features.tobytes(), 9)).decode()]
        for question, learned in weights.items()
    }
    return json.dumps({"of": digest(), "weights": packed}, indent=1) + "\n"
