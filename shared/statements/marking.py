"""The marks of a clause: phrases that say how it is meant, or when, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.statements.clauses import Said
from shared.statements.language import Mark

_TIMES = frozenset({Mark.FUTURE, Mark.TIME})


@dataclass(frozen=True, slots=True)
class MarkedClause:
    """A clause without its marks, and which it had; and the same with the times that it names."""

    words: tuple[str, ...]
    timed: tuple[str, ...]
    marks: frozenset[Mark]


def marked_clause(words: Sequence[str], whole: Said) -> MarkedClause:
    """The clause without its marks. Times are left in the second form."""
    text = " ".join(words)
    kept: list[str] = []
    timed: list[str] = []
    marks: set[Mark] = set()
    start = 0
    while start < len(text):
        end = text.find(" ", start)
        end = len(text) if end < 0 else end
        word = text[start:end]
        found = whole.language.marks.longest(word, text, start)
        if found:
            end = found[0]
            marks.add(found[1])
            if found[1] in _TIMES:
                timed.extend(text[start:end].split())
        else:
            timed.append(word)
            if word not in whole.dates:
                kept.append(word)
        start = end + 1
    return MarkedClause(_bare(kept), _bare(timed), frozenset(marks))


def _bare(words: list[str]) -> tuple[str, ...]:
    """The words without commas at their ends, and without one of two on end."""
    kept = [word for place, word in enumerate(words) if word != "," or (place and words[place - 1] != ",")]
    while kept and kept[0] == ",":
        kept = kept[1:]
    while kept and kept[-1] == ",":
        kept = kept[:-1]
    return tuple(kept)
