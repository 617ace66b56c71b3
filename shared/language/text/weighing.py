"""Logistic regressions over hashed n-grams of the words of a sentence and of the kinds of these words.

`bench/wishes` learns their weights. A feature is the number of a bucket; many n-grams may share one.
"""

from __future__ import annotations

import json
from array import array
from base64 import b85decode
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import sqrt
from typing import NamedTuple
from zlib import crc32, decompress

BUCKETS = 1 << 15
"""Hashed features; a power of two."""
UNIT = 4
"""Steps of a weight to one logit."""
WITHOUT_ACCENTS = str.maketrans("áàâäãéèêëíìîïóòôöõúùûüñç", "aaaaaeeeeiiiiooooouuuunc")
NO_KIND = "_"
"""The kind of a word of no kind."""
_WORDS_TOGETHER, _KINDS_TOGETHER, _LETTERS_TOGETHER = 3, 4, 4


class Weights(NamedTuple):
    """The learned weights of one question: a bias, and a weight for each hashed feature, in steps."""

    bias: int
    features: array[int]

    def logit(self, hashed: Collection[int]) -> float:
        """Return the logit of what has these features."""
        found = sum(self.features[each] for each in hashed)
        return (self.bias + found / sqrt(len(hashed))) / UNIT


def read_weights(written: str) -> Mapping[str, Weights]:
    """Return the weights of each question from the text of their file."""
    return {
        question: Weights(bias, array("b", decompress(b85decode(packed))))
        for question, (bias, packed) in json.loads(written)["weights"].items()
    }


def features_of(words: Sequence[str], kinds: Sequence[str]) -> frozenset[int]:
    """Return the hashed features of a sentence: rows of words, of their kinds, of both mixed, and of letters."""
    said = [word.encode() for word in words]
    marks = [(kind if word.isalnum() else word).encode() for word, kind in zip(words, kinds, strict=True)]
    marked = [kind for kind in marks if kind != NO_KIND.encode()]
    rows = [*_rows(said, _WORDS_TOGETHER, 1), *_rows(marks, _KINDS_TOGETHER, 2), *_rows(marked, _KINDS_TOGETHER, 3)]
    for apart, salt in ((1, 4), (2, 5)):
        rows += (crc32(b, crc32(a, salt)) for a, b in zip(said, marks[apart:], strict=False))
        rows += (crc32(b, crc32(a, salt + 2)) for a, b in zip(marks, said[apart:], strict=False))
    rows += (crc32(b, crc32(a, 8)) for a, b in zip(said, said[2:], strict=False))
    for word in said:
        if len(word) >= _LETTERS_TOGETHER:
            padded = b"^" + word + b"$"
            rows += (crc32(padded[at : at + _LETTERS_TOGETHER], 9) for at in range(len(padded) - _LETTERS_TOGETHER + 1))
    return frozenset(row & (BUCKETS - 1) for row in rows)


def _rows(items: Sequence[bytes], most: int, salt: int) -> Iterator[int]:
    """The hashes of up to `most` items in a row."""
    hashed = [salt] * len(items)
    for length in range(most):
        hashed = [crc32(item, before) for before, item in zip(hashed, items[length:], strict=False)]
        yield from hashed
