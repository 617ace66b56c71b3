"""Waits for the outcome of what was sent, across restarts of ingest; finds the reason of a rejection; imports turns."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from memstream.batches import batches
from memstream.cli.memory_ids import whole_id
from memstream.cli.session import CliSession
from memstream.client import Decision, Memories, MemoryClient, Receipt
from memstream.importers.turns import Owner
from shared.contracts.commands import ImportedTurn
from shared.contracts.dead_letters import REASON_HEADER, SEQUENCE_HEADER
from shared.contracts.errors import MemstreamError, Rejected, TooMany, Unavailable, error_classes
from shared.contracts.ids import User
from shared.contracts.moving import ImportedRecord
from shared.contracts.queries import ConversationState, OutcomeAnswer, Verdict
from shared.contracts.subjects import SentSubject, encode_token, rejected_subject, slot_of
from shared.domain.sealing import SEQUENCE, Seal, is_sealed
from shared.runtime.connection import operator_connection
from shared.runtime.keys import load_keys
from shared.runtime.topology import REJECTED

_PATIENCE_S = 120.0
_ASK_S = 5.0
_UNDECIDED = 16
"""Most imported batches that wait for their outcome at a time."""

_UNDECIDED_OF_A_PERSON = 4
_TOO_MANY_S = 2.0
_MOST_SESSIONS = 500

_TURNS_A_BATCH = 100
"""Fewer than a message may hold: what the same person says live is decided after them."""


@dataclass(slots=True)
class ImportReport:
    """The result of an import: turns, batches by verdict, and the codes of rejections."""

    turns: int = 0
    users: int = 0
    batches: dict[str, int] = field(default_factory=lambda: {verdict.value: 0 for verdict in Verdict})
    rejected_turns: int = 0
    codes: list[str] = field(default_factory=list)
    position: int = 0
    facts: int = 0
    rejected_facts: int = 0

    def count(self, outcome: OutcomeAnswer, portion: "Portion") -> None:
        """Add the outcome of one batch."""
        self.batches[outcome.verdict.value] += 1
        if outcome.verdict is Verdict.REJECTED:
            self.rejected_turns += portion.turns
            self.rejected_facts += portion.facts
        self.position = max(self.position, outcome.position)
        if outcome.code and outcome.code not in self.codes:
            self.codes.append(outcome.code)


async def settled(memories: Memories, receipt: Receipt, *, patience_s: float = _PATIENCE_S) -> OutcomeAnswer:
    """The outcome of a message, however often ingest restarts meanwhile. Raises Unavailable after `patience_s`."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience_s
    while True:
        try:
            return await memories.outcome(receipt, timeout_s=_ASK_S)
        except Unavailable:
            if clock() > deadline:
                raise
        await asyncio.sleep(0.1)


async def decided(session: CliSession, memory: MemoryClient, what: str, fields: Mapping[str, Any]) -> OutcomeAnswer:
    """Send a command and wait for its outcome; the next command knows of it. Raises the error for which it was refused."""
    if "memory_id" in fields:
        fields = {**fields, "memory_id": await whole_id(memory, fields["memory_id"])}
    receipt = await memory.send(what, fields)
    outcome = await settled(memory, receipt)
    await raise_rejection(session, receipt, outcome)
    await known(memory, outcome.position)
    return outcome


async def known(memories: Memories, position: int) -> None:
    """Wait until questions know of a decision; where nobody answers it is decided all the same."""
    with suppress(Unavailable):
        await memories.sessions(limit=1, min_position=position)


class Portion(NamedTuple):
    """Turns or facts of one person that are sent in one message."""

    memories: Memories
    send: Callable[[], Awaitable[Receipt]]
    turns: int = 0
    facts: int = 0


