"""The events of the log: facts in the past tense. Published ones are never edited; add a version and an upcaster."""

from typing import ClassVar, Literal

from pydantic import Field

from . import ageing, conflicts, entities, feedback, jobs, learning, preferences, privacy, reflecting, sharing, undoing
from .content import Plain, SourceId, Trace
from .contract import Utc, declared
from .envelope import Envelope
from .event import EventData
from .ids import CommandId, MemoryId, MessageId, SessionId
from .parts import Echo, Embedding, Entity, FactSlot, Importance, Kind, Metadata, Origin, Role, Score, Text
from .reading import read_by_field, read_whole
from .recalls import RecallGroup

_SAYING = ("user_message", "edit_message", "add_turns", "agent_response", "system_message")
_TELLING = ("remember_fact", "save_facts", "save_facts_batch", "user_message", "add_turns", "import_memories")
_KEEPING = ("correct_fact", "confirm_fact", "pin", "restore")


class SessionStarted(EventData):
    """A session id was seen for the first time, or a completed session has a new turn."""

    caused_by: ClassVar = (*_SAYING, "import_turns", "import_memories")
    is_exported = True
    read_by: ClassVar = {"ingest": "the session is open", "retriever": "the session's row"}

    session_id: SessionId
    resumed: bool = Field(default=False, description="True where the session had been completed before.")


class SessionCompleted(EventData):
    """A session is over for now: what it taught can be learned. The specification's `memory.session_completed`."""

    caused_by: ClassVar = (
        *("user_message", "edit_message", "add_turns", "import_turns", "end_session", "sweep_sessions"),
        *("mark_session_consolidated", "import_memories"),
    )
    stands_for = "session_id"
    is_exported = True
    read_by: ClassVar = {
        "ingest": "the session is completed",
        "retriever": "the session's row",
        "consolidator": "its turns since the completion before are to be learned from",
        "maintenance": "the session can fall silent no more",
    }

    session_id: SessionId
    reason: Literal["switched", "ended", "swept", "idle"] = Field(
        description="switched: the user began another session; ended: by command; idle: nothing was said for the time set;"
        " swept: by the nightly sweep."
    )
    turns: int = Field(ge=0, description="Turns since the session was started or resumed.")


class EpisodeRecorded(EventData):
    """A turn was said, word for word."""

    caused_by: ClassVar = (*_SAYING, "import_turns", "import_memories")
    stands_for = "text"
    makes = Kind.EPISODE
    is_exported = True
    read_by: ClassVar = {
        "ingest": "the session's turns; the id is seen",
        "retriever": "a memory, its entities, its speaker",
        "consolidator": "where the turn lies, unless it is held back",
        "maintenance": "a memory to embed; since when the session is silent",
    }

    memory_id: MemoryId
    session_id: SessionId
    role: Role
    text: Text
    speaker: Trace | None = Field(default=None, description="Who said it, by name.")
    message_id: MessageId | None = Field(default=None, description="The bot's id of the message.")
    entities: tuple[Entity, ...] = Field(default=(), description="Found by the fast strategy (patterns), in text order.")
    metadata: Metadata = Field(default_factory=dict, description="The bot's own, as sent.")
    echoes: tuple[Echo, ...] = Field(
        default=(), description="Parts that repeat what memstream had handed out; never learned as new evidence."
    )
    held_back: bool = Field(
        default=False, description="True: its person had just had this forgotten. Kept as said; never learned from or recalled."
    )
    imported: bool = Field(default=False, description="True: it came with an import, and waits for what is said live.")
    utc_offset_minutes: int | None = Field(
        default=None, description="How far its person's clock was from UTC when it was said; null: not, or nobody knows."
    )


