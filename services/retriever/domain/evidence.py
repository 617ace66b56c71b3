"""Measures how much speaks for an answer: the best cosine, and the share of the question's words that one memory holds."""

import math
from collections.abc import Mapping
from typing import NamedTuple

_MEASURED_ON = 600
_LEAST = math.sqrt(math.log(2))


class Holding(NamedTuple):
    """The number of memories that hold a term of the question, and which of the best ones hold it."""

    memories: int
    best: frozenset[int]


def coverage(terms: Mapping[str, Holding], *, memories: int) -> float:
    """The largest share of the question's terms that one memory holds, rare ones weighing more; in [0, 1].

    idf = ln(1 + N / (n + 0.5)) for a term that n of N memories hold; the sum over the terms held, by the sum over all terms.

    >>> eel, like = Holding(1, frozenset({7})), Holding(50, frozenset({7, 8}))
    >>> round(coverage({"eel": eel, "like": like, "boat": Holding(0, frozenset())}, memories=100), 2)
    0.5
    """
    idf = {term: math.log(1 + memories / (held.memories + 0.5)) for term, held in terms.items()}
    everything = sum(idf.values())
    numbers = {number for held in terms.values() for number in held.best}
    sums = (sum(idf[term] for term, held in terms.items() if number in held.best) for number in numbers)
    return max(sums, default=0.0) / everything if everything else 0.0


def beyond_chance(cosine: float, *, memories: int) -> float:
    """The best cosine of so many memories, scaled as if it were the best of 600: the best of more is higher by chance.

    The largest of N draws grows like sqrt(2 ln N). In [0, 1].

    >>> [round(beyond_chance(0.3, memories=memories), 2) for memories in (1, 10, 600, 100_000)]
    [0.91, 0.49, 0.3, 0.22]
    """
    expected, measured = math.sqrt(math.log(1 + memories)), math.sqrt(math.log(1 + _MEASURED_ON))
    return min(max(cosine, 0.0) * measured / max(expected, _LEAST), 1.0)


def evidence(cosine: float | None, covered: float | None) -> float:
    """The mean of the scaled best cosine and the coverage; one of them alone if the other is unknown. In [0, 1].

    >>> evidence(0.6, 0.5), evidence(None, 0.5)
    (0.55, 0.5)
    """
    known = [value for value in (cosine, covered) if value is not None]
    return sum(known) / len(known) if known else 0.0
