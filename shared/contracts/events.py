"""The events of the log: facts in the past tense. Published ones are never edited; add a version and an upcaster."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError
from pydantic_core import from_json

from .envelope import Envelope, EventData, Utc
from .errors import Poison
from .ids import MemoryId, MessageId, RecallId, SessionId
from .parts import Embedding, Entity, Metadata, Origin, RecalledItem, Role, Text
from .upcasters import upcast


class SessionStarted(EventData):
    """A session id was seen for the first time, or a completed session has a new turn."""

    event_type = "session_started"
    caused_by: ClassVar = ("user_message", "agent_response", "system_message", "import_turns")

    session_id: SessionId
    resumed: bool = Field(default=False, description="True where the session had been completed before.")


class SessionCompleted(EventData):
    """A session is over for now: what it taught can be learned. The specification's `memory.session_completed`."""

    event_type = "session_completed"
    caused_by: ClassVar = ("user_message", "import_turns", "end_session")

    session_id: SessionId
    reason: Literal["switched", "ended", "swept"] = Field(
        description="switched: the user began another session; ended: by command; swept: by the nightly sweep."
    )
    turns: int = Field(ge=0, description="Turns since the session was started or resumed.")


class EpisodeRecorded(EventData):
    """A turn was said, word for word."""

    event_type = "episode_recorded"
    caused_by: ClassVar = ("user_message", "agent_response", "system_message", "import_turns")

    memory_id: MemoryId
    session_id: SessionId
    role: Role
    text: Text
    speaker: str | None = Field(default=None, description="Who said it, by name.")
    message_id: MessageId | None = Field(default=None, description="The bot's id of the message.")
    entities: tuple[Entity, ...] = Field(default=(), description="Found by the fast strategy (patterns), in text order.")
    metadata: Metadata = Field(default_factory=dict, description="The bot's own, as sent.")


class FactRemembered(EventData):
    """A fact became a memory."""

    event_type = "fact_remembered"
    caused_by: ClassVar = ("remember_fact", "save_facts")

    memory_id: MemoryId
    text: Text
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    source_ids: tuple[str, ...] = Field(default=(), description="Memories or outside references that it rests on.")
    tags: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    manually_saved: bool = Field(description="True where a person or agent asked for it.")
    confidence: float = Field(default=1.0, ge=0, le=1)
    importance: float = Field(default=0.5, ge=0, le=1)
    origin: Origin | None = Field(default=None, description="What extracted it; null where it was told as a fact.")


class SessionConsolidated(EventData):
    """What a session taught is learned: its facts are in the log before this."""

    event_type = "session_consolidated"
    caused_by: ClassVar = ("save_facts",)

    session_id: SessionId
    through_number: int = Field(ge=0, description="The last event of the session that was read; later turns are new.")
    facts: int = Field(ge=0, description="Facts that this run saved.")
    origin: Origin


class ConsolidationFailed(EventData):
    """Learning from a session failed; it stays pending and is tried again."""

    event_type = "consolidation_failed"
    caused_by: ClassVar = ("fail_consolidation",)

    session_id: SessionId
    attempt: int = Field(ge=1)
    code: str = Field(max_length=64, description="Why, without text.")


class MemoryEmbedded(EventData):
    """A memory has a vector. It is in the log, so that a rebuild asks no model."""

    event_type = "memory_embedded"
    caused_by: ClassVar = ("attach_embedding",)

    memory_id: MemoryId
    embedding: Embedding


class MemoriesRecalled(EventData):
    """A context with these memories was handed to a bot. Holds no words: neither the question nor the memories."""

    event_type = "memories_recalled"
    caused_by: ClassVar = ("record_recall",)

    recall_id: RecallId
    session_id: SessionId | None = None
    turn_id: MessageId | None = Field(default=None, description="message_id of the turn that asked.")
    at_number: int = Field(ge=0, description="The scope's last event that the answer knew; explain recomputes there.")
    computed_at: Utc
    ranking: str = Field(description="Hash of the weights and settings that ranked.")
    items: tuple[RecalledItem, ...]


class CommandRejected(EventData):
    """A message was refused; it lies in REJECTED with the reason. Holds no text."""

    event_type = "command_rejected"
    caused_by: ClassVar = ("*",)

    what: str = Field(description="The command's name where it is a known one, else `unknown`.")
    code: str = Field(description="The error's code.")


EVENTS: dict[str, type[EventData]] = {
    model.event_type: model
    for model in (
        SessionStarted,
        SessionCompleted,
        SessionConsolidated,
        ConsolidationFailed,
        EpisodeRecorded,
        FactRemembered,
        MemoryEmbedded,
        MemoriesRecalled,
        CommandRejected,
    )
}
"""Every event by its type."""


def decode(raw: bytes) -> Envelope:
    """An event of any published version, lifted to the newest. Raises Poison if it is unknown, newer or broken."""
    try:
        document: dict[str, Any] = upcast(from_json(raw))
        model = EVENTS[document["type"]]
        if document["version"] != model.event_version:
            raise Poison(f"{document['type']} has version {document['version']}; this memstream knows {model.event_version}")
        document["data"] = model.model_validate(document["data"])
        return Envelope.model_validate(document)
    except KeyError as error:
        raise Poison(f"the event's type or a field is not known: {error}") from error
    except ValidationError as error:
        raise Poison(f"the event does not fit its contract in {[e['loc'] for e in error.errors()]}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise Poison("the event is not a JSON object") from error