class NewFact(EventData):
    """What is common to the events that make a fact."""

    stands_for = "text"
    makes = Kind.FACT
    is_exported = True

    memory_id: MemoryId
    text: Text
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    source_ids: tuple[SourceId, ...] = Field(default=(), description="Memories or outside references that it rests on.")
    tags: tuple[Trace, ...] = Field(default=(), description="Its own; of a correction those of the old fact count beside them.")
    entities: tuple[Entity, ...] = ()
    manually_saved: bool = Field(description="True where a person or agent asked for it.")
    pinned: bool = Field(default=False, description="True where it is pinned from the start.")
    confidence: float = Field(default=1.0, ge=0, le=1)
    decay_rate: float = Field(
        default=0.1,
        ge=0,
        le=100,
        description="A day: how fast its confidence fades while nobody comes back to it; 0: not at all.",
    )
    importance: float = Field(default=0.5, ge=0, le=1)
    importance_parts: dict[Plain, float] = Field(default_factory=dict, description="What each rule added to the importance.")
    metadata_confidence: float = Field(default=0.0, ge=0, le=1, description="Mean confidence of the entities and tags found.")
    slots: tuple[FactSlot, ...] = Field(default=(), description="What it states, in the respects that could be told.")
    is_whole: bool = Field(
        default=False, description="Whether the slots are all that it says: a fact with the same ones says the same."
    )
    says_more: bool = Field(default=False, description="Whether it has words that no slot tells of: it never ends as a whole.")
    imported: bool = Field(
        default=False, description="True: the fact came with an import, or was learned from imported turns or by relearning."
    )


class FactRemembered(NewFact):
    """A fact became a memory."""

    caused_by: ClassVar = _TELLING
    read_by: ClassVar = {
        "ingest": "what recognises it again, its sources and flags; the id is seen",
        "retriever": "a memory and its entities",
    }

    origin: Origin | None = Field(default=None, description="What extracted it; null where it was told as a fact.")


class MemoryRepeated(EventData):
    """A fact was told again: the one that is known counts it, and takes over tags, sources and flags.

    Undone by leaving it out: all that it added is in it.
    Source: ../reference/memory-upgrade-spec.md, "Near-Duplicate Detection", under the guards of mission.md.
    """

    caused_by: ClassVar = (*_TELLING, "correct_fact", "undo", "redo")
    stands_for = "text"
    is_exported = True
    read_by: ClassVar = {
        "ingest": "the fact's count, sources, tags, flags and importance; the id is seen",
        "retriever": "the same, with the words as they came this time",
    }

    memory_id: MemoryId
    text: Text = Field(description="As it came this time.")
    match: Literal["exact", "simhash", "jaccard", "slot"] = Field(
        description="What recognised it; slot: it states the same as the known one, in other words, and nothing else."
    )
    distance: int | None = Field(default=None, ge=0, le=64, description="Bits between the two SimHashes.")
    similarity: float | None = Field(default=None, ge=0, le=1, description="Jaccard similarity of the two token sets.")
    by_alias: bool = Field(
        default=False,
        description="Whether it is the same but for a name, which by the names known before meant the same entity.",
    )
    repeat_count: int = Field(ge=1, description="How often it was told again, this time included.")
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    added_source_ids: tuple[SourceId, ...] = Field(default=(), description="Sources that it did not have.")
    added_tags: tuple[Trace, ...] = Field(default=(), description="Tags that it did not have.")
    entities: tuple[Entity, ...] = Field(default=(), description="Found in the text as it came this time.")
    manually_saved: bool = Field(description="Whether it is saved by hand, now.")
    was_manually_saved: bool = Field(description="Whether it was before.")
    pinned: bool = Field(description="Whether it is pinned, now.")
    was_pinned: bool = Field(description="Whether it was before.")
    importance: Importance = Field(description="Recomputed from base and repeat_count; it does not compound.")
    importance_before: float = Field(ge=0, le=1)
    origin: Origin | None = Field(default=None, description="What extracted it; null where it was told as a fact.")


class FactCorrected(NewFact):
    """A new fact takes the place of an old one, which a `fact_superseded` in the same batch ends."""

    caused_by: ClassVar = ("correct_fact", "import_memories")
    read_by: ClassVar = {"ingest": "as fact_remembered, and what it corrects", "retriever": "a memory, linked to the old one"}

    corrects: MemoryId = Field(description="The old fact.")
    manually_saved: bool = Field(default=True, description="Correcting is asking to save: it is never trimmed.")


