"""Measures how much speaks for an answer: by the nearest memory, the words that one memory holds, and names that none holds.

The weights are in evidence.toml, made by `memstream eval abstain --out`; docs/adr/0036 says from what.
"""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections.abc import Collection, Mapping
from importlib import resources
from typing import NamedTuple

from shared.language.questions.aims import AskingAim
from shared.language.text.calendar import DAYS, MONTHS
from shared.language.text.frequency import place_of
from shared.language.text.languages import STOP_WORDS
from shared.language.text.words import is_by_character, search_words

_MEASURED_ON = 600
_LEAST = math.sqrt(math.log(2))
_OF_OTHERS = 3.0
_MOST_OF_BEGINNINGS = 4.0
_SHORTEST_TELLING = 2
_MOST_STRANGERS = 2
_OF_THE_TIME = 0.2
_EVERY_WORD = 1 - 1e-9
_LITTLE = 12.0
"""Rarity in all of what names little: some three frequent words, as `what did we talk about on Monday`."""

_QUOTED = re.compile(r"[\"“„«][^\"”“»]{0,200}[\"”“»]")
_IS_NO_NAME = re.compile(rf"^(?:{'|'.join((*DAYS, *MONTHS))})$|(?:ean|ese|ish)$", re.IGNORECASE)
_WORD = re.compile(r"\w[\w'’-]*")
_GERMAN = STOP_WORDS["de"] - STOP_WORDS["en"]
_CERTAIN = 0.95

_FITTED_FOR = 0.15
_LEAST_BY_AIM = {AskingAim.PERSON: 0.15, AskingAim.REMARK: 0.15, AskingAim.WORLD: 0.4, AskingAim.TASK: 0.6}
_LEAST_BY_WORDS = {AskingAim.PERSON: 0.04, AskingAim.REMARK: 0.25, AskingAim.WORLD: 0.25, AskingAim.TASK: 0.6}
"""Of evidence, where the setting `abstain_below` is 0.15; else in proportion. Words alone miss more of what is there."""


class Holding(NamedTuple):
    """The number of memories that hold a term of the question, and which of the best ones hold it."""

    memories: int
    best: frozenset[int]


class Signs(NamedTuple):
    """What speaks for an answer, and against it."""

    near: float | None  # the best cosine, scaled, in [0, 1]; None where there is no vector to trust
    covered: float  # the largest share of the question's terms that one memory holds, in [0, 1]
    held: float  # the rarity of the terms that this memory holds, in all
    missing: float  # and of those that it lacks
    strangers: int  # names that no memory holds, up to two
    is_of_time: bool = False  # the question names a time and little else, and one of the best is of that time


class FoundBeside(NamedTuple):
    """What was found besides the words: how many memories there are, the best cosine, whether one is of the time asked for."""

    memories: int
    cosine: float | None = None
    is_of_time: bool = False


def signs(question: str, terms: Mapping[str, Holding], *, names: Collection[str], found: FoundBeside) -> Signs:
    """The signs for a question whose terms are held like this; `names` are those of the speakers that it names.

    A name of a speaker is left out of what is held: who speaks is another leg's evidence.
    """
    of_names = {f'"{word}"' for name in names for word in search_words(name)}
    weights = {term: rarity(term) for term in terms if term not in of_names}
    held, everything = _most(terms, weights), sum(weights.values())
    unknown = strangers(question, {term: holding for term, holding in terms.items() if term in weights})
    return Signs(
        near=None if found.cosine is None else beyond_chance(found.cosine, memories=found.memories),
        covered=coverage(terms, memories=found.memories),
        held=held,
        missing=everything - held,
        strangers=min(unknown, _MOST_STRANGERS),
        is_of_time=found.is_of_time and everything <= _LITTLE,
    )


def rarity(term: str) -> float:
    """How rare a term is in English at large: ln(place in the vocabulary - 900) - 4.

    Of beginnings of other languages' words at most 4, of Chinese and Japanese 3, of single characters and short numbers 1.

    >>> [round(rarity(term), 1) for term in ('"year"', '"apprentice"', '"zumba"')]
    [3.1, 5.4, 7.5]
    """
    word = term.strip('"*')
    if is_by_character(word) or not word.isalpha():
        return _OF_OTHERS if len(word) > _SHORTEST_TELLING else 1.0
    of_english = math.log(place_of(word) - 900) - 4
    return min(of_english, _MOST_OF_BEGINNINGS) if term.endswith("*") else of_english


