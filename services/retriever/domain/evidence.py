"""Measures how much speaks for an answer: the best cosine, and the share of the question's words that one memory holds."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from services.retriever.domain.aims import AskingAim

_MEASURED_ON = 600
_LEAST = math.sqrt(math.log(2))
_OF_THE_TIME, _OF_THE_ENTITY = 0.2, 0.1
_NAMED, _NAMED_BY_WORDS, _OF_THE_WORLD = 1.5, 1.0, 2.5
_BY_WORDS = 0.2


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


def evidence(
    cosine: float | None, covered: float | None, *, is_of_the_time: bool = False, is_of_the_entity: bool = False
) -> float:
    """The mean of the scaled best cosine and the coverage, or the one that is known. In [0, 1].

    It is 0.2 more where a memory is of the time that is asked for, 0.1 more where it mentions an entity of the question.

    >>> evidence(0.6, 0.5), evidence(None, 0.5), evidence(None, 0.5, is_of_the_time=True)
    (0.55, 0.5, 0.7)
    """
    known = [value for value in (cosine, covered) if value is not None]
    told = _OF_THE_TIME * is_of_the_time + _OF_THE_ENTITY * is_of_the_entity
    return min((sum(known) / len(known) if known else 0.0) + told, 1.0)


def least_evidence(aim: AskingAim, abstain_below: float, *, is_of_somebody: bool, has_vectors: bool) -> float:
    """The least evidence for an answer, as a multiple of the setting `abstain_below`.

    1 for what concerns its person, 1.5 for others whom the memories know, 2.5 for what anybody could ask; without vectors
    0.2, 1 and 2.5, as words alone say less. Source: docs/adr/0036.

    >>> least_evidence(AskingAim.WORLD, 0.2, is_of_somebody=False, has_vectors=True)
    0.5
    """
    if aim is AskingAim.PERSON:
        return abstain_below * (1.0 if has_vectors else _BY_WORDS)
    if is_of_somebody:
        return abstain_below * (_NAMED if has_vectors else _NAMED_BY_WORDS)
    return abstain_below * _OF_THE_WORLD
