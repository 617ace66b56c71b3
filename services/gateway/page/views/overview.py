"""The first page: what is known, by topic."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime

from services.gateway.page.views.memories import MemoryView, memory_view
from shared.contracts.parts import Kind
from shared.contracts.queries import ListAnswer, StatsAnswer, SummaryAnswer, Topic


@dataclass(frozen=True, slots=True)
class TopicView:
    """A topic with the first of its facts."""

    tag: str | None
    facts: int
    memories: Sequence[MemoryView]

    @property
    def has_more(self) -> bool:
        """Whether there are facts that are not shown."""
        return self.facts > len(self.memories)


@dataclass(frozen=True, slots=True)
class OverviewView:
    """How much is known, and the best of it."""

    facts: int
    turns: int
    sessions: int
    latest_at: datetime | None
    pinned: Sequence[MemoryView]
    topics: Sequence[TopicView]
    entities: Sequence[tuple[str, str]]
    """Names with their ids."""
    memory_is_off: bool
    incognito_by_default: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing is remembered at all."""
        return not (self.facts or self.turns or self.topics or self.pinned)


def _topic(topic: Topic, shown: Container[str]) -> TopicView | None:
    """A topic without what stands above it already; None where nothing is left."""
    left = [memory_view(fact) for fact in topic.memories if fact.memory_id not in shown]
    return TopicView(topic.tag, topic.facts, left) if left else None


def overview_view(summary: SummaryAnswer, stats: StatsAnswer, pinned: ListAnswer) -> OverviewView:
    """The first page from its three answers."""
    shown = {each.memory_id for each in pinned.items}
    return OverviewView(
        facts=stats.memories.get(Kind.FACT, 0),
        turns=stats.memories.get(Kind.EPISODE, 0),
        sessions=stats.sessions,
        latest_at=stats.latest_recorded_at,
        pinned=[memory_view(each) for each in pinned.items],
        topics=list(filter(None, (_topic(each, shown) for each in summary.topics))),
        entities=[(each.name, each.entity_id) for each in summary.entities],
        memory_is_off=stats.settings.memory_enabled is False,
        incognito_by_default=stats.settings.incognito_default is True,
    )
