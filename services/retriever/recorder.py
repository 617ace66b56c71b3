"""Sends recalls to ingest after the reply: a person's first soon, those of the next second together."""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from services.retriever.search_request import SearchRequest
from shared.contracts.commands import RecordRecall
from shared.contracts.errors import Unavailable
from shared.contracts.ids import MemoryId, MessageId
from shared.contracts.parts import RecalledItem
from shared.contracts.preferences import RecallTerms
from shared.contracts.queries import ContextAnswer, ContextQuery, ScoredMemory
from shared.contracts.recalls import MAX_RECALLS, Recall
from shared.language.text.shingles import Shingler, raw
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.metrics import RECALLS_LOST
from shared.runtime.sending import publish

_GROUP_S = 1.0
"""So long the further ones of a person are collected. What follows a recall costs hardly more for many than for one."""

_SHARED, _HASHES = 20, 64
"""Of so many memories of other spaces the first passages are told, so that echoes are recognised: at most 15 KB a recall."""

_PAUSE_S = 0.2
"""So long those of all others are collected meanwhile: ingest decides what comes together in one go."""

_PAUSE_A_PERSON_S = 0.06
"""So much longer for each person whose recalls were sent, up to the time of a group: where many ask, more comes together."""

MakeRecall = Callable[[], Recall]


class Recorder:
    """Sends recalls that wait to be recorded. One that cannot be sent is lost with a warning: its answer was given already."""

    def __init__(self, *, group_s: float = _GROUP_S, pause_s: float = _PAUSE_S) -> None:
        self._group_s = group_s
        self._pause_s = pause_s
        self._waiting: dict[str, list[MakeRecall]] = {}  # by subject
        self._sent: dict[str, float] = {}  # when something was sent last, within the time of a group
        self._unsent = 0
        self._sending: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    @property
    def unsent(self) -> int:
        """How many recalls no stream has taken yet."""
        return self._unsent

    def soon(self, client: Client, subject: str, recall: MakeRecall) -> None:
        """Have a recall made in a thread, and then published."""
        self._waiting.setdefault(subject, []).append(recall)
        self._unsent += 1
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send(client))

    async def close(self) -> None:
        """Send the recalls that wait, and stop."""
        self._closing.set()
        if self._sending is not None:
            await self._sending

    async def _send(self, client: Client) -> None:
        while self._waiting:
            due = {subject: self._waiting.pop(subject) for subject in self._due()}
            if due:
                await self._publish(client, due)
            await self._pause(min(max(self._pause_s, _PAUSE_A_PERSON_S * len(due)), self._group_s))

    async def _publish(self, client: Client, due: dict[str, list[MakeRecall]]) -> None:
        try:
            commands = await BACKGROUND.run(_commands, due)
            await asyncio.gather(*(_publish(client, command) for command in commands))
        finally:
            self._sent |= dict.fromkeys(due, self._now())
            self._unsent -= sum(map(len, due.values()))

    def _due(self) -> list[str]:
        """The subjects whose recalls have waited long enough; when it closes, all."""
        begun = self._now() - self._group_s
        self._sent = {subject: sent for subject, sent in self._sent.items() if sent > begun}
        return [subject for subject in self._waiting if self._closing.is_set() or subject not in self._sent]

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


class _Sendable(NamedTuple):
    """A command that is ready to be sent."""

    subject: str
    payload: bytes
    command: RecordRecall


def _commands(due: dict[str, list[MakeRecall]]) -> list[_Sendable]:
    """The recalls as commands: of each person one, or as few as can be."""
    grouped = ((subject, command) for subject, waiting in due.items() for command in _grouped([make() for make in waiting]))
    return [
        _Sendable(subject, command.model_dump_json(exclude_defaults=True).encode(), command) for subject, command in grouped
    ]


def _grouped(recalls: Sequence[Recall]) -> Iterator[RecordRecall]:
    for begin in range(0, len(recalls), MAX_RECALLS):
        first, *further = recalls[begin : begin + MAX_RECALLS]
        said = {name: getattr(first, name) for name in Recall.model_fields}
        yield RecordRecall(message_id=MessageId(first.recall_id), **said, further=tuple(further))


async def _publish(client: Client, made: _Sendable) -> None:
    try:
        await publish(client, made.subject, made.payload)
    except Unavailable:
        RECALLS_LOST.inc(len(made.command.recalls))
        log.warning("recall.lost", recalls=len(made.command.recalls), recall_id=made.command.recall_id)


def recall_of(
    query: ContextQuery, answer: ContextAnswer, request: SearchRequest, shingler: Shingler | None, *, number: int
) -> Recall:
    """The record of what a context handed out, and of how it was asked for; `number` is that of the last event that it knew."""
    return Recall(
        recall_id=answer.recall_id,
        session_id=query.session_id,
        turn_id=query.message_id,
        at_number=number,
        computed_at=request.now,
        ranking=request.weights.fingerprint,
        items=tuple(
            RecalledItem(memory_id=MemoryId(item.memory_id), score=item.score) for item in answer.items if item.origin is None
        ),
        shared=tuple(_shared(item, shingler) for item in _given(answer)) if shingler else (),
        profile=tuple(MemoryId(entry.memory_id) for entry in answer.profile),
        insight=answer.insight.memory_id if answer.insight else None,
        asked=RecallTerms(
            kinds=query.kinds,
            limit=query.limit,
            budget_tokens=query.budget_tokens,
            ranking=request.weights.options,
            time_zone=request.zone.key,
            legs_failed=answer.legs_failed,
        ),
    )


def _given(answer: ContextAnswer) -> list[ScoredMemory]:
    return [item for item in answer.items if item.origin is not None][:_SHARED]


def _shared(item: ScoredMemory, shingler: Shingler) -> RecalledItem:
    """What another space gave: nothing is known of it here, so its passages are told, as keyed hashes."""
    passages = raw(shingler.hashes(item.text, most=_HASHES))
    return RecalledItem(memory_id=MemoryId(item.memory_id), score=item.score, shingles=b64encode(passages).decode())
