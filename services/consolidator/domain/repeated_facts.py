"""Tells whether two facts of one answer say the same in other words."""

from dataclasses import dataclass
from typing import Self

from shared.language.text.guards import guards, is_telling
from shared.language.text.phrasing import NEGATIONS
from shared.language.text.stating import content_words
from shared.language.text.wording import Wording, wording

_ALIKE = 0.75
"""Source: ../reference/memory-system.md, two-level deduplication (Jaccard)."""


@dataclass(frozen=True, slots=True)
class FactWording:
    """What of a fact's text is compared with others, read once."""

    settled: tuple[str, ...]  # the words that must agree, in their order
    words: frozenset[str]  # the stems of the content words
    telling: frozenset[str]  # names, numbers, dates and negations

    @classmethod
    def of(cls, text: str) -> Self:
        """Read the text of a fact."""
        said = wording(text)
        return cls(guards(said).settled, content_words(text), _telling(said))

    def is_like(self, other: Self) -> bool:
        """True if one says what the other does and hardly more, and names, numbers and negations agree.

        >>> FactWording.of("The user lives in Oslo.").is_like(FactWording.of("the user lives in Oslo!"))
        True
        >>> FactWording.of("Ben has 2 cats.").is_like(FactWording.of("Ben has 3 cats."))
        False
        """
        if self.settled == other.settled:
            return True
        has_part = self.words <= other.words or other.words <= self.words
        is_much = len(self.words & other.words) >= _ALIKE * len(self.words | other.words)
        return has_part and is_much and self.telling == other.telling


def _telling(said: Wording) -> frozenset[str]:
    capitals = {token.key for token in said.tokens if token.is_capital and not token.opens and is_telling(token)}
    return frozenset(capitals | {token.key for token in said.tokens if token.kind != "word" or token.key in NEGATIONS})