class ImportSender:
    """Sends portions in order and waits until they are decided: few at a time, and of one person fewer.

    What a person says live is decided after what was sent of their past. What came too fast is sent again, later.
    """

    def __init__(self, report: ImportReport, on_progress: Callable[[int], None]) -> None:
        self._report = report
        self._on_progress = on_progress
        self._waiting: deque[tuple[Portion, Receipt]] = deque()
        self._of_person: Counter[Memories] = Counter()

    async def add(self, portion: Portion) -> None:
        """Send a portion, when there is room."""
        while len(self._waiting) >= _UNDECIDED or self._of_person[portion.memories] >= _UNDECIDED_OF_A_PERSON:
            await self._settle_first()
        self._waiting.append((portion, await portion.send()))
        self._of_person[portion.memories] += 1

    async def settle(self) -> None:
        """Wait until all are decided."""
        while self._waiting:
            await self._settle_first()

    async def _settle_first(self) -> None:
        portion, receipt = self._waiting.popleft()
        outcome = await settled(portion.memories, receipt)
        while outcome.code == TooMany.code:
            await asyncio.sleep(_TOO_MANY_S)
            outcome = await settled(portion.memories, await portion.send())
        self._of_person[portion.memories] -= 1
        self._report.count(outcome, portion)
        self._on_progress(portion.turns + portion.facts)


async def import_all(
    client: MemoryClient,
    turns: Mapping[Owner, Sequence[ImportedTurn]],
    on_progress: Callable[[int], None],
    *,
    facts: Mapping[Owner, Sequence[ImportedRecord]] = MappingProxyType({}),
) -> ImportReport:
    """Send each person's turns and facts in order, and wait until all are decided. `on_progress` gets how many more are."""
    report = ImportReport(turns=sum(map(len, turns.values())), facts=sum(map(len, facts.values())), users=len({*turns, *facts}))
    sender = ImportSender(report, on_progress)
    for owner in {**turns, **facts}:
        memories = client.for_user(owner.user, space=owner.space)
        for batch in batches(turns.get(owner, ()), most=_TURNS_A_BATCH):
            await sender.add(Portion(memories, partial(memories.import_turns, batch), turns=len(batch)))
        for page in batches(facts.get(owner, ()), most=_TURNS_A_BATCH):
            await sender.add(Portion(memories, partial(memories.send, "import_memories", {"records": page}), facts=len(page)))
    await sender.settle()
    return report


async def open_sessions(memories: Memories, **terms: Any) -> set[str]:  # noqa: ANN401 - those of `sessions`
    """The sessions of a person that are not over, of which nothing was learned yet."""
    found = await memories.sessions(limit=_MOST_SESSIONS, **terms)
    return {each.session_id for each in found.sessions if each.state is ConversationState.OPEN}


async def end_sessions(memories: Memories, position: int, sessions: Collection[str]) -> None:
    """End those of these sessions that are open, so that they are learned from: half an hour of silence is waited for else.

    Where nothing answers in time they are left to that silence.
    """
    with suppress(Unavailable):
        for session_id in sorted(await open_sessions(memories, min_position=position, timeout_s=_ASK_S) & {*sessions}):
            await settled(memories, await memories.end_session(session_id))


def show_decision(session: CliSession, decision: Decision, done: str, unchanged: str) -> None:
    """Print what became of a command: `unchanged` where it was so already, else `done`."""
    words = unchanged if decision.verdict is Verdict.UNCHANGED else done
    document = {"verdict": decision.verdict, "position": decision.position, "number": decision.number}
    session.show(document, lambda console: console.print(words))


async def raise_rejection(session: CliSession, receipt: Receipt, outcome: OutcomeAnswer) -> None:
    """If a message was rejected, raise the error of its code, with the full reason where it can still be read."""
    if outcome.verdict is not Verdict.REJECTED:
        return
    kind = error_classes().get(outcome.code or "", Rejected)
    reason = None
    with suppress(MemstreamError, OSError, TimeoutError, LookupError):
        space, user = encode_token(session.space), encode_token(session.user)
        subject = rejected_subject(SentSubject("send", slot_of(User(session.user)), space, user, receipt.what))
        async with operator_connection(session.settings) as client:
            message = await client.jetstream().get_last_msg(REJECTED, subject)
        headers, sequence = message.headers or {}, receipt.sequence
        if is_sealed(sequence):
            sequence = Seal(SEQUENCE, f"{space}.{user}", load_keys(session.files.keys).digester).opened(sequence)
        reason = headers.get(REASON_HEADER) if headers.get(SEQUENCE_HEADER) == str(sequence) else None
    raise kind(f"{outcome.code}: {reason or kind().message}")
