"""Embeds memories in two lanes, and sends each vector to be recorded.

What was said live comes before what can wait: imports, and what has the vector of another model. In each lane the newest comes
first, and texts of like length are embedded together, while those before are sent. While somebody asks, a model of this
process embeds few at a time, of people in turn, and rests; what can wait rests while an import is decided, too. Where an
endpoint could keep what it is sent, no request holds the texts of two people.

An embedder that fails is asked again, after pauses that grow, and after several failures with a harmless text alone; a text
that it refuses is set aside until the next start, so that it holds up no other.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from services.maintenance.attachments import MOST_TOGETHER, Embedded, attachments
from services.maintenance.domain.lanes import by_length, in_turns
from services.maintenance.domain.pace import Pace
from services.maintenance.embedding_failures import EmbeddingFailures
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import MaintenanceStore, Unembedded
from shared.contracts.envelope import Envelope
from shared.contracts.errors import ENDING, InputRefused, MemstreamError, Misconfigured, Unavailable
from shared.contracts.ids import MemoryId, Scope
from shared.contracts.portions import portions
from shared.domain.moments import microseconds
from shared.language.text.indexed import said
from shared.language.text.length import beginning
from shared.language.text.quotation import words_quoted
from shared.runtime.background import BACKGROUND
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.embedders.port import Embedder, EmbedderHere
from shared.runtime.eventlog.read import read_at
from shared.runtime.import_watch import IMPORTS
from shared.runtime.logs import log
from shared.runtime.metrics import (
    EMBEDDING_BACKLOG,
    EMBEDDING_FAILURES,
    EMBEDDING_OLDEST_SECONDS,
    EMBEDDING_SECONDS,
)
from shared.runtime.sending import send_work
from shared.runtime.tasks import end, in_thread, note_failure, run_until_one_ends
from shared.runtime.worklist import keep_working

_MICROSECONDS = 1_000_000
_MEASURE_S = 1.0
_LONGEST_REST_S = 1.0
_LONGEST_WAIT_S = 0.25
_FEW = 4
"""So many memories that can wait are embedded in one go while somebody asks: whoever says something waits for all of them.

