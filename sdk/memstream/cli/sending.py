"""Waits for the outcome of what was sent, across restarts of ingest; finds the reason of a rejection; imports turns."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from memstream.batches import batches
from memstream.cli.memory_ids import whole_id
from memstream.cli.session import CliSession
from memstream.client import Memories, MemoryClient, Receipt
from memstream.importers.turns import Owner
from shared.contracts.commands import MAX_TURNS, ImportedTurn
from shared.contracts.dead_letters import REASON_HEADER, SEQUENCE_HEADER
from shared.contracts.errors import MemstreamError, Rejected, Unavailable, error_classes
from shared.contracts.ids import User
from shared.contracts.queries import OutcomeAnswer, Verdict
from shared.contracts.subjects import SentSubject, encode_token, rejected_subject, slot_of
from shared.domain.sealing import SEQUENCE, Seal, is_sealed
from shared.runtime.connection import operator_connection
from shared.runtime.keys import load_keys
from shared.runtime.topology import REJECTED

_PATIENCE_S = 120.0
_ASK_S = 5.0
_UNDECIDED = 16
"""Most imported batches that wait for their outcome at a time."""


@dataclass(slots=True)
class ImportReport:
    """The result of an import: turns, batches by verdict, and the codes of rejections."""

    turns: int = 0
    users: int = 0
    batches: dict[str, int] = field(default_factory=lambda: {verdict.value: 0 for verdict in Verdict})
    rejected_turns: int = 0
    codes: list[str] = field(default_factory=list)
    position: int = 0

    def count(self, outcome: OutcomeAnswer, turns: int) -> None:
        """Add the outcome of one batch of so many turns."""
        self.batches[outcome.verdict.value] += 1
        self.rejected_turns += turns if outcome.verdict is Verdict.REJECTED else 0
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
    """Send a command and wait for its outcome. Raises the error for which it was refused."""
    if "memory_id" in fields:
        fields = {**fields, "memory_id": await whole_id(memory, fields["memory_id"])}
    receipt = await memory.send(what, fields)
    outcome = await settled(memory, receipt)
    await raise_rejection(session, receipt, outcome)
    return outcome


async def import_all(
    client: MemoryClient, turns: Mapping[Owner, Sequence[ImportedTurn]], on_progress: Callable[[int], None]
) -> ImportReport:
    """Send each person's turns in order, and wait until all are decided. `on_progress` gets how many more are."""
    report = ImportReport(turns=sum(map(len, turns.values())), users=len(turns))
    waiting: deque[tuple[Memories, Receipt, int]] = deque()

    async def settle_first() -> None:
        memories, receipt, count = waiting.popleft()
        report.count(await settled(memories, receipt), count)
        on_progress(count)

    for owner, theirs in turns.items():
        memories = client.for_user(owner.user, space=owner.space)
        for batch in batches(theirs, most=MAX_TURNS):
            waiting.append((memories, await memories.import_turns(batch), len(batch)))
            if len(waiting) >= _UNDECIDED:
                await settle_first()
    while waiting:
        await settle_first()
    return report


async def raise_rejection(session: CliSession, receipt: Receipt, outcome: OutcomeAnswer) -> None:
    """If a message was rejected, raise the error of its code, with the full reason where it can still be read."""
    if outcome.verdict is not Verdict.REJECTED:
        return
    kind = error_classes().get(outcome.code or "", Rejected)
    reason = None
    with suppress(MemstreamError, OSError, TimeoutError, LookupError):
        reason = await _reason(session, receipt)
    raise kind(f"{outcome.code}: {reason or kind().message}")


async def _reason(session: CliSession, receipt: Receipt) -> str | None:
    """The reason that REJECTED holds for this message; None if its newest entry is about another."""
    space, user = encode_token(session.space), encode_token(session.user)
    subject = rejected_subject(SentSubject("send", slot_of(User(session.user)), space, user, receipt.what))
    async with operator_connection(session.settings) as client:
        message = await client.jetstream().get_last_msg(REJECTED, subject)
    headers, sequence = message.headers or {}, receipt.sequence
    if is_sealed(sequence):
        sequence = Seal(SEQUENCE, f"{space}.{user}", load_keys(session.files.keys).digester).opened(sequence)
    return headers.get(REASON_HEADER) if headers.get(SEQUENCE_HEADER) == str(sequence) else None
