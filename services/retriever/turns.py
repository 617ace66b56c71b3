"""Whose question is answered next. Whoever asks many at once waits for himself, and not those who ask beside him."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Hashable, Sized
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from shared.contracts.errors import TooMany
from shared.runtime.background import BACKGROUND

_AT_ONCE = 4
"""Of one who is alone; more at once are not answered sooner."""

_PRESENT_S = 10.0
"""So long after a question its asker counts as present."""

_MOST_WAITING = 256
_FEW = 8
"""So many people of a space that wait are no crowd: beside them nobody of another space notices it."""

_RESTS = 5
"""So many times as long as its last answer took, whoever has more of their own waiting rests."""

_LONGEST_REST_S = 0.5
"""On a machine that is slow just now, who asks twice would rest longer than a question waits, and be refused."""


@dataclass(slots=True)
class _Asking:
    """A space or a person that asks."""

    asked: float  # when it did last
    running: int = 0  # of a space: without those of loud people
    loud: int = 0
    waiting: int = 0  # questions of a person, people of a space
    rests_until: float = 0.0


_Person: TypeAlias = tuple[Hashable, Hashable]  # a space, and one of its users


class Turns:
    """Answers the questions of a space, and of a person, one at a time while others ask, and several while nobody else does.

    The people of a space come in turn, however many questions of one wait. Where more of a person's own questions wait, or
    several people of a space, it is loud: it rests after each five times as long as that took, half a second at most, and is
    not answered beside others, as far as its patience goes. So it leaves the time to them. A loud person keeps nobody of the
    own space waiting.
    """

    def __init__(self) -> None:
        self._spaces: dict[Hashable, _Asking] = {}
        self._people: dict[_Person, _Asking] = {}
        self._waiting: dict[_Person, deque[asyncio.Future[bool]]] = {}  # who had a turn last comes last
        self._running = 0

    @asynccontextmanager
    async def turn(self, space: Hashable, user: Hashable, *, patience_s: float) -> AsyncGenerator[bool]:
        """The turn of a question, when it has come; True if whoever asks is loud, and gives way to others.

        Raises TooMany where it does not come in time.
        """
        BACKGROUND.note_question(space, user)
        person = (space, user)
        is_loud = await self._wait(person, patience_s)
        began = self._now()
        try:
            with nullcontext() if is_loud else BACKGROUND.attention.answering():
                yield is_loud
        finally:
            self._end(person, self._now() - began, is_loud=is_loud)

    @property
    def are_several(self) -> bool:
        """True while more than one question has its turn. In any thread."""
        return self._running > 1

    async def _wait(self, person: _Person, patience_s: float) -> bool:
        now = self._now()
        space, asking = _noted(self._spaces, person[0], now), _noted(self._people, person, now)
        if asking.waiting >= _MOST_WAITING:
            raise TooMany("too many questions of this person wait; ask again later, and fewer at once")
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        space.waiting += not asking.waiting
        asking.waiting += 1
        self._waiting.setdefault(person, deque()).append(turn)
        self._admit()
        if turn.done():
            return turn.result()
        try:
            async with asyncio.timeout(patience_s):
                return await asyncio.shield(turn)
        except BaseException as error:
            self._leave(person, turn)
            if isinstance(error, TimeoutError):
                raise TooMany("more questions of this space and person were asked than can be answered in time") from error
            raise

    def _admit(self) -> None:
        """Let in whoever may begin now: one question of each person in turn."""
        now = self._now()
        while any(self._begin(person, now) for person in list(self._waiting)):
            pass

    def _begin(self, person: _Person, now: float) -> bool:
        """Let in the first question of a person, if it may begin."""
        space, asking = self._spaces[person[0]], self._people[person]
        is_crowd = space.waiting > 1 + _FEW and len(self._spaces) > 1
        is_loud = is_crowd or (asking.waiting > 1 and len(self._people) > 1)
        running = space.loud if is_loud else space.running
        if not (_may_begin(asking, asking.running, self._people, now) and _may_begin(space, running, self._spaces, now)):
            return False
        turn = self._waiting[person].popleft()
        self._left_waiting(person)
        self._running += 1
        asking.running += 1
        space.loud += is_loud
        space.running += not is_loud
        turn.set_result(is_loud)
        return True

    def _left_waiting(self, person: _Person) -> None:
        """Count one question of a person less that waits; the others of the person come after those of other people."""
        waiting = self._waiting.pop(person)
        self._people[person].waiting -= 1
        if waiting:
            self._waiting[person] = waiting
        else:
            self._spaces[person[0]].waiting -= 1

    def _leave(self, person: _Person, turn: asyncio.Future[bool]) -> None:
        """Give up a place, or the turn if it came at the last moment."""
        if turn in self._waiting.get(person, ()):
            self._waiting[person].remove(turn)
            self._left_waiting(person)
        else:
            self._end(person, 0.0, is_loud=turn.result())

    def _end(self, person: _Person, took_s: float, *, is_loud: bool) -> None:
        now, rest_s, rests = self._now(), min(_RESTS * took_s, _LONGEST_REST_S), False
        space, asking = self._spaces[person[0]], self._people[person]
        self._running -= 1
        asking.running -= 1
        space.loud -= is_loud
        space.running -= not is_loud
        for each, is_more, those in ((space, space.waiting > _FEW, self._spaces), (asking, asking.waiting, self._people)):
            if is_more and len(those) > 1:
                each.rests_until, rests = now + rest_s, True
        self._admit()
        if rests:
            asyncio.get_running_loop().call_later(rest_s, self._admit)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


_Key = TypeVar("_Key", bound=Hashable)


def _noted(those: dict[_Key, _Asking], key: _Key, now: float) -> _Asking:
    """Note that somebody asks, and forget who has not for a while."""
    asking = those.pop(key, None) or _Asking(now)
    asking.asked = now
    those[key] = asking  # the last
    while (first := those[next(iter(those))]).asked < now - _PRESENT_S and not (first.running or first.loud or first.waiting):
        del those[next(iter(those))]
    return asking


def _may_begin(asking: _Asking, running: int, those: Sized, now: float) -> bool:
    return running < (_AT_ONCE if len(those) == 1 else 1) and now >= asking.rests_until
