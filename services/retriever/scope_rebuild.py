"""Builds one person's file anew from the log, beside the old one, which answers until the new one is renamed over it.

Forgetting, a damaged file, another version of the tables, `memstream rebuild --live` and `memstream verify` all come here. No
trace of an old file stays in indexes or free pages. A crash leaves the old file, and a draft that the next start deletes.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from services.retriever.store.forgetting_events import place_of_user_forgotten
from services.retriever.store.memory_file import MemoryFile, delete_file
from services.retriever.store.memory_folder import FileBehind, FileDamaged, MemoryFolder
from shared.contracts.ids import Scope
from shared.domain.taking_back import taken_back
from shared.runtime.background import BACKGROUND
from shared.runtime.comparing import OF_FORGETTING, CompareRequest, Comparison, compare, is_settled
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.projector import Aside, Recorded, read_scope, scope_batches, without_taken_back
from shared.runtime.tasks import in_thread

P = ParamSpec("P")
T = TypeVar("T")
_MOST_REPAIRS = 3
"""After so many, whoever asks brings the file up to date: events keep coming."""


class _Old(NamedTuple):
    """The file that is there."""

    number: int  # of its last event
    digest: str  # empty: it is damaged


@dataclass(slots=True)
class _Draft:
    """A file that was built from the log, and what the log holds of the person besides."""

    file: MemoryFile
    ends: list[tuple[int, int]] = field(default_factory=list)  # number and position of each event
    forgetting: list[Recorded] = field(default_factory=list)

    def is_equal(self, old: _Old | None) -> bool | None:
        """True if it holds what the old file holds; None if that cannot be told, or something is just being erased."""
        if old is None or not is_settled(self.forgetting, old.number):
            return None
        return self.file.digest() == old.digest

    def discard(self) -> None:
        """Delete the file."""
        self.file.close()
        delete_file(self.file.path)


class ScopeRebuilds:
    """Builds files anew, of each person one at a time."""

    def __init__(self, memories: MemoryFolder) -> None:
        self._memories = memories
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()
        self._asked: Counter[Scope] = Counter()  # how many questions wait for the person's file

    async def rebuild(self, client: Client, scope: Scope, aside: Aside) -> None:
        """Build a person's file anew, without what is put aside. Raises Unavailable, or what an event raises.

        What came meanwhile is in it as well before a request for it is dropped: no file is left behind the log.
        """
        async with self._alone(scope):
            await self._rebuild(client, scope, aside)

    async def rebuild_requested(self, client: Client, scope: Scope) -> None:
        """Build a person's file anew, unless that was done since it was requested. Raises what `rebuild` raises."""
        async with self._alone(scope):
            if self._memories.index.rebuilds_asked(scope) is not None:
                await self._rebuild(client, scope, await self._aside())

    async def rebuild_compared(self, client: Client, scope: Scope, *, in_any_case: bool) -> bool | None:
        """Build a person's file anew; return True if the old one held the same, and None if that cannot be told.

        An old file that differs stays, unless `in_any_case` or it is damaged. Raises what `rebuild` raises.
        """
        async with self._alone(scope):
            asked, aside = self._memories.index.rebuilds_asked(scope), await self._aside()
            async with self._compared(client, scope, aside) as (old, draft, is_equal):
                if is_equal is not False or in_any_case or (old and not old.digest):
                    await self._put_in_place(client, scope, draft, aside, asked)
                return is_equal

    async def compare(self, client: Client, request: CompareRequest, *, patience_s: float = 0.0) -> Comparison:
        """Compare the files of these people with the log. Raises ProjectionDamaged where somebody else changed the index."""
        await in_thread(self._memories.index.require_tallied)
        return await compare(request.scopes, partial(self._differs, client), _file_of, patience_s=patience_s)

    async def bring_up(self, client: Client, scope: Scope, *, is_asked: bool) -> None:
        """Apply to a person's file what it lacks; build one anew that holds nothing of use.

        `is_asked`: somebody waits for it. Raises what `rebuild` raises.
        """
        self._asked[scope] += is_asked
        try:
            async with self._alone(scope):
                if behind := await self._step(scope, self._lacking, scope):
                    if behind.after:
                        events = await read_scope(client, scope, after=behind.after, aside=await self._aside())
                        await self._step(scope, self._memories.repair, scope, events)
                    else:
                        await self._rebuild(client, scope, await self._aside())
        finally:
            self._asked[scope] -= is_asked
            self._asked += Counter()  # without those of whom none is left

    @asynccontextmanager
    async def _alone(self, scope: Scope) -> AsyncIterator[None]:
        async with self._locks.setdefault(scope, asyncio.Lock()):
            yield

    async def _step(self, scope: Scope, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do a piece of work in a thread: at once where somebody waits for the file, else it gives way to who asks."""
        return await (in_thread if self._asked[scope] else BACKGROUND.run)(work, *args, **kwargs)

    async def _aside(self) -> Aside:
        return await in_thread(lambda: self._memories.index.aside)

    def _lacking(self, scope: Scope) -> FileBehind | None:
        """What a person's file lacks; None where it has everything."""
        try:
            with self._memories.reading(scope):
                return None
        except FileBehind as behind:
            return behind

    async def _rebuild(self, client: Client, scope: Scope, aside: Aside) -> None:
        asked = self._memories.index.rebuilds_asked(scope)
        async with self._built(client, scope, aside) as draft:
            await self._put_in_place(client, scope, draft, aside, asked)

    async def _differs(self, client: Client, scope: Scope) -> bool | None:
        """True if a person's file does not hold what the log says; None while it is about to be built anew."""
        index = self._memories.index
        async with self._alone(scope):
            applied, known = await in_thread(lambda: (index.position, index.number(scope)))
            async with self._compared(client, scope, await self._aside()) as (_, draft, is_equal):
                if any(number > known and position <= applied for number, position in draft.ends):
                    return True
                if not draft.ends:  # of the installation itself nobody has a file
                    return None if known else False
                return None if is_equal is None or index.rebuilds_asked(scope) is not None else not is_equal

    @asynccontextmanager
    async def _compared(
        self, client: Client, scope: Scope, aside: Aside
    ) -> AsyncIterator[tuple[_Old | None, _Draft, bool | None]]:
        """The old file, a draft up to the event that it has come to, and whether both hold the same."""
        old = await self._step(scope, self._old, scope)
        async with self._built(client, scope, aside, through=old.number if old else None) as draft:
            yield old, draft, await self._step(scope, draft.is_equal, old)

    def _old(self, scope: Scope) -> _Old | None:
        """The file that is there; None where there is none, or it lacks events: it is brought up when it is asked for."""
        try:
            with self._memories.reading(scope) as file:
                return _Old(file.number, file.digest() if file.is_sound() else "") if file else None
        except FileDamaged:
            return _Old(self._memories.index.number(scope), "")
        except FileBehind:
            return None

    @asynccontextmanager
    async def _built(self, client: Client, scope: Scope, aside: Aside, *, through: int | None = None) -> AsyncIterator[_Draft]:
        """A draft of what the log holds of a person, up to an event; it is deleted unless it was put in place.

        It is begun again where a forgetting turns out to be taken back.
        """
        back: frozenset[str] | None = frozenset()
        while back is not None:
            draft = _Draft(await in_thread(self._memories.beside, scope))
            try:
                async with aclosing(scope_batches(client, scope, aside=aside)) as batches:
                    back = await self._fill(scope, draft, batches, back, through)
                if back is None:
                    yield draft
            finally:
                draft.discard()

    async def _fill(
        self, scope: Scope, draft: _Draft, batches: AsyncIterator[list[Recorded]], back: frozenset[str], through: int | None
    ) -> frozenset[str] | None:
        """Apply the log to a draft without the forgettings in `back`; return these with more that turn out to be taken back."""
        async for recorded in batches:
            if not (found := taken_back(each.event for each in recorded)) <= back:
                return back | found
            of_person = [each for each in without_taken_back(recorded, back) if each.event.is_of_person]
            draft.ends += [(each.event.number, each.position) for each in of_person]
            draft.forgetting += [each for each in of_person if isinstance(each.event.data, OF_FORGETTING)]
            events = [each for each in of_person if through is None or each.event.number <= through]
            if (start := place_of_user_forgotten(events)) is not None:  # what comes before it is being erased still
                draft.discard()
                draft.file = await in_thread(self._memories.beside, scope)
            await self._step(scope, draft.file.apply, events[start or 0 :], allow_gaps=True)
        return None

    async def _put_in_place(self, client: Client, scope: Scope, draft: _Draft, aside: Aside, asked: int | None) -> None:
        """Rename a draft over the old file, and apply the events that came meanwhile. Raises Unavailable."""
        await in_thread(self._memories.replace, scope, draft.file)
        for _ in range(_MOST_REPAIRS):
            if (behind := await in_thread(self._lacking, scope)) is None:
                break
            events = await read_scope(client, scope, after=behind.after, aside=aside)
            await in_thread(self._memories.repair, scope, events)
        with suppress(FileBehind):  # then it says so again: only what is not given any more is known for longer
            await in_thread(self._memories.take_up_recipients, scope)
        if asked is not None:
            await in_thread(self._memories.index.scope_rebuilt, scope, asked)
        log.info("scope.rebuilt", scope=scope, number=draft.file.number)


def _file_of(scope: Scope) -> str:
    return f"retriever/memories/{scope[:2]}/{scope}.db"
