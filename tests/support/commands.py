"""Builders of commands: what a test does not name is plain and the same everywhere."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Literal

from shared.contracts.command import OfMemory
from shared.contracts.commands import (
    AgentResponse,
    AttachEmbedding,
    AttachEntities,
    ChangeSettings,
    ConfirmFact,
    CorrectFact,
    EndSession,
    ExtractedFact,
    FurtherEmbedding,
    ImportedTurn,
    ImportTurns,
    Pin,
    RecordRecall,
    RememberFact,
    Restore,
    SaveFacts,
    SweepSessions,
    SystemMessage,
    Turn,
    Unpin,
    UserMessage,
)
from shared.contracts.conflicts import AnswerConflict, Holds
from shared.contracts.ids import ConflictId, MemoryId, MessageId, RecallId, SessionId
from shared.contracts.parts import Entity, Origin, RecalledItem, Role, Score
from shared.contracts.preferences import PersonSettings
from shared.contracts.undoing import Redo, Undo
from shared.domain.vectors import pack as pack_vector
from shared.language.text.shingles import Shingler, raw
from tests.support.scopes import ANNAS_SCOPE, KEYS, T0

_TURNS: dict[Role, type[Turn]] = {Role.USER: UserMessage, Role.ASSISTANT: AgentResponse, Role.SYSTEM: SystemMessage}


def turn(
    text: str = "hello",
    session: str = "s1",
    *,
    role: Role = Role.USER,
    message_id: str | None = None,
    occurred_at: datetime | None = None,
    speaker: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> Turn:
    """A live turn of any role."""
    return _TURNS[role](
        session_id=SessionId(session),
        text=text,
        message_id=MessageId(message_id) if message_id else None,
        occurred_at=occurred_at,
        speaker=speaker,
        metadata=metadata or {},
    )


user_says = partial(turn, role=Role.USER)
agent_says = partial(turn, role=Role.ASSISTANT)
system_says = partial(turn, role=Role.SYSTEM)


def imported(live: Turn) -> ImportedTurn:
    """The same turn as one of an import."""
    return ImportedTurn(
        role=live.role,
        session_id=live.session_id,
        text=live.text,
        message_id=live.message_id,
        occurred_at=live.occurred_at,
        speaker=live.speaker,
        metadata=live.metadata,
    )


def import_of(turns: Iterable[Turn], *, message_id: str | None = None) -> ImportTurns:
    """One import of these turns."""
    return ImportTurns(turns=tuple(imported(live) for live in turns), message_id=MessageId(message_id) if message_id else None)


def remember(
    text: str = "Anna likes tea",
    *,
    message_id: str | None = None,
    occurred_at: datetime | None = None,
    source_ids: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
) -> RememberFact:
    """A fact, as told."""
    return RememberFact(
        text=text,
        message_id=MessageId(message_id) if message_id else None,
        occurred_at=occurred_at,
        source_ids=source_ids,
        tags=tags,
    )


def end(session: str = "s1", *, message_id: str | None = None) -> EndSession:
    """The end of a session."""
    return EndSession(session_id=SessionId(session), message_id=MessageId(message_id) if message_id else None)


def sweep(
    before: datetime,
    *sessions: str,
    reason: Literal["idle", "swept"] = "idle",
    message_id: str | None = None,
) -> SweepSessions:
    """The end of what is silent since."""
    return SweepSessions(
        before=before,
        reason=reason,
        session_ids=tuple(SessionId(session) for session in sessions),
        message_id=MessageId(message_id) if message_id else None,
    )


def packed(hashes: Sequence[int]) -> str:
    """Hashes of words as the records of recalls held them once."""
    return b64encode(raw(hashes)).decode()


def recall(recall_id: str = "rec_1") -> RecordRecall:
    """A context that was handed out."""
    return RecordRecall(
        message_id=MessageId(recall_id),
        recall_id=RecallId(recall_id),
        at_number=2,
        computed_at=T0,
        ranking="r1",
        items=(
            RecalledItem(
                memory_id=MemoryId("ep_1"),
                score=Score(total=0.5, relevance=0.5, recency=1.0, importance=0.5),
                shingles=packed(Shingler(KEYS.digester, ANNAS_SCOPE).hashes("hello from the other side", most=9)),
            ),
        ),
    )


def correct(
    memory_id: str, text: str = "Anna likes coffee", *, message_id: str | None = None, tags: tuple[str, ...] = ()
) -> CorrectFact:
    """A fact is wrong; this is right."""
    return CorrectFact(
        memory_id=MemoryId(memory_id), text=text, message_id=MessageId(message_id) if message_id else None, tags=tags
    )


def answer(conflict_id: str, holds: Holds = "newer", *, message_id: str | None = None) -> AnswerConflict:
    """Somebody says which of two facts holds."""
    return AnswerConflict(
        conflict_id=ConflictId(conflict_id), holds=holds, message_id=MessageId(message_id) if message_id else None
    )


def undo(run_id: str | None = None, *, memory_id: str | None = None, number: int | None = None) -> Undo:
    """What a run learned is taken back, or one fact, or a time that it was told again."""
    return Undo(run_id=run_id, memory_id=MemoryId(memory_id) if memory_id else None, number=number)


def redo(run_id: str | None = None, *, memory_id: str | None = None, number: int | None = None) -> Redo:
    """What was taken back is done again."""
    return Redo(run_id=run_id, memory_id=MemoryId(memory_id) if memory_id else None, number=number)


def about(command: type[OfMemory], memory_id: str, *, message_id: str | None = None) -> OfMemory:
    """A command that names a memory and nothing else."""
    return command(memory_id=MemoryId(memory_id), message_id=MessageId(message_id) if message_id else None)


confirm = partial(about, ConfirmFact)
pin = partial(about, Pin)
unpin = partial(about, Unpin)
restore = partial(about, Restore)


def change(
    settings: PersonSettings | None = None, *, unset: tuple[str, ...] = (), message_id: str | None = None
) -> ChangeSettings:
    """These settings are changed."""
    return ChangeSettings(
        settings=settings or PersonSettings(), unset=unset, message_id=MessageId(message_id) if message_id else None
    )


def cap(most: int) -> ChangeSettings:
    """At most so many facts are live from now on."""
    return change(PersonSettings(soft_cap=most))


def extracted(
    text: str,
    *,
    source: str = "ep_0123456789abcdef01234567",
    tags: tuple[str, ...] = (),
    importance: float = 0.5,
    occurred_at: datetime = T0,
) -> ExtractedFact:
    """A fact that a conversation states."""
    return ExtractedFact(text=text, source_ids=(MemoryId(source),), tags=tags, importance=importance, occurred_at=occurred_at)


def page(*facts: ExtractedFact, session: str = "s1", number: int = 0, is_last: bool = False) -> SaveFacts:
    """A page of a consolidation run."""
    return SaveFacts(
        message_id=MessageId(f"run/{number}"),
        session_id=SessionId(session),
        page=number,
        is_last=is_last,
        through_number=1,
        origin=ORIGIN,
        facts=facts,
    )


ORIGIN = Origin(extractor="rules/1", run_id="run")


def find_more(
    memory_id: str,
    *,
    entities: tuple[Entity, ...] = (),
    tags: tuple[str, ...] = (),
    confidence: float = 0.9,
    method: str = "ner/1",
) -> AttachEntities:
    """A better method found more."""
    return AttachEntities(
        memory_id=MemoryId(memory_id), method=method, entities=entities, tags=tags, metadata_confidence=confidence
    )


def recall_of(scores: Mapping[str, float], *, recall_id: str = "rec_1", computed_at: datetime = T0) -> RecordRecall:
    """A context that handed these memories out, with these relevances; recency is 0.5 for all."""
    items = tuple(
        RecalledItem(memory_id=MemoryId(m), score=Score(total=relevance, relevance=relevance, recency=0.5, importance=0.5))
        for m, relevance in scores.items()
    )
    return RecordRecall(
        message_id=MessageId(recall_id),
        recall_id=RecallId(recall_id),
        at_number=2,
        computed_at=computed_at,
        ranking="r1",
        items=items,
    )


def embed(memory_id: str) -> AttachEmbedding:
    """The vector of a memory."""
    return AttachEmbedding(memory_id=MemoryId(memory_id), embedding=pack_vector([1.0, 0.0], "test/2"))


def embed_together(*memory_ids: str) -> AttachEmbedding:
    """The vectors of memories in one message."""
    vector = pack_vector([1.0, 0.0], "test/2")
    first, *further = (
        FurtherEmbedding(message_id=MessageId(f"{each}/test/2"), memory_id=MemoryId(each), embedding=vector)
        for each in memory_ids
    )
    return AttachEmbedding(message_id=first.message_id, memory_id=first.memory_id, embedding=vector, further=tuple(further))


def put_right(about: str, right: str) -> str:
    """The fact that keeps the new value of what is forgotten."""
    return f'The user said: "{about}", and put it right: "{right}"'
