"""The marks of a clause: phrases that say how it is meant, or when, and nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shared.language.statements.old.clauses import Said
from shared.language.statements.old.language import StatementLanguage
from shared.language.statements.old.tables import Mark

_TIMES = frozenset({Mark.FUTURE, Mark.TIME, Mark.ONCE})


@dataclass(frozen=True, slots=True)
class MarkedClause:
    """A clause without its marks, and which it had; and the same with the times that it names."""

    words: tuple[str, ...]
    timed: tuple[str, ...]
    spoken: tuple[str, ...]
    """The same with what denies and what says when, and without all else that is a mark."""
    marks: frozenset[Mark]


def marked_clause(words: Sequence[str], whole: Said, spans: Sequence[tuple[int, int]] = ()) -> MarkedClause:
    """The clause without its marks. Times are left in the second form, and so is what stands in the spans."""
    kept: list[str] = []
    timed: list[str] = []
    spoken: list[str] = []
    marks: set[Mark] = set()
    for some, mark in _pieces(" ".join(words), whole, spans):
        if mark is None:
            kept.extend(word for word in some if word not in whole.dates)
        else:
            marks.add(mark)
        if mark is None or (
            mark in _TIMES and any(word in whole.language.when or any(map(str.isdigit, word)) for word in some)
        ):
            timed.extend(some)
        if mark is None or mark in _TIMES or mark is Mark.NEGATED:
            spoken.extend(some)
    return MarkedClause(_bare(kept), _bare(timed), _bare(spoken), frozenset(marks))


def _pieces(text: str, whole: Said, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[list[str], Mark | None]]:
    """The words and the marks of a clause, in their order; what stands in the spans is a time."""
    start = 0
    while start < len(text):
        end = text.find(" ", start)
        end = len(text) if end < 0 else end
        spanned = next((last for first, last in spans if first == start), None) if spans else None
        found = (spanned, Mark.TIME) if spanned else whole.language.marks.longest(text[start:end], text, start)
        end, mark = found or (end, None)
        yield text[start:end].split(), mark
        start = end + 1


def without_old(words: Sequence[str], language: StatementLanguage) -> tuple[Sequence[str], str | None]:
    """The words before `instead of`, and those behind it."""
    text = " ".join(words)
    for phrase in language.tables.instead:
        before, found, old = text.partition(f" {phrase} ")
        if found:
            return before.split(), old
    return words, None


def _bare(words: list[str]) -> tuple[str, ...]:
    """The words without commas at their ends, and without one of two on end."""
    kept = [word for place, word in enumerate(words) if word != "," or (place and words[place - 1] != ",")]
    while kept and kept[0] == ",":
        kept = kept[1:]
    while kept and kept[-1] == ",":
        kept = kept[:-1]
    return tuple(kept)
