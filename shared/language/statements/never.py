"""Sees that somebody says never to have done what they told before: "I met Kelly in May", then "I have never met Kelly".

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


class Deed(NamedTuple):
    """The words of what somebody did, or never did."""

    words: str
    is_never: bool


def deeds(text: str) -> Iterator[Deed]:
    """Each deed that plain clauses tell of the speaker, with and without what stands beside it.

    >>> [deed.words for deed in deeds("I met Kelly in May.")]
    ['met kelly', 'met kelly may']
    >>> list(deeds("I have never met Kelly."))
    [Deed(words='met kelly', is_never=True)]
    """
    clauses = [clause for sentence in sentences(text) if "?" not in sentence for clause in _CLAUSE.split(sentence)]
    for clause in clauses[:_MOST_CLAUSES]:
        yield from _of_clause([word.lower() for word in _WORD.findall(clause)])


def contradicts_never(older: str, newer: str) -> bool:
    """True if the newer text says that never happened what the older one tells. What happens after a `never` is news.

    >>> contradicts_never("I met Kelly in May.", "I have never met Kelly.")
    True
    >>> contradicts_never("I have never met Kelly.", "I met Kelly in May.")
    False
    """
    told = {deed.words for deed in deeds(older) if not deed.is_never}
    return any(deed.is_never and deed.words in told for deed in deeds(newer))


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
