"""The memories that match a question, best first: of many those that an answer may look at, and all where it looks further."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from services.retriever.domain.candidate import Placed
from services.retriever.domain.shortlist import Unlisted
from services.retriever.judging import EvidenceVerdict
from shared.contracts.queries import LegFailure

REPEATS = 40
"""So many more are read than a context may hold: some say the same."""


class Matches(NamedTuple):
    """The memories that match, best first; the legs that failed; and the verdict whether there is an answer at all."""

    places: Sequence[Placed]
    failed: dict[str, LegFailure]
    verdict: EvidenceVerdict = EvidenceVerdict()
    unlisted: Unlisted | None = None  # of the places
    ranked_whole: Callable[[], Matches] | None = None  # without anything left out

    @property
    def abstained(self) -> bool:
        """True if so little speaks for an answer that none is given."""
        return self.verdict.evidence < self.verdict.least

    @property
    def whole(self) -> Matches:
        """The matches with nothing left out, which takes as long as to rank them did."""
        return self.ranked_whole() if self.ranked_whole else self


class Ranked(NamedTuple):
    """Candidates in their places, best first: all, or those that are listed beside the others."""

    places: list[Placed]
    unlisted: Unlisted | None = None
    whole: Callable[[], Ranked] | None = None  # where some are left out
