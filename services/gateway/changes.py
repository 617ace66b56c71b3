"""Follows what changes in one person's memory: told live by the feed, and read from it what was missed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import Field

from services.gateway.people import Person
from shared.contracts.contract import Contract, Utc
from shared.contracts.envelope import Actor
from shared.contracts.errors import TooMany, Unavailable
from shared.contracts.events import EVENTS
from shared.contracts.following import EventsAnswer, EventsQuery, FollowedEvent
from shared.contracts.ids import User
from shared.contracts.queries import AuditAnswer, AuditQuery
from shared.contracts.subjects import event_subject, read_subject
from shared.runtime.asking import answer_on
from shared.runtime.connection import Client, on_reconnect

_LEFT_OUT = {"memory_embedded", "memory_enriched", "memories_recalled"}
_WITHIN_S = 10.0
_MOST_WAITING = 1_000
_LOST = b""
_NAMES_NOBODY = "user_forgotten"


class ToldChange(Contract):
    """Something that happened in one person's memory; ids and codes, no text."""

    number: int = Field(description="The event's number among this person's events.")
    type: str = Field(description="The event's name; docs/events.md has all.")
    occurred_at: Utc
    recorded_at: Utc
    actor: Actor
    memory_ids: tuple[str, ...] = Field(default=(), description="The memories that it is about.")


class _Told:
    """What was heard and not handed on yet. Where it grows too long, the rest counts as lost, to be read."""

    def __init__(self) -> None:
        self.position = 0
        """Of the last event that was handed on."""
        self._heard: asyncio.Queue[bytes] = asyncio.Queue(_MOST_WAITING)

    async def hear(self, message: Any) -> None:  # noqa: ANN401 - nats-py's own
        """Take an event."""
        if self._heard.qsize() < _MOST_WAITING - 1:
            self._heard.put_nowait(message.data)
        else:
            self.lose()

    def lose(self) -> None:
        """Note that events may be missing from here on."""
        if not self._heard.full():
            self._heard.put_nowait(_LOST)

    async def next(self, within_s: float) -> bytes | None:
        """The next event, `_LOST`, or None if nothing was heard in time."""
        try:
            return await asyncio.wait_for(self._heard.get(), within_s)
        except TimeoutError:
            return None


class ChangeStreams:
    """Streams of changes, so many for each bearer at a time."""

    def __init__(self, connection: Callable[[], Client], *, most: int) -> None:
        self._connection = connection
        self._most = most
        self._open = Counter[str]()

    @contextmanager
    def place(self, key: str) -> Iterator[None]:
        """Within the block, one stream more of this bearer. Raises TooMany."""
        if self._open[key] >= self._most:
            raise TooMany(f"{self._most} streams of changes are open already; close one")
        self._open[key] += 1
        try:
            yield
        finally:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]

    async def begin(self, person: Person, after: int | None) -> EventsAnswer | None:
        """The first page of what was missed after a position; None where nothing was. Has the feed follow the log.

        Raises Malformed or LogDiverged where the position is of another log, Unavailable.
        """
        page = await self._page(person, after or 0, limit=500 if after else 1)
        return page if after else None

    async def follow(
        self, person: Person, missed: EventsAnswer | None, *, beat_s: float
    ) -> AsyncIterator[FollowedEvent | None]:
        """What was missed, then what happens; None every so many seconds in which nothing does."""
        told = _Told()
        client = self._connection()
        subjects = (event_subject(person.space, person.user, "*"), event_subject(person.space, User(""), _NAMES_NOBODY))
        subscriptions = [await client.subscribe(subject, cb=told.hear) for subject in subjects]
        last = position = 0
        try:
            with on_reconnect(client, told.lose):
                async for event in self._all(person, missed, told, beat_s):
                    if event is None or event.number > last:
                        yield event
                    if event is not None:
                        last, position = max(last, event.number), event.position
                        told.position = position
        finally:
            for subscription in subscriptions:
                if not client.is_closed:
                    await subscription.unsubscribe()

    async def _all(
        self, person: Person, missed: EventsAnswer | None, told: _Told, beat_s: float
    ) -> AsyncIterator[FollowedEvent | None]:
        """Everything that is read or heard, some of it twice."""
        if missed is not None:
            async for event in self._read(person, missed):
                yield event
        while True:
            data = await told.next(beat_s)
            if data == _LOST and told.position:
                async for event in self._read(person, await self._page(person, told.position)):
                    yield event
            elif data is None or data == _LOST:
                yield None
            else:
                event = FollowedEvent.model_validate_json(data, extra="ignore")
                if await self._is_of(person, event):
                    yield event

    async def _read(self, person: Person, page: EventsAnswer) -> AsyncIterator[FollowedEvent]:
        """The events of a page and of those after it."""
        while True:
            for event in page.events:
                yield event
            if page.is_end:
                return
            page = await self._page(person, page.position)

    async def _page(self, person: Person, after: int, *, limit: int = 500) -> EventsAnswer:
        asked = EventsQuery(after=after, user=person.user, limit=limit)
        subject, payload = read_subject(person.space), asked.model_dump_json().encode()
        silence = "the feed does not answer"
        document = await answer_on(self._connection(), subject, payload, silence=silence, timeout_s=_WITHIN_S)
        return EventsAnswer.model_validate(document, extra="ignore")

    async def _is_of(self, person: Person, event: FollowedEvent) -> bool:
        """Whether an event is this person's; one that names nobody may be anybody's of the space."""
        if event.type != _NAMES_NOBODY:
            return event.user == person.user
        try:
            reply = await person.ask(AuditQuery(types=(_NAMES_NOBODY,), limit=1))
        except Unavailable:
            return False
        entries = AuditAnswer.model_validate_json(reply, extra="ignore").entries
        return any((each.number, each.at) == (event.number, event.recorded_at) for each in entries)


def change_of(event: FollowedEvent) -> ToldChange | None:
    """What is told of an event; None where it changes nothing that anybody sees."""
    if event.type in _LEFT_OUT or event.type not in EVENTS:
        return None
    return ToldChange(
        number=event.number,
        type=event.type,
        occurred_at=event.occurred_at,
        recorded_at=event.recorded_at,
        actor=event.actor,
        memory_ids=tuple(EVENTS[event.type].model_validate(event.data).named),
    )
