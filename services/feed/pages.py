"""Reads the events of a space from the log, page by page, without what is forgotten."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing
from typing import NamedTuple

from services.feed.store import FeedStore, Member, Unreadable
from services.feed.telling import Teller
from shared.contracts.errors import LogDiverged, Malformed, Poison
from shared.contracts.events import EVENTS
from shared.contracts.following import EventsAnswer, EventsQuery, FollowedEvent
from shared.contracts.ids import Scope, Space, User
from shared.contracts.privacy import ForgettingTakenBack, MemoryForgotten, UserForgotten
from shared.contracts.subjects import scope_filter
from shared.domain.taking_back import emptied
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import LogReader, Record
from shared.runtime.keys import Keys
from shared.runtime.projector import Progress, Recorded, decoded
from shared.runtime.tasks import in_thread
from shared.runtime.topology import identify_log

_FORGETTINGS = tuple(each.event_type for each in (MemoryForgotten, ForgettingTakenBack, UserForgotten))
_MOST_SUBJECTS = 256
"""Beyond so many people and types the whole log is read, and what is of others is left out."""
_PAGE_BYTES = 600_000
_BATCH = 250
_CATCHING_UP_S = 5.0
_NOTHING = Unreadable()


class _Stretch(NamedTuple):
    """What is to be read for a page: the people of the space of whom there is something, between two positions."""

    after: int
    through: int
    members: Mapping[Scope, Member]
    withheld: Mapping[Scope, Unreadable]


class Pages:
    """Answers the queries of readers."""

    def __init__(self, client: Client, store: FeedStore, keys: Keys, progress: Progress) -> None:
        self._client = client
        self._store = store
        self._keys = keys
        self._progress = progress

    async def page(self, space: Space, query: EventsQuery) -> EventsAnswer:
        """A page of what a reader asks for. Raises Malformed, LogDiverged, NotCaughtUp or Unavailable."""
        unknown = [name for name in query.types if name not in EVENTS]
        if unknown:
            raise Malformed("`types` names an event that does not exist; docs/events.md lists them")
        teller = Teller(space, self._keys.digester)
        after = teller.opened(query.after)
        # Every forgetting that the log holds now must be known: what it takes must not be read any more.
        end = (await identify_log(self._client)).last_position
        if after > end:
            raise LogDiverged("the log ends before this position: it is another one. Read it again from the beginning")
        await self._progress.wait_for(end, _CATCHING_UP_S)
        if query.wait_s and query.through is None:
            await self._wait_for_news(space, after, query.wait_s)
        stretch = await in_thread(self._stretch, space, query, after, teller.opened(query.through or 0))
        events, is_end = await self._read(teller, stretch, query)
        reached = events[-1].position if events and not is_end else teller.sealed(stretch.through)
        return EventsAnswer(events=tuple(events), position=reached, is_end=is_end)

    async def _wait_for_news(self, space: Space, after: int, wait_s: float) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + wait_s
        while (left_s := deadline - clock()) > 0:
            seen = self._store.news.count
            if await in_thread(self._store.last_position, space) > after:
                return
            await self._store.news.within(left_s, seen)

    def _stretch(self, space: Space, query: EventsQuery, after: int, through: int) -> _Stretch:
        scope = None if query.user is None else self._keys.scope_of(space, User(query.user))
        members = {member.scope: member for member in self._store.members(space, after=after, scope=scope)}
        last = max((member.position for member in members.values()), default=after)
        return _Stretch(after, min(last, through or last), members, self._store.withheld(space))

    async def _read(self, teller: Teller, stretch: _Stretch, query: EventsQuery) -> tuple[list[FollowedEvent], bool]:
        """The events of a stretch, as many as fit a page, and whether these are all."""
        page = _Page(query.limit)
        if stretch.through > stretch.after:
            reader = LogReader(self._client, after=stretch.after, subjects=_subjects(stretch, query.types), batch=_BATCH)
            async with aclosing(reader.to_end()) as batches:
                async for batch in batches:
                    for record in batch:
                        if record.position > stretch.through:
                            return page.events, True
                        event = _readable(record, stretch, query.types)
                        if event is not None and not page.add(teller.told(event), len(record.data)):
                            return page.events, False
                    if batch[-1].position >= stretch.through:
                        break
        return page.events, True


class _Page:
    """The events that fit an answer: a reply must not be larger than the server takes; one event alone always fits."""

    def __init__(self, limit: int) -> None:
        self.events: list[FollowedEvent] = []
        self._limit = limit
        self._size = 0

    def add(self, event: FollowedEvent, size: int) -> bool:
        """Add an event of so many bytes; False if it does not fit any more."""
        if len(self.events) == self._limit or (self.events and self._size + size > _PAGE_BYTES):
            return False
        self.events.append(event)
        self._size += size
        return True


def _subjects(stretch: _Stretch, types: Sequence[str]) -> list[str]:
    """The subjects to read: of these people alone where they are few, else of all, or of all events of these types."""
    wanted = tuple(dict.fromkeys((*types, *_FORGETTINGS))) if types else (">",)  # the server takes none twice
    if len(stretch.members) * len(wanted) <= _MOST_SUBJECTS:
        return [scope_filter(member.slot, member.scope, each) for member in stretch.members.values() for each in wanted]
    return [f"memory.*.*.{each}" for each in wanted]


def _readable(record: Record, stretch: _Stretch, types: Collection[str]) -> Recorded | None:
    """The event of a record, if readers of the space may read it and ask for it."""
    if record.scope not in stretch.members:
        return None
    try:
        recorded = decoded(record)
    except Poison:  # the projector has put it aside, with an alarm
        return None
    withheld = stretch.withheld.get(record.scope, _NOTHING)
    if withheld.hides(recorded.event.number) or (types and recorded.event.type not in {*types, *_FORGETTINGS}):
        return None
    return recorded._replace(event=emptied(recorded.event, withheld.taken_back))