def strangers(question: str, terms: Mapping[str, Holding]) -> int:
    """The number of words that are written like names and that no memory holds; 0 if it may be German, which writes nouns so.

    Days, months, what is of a country, and what stands in quotation marks are no names.

    >>> strangers("What did Nate and Ada paint?", {'"nate"': Holding(0, frozenset()), '"ada"': Holding(3, frozenset())})
    1
    """
    if not _GERMAN.isdisjoint(search_words(question)):
        return 0
    capital = [word for word in _WORD.findall(_QUOTED.sub(" ", question))[1:] if word[0].isupper() and word[1:2].islower()]
    names = {part for word in capital if not _IS_NO_NAME.search(word) for part in search_words(word)[:1]}
    return sum(not held.memories and any(_is_of(term, name) for name in names) for term, held in terms.items())


def _is_of(term: str, name: str) -> bool:
    word = term.strip('"*')
    return name.startswith(word) if term.endswith("*") else name == word


def coverage(terms: Mapping[str, Holding], *, memories: int) -> float:
    """The largest share of the question's terms that one memory holds, rare ones weighing more; in [0, 1].

    idf = ln(1 + N / (n + 0.5)) for a term that n of N memories hold; the sum over the terms held, by the sum over all terms.

    >>> eel, like = Holding(1, frozenset({7})), Holding(50, frozenset({7, 8}))
    >>> round(coverage({"eel": eel, "like": like, "boat": Holding(0, frozenset())}, memories=100), 2)
    0.5
    """
    idf = {term: math.log(1 + memories / (held.memories + 0.5)) for term, held in terms.items()}
    everything = sum(idf.values())
    return _most(terms, idf) / everything if everything else 0.0


def _most(terms: Mapping[str, Holding], weights: Mapping[str, float]) -> float:
    """The largest sum of weights of the terms that one of the best memories holds."""
    numbers = {number for held in terms.values() for number in held.best}
    sums = (sum(weight for term, weight in weights.items() if number in terms[term].best) for number in numbers)
    return max(sums, default=0.0)


def beyond_chance(cosine: float, *, memories: int) -> float:
    """The best cosine of so many memories, scaled as if it were the best of 600: the best of more is higher by chance.

    The largest of N draws grows like sqrt(2 ln N). In [0, 1].

    >>> [round(beyond_chance(0.3, memories=memories), 2) for memories in (1, 10, 600, 100_000)]
    [0.91, 0.49, 0.3, 0.22]
    """
    expected, measured = math.sqrt(math.log(1 + memories)), math.sqrt(math.log(1 + _MEASURED_ON))
    return min(max(cosine, 0.0) * measured / max(expected, _LEAST), 1.0)


class SignWeights(NamedTuple):
    """What turns signs into a probability."""

    offset: float
    weights: Mapping[str, float]


@functools.cache
def calibrations() -> dict[str, SignWeights]:
    """The calibrations of this package: `vectors` and, where there is none to trust, `words`."""
    stored = tomllib.loads(resources.files(__package__).joinpath("evidence.toml").read_text(encoding="utf-8"))
    return {legs: SignWeights(of["offset"], of["weights"]) for legs, of in stored.items()}


def evidence(found: Signs) -> float:
    """The probability of an answer, were half of the questions about somebody else: 1 / (1 + exp(-offset - sum(w_i * x_i))).

    Where a memory holds every word, the words alone may say it. It is 0.2 more where only a time is asked for, and found.

    >>> known, unknown = Signs(0.6, 0.8, 9.0, 2.0, 0), Signs(0.3, 0.2, 2.0, 9.0, 1)
    >>> evidence(known) > 0.5 > evidence(unknown)
    True
    """
    likely = _likely(found, calibrations()["words" if found.near is None else "vectors"])
    if found.covered >= _EVERY_WORD:
        likely = max(likely, _likely(found, calibrations()["words"]))
    return min(likely + _OF_THE_TIME * found.is_of_time, 1.0)


def _likely(found: Signs, of: SignWeights) -> float:
    told = found._asdict()
    return 1 / (1 + math.exp(-of.offset - sum(weight * told[name] for name, weight in of.weights.items())))


def least_evidence(aim: AskingAim, abstain_below: float, *, is_of_speaker: bool, has_vectors: bool) -> float:
    """The least evidence for an answer, in proportion to the setting `abstain_below`, at most 0.95.

    Less for what concerns its person or a speaker than for what anybody could ask, and more for what anybody could order; a
    remark wants more where words alone tell. Source: docs/adr/0036.

    >>> least_evidence(AskingAim.WORLD, 0.15, is_of_speaker=False, has_vectors=True)
    0.4
    """
    least = _LEAST_BY_AIM if has_vectors else _LEAST_BY_WORDS
    wanted = least.get(AskingAim.PERSON if is_of_speaker else aim, _FITTED_FOR)
    return min(wanted * abstain_below / _FITTED_FOR, _CERTAIN)
