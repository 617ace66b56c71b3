"""given(events).when(command).then(events | nothing | rejected): one rule of ingest as one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import pytest

from services.ingest.domain.decide import decide
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import NOTHING_RECORDED, Fold, ScopeState
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.weighing import weigh
from shared.contracts.command import Command
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Rejected
from shared.contracts.event import EventData
from shared.contracts.events import EpisodeRecorded, FactRemembered, SessionCompleted, SessionStarted
from shared.contracts.ids import MemoryId, MessageId, SessionId
from shared.contracts.parts import Role
from shared.language.text.entities import find_entities
from tests.support.commands import user_says
from tests.support.scopes import ANNA, KEYS, SPACE, T0
from tests.support.sent import sent

ANY_MEMORY = MemoryId("any")


@dataclass(frozen=True)
class Fact:
    """An event of the past, the command that caused it, and when it happened."""

    data: EventData
    by: Command | None = None
    at: datetime = T0
    recorded_at: datetime | None = None  # else when it happened


@dataclass(frozen=True)
class Rejection:
    """The command is refused with this error."""

    error: type[Rejected]


nothing: tuple[EventData, ...] = ()


def rejected(error: type[Rejected]) -> Rejection:
    """The outcome of a command that cannot be obeyed."""
    return Rejection(error)


def given(*facts: EventData | Fact) -> Given:
    """The scope's events so far; each has a command of its own unless the fact names one."""
    fold = Fold(NOTHING_RECORDED)
    for index, fact in enumerate(facts, start=1):
        told = fact if isinstance(fact, Fact) else Fact(fact)
        command = told.by or user_says("the past", message_id=f"past-{index}")
        message = sent(command, sequence=index, now=told.recorded_at or told.at)
        ruling = Ruling(fold.state, message.circumstances(command))
        ruling.add(told.data, told.at)
        fold.add(ruling.events[0], position=index, digester=KEYS.digester)
    return Given(fold.state)


@dataclass(frozen=True)
class Given:
    """The state before."""

    state: ScopeState

    def when(self, command: Command, *, now: datetime = T0) -> When:
        """The command that is decided."""
        return When(self.state, command, now)


@dataclass(frozen=True)
class When:
    """A decision to be taken."""

    state: ScopeState
    command: Command
    now: datetime

    def events(self) -> list[Envelope]:
        """What is decided. Raises a Rejected."""
        message = sent(self.command, sequence=1000, user=ANNA, space=SPACE, now=self.now)
        return decide(self.command, self.state, message.circumstances(self.command)).events

    def then(self, expected: Rejection | EventData | Iterable[EventData], *more: EventData) -> None:
        """What must come of it: these events in this order, `nothing`, or `rejected(error)`."""
        if isinstance(expected, Rejection):
            with pytest.raises(expected.error) as caught:
                self.events()
            assert type(caught.value) is expected.error
            return
        wanted = [expected, *more] if isinstance(expected, EventData) else [*expected, *more]
        assert [anonymous(event.data) for event in self.events()] == [anonymous(data) for data in wanted]


def anonymous(data: EventData) -> EventData:
    """The same without the derived id of its memory."""
    return data.model_copy(update={"memory_id": ANY_MEMORY}) if hasattr(data, "memory_id") else data


def started(session: str = "s1", *, resumed: bool = False) -> SessionStarted:
    """A session began."""
    return SessionStarted(session_id=SessionId(session), resumed=resumed)


def completed(
    session: str = "s1", *, turns: int = 1, reason: Literal["switched", "ended", "swept", "idle"] = "switched"
) -> SessionCompleted:
    """A session is over."""
    return SessionCompleted(session_id=SessionId(session), reason=reason, turns=turns)


def episode(
    text: str = "hello",
    session: str = "s1",
    *,
    role: Role = Role.USER,
    message_id: str | None = None,
    imported: bool = False,
) -> EpisodeRecorded:
    """A turn was said."""
    return EpisodeRecorded(
        memory_id=ANY_MEMORY,
        session_id=SessionId(session),
        role=role,
        text=text,
        message_id=MessageId(message_id) if message_id else None,
        entities=find_entities(text),
        imported=imported,
    )


def fact(text: str = "Anna likes tea", *, message_id: str | None = None) -> FactRemembered:
    """A fact became a memory, saved by hand."""
    found, importance = weigh(ToldFact(text=text, occurred_at=T0))
    return FactRemembered(
        memory_id=ANY_MEMORY,
        text=text,
        message_id=MessageId(message_id) if message_id else None,
        tags=found.tags,
        entities=found.entities,
        manually_saved=True,
        importance=importance.value,
        importance_parts=importance.parts,
        metadata_confidence=found.metadata_confidence,
    )
