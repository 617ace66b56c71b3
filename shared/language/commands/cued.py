"""Recognises a wish not to be kept by the words that every such wish has, where no phrase of the language file matches.

A clause has them that denies, that keeps or names where it is kept, and that points at what is said, or at whom it is said to:
`whatever I say here shouldn't end up in your memory`. What somebody else keeps, or what the person does not remember, is none.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from shared.language.commands.bare import denies_erasing, is_announcement, is_bare_wish, means_next, parts
from shared.language.commands.cue_words import CueWords
from shared.language.commands.doubted import doubted_part, is_repeated

_NEAR = 6
"""Words between what denies and what keeps."""
_FEWEST, _LONGEST = 3, 16
"""Words of a clause."""


class CuedClause(NamedTuple):
    """A clause that asks not to keep something."""

    start: int
    end: int
    announces: bool  # said alone, what follows is meant


def cued_clause(words: str, cues: CueWords, joints: AbstractSet[str]) -> CuedClause | None:
    """The first clause of a line that asks not to keep something; None if there is none."""
    for start, clause in clauses(words):
        if _asks(clause, cues):
            announces = not cues.next.isdisjoint(clause) or means_next(clause, cues)
            return CuedClause(start, start + _length(clause), announces)
        for at, part in parts(clause, joints):
            if is_bare_wish(part, cues):
                begin = start + _length(clause[:at])
                return CuedClause(begin, begin + _length(part), means_next(part, cues))
    return None


def doubted_clause(words: str, cues: CueWords, joints: AbstractSet[str], speaks: AbstractSet[str]) -> CuedClause | None:
    """The first clause of a line that may be a wish not to be kept, though it is not certain; None if there is none.

    `speaks`: words after which no wish begins without a comma.
    """
    for start, clause in clauses(words):
        if found := doubted_part(clause, cues, joints, speaks):
            first, last = found
            begin = start + _length(clause[:first])
            announces = not cues.doubts.next.isdisjoint(clause) or means_next(clause, cues)
            return CuedClause(begin, begin + _length(clause[first:last]), announces)
    return None


def said_beside_wishes(words: str, cues: CueWords, joints: AbstractSet[str]) -> str:
    """The words of a line without other clauses that are wishes not to be kept, or only say that something is to come."""
    pieces = (part for _, clause in clauses(words) for _, part in parts(clause, joints))
    return " ".join(
        " ".join(part)
        for part in pieces
        if not (is_bare_wish(part, cues) or is_announcement(part, cues) or is_repeated(part, cues.doubts))
    )


def announces_more(words: str, cues: CueWords, joints: AbstractSet[str]) -> bool:
    """Whether a clause of a line only says that something is to come."""
    return any(is_announcement(part, cues) for _, clause in clauses(words) for _, part in parts(clause, joints))


def _length(words: Sequence[str]) -> int:
    return sum(len(word) + 1 for word in words)


def clauses(words: str) -> Iterator[tuple[int, list[str]]]:
    """The words of each clause, and where it begins."""
    start, at, clause = 0, 0, list[str]()
    for word in words.split():
        if word in {",", ":"}:
            yield start, clause
            start, clause = at + 2, []
        else:
            clause.append(word)
        at += len(word) + 1
    yield start, clause


def _asks(clause: Sequence[str], cues: CueWords) -> bool:
    if not _FEWEST <= len(clause) <= _LONGEST or not cues.others.isdisjoint(clause) or clause[0] in cues.asks:
        return False
    denied = next((at for at, word in enumerate(clause) if word in cues.denies), None)
    if (
        denied is None
        or (clause[0] in cues.owners and cues.points.isdisjoint(clause[1:3]) and cues.next.isdisjoint(clause[1:3]))
        or denies_erasing(clause, denied, cues)
    ):
        return False
    kept = next((at for at, word in enumerate(clause) if at > denied and word in cues.keeps | cues.places), None)
    if kept is None or kept - denied > _NEAR or _is_asked_back(clause, denied, kept, cues):
        return False
    if _is_of_the_person(clause, denied, kept, cues) or _goes_on(clause, kept, cues):
        return False
    points = any(word in cues.points for word in clause)
    return points if clause[kept] in cues.keeps else points or not cues.addressed.isdisjoint(clause)


def _is_asked_back(clause: Sequence[str], denied: int, kept: int, cues: CueWords) -> bool:
    """True for `don't you remember this?` and `in the store`."""
    is_question = denied == 0 and clause[1] in cues.addressed
    return is_question or (clause[kept] in cues.keeps and clause[kept - 1] in cues.owners)


def _is_of_the_person(clause: Sequence[str], denied: int, kept: int, cues: CueWords) -> bool:
    """True for `I don't remember this`: it is the person who does not; not for `I don't want this saved`."""
    is_own = denied > 0 and clause[denied - 1] in cues.selves
    return is_own and cues.wants.isdisjoint(clause[denied:kept])


def _goes_on(clause: Sequence[str], kept: int, cues: CueWords) -> bool:
    """True if what is kept is another thing: `save this photo`, `remember where I parked`."""
    following = clause[kept + 1 :]
    known = cues.general | cues.points | cues.addressed | cues.places | cues.next
    return any(word not in known for word in following[:3])
