"""Guards: what must agree before two texts may be taken for one. Nothing here merges; it only forbids.

Source: design/mission.md, "SimHash alone is not a duplicate test".
"""

from dataclasses import dataclass

from shared.language.text.calendar import MONTHS
from shared.language.text.phrasing import ENGLISH, MOODS, NEGATIONS, NEUTRAL, STRESS
from shared.language.text.tokens import Token
from shared.language.text.wording import Wording

LONG_WORDS = 40
"""From so many words on, ordinary words of a text may differ. In a shorter text each word may change the meaning."""

_LEAST_DECORATED = 3
_SHORTEST_PLAIN = 4
_TURNING = ("un", "non", "dis", "anti", "mis", "in", "im", "ir", "il", "ex")
_LESS = ("less", "free", "n't")


@dataclass(frozen=True, slots=True)
class Guards:
    """What must agree of two texts: three lists, compared separately."""

    beside: tuple[str, ...]  # what stands beside the words: URLs, a question, emoji that turn the meaning. Always equal.
    settled: tuple[str, ...]  # the words that must agree, in their order: all but neutral ones, of long texts the telling ones
    decoration: tuple[str, ...]  # other emoji: equal, or one of the two texts has none


def guards(text: Wording) -> Guards:
    """The guards of a text: what another must share with it to be the same memory.

    Names need no recognition in short texts, for there every word counts, whatever its case. In long texts a word is
    taken for a name when it has a capital and does not open a sentence, or opens one and is no common word; an exact
    repeat in other case is recognised by its digest, which does not look at case.
    """
    moods = tuple(mark for mark in text.emoji if _turns(mark))
    decoration = tuple(sorted(set(text.emoji) - set(moods)))
    if len(text.tokens) < _LEAST_DECORATED:  # emoji are most of what is said
        moods, decoration = text.emoji, ()
    beside = ("?" * text.asks, *sorted(set(text.urls)), "", *moods)
    words = [token for token in text.tokens if token.key not in NEUTRAL]
    is_long = text.is_english and len(words) >= LONG_WORDS
    settled = [token.key for token in words if not is_long or is_telling(token)]
    return Guards(beside, ("long" if is_long else "short", *settled), decoration)


def is_telling(token: Token) -> bool:
    """True if a word of a long text must agree: names, numbers, dates, negations, pronouns, tenses, opposites.

    So must short words, and whatever is no plain word.

    >>> [is_telling(Token(key, "word")) for key in ("garden", "not", "monday", "unhappy", "b12")]
    [False, True, True, True, True]
    """
    word = token.key
    if token.kind != "word" or not word.isalpha() or len(word) < _SHORTEST_PLAIN:
        return True
    if token.is_capital and not (token.opens and word in ENGLISH):
        return True
    if word in STRESS or word in NEGATIONS or word in MONTHS:
        return True
    return word.startswith(_TURNING) or word.endswith(_LESS)


def _turns(mark: str) -> bool:
    is_flag = len(mark) > 1
    is_arrow = "\u2190" <= mark[0] <= "\u21ff" or "\u27f0" <= mark[0] <= "\u297f" or "\u2b00" <= mark[0] <= "\u2b4f"
    return is_flag or is_arrow or mark in MOODS