class FactSuperseded(EventData):
    """A newer fact stands in the place of this one, which is not injected any more; told again, one that came in late does."""

    caused_by: ClassVar = (*_TELLING, "correct_fact", "resolve_conflict", "answer_conflict", "undo", "redo")
    is_exported = True
    read_by: ClassVar = {"ingest": "the fact is superseded, and by which", "retriever": "the same; it is not injected any more"}

    memory_id: MemoryId = Field(description="The old fact.")
    superseded_by: MemoryId = Field(description="The new one.")
    reason: Literal["corrected", "conflict"] = Field(
        description="corrected: by command; conflict: nothing that the old one states holds any more, by the new one."
    )
    confidence: float = Field(ge=0, le=1, description="From now on; 0.3 by the specification.")
    confidence_before: float = Field(ge=0, le=1)
    valid_until: Utc | None = Field(
        default=None, description="Of a conflict: since when the new fact holds, as it says, else when it was told."
    )


class FactOutdated(EventData):
    """A part of what a fact states does not hold any more, by a newer fact. The rest does, so it stays live."""

    caused_by: ClassVar = FactSuperseded.caused_by
    is_exported = True
    read_by: ClassVar = {"ingest": "which slots ended", "retriever": "the same; contexts say so"}

    memory_id: MemoryId = Field(description="The old fact.")
    outdated_by: MemoryId = Field(description="The new one.")
    slots: tuple[int, ...] = Field(min_length=1, description="Those of the old fact that ended, by their places from 0.")
    valid_until: Utc = Field(description="Since when the new fact holds, as it says, else when it was told.")


class MemoryDecided(EventData):
    """What is common to the events of a decision about one memory."""

    stands_for = "memory_id"
    is_exported = True

    memory_id: MemoryId


class FactConfirmed(MemoryDecided):
    """A fact is certain: confidence 1, no decay."""

    caused_by: ClassVar = ("confirm_fact", "import_memories")
    read_by: ClassVar = {"ingest": "the fact is certain", "retriever": "confidence 1, no decay"}

    confidence: float = Field(default=1.0, ge=0, le=1)
    decay_rate: float = Field(default=0.0, ge=0)
    confidence_before: float = Field(ge=0, le=1)


class MemoryPinned(MemoryDecided):
    """A memory is kept, whatever the cap and the decay say."""

    caused_by: ClassVar = ("pin", "user_message", "add_turns", "import_memories")
    read_by: ClassVar = {"ingest": "the memory is never trimmed", "retriever": "the flag"}

    memory_id: MemoryId


class MemoryUnpinned(MemoryDecided):
    """A memory is kept like any other, from now on."""

    caused_by: ClassVar = ("unpin", "user_message", "add_turns", "import_memories")
    read_by: ClassVar = {"ingest": "the memory can be trimmed", "retriever": "the flag"}

    memory_id: MemoryId


class MemoryRetired(EventData):
    """A memory is no longer searched. Its text stays, and `restore` brings it back."""

    caused_by: ClassVar = (
        *(*_TELLING, *_KEEPING),
        *("unpin", "change_settings", "answer_conflict", "undo", "redo", "save_rollup", "retire_memories"),
    )
    is_exported = True
    read_by: ClassVar = {
        "ingest": "the memory is retired, and why",
        "retriever": "the same; it is not searched any more",
        "maintenance": "the fact is not live",
    }

    memory_id: MemoryId
    reason: Literal["trimmed", "decayed", "rolled_up", "denied", "undone"] = Field(
        description="decayed: nobody came back to it for so long that its confidence is too low; denied: its person"
        " says that it does not hold; undone: the run that made it was taken back, or its session tells it no more."
    )
    score: Score | None = Field(default=None, description="What it had when it was retired.")
    computed_at: Utc | None = Field(default=None, description="When that score was computed.")
    cap: int | None = Field(default=None, ge=1, description="The soft cap that was exceeded.")
    rolled_up_into: MemoryId | None = Field(default=None, description="The roll-up that stands for it.")


class MemoryRestored(MemoryDecided):
    """A retired or superseded memory is live again: by command, or because it was told, confirmed or pinned."""

    caused_by: ClassVar = (*_TELLING, *_KEEPING, "undo", "redo", "forget")
    read_by: ClassVar = {"ingest": "the memory is live", "retriever": "the same; it is searched again"}

    was: Literal["trimmed", "decayed", "rolled_up", "denied", "undone", "superseded"] = Field(description="What had ended it.")
    confidence: float = Field(ge=0, le=1, description="From now on: as before it was superseded.")
    confidence_before: float = Field(ge=0, le=1)
    superseded_by: MemoryId | None = Field(default=None, description="What had taken its place; that one stays live.")
    lost_rollup: bool = Field(default=False, description="True: its roll-up is gone. It is as old as before.")