Of those that were said live just as many, where the model takes a processor of this machine: 16 long texts take a second.
"""

_LITTLE_TEXT, _MUCH_TEXT = 2_000, 6_000
"""Characters that a model of this process embeds in one go, while somebody asks and else: what comes meanwhile waits for it."""

_MOST_EMBEDDED = 1_200
"""So long a text counts at most: of a longer one the models of this process read the beginning."""

_RESTS, _RESTS_OF_LIVE = 6, 4
"""So many times as long as it took, it rests while somebody asks and more waits of those whose texts it has just embedded."""

_WINDOW = 4
"""So many batches are read at once, and sorted by length."""

_LOOK_AGAIN_S = 1.0
_HARMLESS = "hello"


class _Sent(NamedTuple):
    """Whose memory's vector was sent, and the loop's time of that."""

    scope: Scope
    at: float


_Read: TypeAlias = tuple[Unembedded, Envelope]


class EmbeddingJob:
    """Embeds the backlog. A vector that was sent is sent again only if its event does not come in time."""

    def __init__(
        self,
        client: Client,
        store: MaintenanceStore,
        embedder: Embedder,
        clock: Clock,
        settings: MaintenanceSettings,
        *,
        failures: EmbeddingFailures,
        pace: Pace,
        mixes_people: bool = True,
    ) -> None:
        self._client = client
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._settings = settings
        self._failures = failures
        self._pace = pace
        self._mixes_people = mixes_people
        self._is_here = isinstance(embedder, EmbedderHere)
        self._sent: dict[MemoryId, _Sent] = {}
        self._made: list[Embedded] = []  # and is sent with what is made next
        self._sending: asyncio.Task[None] | None = None  # what was made last

    async def run(self) -> None:
        """Embed for ever."""
        working = keep_working(self._store, self._work)
        try:
            await run_until_one_ends(working, self._keep_measured())
        finally:
            await end([self._sending] if self._sending else [])

    async def _work(self) -> float:
        """Embed what waits of one lane; return when to look for more. Where the log cannot be read, pause."""
        if wait_s := self._failures.wait_s:
            return min(wait_s, _LOOK_AGAIN_S)
        try:
            return 0.0 if await self._next_window() else self._settings.resend_s
        except Unavailable as error:  # the bus: it is back soon
            log.warning("embedding.interrupted", reason=error.message)
            await asyncio.sleep(self._settings.retry_s)
        return 0.0

    def _postpone(self, error: Unavailable | Misconfigured) -> None:
        pause_s = self._failures.failed(error)
        EMBEDDING_FAILURES.inc()
        log.warning(
            "embedding.postponed", code=error.code, reason=error.message, failures=self._failures.failures, pause_s=pause_s
        )

    async def _keep_measured(self) -> None:
        """Set the backlog's metrics now and then, while something waits or came; seldom, for the query reads all that waits."""
        while True:
            seen = self._store.news.count
            waiting = await in_thread(self._measure)
            await asyncio.sleep(_MEASURE_S)
            if not waiting:
                await self._store.news.beyond(seen)

    async def _next_window(self) -> bool:
        """Embed what is next in a lane, until it is done, fails, or something comes first; True: look for more.

        Raises Unavailable.
        """
        waiting = self._window()
        if not waiting:
            await self._until_sent()
            return False
        if not await self._may_answer():
            return True
        events = await read_at(self._client, [memory.position for memory in waiting])
        both = list(zip(waiting, events, strict=True))
        self._observe([memory for memory, event in both if event is None])
        window = [(memory, event) for memory, event in both if event is not None]
        for batch in self._batches(window):
            if not await self._embed(batch) or self._comes_first(waiting):
                break
        await self._send_made()
        return True

    def _batches(self, window: Sequence[_Read]) -> Iterator[list[_Read]]:
        """The window in batches that are computed in one go: by a model of this process, of little text while somebody asks."""
        for batch in by_length([(len(_text(each[1])), each) for each in window], self._settings.batch):
            if not self._is_here:
                yield batch
                continue
            most = _LITTLE_TEXT if BACKGROUND.is_asked else _MUCH_TEXT
            yield from portions(batch, lambda each: min(len(_text(each[1])), _MOST_EMBEDDED), most_weight=most)

    async def _may_answer(self) -> bool:
        """False if the embedder failed several times, and fails with a harmless text too."""
        if not self._failures.is_open or self._failures.last_error == InputRefused.code:
            return True
        try:
            await self._embedder.embed([_HARMLESS])
        except (Unavailable, Misconfigured) as error:
            self._postpone(error)
            return False
        return True

    async def _embed(self, batch: Sequence[_Read]) -> bool:
        """Embed one batch, then rest if it could wait; False if the embedder fails.

        What can wait is sent with the rest of its window while nobody asks: each batch for itself is four times as many
        decisions, commits and changes of files. Raises Unavailable for what was sent before.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        failed: Unavailable | Misconfigured | None = None
        for made in await asyncio.gather(*map(self._tried, self._apart(batch))):
            if isinstance(made, MemstreamError):
                failed = made
            else:
                self._note_sent([memory for memory, _, _ in made])  # at once: not to be made again meanwhile
                self._made += made
        if BACKGROUND.is_asked or not batch[0][0].can_wait:
            await self._send_made()
        if failed:
            self._postpone(failed)
            return False
        self._failures.succeeded()
        if (can_wait := batch[0][0].can_wait) or self._is_here:
            await self._rest(clock() - began, can_wait=can_wait)
        return True

    def _comes_first(self, window: Sequence[Unembedded]) -> bool:
        """True if something was said live that is newer than this window of the live lane, or the window can wait."""
        first = next(iter(self._store.unembedded(self._embedder.model.fingerprint, 1)), None)
        if first is None or first.can_wait or first.memory_id in self._sent.keys() | self._failures.set_aside.keys():
            return False
        return window[0].can_wait or first.position > window[0].position

    async def _rest(self, worked_s: float, *, can_wait: bool) -> None:
        """Rest while somebody asks, and until nobody is being answered then; end it for whoever says something and had not.

        What can wait also rests while an import is decided: each vector is a message more that ingest decides.
        """
        clock = asyncio.get_running_loop().time
        rest_s = min((_RESTS if can_wait else _RESTS_OF_LIVE) * worked_s, _LONGEST_REST_S)
        if can_wait:
            await IMPORTS.look()
        until = clock() + max(rest_s, IMPORTS.rest_s(worked_s) if can_wait else 0.0)
        heard: set[Scope] | None = None
        while (BACKGROUND.is_asked or (can_wait and IMPORTS.is_under_way)) and (left_s := until - clock()) > 0:
            seen = self._store.news.count
            now_heard = {memory.scope for memory in self._waiting() if not memory.can_wait}
            heard = now_heard if heard is None else heard
            if now_heard - heard:
                return
            await self._store.news.within(min(left_s, _LOOK_AGAIN_S), seen)
            if can_wait:
                await IMPORTS.look()
        await BACKGROUND.attention.within(min(rest_s, _LONGEST_WAIT_S))

    def _apart(self, batch: Sequence[_Read]) -> list[list[_Read]]:
        """The batch as it is sent: in one request, or in one for each person."""
        people: dict[Scope | None, list[_Read]] = {}
        for memory, event in batch:
            people.setdefault(None if self._mixes_people else memory.scope, []).append((memory, event))
        return list(people.values())

    async def _tried(self, batch: Sequence[_Read]) -> list[Embedded] | Unavailable | Misconfigured:
        """The memories with their vectors, or what the embedder failed with: that of one person costs no other's vectors."""
        try:
            return await self._embedded(batch)
        except (Unavailable, Misconfigured) as error:
            return error

    async def _send_made(self) -> None:
        """Begin to send what was made, when all before it is sent: the next may be embedded meanwhile. Raises Unavailable."""
        made, self._made = self._made, []
        if not made:
            return
        try:
            await self._until_sent()
        except Unavailable:
            self._forget_made(made)
            raise
        self._sending = asyncio.create_task(self._send(made))

    async def _send(self, made: Sequence[Embedded]) -> None:
        model, most = self._embedder.model.fingerprint, 1 if BACKGROUND.is_asked else MOST_TOGETHER
        try:
            await asyncio.gather(*(send_work(self._client, *both) for both in attachments(made, model, most=most)))
        except Unavailable:
            self._forget_made(made)
            raise
        self._observe([memory for memory, _, _ in made])
        self._pace.note(len(made), asyncio.get_running_loop().time())

    def _forget_made(self, made: Sequence[Embedded]) -> None:
        """Have vectors that did not arrive made again."""
        for memory, _, _ in made:
            self._sent.pop(memory.memory_id, None)

    async def _until_sent(self) -> None:
        """Wait until what was made last is sent. Raises Unavailable where it was not."""
        if (sending := self._sending) is not None:
            await asyncio.wait([sending])
            self._sending = None
            sending.result()

    async def _embedded(self, batch: Sequence[_Read]) -> list[Embedded]:
        """The memories of the batch with their vectors. A refused batch is halved until the text at fault is alone."""
        try:
            vectors = await self._embedder.embed([_text(event) for _, event in batch])
        except InputRefused as error:
            refused = error
        except (Unavailable, *ENDING):
            raise
        except Exception as error:  # noqa: BLE001 - one text must not keep all others from being embedded
            note_failure(error, what="embedding")
            refused = InputRefused()
        else:
            return [(memory, event, vector) for (memory, event), vector in zip(batch, vectors, strict=True)]
        if len(batch) == 1:
            await self._embedder.embed([_HARMLESS])  # refused too: then it is a setting, and no text is at fault
            self._set_aside(batch[0][0], refused)
            return []
        middle = len(batch) // 2
        return [*await self._embedded(batch[:middle]), *await self._embedded(batch[middle:])]

    def _set_aside(self, memory: Unembedded, error: InputRefused) -> None:
        self._failures.set_aside[memory.memory_id] = error.code
        EMBEDDING_FAILURES.inc()
        log.error("embedding.set_aside", scope=memory.scope, memory_id=memory.memory_id, reason=error.message)

    def _waiting(self) -> list[Unembedded]:
        """The memories that are next, except those whose vector was just sent, and those set aside.

        While something waits that was said live, only such: no import makes its batch longer.
        """
        most = self._settings.batch * _WINDOW
        self._forget_sent(most)
        left_out = self._sent.keys() | self._failures.set_aside.keys()
        first = self._store.unembedded(self._embedder.model.fingerprint, most + len(left_out))
        waiting = [memory for memory in first if memory.memory_id not in left_out][:most]
        return [memory for memory in waiting if not memory.can_wait] or waiting

    def _forget_sent(self, most: int) -> None:
        """Forget what was sent too long ago; where it is more than so many, also what has its vector now: all is read over."""
        now, model = asyncio.get_running_loop().time(), self._embedder.model.fingerprint
        self._sent = {memory_id: sent for memory_id, sent in self._sent.items() if now - sent.at < self._settings.resend_s}
        if len(self._sent) > most:
            still = self._store.still_unembedded(model, [(sent.scope, memory_id) for memory_id, sent in self._sent.items()])
            self._sent = {memory_id: sent for memory_id, sent in self._sent.items() if memory_id in still}

    def _window(self) -> list[Unembedded]:
        """The memories to embed now."""
        waiting = self._waiting()
        if BACKGROUND.is_asked and waiting and (waiting[0].can_wait or self._is_here):
            return in_turns(waiting, lambda memory: memory.scope)[:_FEW]
        return waiting

    def _measure(self) -> int:
        backlog = self._store.backlog(self._embedder.model.fingerprint, without=self._failures.set_aside)
        EMBEDDING_BACKLOG.set(backlog.memories)
        waited = 0 if backlog.oldest is None else microseconds(self._clock.now()) - backlog.oldest
        EMBEDDING_OLDEST_SECONDS.set(max(0, waited) / _MICROSECONDS)
        return backlog.memories

    def _observe(self, embedded: Sequence[Unembedded]) -> None:
        self._note_sent(embedded)
        now = microseconds(self._clock.now())
        for memory in embedded:
            EMBEDDING_SECONDS.observe(max(0, now - memory.recorded_at) / _MICROSECONDS)

    def _note_sent(self, memories: Iterable[Unembedded]) -> None:
        at = asyncio.get_running_loop().time()
        self._sent |= {memory.memory_id: _Sent(memory.scope, at) for memory in memories}


def _text(event: Envelope) -> str:
    """Return the text to embed for the event that made a memory. The frame of a quotation, `The user said`, is left out."""
    return beginning(said(getattr(event.data, "speaker", None), words_quoted("\n".join(event.data.words))))
