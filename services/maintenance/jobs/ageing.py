"""Rolls up what is old, little used and of little worth: memories of a person about one topic become one text.

Whether they may still go is ingest's to say. A roll-up's message_id follows from its sources, and from when these were restored
last: what two processes send, or one that was killed, counts once, and what was undone may be rolled up anew.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple, Protocol

from services.maintenance.domain.summarising import SourceText, Summariser, Summary, SummaryAim
from services.maintenance.domain.topics import clusters
from services.maintenance.jobs.job import Budget, Counts
from services.maintenance.reading import read_in_pieces
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import AgeingLimits, OldMemory, PersonChoices
from shared.contracts.ageing import SaveRollup
from shared.contracts.envelope import Envelope
from shared.contracts.events import MemoryEmbedded
from shared.contracts.ids import MessageId, Scope
from shared.contracts.parts import Kind, Role
from shared.domain.arrays import np
from shared.domain.importance import KIND_TAGS
from shared.domain.model_tokens import TokenMeter
from shared.domain.moments import microseconds
from shared.domain.vectors import unpack
from shared.runtime.background import BACKGROUND
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread

_MOST_TAGS = 3
_MOST_LINES = 8
_MOST_PREVIEWED = 200
_PREVIEW = timedelta(days=7)


class OldMemories(Protocol):
    """Knows what may be rolled up."""

    def ageing_scopes(self, limits: AgeingLimits, *, start: str) -> list[Scope]:
        """The people of whom something may be, from one scope on, round to it."""

    def ageing_page(self, scope: Scope, limits: AgeingLimits, *, after: int, most: int) -> list[OldMemory]:
        """The next memories of a person that may be, oldest first, after a position."""

    def person_choices(self, scope: Scope) -> PersonChoices:
        """What a person has set."""


class Aged(NamedTuple):
    """An old memory as it was said."""

    memory: OldMemory
    event: Envelope


class Ageing:
    """Looks at everybody's old memories, a page at a time. An item of its budget is a roll-up."""

    name: ClassVar = "ageing"
    schedule: ClassVar = "0 5 * * 0"
    about: ClassVar = "Rolls up what is old, little used and of little worth: several memories of a topic become one text."

    def __init__(
        self,
        client: Client,
        memories: OldMemories,
        clock: Clock,
        settings: MaintenanceSettings,
        *,
        model: str,
        summariser: Summariser,
        meter_of: Callable[[Scope], TokenMeter] | None = None,
    ) -> None:
        self._client = client
        self._memories = memories
        self._clock = clock
        self._settings = settings
        self._model = model
        self._summariser = summariser
        self._meter_of = meter_of

    async def run(self, budget: Budget) -> Counts:
        """Roll up everything that is old by now."""
        now, run_id, counts = self._clock.now(), f"ageing/{self._clock.now():%Y-%m-%dT%H:%M}", Counter[str]()
        async for scope, topic in self._topics(now, budget):
            if not budget.allows():
                break
            if await self._roll_up(scope, topic, run_id):
                counts.update(roll_ups=1, rolled_up=len(topic))
            budget.spend()
            await budget.give_way(events=1 + len(topic))
        return dict(counts) or {"roll_ups": 0, "rolled_up": 0}

    async def preview(self, budget: Budget) -> list[dict[str, Any]]:
        """What would be rolled up within a week, by ids."""
        found: list[dict[str, Any]] = []
        async for _, topic in self._topics(self._clock.now() + _PREVIEW, budget):
            event = topic[0].event
            ids = [each.memory.memory_id for each in topic]
            found.append({"space": event.space, "user": event.user, "memories": len(ids), "memory_ids": ids})
            if len(found) == _MOST_PREVIEWED or not budget.allows():
                break
        return found

    async def _topics(self, now: datetime, budget: Budget) -> AsyncIterator[tuple[Scope, list[Aged]]]:
        """The clusters of everybody's old memories; another person is the first each day, so that none waits for ever."""
        chosen = self._settings
        before = microseconds(now - timedelta(days=chosen.ageing_days))
        limits = AgeingLimits(before, chosen.ageing_score_below, chosen.ageing_most_recalls, self._model)
        start = sha256(now.date().isoformat().encode()).hexdigest()[:32]
        for scope in await in_thread(partial(self._memories.ageing_scopes, limits, start=start)):
            if (await in_thread(partial(self._memories.person_choices, scope))).is_off:
                continue
            after = 0
            while page := await self._page(scope, limits, after):
                for topic in await self._clustered(page):
                    yield scope, topic
                after = page[-1].position
                if not budget.allows():
                    return

    async def _page(self, scope: Scope, limits: AgeingLimits, after: int) -> list[OldMemory]:
        return await in_thread(partial(self._memories.ageing_page, scope, limits, after=after, most=self._settings.ageing_page))

    async def _clustered(self, page: Sequence[OldMemory]) -> list[list[Aged]]:
        """The memories of a page by topic, in their order. What is forgotten meanwhile is left out. Raises Unavailable."""
        said = await read_in_pieces(self._client, [each.position for each in page])
        embedded = await read_in_pieces(self._client, [each.vector for each in page])
        vectors = [
            unpack(event.data.embedding) if event and isinstance(event.data, MemoryEmbedded) else None for event in embedded
        ]
        there = [
            (Aged(memory, event), vector)
            for memory, event, vector in zip(page, said, vectors, strict=True)
            if event is not None and vector is not None
        ]
        if len(there) < self._settings.ageing_least:
            return []
        matrix = np.stack([vector for _, vector in there])
        chosen = self._settings
        within = {"least": chosen.ageing_least, "most": chosen.ageing_most}
        found = await BACKGROUND.run(partial(clusters, matrix, cosine=chosen.ageing_cosine, **within))
        return [[there[place][0] for place in places] for places in found]

    async def _roll_up(self, scope: Scope, topic: Sequence[Aged], run_id: str) -> bool:
        """Send a roll-up of a topic; False where nothing can be said about it. Raises Unavailable."""
        sources = [_source(each) for each in topic]
        meter = self._meter_of(scope) if self._meter_of else None
        summary = await self._summariser.summarise(
            sources, aim=SummaryAim.TOPIC, run_id=run_id, most_lines=_MOST_LINES, meter=meter
        )
        if not summary.lines:
            return False
        await send_work(self._client, topic[0].event, _command(topic, summary))
        return True


def _source(aged: Aged) -> SourceText:
    data = aged.event.data
    is_fact = data.makes is Kind.FACT
    return SourceText(
        memory_id=aged.memory.memory_id,
        text="\n".join(data.words),
        occurred_at=aged.event.occurred_at,
        role=getattr(data, "role", Role.USER),
        speaker=getattr(data, "speaker", None),
        is_fact=is_fact,
    )


def _command(topic: Sequence[Aged], summary: Summary) -> SaveRollup:
    ids = tuple(each.memory.memory_id for each in topic)
    restored = max(each.memory.restored for each in topic)
    key = sha256(" ".join([*sorted(ids), str(restored)]).encode()).hexdigest()
    said_at = [each.event.occurred_at for each in topic]
    tags = Counter(tag for each in topic for tag in {*getattr(each.event.data, "tags", ())} - KIND_TAGS)
    shared = sorted((-count, tag) for tag, count in tags.items() if 2 * count >= len(topic))
    return SaveRollup(
        message_id=MessageId(f"rollup/{key}"),
        text=summary.text,
        source_ids=ids,
        tags=tuple(tag for _, tag in shared[:_MOST_TAGS]),
        first_at=min(said_at),
        last_at=max(said_at),
        origin=summary.made_by,
    )
