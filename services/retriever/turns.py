"""Whose question is answered next. Whoever asks many at once waits for himself, and not those who ask beside him."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from shared.contracts.errors import TooMany
from shared.runtime.background import BACKGROUND

_AT_ONCE = 4
"""Of one who is alone; more at once are not answered sooner."""

_PRESENT_S = 10.0
"""So long after a question its asker counts as present."""

_MOST_WAITING = 256
_RESTS = 5
"""So many times as long as its last answer took, whoever has more of their own waiting rests."""

_LONGEST_REST_S = 0.5
"""On a machine that is slow just now, who asks twice would rest longer than a question waits, and be refused."""


@dataclass(slots=True)
class _Asking:
    """A space or a person that asks."""

    asked: float  # when it did last
    running: int = 0
    waiting: int = 0
    rests_until: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Ticket:
    """A question that waits for its turn."""

    space: Hashable
    person: Hashable
    turn: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Turns:
    """Answers the questions of a space, and of a person, one at a time while others ask, and several while nobody else does.

    Where more of its own questions wait, it is loud: it rests after each five times as long as that took, half a second at
    most, and is not answered beside others, as far as its patience goes. So it leaves the time to them.
    """

    def __init__(self) -> None:
        self._spaces: dict[Hashable, _Asking] = {}
        self._people: dict[Hashable, _Asking] = {}
        self._waiting: dict[_Ticket, None] = {}  # in the order in which they came
        self._running = 0

    @asynccontextmanager
    async def turn(self, space: Hashable, user: Hashable, *, patience_s: float) -> AsyncGenerator[bool]:
        """The turn of a question, when it has come; True if whoever asks is loud, and gives way to others.

        Raises TooMany where it does not come in time.
        """
        BACKGROUND.note_question(space, user)
        ticket = _Ticket(space, (space, user))
        await self._wait(ticket, patience_s)
        began, is_loud = self._now(), self._is_loud(ticket)
        try:
            with nullcontext() if is_loud else BACKGROUND.attention.answering():
                yield is_loud
        finally:
            self._end(ticket, self._now() - began)

    @property
    def are_several(self) -> bool:
        """True while more than one question has its turn. In any thread."""
        return self._running > 1

    def _is_loud(self, ticket: _Ticket) -> bool:
        """True if more of the same space or person waits while others ask."""
        space, person = self._spaces[ticket.space], self._people[ticket.person]
        return bool((space.waiting and len(self._spaces) > 1) or (person.waiting and len(self._people) > 1))

    async def _wait(self, ticket: _Ticket, patience_s: float) -> None:
        asking = self._of(ticket)
        if asking[0].waiting >= _MOST_WAITING:
            raise TooMany("too many questions of this space wait; ask again later, and fewer at once")
        self._waiting[ticket] = None
        for each in asking:
            each.waiting += 1
        self._admit()
        if ticket.turn.done():
            return
        try:
            async with asyncio.timeout(patience_s):
                await ticket.turn
        except BaseException as error:
            self._leave(ticket)
            if isinstance(error, TimeoutError):
                raise TooMany("more questions of this space and person were asked than can be answered in time") from error
            raise

    def _of(self, ticket: _Ticket) -> tuple[_Asking, _Asking]:
        """The space and the person, as of those who asked last."""
        now = self._now()
        return _noted(self._spaces, ticket.space, now), _noted(self._people, ticket.person, now)

    def _admit(self) -> None:
        """Let in whoever may begin now, in the order in which they came."""
        now = self._now()
        for ticket in list(self._waiting):
            space, person = self._spaces[ticket.space], self._people[ticket.person]
            if _may_begin(space, self._spaces, now) and _may_begin(person, self._people, now):
                del self._waiting[ticket]
                self._running += 1
                for each in (space, person):
                    each.waiting -= 1
                    each.running += 1
                ticket.turn.set_result(None)

    def _leave(self, ticket: _Ticket) -> None:
        """Give up a place, or the turn if it came at the last moment."""
        if ticket in self._waiting:
            del self._waiting[ticket]
            for each in (self._spaces[ticket.space], self._people[ticket.person]):
                each.waiting -= 1
        else:
            self._end(ticket, 0.0)

    def _end(self, ticket: _Ticket, took_s: float) -> None:
        now, rest_s, rests = self._now(), min(_RESTS * took_s, _LONGEST_REST_S), False
        self._running -= 1
        for each, those in ((self._spaces[ticket.space], self._spaces), (self._people[ticket.person], self._people)):
            each.running -= 1
            if each.waiting and len(those) > 1:
                each.rests_until, rests = now + rest_s, True
        self._admit()
        if rests:
            asyncio.get_running_loop().call_later(rest_s, self._admit)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


def _noted(those: dict[Hashable, _Asking], key: Hashable, now: float) -> _Asking:
    """Note that somebody asks, and forget who has not for a while."""
    asking = those.pop(key, None) or _Asking(now)
    asking.asked = now
    those[key] = asking  # the last
    while (first := those[next(iter(those))]).asked < now - _PRESENT_S and not (first.running or first.waiting):
        del those[next(iter(those))]
    return asking


def _may_begin(asking: _Asking, those: dict[Hashable, _Asking], now: float) -> bool:
    is_alone = len(those) == 1
    return asking.running < (_AT_ONCE if is_alone else 1) and now >= asking.rests_until
