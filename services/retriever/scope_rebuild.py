"""Builds one person's file anew from the log, beside the old one, which answers until the new one is renamed over it.

Forgetting, a damaged file, another version of the tables and `memstream rebuild --live` all come here. No trace of the old file
stays in indexes or free pages. A crash leaves the old file, and a draft beside it that the next start deletes.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar
from weakref import WeakValueDictionary

from services.retriever.store.forgetting_events import place_of_user_forgotten
from services.retriever.store.memory_file import MemoryFile, delete_file
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from shared.contracts.ids import Scope
from shared.domain.taking_back import taken_back
from shared.runtime.background import BACKGROUND
from shared.runtime.comparing import OF_FORGETTING, is_settled
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.projector import Aside, Recorded, read_scope, scope_batches, without_taken_back
from shared.runtime.tasks import in_thread

P = ParamSpec("P")
T = TypeVar("T")
_MOST_REPAIRS = 3
"""After so many, whoever asks brings the file up to date: events keep coming."""

_MOST_LOOKS = 20
_LOOK_AGAIN_S = 0.05
"""An old file that has not applied what the log holds is waited for so long until both can be compared."""


@dataclass(slots=True)
class _Draft:
    """A file that was built from the log, and the events of forgetting that it was built from."""

    file: MemoryFile
    forgetting: list[Recorded] = field(default_factory=list)

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

    async def rebuild(self, client: Client, scope: Scope, *, aside: Aside | None = None) -> None:
        """Build a person's file anew. Raises Unavailable, or what an event raises.

        What came meanwhile is in it as well before the request for it is dropped: no file is left behind the log. `aside`: what
        is left out, where that is not what the index has in quarantine.
        """
        async with self._alone(scope):
            await self._rebuild(client, scope, aside)

    async def rebuild_compared(self, client: Client, scope: Scope, *, in_any_case: bool) -> bool | None:
        """Build a person's file anew; return True if the old one held the same, and None if that cannot be told.

        An old file that differs stays, unless `in_any_case`. Raises what `rebuild` raises.
        """
        async with self._alone(scope):
            asked, aside = self._memories.index.rebuilds_asked(scope), await self._aside()
            draft = await self._build(client, scope, aside)
            try:
                is_equal = await self._is_equal(client, scope, draft, aside)
            except BaseException:
                draft.discard()
                raise
            if is_equal is False and not in_any_case:
                draft.discard()
            else:
                await self._put_in_place(client, scope, draft, aside, asked)
            return is_equal

    async def bring_up(self, client: Client, scope: Scope, *, is_asked: bool) -> None:
        """Apply to a person's file what it lacks; build one anew that holds nothing of use.

        `is_asked`: somebody waits for it. Raises what `rebuild` raises.
        """
        self._asked[scope] += is_asked
        try:
            async with self._alone(scope):
                if behind := await self._step(scope, self.lacking, scope):
                    if behind.after:
                        events = await read_scope(client, scope, after=behind.after, aside=await self._aside())
                        await self._step(scope, self._memories.repair, scope, events)
                    else:
                        await self._rebuild(client, scope, None)
        finally:
            self._asked[scope] -= is_asked
            self._asked += Counter()  # without those of whom none is left

    def lacking(self, scope: Scope) -> FileBehind | None:
        """What a person's file lacks; None where it has everything."""
        try:
            with self._memories.reading(scope):
                return None
        except FileBehind as behind:
            return behind

    @asynccontextmanager
    async def _alone(self, scope: Scope) -> AsyncIterator[None]:
        async with self._locks.setdefault(scope, asyncio.Lock()):
            yield

    async def _step(self, scope: Scope, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do a piece of work in a thread: at once where somebody waits for the file, else it gives way to who asks."""
        return await (in_thread if self._asked[scope] else BACKGROUND.run)(work, *args, **kwargs)

    async def _aside(self) -> Aside:
        return await in_thread(lambda: self._memories.index.aside)

    async def _rebuild(self, client: Client, scope: Scope, aside: Aside | None) -> None:
        asked = self._memories.index.rebuilds_asked(scope)
        aside = await self._aside() if aside is None else aside
        await self._put_in_place(client, scope, await self._build(client, scope, aside), aside, asked)

    async def _build(self, client: Client, scope: Scope, aside: Aside) -> _Draft:
        """Build a draft of all that the log holds of a person; begin again where a forgetting turns out to be taken back."""
        back = frozenset[str]()
        while True:
            draft = _Draft(await in_thread(self._memories.beside, scope))
            try:
                found = await self._fill(client, scope, draft, aside, back)
            except BaseException:
                draft.discard()
                raise
            if found <= back:
                return draft
            draft.discard()
            back |= found

    async def _fill(self, client: Client, scope: Scope, draft: _Draft, aside: Aside, back: frozenset[str]) -> frozenset[str]:
        """Apply the log to a draft, without the forgettings in `back`; stop at others that are taken back, and return them."""
        async with aclosing(scope_batches(client, scope, aside=aside)) as batches:
            async for read in batches:
                if not (found := taken_back(recorded.event for recorded in read)) <= back:
                    return found
                events = without_taken_back(read, back)
                if (start := place_of_user_forgotten(events)) is not None:  # what comes before it is being erased still
                    draft.discard()
                    draft.file = await in_thread(self._memories.beside, scope)
                draft.forgetting += [each for each in events if isinstance(each.event.data, OF_FORGETTING)]
                await self._step(scope, draft.file.apply, events[start or 0 :], allow_gaps=True)
        await self._step(scope, draft.file.derive_arrays)  # now, so that no question waits for it
        return back

    async def _is_equal(self, client: Client, scope: Scope, draft: _Draft, aside: Aside) -> bool | None:
        """True if the old file holds what a draft holds, both at the same event; None while that cannot be told."""
        for _ in range(_MOST_LOOKS):
            old = await self._step(scope, self._digest_of_old, scope)
            if old is None or not is_settled(draft.forgetting, old[0]):
                return None
            if old[0] == draft.file.number:
                return old[1] == await self._step(scope, draft.file.digest)
            if old[0] < draft.file.number:
                await asyncio.sleep(_LOOK_AGAIN_S)
                continue
            later = await read_scope(client, scope, after=draft.file.position, aside=aside)
            if any(isinstance(each.event.data, OF_FORGETTING) for each in later):
                return None
            await self._step(scope, draft.file.apply, later, allow_gaps=True)
        return None

    def _digest_of_old(self, scope: Scope) -> tuple[int, str] | None:
        with suppress(FileBehind):
            return self._memories.digest(scope, MemoryFile.digest)
        return None

    async def _put_in_place(self, client: Client, scope: Scope, draft: _Draft, aside: Aside, asked: int | None) -> None:
        """Rename a draft over the old file, and apply the events that came meanwhile. Raises Unavailable."""
        await in_thread(self._memories.replace, scope, draft.file)
        for _ in range(_MOST_REPAIRS):
            if (behind := await in_thread(self.lacking, scope)) is None:
                break
            events = await read_scope(client, scope, after=behind.after, aside=aside)
            await in_thread(self._memories.repair, scope, events)
        with suppress(FileBehind):  # then it says so again: only what is not given any more is known for longer
            await in_thread(self._memories.take_up_recipients, scope)
        if asked is not None:
            await in_thread(self._memories.index.scope_rebuilt, scope, asked)
        log.info("scope.rebuilt", scope=scope, number=draft.file.number)
