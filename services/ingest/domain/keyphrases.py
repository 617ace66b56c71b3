"""Finds the topics of one sentence or a few: phrases between stop words, by RAKE's measure, without model or corpus.

Source: S. Rose and others, "Automatic keyword extraction from individual documents", 2010 (RAKE).
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from shared.language.text.calendar import MONTHS
from shared.language.text.length import is_read
from shared.language.text.noise import is_noise
from shared.language.text.phrasing import ARTICLES, ENGLISH, GERMANIC, HESITATIONS, INTENSIFIERS, NEGATIONS, ROMANCE, STRESS
from shared.language.text.tokens import Token, surface

MOST_TAGS = 4
_LONGEST_PHRASE = 3
_SHORTEST_WORD = 3
_PHRASE_CONFIDENCE, _WORD_CONFIDENCE = 0.65, 0.5
_NOT_PLURAL = ("ss", "us", "is", "os", "news")
_SUBJECTS = frozenset("i you he she it we they who".split())  # noqa: SIM905
_EMPTY = frozenset(
    """thing things stuff lot lots kind sort way ways bit something someone anything anyone everything everyone time times
    person make making get getting go gone coming taken taking gives given put puts see sees saw seen seeing look looks
    looked looking think thought know known say saying tell tells telling ask asks asked find finds found finding feel
    feels felt keep keeps kept try tries tried trying help helps helped let lets use uses using working living call
    remember remembers forget mention mentioned become becomes became stay stayed stays seem seems buys buying sells moved
    moves moving visit visits visited visiting met meets meet meeting wear wears wore eat eating drink drinking play
    playing read reads reading watch watches watched write writes wrote walk walks walked run runs ran running learn
    learns learned learning grew born named paid pays pay spend spent owns owned bring brings brought leave leaves stand
    show shows showed happen happened hope hopes hoped plan plans planned decided decides decide promised promises talk
    talks talked talking wait waits waited turn turns turned teach teaches taught i'm i've it's don't doesn't didn't can't
    won't fond afraid able excited glad sure okay please thanks well pretty rather around near behind between among
    against along across through per via user für bei nach""".split()  # noqa: SIM905 - a list of words reads best as words
)
_STOP = _EMPTY | ARTICLES | ENGLISH | GERMANIC | HESITATIONS | INTENSIFIERS | frozenset(MONTHS) | NEGATIONS | ROMANCE | STRESS


class Keyphrase(NamedTuple):
    """A topic with its confidence."""

    name: str  # in lower case, in the singular
    confidence: float  # in [0, 1]


def keyphrases(text: str) -> list[Keyphrase]:
    """At most four topics, the best first: runs of at most three words that are no stop words, names, numbers or noise.

    A word weighs degree / frequency: how many words stand in its runs, itself included, for each time it occurs; a run weighs
    the sum of its words. One worked number: in "sourdough bread and bread", `bread` has degree 2 + 1 and frequency 2, so it
    weighs 1.5, `sourdough` 2, and `sourdough bread` 3.5.

    >>> [tag.name for tag in keyphrases("Anna bakes sourdough bread and teaches the guitar on Mondays.")]
    ['sourdough bread', 'guitar']
    """
    runs = [run for run in _runs(surface(text).tokens if is_read(text) else ()) if len(run) <= _LONGEST_PHRASE]
    frequency = Counter(word for run in runs for word in run)
    degree: Counter[str] = Counter()
    for run in runs:
        for word in run:
            degree[word] += len(run)
    weight = {run: sum(degree[word] / frequency[word] for word in run) for run in runs}
    best = sorted(weight, key=lambda run: -weight[run])[:MOST_TAGS]  # stable: of equal ones the earlier
    return [Keyphrase(" ".join(run), _PHRASE_CONFIDENCE if len(run) > 1 else _WORD_CONFIDENCE) for run in best]


def _runs(tokens: Sequence[Token]) -> list[tuple[str, ...]]:
    """The runs of words between stop words, punctuation, names and numbers."""
    runs: list[tuple[str, ...]] = []
    run: list[str] = []
    for before, token in zip((None, *tokens), tokens, strict=False):
        is_topic = _is_topic(token) and not (before and _is_subject(before) and not token.breaks)
        if run and (not is_topic or token.breaks or token.opens):
            runs.append(tuple(run))
            run = []
        if is_topic:
            run.append(_singular(token.key))
    return [*runs, tuple(run)] if run else runs


def _is_topic(token: Token) -> bool:
    word = token.key
    is_word = token.kind == "word" and word.replace("'", "").isalpha() and len(word) >= _SHORTEST_WORD
    says_something = word not in _STOP and not word.endswith("ly") and not is_noise(word)
    return is_word and not token.is_capital and "'" not in word and says_something


def _is_subject(token: Token) -> bool:
    """Whether a verb is what stands behind it."""
    return token.key in _SUBJECTS or (
        token.is_capital and token.kind == "word" and token.key not in _STOP and not token.key.endswith("'s")
    )


def _singular(word: str) -> str:
    """The singular of an English plural, so that memories share topics.

    >>> [_singular(word) for word in ("cats", "berries", "dishes", "glass", "tennis")]
    ['cat', 'berry', 'dish', 'glass', 'tennis']
    """
    if not word.isascii() or not word.endswith("s") or word.endswith(_NOT_PLURAL) or len(word) <= _SHORTEST_WORD:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("shes", "ches", "xes", "sses")) else word[:-1]
