"""Finds where a wish not to be kept may begin and end amid a clause: many people set no commas.

It begins with words such as `don't` where nothing before them goes on, and ends before what is told: `my salary is low don't
log this my boss ...`.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from shared.language.commands.cue_words import DoubtWords

LONGEST = 24
"""Words of a wish."""
_FEWEST_BEFORE = 1
"""Words that tell something, before a wish without a comma."""
_LONGEST_SUBJECT = 12
_NO_ENDING = "-"


def later_begins(part: Sequence[str], doubt: DoubtWords, speaks: AbstractSet[str]) -> Iterator[int]:
    """Where a wish may begin without a comma, near a part's end: the `don't` of `my salary is low don't log this`."""
    first = max(_FEWEST_BEFORE, len(part) - LONGEST)
    for at, word in enumerate(part[first:-1], first):
        if word not in doubt.opens or _is_amid(part[at - 1], word, doubt, speaks):
            continue
        if word not in doubt.verbal or not _may_be_subject(part[:at], doubt):
            yield at


def _is_amid(before: str, word: str, doubt: DoubtWords, speaks: AbstractSet[str]) -> bool:
    """Whether a word goes on with the clause of the word before it: the `nothing` of `I know nothing about data`."""
    if any(before in words for words in (speaks, doubt.amid, doubt.keeps, doubt.moves)):
        return True
    is_of_noun = (word in doubt.denies or word in doubt.bans) and word not in doubt.verbal
    goes_on = is_of_noun and before in doubt.every and before not in doubt.polite
    return goes_on or before.endswith(doubt.endings or _NO_ENDING)


def _may_be_subject(before: Sequence[str], doubt: DoubtWords) -> bool:
    """Whether words are only what a verb is said of: the parents of `my parents don't keep this`."""
    is_plural = before[-1].endswith(doubt.plurals or _NO_ENDING) or before[-1] in doubt.others
    return is_plural and doubt.verbs.isdisjoint(before[:-1])


def restarts(part: Sequence[str], doubt: DoubtWords) -> Iterator[int]:
    """Where what is told may begin without a comma, after a wish: the `my` of `don't log this my salary is low`."""
    for at in range(2, min(len(part) - 1, LONGEST)):
        in_a_place = part[at - 1] in doubt.places and part[at - 2] in doubt.yours | doubt.articles | doubt.of
        if (in_a_place or part[at - 1] in doubt.closes) and _restarts_at(part, at, doubt):
            yield at


def _restarts_at(part: Sequence[str], at: int, doubt: DoubtWords) -> bool:
    """Whether a sentence of its own may begin here: with `she`, or with the `the` of `the boss is leaving`."""
    if part[at] in doubt.articles:
        return not doubt.verbs.isdisjoint(part[at + 1 : at + _LONGEST_SUBJECT])
    return part[at] in doubt.mine or part[at] in doubt.restarts


def content_begins(part: Sequence[str], doubt: DoubtWords) -> int:
    """Where what is told begins in a part: `that I cried`. Its end, if it is not there."""
    first = next((at for at, word in enumerate(part) if word in doubt.least), len(part))
    begins = (at for at in range(first + 1, len(part) - 1) if _begins_content(part[at], part[at + 1], doubt))
    return next(begins, len(part))


def _begins_content(word: str, following: str, doubt: DoubtWords) -> bool:
    is_of_any = word in doubt.about and following not in doubt.every
    return is_of_any or (word in doubt.content and following in doubt.mine)
