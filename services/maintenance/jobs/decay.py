"""Proposes the facts that nobody came back to for so long that hardly anything is left of their confidence.

Whether they are retired is ingest's to say: it reckons for itself, with what was said since. So what is proposed twice, by two
processes or after a crash, counts once, without a message_id; a fact that was restored may be proposed again one day.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby, islice
from operator import attrgetter
from typing import Any, ClassVar, Protocol

from services.maintenance.jobs.job import Budget, Counts
from services.maintenance.reading import read_in_pieces
from services.maintenance.store import Falling
from shared.contracts.commands import RetireMemories
from shared.contracts.envelope import Envelope
from shared.domain.moments import microseconds, moment
from shared.runtime.background import BACKGROUND
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread

_PAGE = 2_500
_AT_ONCE, _FEW = 50, 8
"""Facts of one command; few while somebody asks, for its events are appended and followed in one go."""

_PREVIEW = timedelta(days=7)
_MOST_PREVIEWED = 1_000
_of_person = attrgetter("scope")


class FadingFacts(Protocol):
    """Knows when facts fall below a threshold."""

    def falling(self, *, below: float, until: int, limit: int, after: Falling | None = None) -> list[Falling]:
        """A page of those that are below it by a moment, in microseconds since 1970, after the last one of the page before."""


class Decay:
    """Retires what has fallen; a night costs what falls, not what there is. An item of its budget is a command.

    Source: ../reference/memory-system.md, "Nightly decay", under the rulings of design/mission.md.
    """

    name: ClassVar = "decay"
    schedule: ClassVar = "0 4 * * *"
    about: ClassVar = "Retires facts that nobody came back to for so long that hardly anything is left of their confidence."

    def __init__(self, client: Client, facts: FadingFacts, clock: Clock, *, below: float) -> None:
        self._client = client
        self._facts = facts
        self._clock = clock
        self._below = below

    async def run(self, budget: Budget) -> Counts:
        """Propose everything that has fallen by now."""
        now, proposed, after = self._clock.now(), 0, None
        while page := await self._page(until=now, limit=_PAGE, after=after):
            for facts in _of_each_person(page):
                if not budget.allows():
                    return {"proposed": proposed}
                proposed += await self._propose(facts, now)
                budget.spend()
                await budget.give_way(events=len(facts))
            after = page[-1]
        return {"proposed": proposed}

    async def preview(self, budget: Budget) -> list[dict[str, Any]]:
        """The facts that fall within a week, the first ones first, by their ids: whoever may read them asks for their words."""
        until, most = self._clock.now() + _PREVIEW, min(budget.items, _MOST_PREVIEWED)
        page = sorted(await self._page(until=until, limit=most), key=attrgetter("at"))
        events = await read_in_pieces(self._client, [fact.position for fact in page])
        return [
            {
                "space": event.space,
                "user": event.user,
                "memory_id": fact.memory_id,
                "falls_at": moment(fact.at).isoformat(timespec="seconds"),
            }
            for fact, event in zip(page, events, strict=True)
            if event is not None
        ]

    async def _page(self, *, until: datetime, limit: int, after: Falling | None = None) -> list[Falling]:
        if not self._below:
            return []
        asked = partial(self._facts.falling, below=self._below, until=microseconds(until), limit=limit, after=after)
        return await in_thread(asked)

    async def _propose(self, facts: Sequence[Falling], now: datetime) -> int:
        """Send one command about facts of one person; the number of facts."""
        event = await self._event_of_one(facts)
        if event is None:  # forgotten since
            return 0
        ids = tuple(fact.memory_id for fact in facts)
        await send_work(self._client, event, RetireMemories(memory_ids=ids, below=self._below, at=now))
        return len(ids)

    async def _event_of_one(self, facts: Sequence[Falling]) -> Envelope | None:
        """An event that names the person: the log may lack that of a fact which is forgotten just now."""
        (event,) = await read_at(self._client, [facts[0].position])
        if event is None:
            event = next(filter(None, await read_at(self._client, [fact.position for fact in facts])), None)
        return event


def _of_each_person(page: Iterable[Falling]) -> Iterable[Sequence[Falling]]:
    """The facts of a page by person, as many together as a command takes."""
    for _, found in groupby(sorted(page, key=_of_person), key=_of_person):
        while facts := list(islice(found, _FEW if BACKGROUND.is_asked else _AT_ONCE)):
            yield facts
