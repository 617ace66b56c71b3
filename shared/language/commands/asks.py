"""The kinds of phrases that ask not to keep a turn, and what figures of speech need that others do not."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from enum import Enum

from shared.language.commands import phrases


class Asks(Enum):
    """Where a request not to keep a turn may stand, and what it means alone."""

    AT_A_CLAUSE = "announces"
    ANYWHERE = "withholds"
    ALONE = "alone"
    AS_LABEL = "labels"
    AS_A_FIGURE = "figures"
    AS_A_MOOD = "moods"
    AS_A_LEAD = "leads"


FIGURES = frozenset((Asks.AS_A_FIGURE, Asks.AS_A_MOOD, Asks.AS_A_LEAD))
"""Figures of speech: whole clauses, of which none is certain."""


def rarest_words(figures: Iterable[phrases.Phrase]) -> frozenset[str]:
    """The rarest words of each figure, one of which is in every text that has the figure."""
    return frozenset[str]().union(*(phrases.needed_words(figure)[0] for figure in figures))


def whole_clause(finals: AbstractSet[str], following: AbstractSet[str]) -> str:
    """An expression for the end of a clause, with words that only end it, or before words that begin another."""
    return f"(?:{_any_of(finals)} )*+(?=[,:] |$|{_any_of(following)} )"


def _any_of(words: AbstractSet[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words))) or r'(?!)'})"