class CapacityExceeded(EventData):
    """More facts are live than the soft cap allows, and all of them are pinned or saved by hand: a person should look."""

    caused_by: ClassVar = MemoryRetired.caused_by
    read_by: ClassVar = {"ingest": "how much was reported", "retriever": "nothing but the number"}

    live: int = Field(ge=1)
    cap: int = Field(ge=1)


class MemoryEnriched(EventData):
    """More is known about a memory: entities and tags that a better method found."""

    caused_by: ClassVar = ("attach_entities", "import_memories")
    is_exported = True
    read_by: ClassVar = {
        "ingest": "tags, as keyed hashes; the importance",
        "retriever": "entities and tags",
        "maintenance": "whether the memory was read for names; what it cost",
    }

    memory_id: MemoryId
    method: Plain = Field(max_length=128, description="What found them: `keyphrases/<version>`, `neighbours/...`, `ner/...`.")
    entities: tuple[Entity, ...] = ()
    added_tags: tuple[Trace, ...] = ()
    metadata_confidence: float = Field(ge=0, le=1)
    importance: Importance | None = Field(default=None, description="Of a fact, where the new metadata changes it.")
    importance_before: float | None = Field(default=None, ge=0, le=1, description="With importance: as it was.")
    tokens: learning.TokensSpent | None = Field(default=None, description="What it cost, where a model was asked.")


class SessionConsolidated(EventData):
    """What a session taught is learned: its facts are in the log before this."""

    caused_by: ClassVar = ("save_facts", "mark_session_consolidated", "import_memories")
    read_by: ClassVar = {"ingest": "how far it was read", "consolidator": "the completion is done", "retriever": "the run"}

    session_id: SessionId
    through_number: int = Field(ge=0, description="The session_completed whose turns were read: those since the one before.")
    facts: int = Field(ge=0, description="Facts that this run found, those that repeat known ones included.")
    origin: Origin
    tokens: learning.TokensSpent | None = Field(default=None, description="What the run cost, where a model was asked.")


class MemoryEmbedded(EventData):
    """A memory has a vector. It is in the log, so that a rebuild asks no model."""

    caused_by: ClassVar = ("attach_embedding",)
    is_exported = False  # where it is taken in, the embedder may be another
    read_by: ClassVar = {"maintenance": "the memory has a vector", "retriever": "the vector"}

    memory_id: MemoryId
    embedding: Embedding


class MemoriesRecalled(RecallGroup, EventData):
    """A context with these memories was handed to a bot; with it those of the same person soon after."""

    caused_by: ClassVar = ("record_recall",)
    read_by: ClassVar = {
        "ingest": "the id is seen; last scores of the facts; what was handed out; the facts begin to fade anew",
        "retriever": "access counts and last scores of the memories; the facts begin to fade anew",
        "maintenance": "the facts begin to fade anew",
    }

    @property
    def named(self) -> tuple[MemoryId, ...]:
        """The memories that were used, each once."""
        return tuple(dict.fromkeys(memory_id for recall in self.recalls for memory_id in recall.used))


class CommandRejected(EventData):
    """A message was refused; it lies in REJECTED with the reason. Holds no text."""

    caused_by: ClassVar = ("*",)
    read_by: ClassVar = {"ingest": "the outcome by sequence and by message_id", "retriever": "nothing but the number"}

    what: Plain = Field(description="The command's name where it is a known one, else `unknown`.")
    code: Plain = Field(description="The error's code.")
    command_id: CommandId | None = Field(
        default=None, description="Keyed hash of the message_id, where it had one: its outcome can be asked for by it."
    )


_published = declared(
    EventData,
    globals(),
    *map(vars, (ageing, conflicts, entities, feedback, jobs, learning, preferences, privacy, reflecting, sharing, undoing)),
)
EVENTS: dict[str, type[EventData]] = {model.event_type: model for model in _published}
"""Every event by its type."""


def decode(raw: bytes) -> Envelope:
    """An event of any published version, lifted to the newest. Raises Poison if it is unknown, newer or broken."""
    return read_whole(raw, EVENTS) or read_by_field(raw, EVENTS)
