"""A question with everything that finding and ranking depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from services.retriever.domain.idle_turns import SHIPPED
from services.retriever.domain.weights import Weights
from services.retriever.store.legs import Filter, QueryVector
from shared.contracts.queries import LegFailure
from shared.language.questions.aims import AskingAim

UTC = ZoneInfo("UTC")


class SearchRequest(NamedTuple):
    """What is looked for, among what, and how it is ranked."""

    text: str
    vector: QueryVector | LegFailure
    wanted: Filter
    most: int
    now: datetime
    weights: Weights
    speakers: frozenset[str] = frozenset()  # those that the words name
    zone: ZoneInfo = UTC
    aim: AskingAim = AskingAim.PERSON
    is_broad: bool = False  # asks for everything that is known
    languages: Sequence[str] = SHIPPED  # in which a turn may be a command
    is_explained: bool = False  # the ranks in the legs are wanted, too
    soon: Callable[[], QueryVector | LegFailure] | None = None  # waits for the vector, where it is made meanwhile

    @property
    def most_candidates(self) -> int:
        """The most candidates of a leg, for each kind of memory."""
        return max(self.most, self.weights.candidates)

    @property
    def awaited(self) -> SearchRequest:
        """The request with its vector, which is waited for."""
        return self if self.soon is None else self._replace(vector=self.soon(), soon=None)

    @property
    def trusted_weights(self) -> Weights:
        """The weights, with less for vectors where the model does not know the question's script."""
        return self.weights.trusting(self.vector.trust) if isinstance(self.vector, QueryVector) else self.weights

    def limited_to(self, numbers: tuple[int, ...] | None) -> SearchRequest:
        """The request for none but the memories with these numbers; None: for all."""
        return self if numbers is None else self._replace(wanted=replace(self.wanted, among=numbers))

    @property
    def looks_for_nothing(self) -> bool:
        """True for small talk, unless an answer is wanted whatever speaks for it."""
        return self.aim is AskingAim.CHAT and not self.is_broad and self.weights.abstain_below > 0
