"""Tells whether two facts of one answer say the same in other words."""

from shared.text.guards import guards, is_telling
from shared.text.phrasing import NEGATIONS
from shared.text.stating import content_words
from shared.text.wording import Wording, wording

_ALIKE = 0.75
"""Source: ../reference/memory-system.md, two-level deduplication (Jaccard)."""


def are_alike(text: str, other: str) -> bool:
    """True if one says what the other does and hardly more, and names, numbers and negations agree.

    >>> are_alike("The user lives in Oslo.", "the user lives in Oslo!"), are_alike("Ben has 2 cats.", "Ben has 3 cats.")
    (True, False)
    """
    said, other_said = wording(text), wording(other)
    if guards(said).settled == guards(other_said).settled:
        return True
    words, others = content_words(text), content_words(other)
    has_part = words <= others or others <= words
    is_much = len(words & others) >= _ALIKE * len(words | others)
    return has_part and is_much and _telling(said) == _telling(other_said)


def _telling(said: Wording) -> frozenset[str]:
    """The names, numbers, dates and negations of a fact."""
    capitals = {token.key for token in said.tokens if token.is_capital and not token.opens and is_telling(token)}
    return frozenset(capitals | {token.key for token in said.tokens if token.kind != "word" or token.key in NEGATIONS})
