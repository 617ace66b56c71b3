"""Finds statements that deny older ones: "I met Kelly in May", then "I have never met Kelly".

Two clauses that differ only by a `not` deny each other: "Anna may eat peanuts", "Anna may not eat peanuts".

Only plain clauses are read, whose every word is compared: better no doubt than one that makes no sense.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shared.language.statements.stems import stem
from shared.language.text.sentences import sentences

_WORD = re.compile(r"[^\W_]+")
_CLAUSE = re.compile(r"[,;:.!?()]\s|\s[–—-]\s|\b(?:and|but|so|und|aber|y|pero|et|mais)\b", re.IGNORECASE)
_SPEAKERS = (("the", "user"), ("i",), ("der", "nutzer"), ("die", "nutzerin"), ("ich",), ("el", "usuario"), ("la", "usuaria"),
             ("yo",), ("l", "utilisateur"), ("l", "utilisatrice"), ("je",), ("j",))  # fmt: skip
_NEVER = frozenset(("never", "nie", "niemals", "nunca", "jamás", "jamais"))
_DROPPED = frozenset(
    """have ve has had just already once ever before in my life a an any the
    habe hat bin ist noch schon mal einmal jemals ein eine einen
    he ha un una
    ai a suis est n ne déjà une""".split()  # noqa: SIM905 - a list of words reads best as words
)
_BESIDE = frozenset(
    """in on at last when since during yesterday twice once with after before until for from ago
    im am seit vor gestern letztes letzten letzte mit
    en el hace ayer con desde
    le hier avec depuis""".split()  # noqa: SIM905
)
"""Words with which a clause begins to tell when, where or with whom: without that it still holds."""
_FORMS = dict(
    pair.split("/")
    for pair in """went/been gone/been was/been ate/eaten saw/seen did/done took/taken wrote/written drove/driven flew/flown
        drank/drunk ran/run spoke/spoken broke/broken rode/ridden wore/worn gave/given began/begun swam/swum sang/sung
        chose/chosen forgot/forgotten grew/grown knew/known stole/stolen threw/thrown""".split()  # noqa: SIM905
)
"""Verbs whose past is another word than what stands after `have`; who went to Japan has been there."""
_MOST_WORDS = 16
_MOST_CLAUSES = 4
_LONG = 5
"""Letters of a verb that says enough alone: `I have never smoked`."""


_DENIES = frozenset(("not", "t", "nicht", "no", "pas"))
_OF_DENYING = {
    **dict.fromkeys(("do", "does", "did", "don", "doesn", "didn", "ne", "n"), ""),
    "isn": "is",
    "aren": "are",
    "won": "will",
}
"""Auxiliary words that a denial adds, and forms that it changes. `doesn't` is read as `doesn` and `t`."""
_OF_THE_MOMENT = frozenset("now today tonight yesterday tomorrow currently jetzt heute hoy ahora aujourd maintenant".split())  # noqa: SIM905
_LEAST_OF_CLAUSE = 4
"""Shorter clauses, as `I am tired`, tell of a mood, which their denial does not contradict."""


class Deed(NamedTuple):
    """What somebody did or never did, in words; for a whole clause, its words behind `so:` or `not:`."""

    words: str
    is_never: bool


def deeds(text: str) -> Iterator[Deed]:
    """Each deed that plain clauses tell of the speaker, with and without what stands beside it.

    >>> [deed.words for deed in deeds("I met Kelly in May.") if deed.words[:3] == "met"]
    ['met kelly', 'met kelly may']
    >>> list(deeds("I have never met Kelly."))
    [Deed(words='met kelly', is_never=True)]
    """
    clauses = [clause for sentence in sentences(text) if "?" not in sentence for clause in _CLAUSE.split(sentence)]
    for clause in clauses[:_MOST_CLAUSES]:
        words = [word.lower() for word in _WORD.findall(clause)]
        yield from _of_clause(words)
        yield from _whole(words)


def contradicts_never(older: str, newer: str) -> bool:
    """True if the newer text says that never happened what the older one tells. What happens after a `never` is news.

    >>> contradicts_never("I met Kelly in May.", "I have never met Kelly.")
    True
    >>> contradicts_never("I have never met Kelly.", "I met Kelly in May.")
    False
    """
    told = {deed.words for deed in deeds(older) if not deed.is_never}
    return any(deed.is_never and deed.words in told for deed in deeds(newer))


def _whole(words: list[str]) -> Iterator[Deed]:
    """Yield a clause as done and its opposite as never done, so that each of the two denies the other."""
    is_denied = not _DENIES.isdisjoint(words)
    said = [stem(form) for word in words if word not in _DENIES and (form := _OF_DENYING.get(word, word))]
    if _LEAST_OF_CLAUSE <= len(said) <= _MOST_WORDS and _NEVER.isdisjoint(words) and _OF_THE_MOMENT.isdisjoint(words):
        for is_opposite in (False, True):
            yield Deed(f"{'not' if is_denied is not is_opposite else 'so'}: {' '.join(said)}", is_never=is_opposite)


def _of_clause(words: list[str]) -> Iterator[Deed]:
    speaker = next((len(who) for who in _SPEAKERS if tuple(words[: len(who)]) == who), 0)
    is_spanish = words[:1] in (["nunca"], ["jamás"]) or (words[:1] == ["he"] and words[1:] and words[1].endswith("do"))
    rest = words[speaker:]
    if not (speaker or is_spanish) or not rest or len(rest) > _MOST_WORDS:
        return
    is_never = not _NEVER.isdisjoint(rest)
    ends = [len(rest)] if is_never else [place for place, word in enumerate(rest) if place and word in _BESIDE] + [len(rest)]
    for end in ends:
        telling = [_FORMS.get(word, word) for word in rest[:end] if word not in _DROPPED and word not in _NEVER]
        if len(telling) > 1 or any(len(word) >= _LONG for word in telling):
            yield Deed(" ".join(stem(word) for word in telling if word not in _BESIDE), is_never)
