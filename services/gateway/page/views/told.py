"""What a bot would be told for some words, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.gateway.page.views.memories import MemoryView, memory_view
from shared.contracts.memories import ScoredMemory
from shared.contracts.queries import Considered, ExplainAnswer, Fate

_SIGNS = ("lexical", "vector", "entity", "time", "speaker")
_LEAST_SIGN = 0.2


@dataclass(frozen=True, slots=True)
class ToldView:
    """A candidate: the memory, what became of it, and what speaks for it."""

    memory: MemoryView
    fate: str
    signs: Sequence[str]
    """Keys of the catalogue: by what it was found."""
    relevance: int
    """In hundredths."""


@dataclass(frozen=True, slots=True)
class WhyView:
    """What would be told, and what was left out."""

    told: Sequence[ToldView]
    left_out: Sequence[ToldView]
    profile: Sequence[str]
    """What is said of the person whatever is asked."""
    has_nothing_to_do: bool


def why_view(answer: ExplainAnswer) -> WhyView:
    """The candidates of an explained context."""
    shown = [_told(each) for each in answer.candidates]
    return WhyView(
        told=[*(each for each in shown if each.fate == Fate.GIVEN), *map(_shared, answer.shared)],
        left_out=[each for each in shown if each.fate != Fate.GIVEN],
        profile=[each.value for each in answer.profile],
        has_nothing_to_do=answer.abstained or answer.is_small_talk,
    )


def _shared(each: ScoredMemory) -> ToldView:
    """What another space of the person gives."""
    return ToldView(memory_view(each), Fate.GIVEN.value, (), _percent(each.score.relevance))


def _told(each: Considered) -> ToldView:
    signs = [leg for leg in _SIGNS if leg in each.legs and (each.legs[leg].score or 0) >= _LEAST_SIGN]
    return ToldView(memory_view(each.memory), each.fate.value, signs, _percent(each.relevance))


def _percent(relevance: float) -> int:
    return round(100 * min(max(relevance, 0.0), 1.0))
