"""The commands: imperatives that bots, people and services send. Only ingest handles them.

A bot sends to `send.<space>.<user>.<what>`, a service to `work.<space>.<user>.<what>`; the payload is the JSON below.
"""

from collections.abc import Iterable
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from . import ageing, conflicts, consolidating, entities, feedback, jobs, learning, moving, privacy, reflecting, undoing
from .command import Channel, Command, OfMemory
from .contract import Contract, Local, Utc, declared
from .errors import TooLarge, UnknownType, WrongChannel
from .ids import MemoryId, MessageId, SessionId, Space, User
from .parts import (
    Embedding,
    Entity,
    FactSlot,
    Identifier,
    Metadata,
    Origin,
    Role,
    SessionKey,
    Text,
)
from .preferences import PersonSettings
from .reading_commands import read_command
from .recalls import RecallGroup
from .sharing import ShareTag as ShareTag  # noqa: PLC0414 - a command like those of the modules above
from .sharing import UnshareTag as UnshareTag  # noqa: PLC0414

MAX_PAYLOAD_BYTES = 1_048_576
MAX_TURNS = 500
MAX_FURTHER_EMBEDDINGS = 15


class Turn(Command):
    """Something was said in a session."""

    role: ClassVar[Role]
    stands_for = "text"

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation it belongs to.")
    text: Text = Field(description="What was said.")
    occurred_at: Local | None = Field(default=None, description="When it was said, with time zone; else when it was sent.")
    speaker: str | None = Field(default=None, min_length=1, max_length=128, description="Who said it, by name.")
    metadata: Metadata = Field(default_factory=dict, description="The bot's own JSON.")


class UserMessage(Turn):
    """The user said something."""

    role = Role.USER


class AgentResponse(Turn):
    """The bot answered."""

    role = Role.ASSISTANT
    compares_with_recalls = True


class SystemMessage(Turn):
    """The system prompted or noted something."""

    role = Role.SYSTEM
    compares_with_recalls = True


class EditMessage(Command):
    """A message was edited on its platform: the turn has this text now, and the old one is erased with what rests on it."""

    edited_message_id: MessageId = Field(min_length=1, max_length=256, description="The `message_id` of the turn.")
    text: Text = Field(description="What it says now. Session, speaker and time stay.")


TURNS: dict[Role, type[Turn]] = {model.role: model for model in (UserMessage, AgentResponse, SystemMessage)}


class AddedTurn(Contract):
    """One of several turns that are sent together; the same as the message of its role."""

    role: Role = Field(description="user, assistant or system.")
    text: Text = Field(description="What was said.")
    message_id: MessageId | None = Field(
        default=None,
        min_length=1,
        max_length=256,
        description="As of the live message; makes sending it again harmless.",
    )
    occurred_at: Local | None = Field(default=None, description="When it was said, with time zone; else when it was sent.")
    speaker: str | None = Field(default=None, min_length=1, max_length=128, description="Who said it, by name.")
    metadata: Metadata = Field(default_factory=dict, description="The bot's own JSON.")


class AddTurns(Command):
    """Up to 500 turns of one conversation that were said just now, in their order: each is decided as if sent by itself."""

    compares_with_recalls = True

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation they belong to.")
    turns: tuple[AddedTurn, ...] = Field(min_length=1, max_length=MAX_TURNS, description="In the order of the talk.")

    @property
    def messages(self) -> Iterable[Turn]:
        """A message of its role for each of its turns, in order."""
        for turn in self.turns:
            fields = {name: getattr(turn, name) for name in AddedTurn.model_fields if name != "role"}
            yield TURNS[turn.role].model_construct(session_id=self.session_id, **fields)


class ImportedTurn(AddedTurn):
    """One turn of an import; the same as the live message of its role, so importing what was sent live changes nothing."""

    session_id: SessionKey = Field(description="The conversation it belongs to.")


class ImportTurns(Command):
    """Up to 500 turns of the past, in the order in which they were said."""

    can_wait = True
    compares_with_recalls = True

    turns: tuple[ImportedTurn, ...] = Field(min_length=1, max_length=MAX_TURNS, description="In the order of the talk.")

    @property
    def sessions(self) -> Iterable[SessionId]:
        """The sessions of its turns."""
        return {turn.session_id for turn in self.turns}


class StateFact(Command):
    """A fact as a person or an agent states it."""

    stands_for = "text"

    text: Text = Field(description="The fact, in words that make sense on their own.")
    session_id: SessionId | None = Field(default=None, min_length=1, max_length=256, description="Where it came up, if it did.")
    occurred_at: Utc | None = Field(default=None, description="When it became true or was said; else when it was sent.")
    source_ids: tuple[Identifier, ...] = Field(default=(), max_length=64, description="Memories or outside references.")
    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="Topics, for search and grouping.")


class RememberFact(StateFact):
    """Keep this as a fact, as told."""

    manually_saved: bool = Field(
        default=True,
        description="True: never trimmed, and kept even if it was just forgotten. False: a fact like one that was learned.",
    )


class CorrectFact(StateFact, OfMemory):
    """This fact is wrong; the new text takes its place. The old one stays readable from it."""

    text: Text = Field(description="The fact as it is right.")
    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="Topics; those of the old fact are kept.")


class ConfirmFact(OfMemory):
    """This fact is certain: confidence 1, and it does not decay."""


class Pin(OfMemory):
    """Keep this memory, whatever the cap and the decay say."""


class Unpin(OfMemory):
    """Keep this memory like any other."""


class Restore(OfMemory):
    """Bring back a memory that was retired or superseded, or all of a fact that is outdated in part.

    Where a live fact contradicts it, that one stays, too, and the person is asked which of them holds.
    """


class ChangeSettings(Command):
    """Change a person's settings in this space. What is left out stays; what is in `unset` falls back to the default."""

    settings: PersonSettings = Field(description="The settings to change.")
    unset: tuple[str, ...] = Field(default=(), max_length=16, description="Names of settings to fall back to the default.")

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        unknown = set(self.unset) - set(PersonSettings.model_fields)
        if unknown:
            raise PydanticCustomError("malformed", "`unset` names a setting that does not exist")
        if not self.unset and not self.settings.model_fields_set:
            raise PydanticCustomError("malformed", "nothing is to be changed; name a setting")
        return self

    @property
    def content(self) -> str:
        """The change that is asked for."""
        return self.settings.model_dump_json(exclude_none=True) + " ".join(sorted(self.unset))


class EndSession(Command):
    """The conversation is over."""

    stands_for = "session_id"

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation.")


class RecordRecall(RecallGroup, Command):
    """A context was handed out (sent by the retriever after its reply); with it those of the same person soon after."""

    channel = Channel.WORK
    compares_with_recalls = True
    sender = "retriever"

    @property
    def memories(self) -> Iterable[MemoryId]:
        """What was used."""
        return {memory_id for recall in self.recalls for memory_id in recall.used}

    @property
    def sessions(self) -> Iterable[SessionId]:
        """The sessions that asked."""
        return {recall.session_id for recall in self.recalls if recall.session_id is not None}

    @model_validator(mode="after")
    def _named_by_its_recall(self) -> Self:
        if str(self.message_id) != str(self.recall_id):
            raise PydanticCustomError("malformed", "message_id must equal recall_id")
        return self


class FurtherEmbedding(Contract):
    """The vector of another memory of the same person."""

    message_id: MessageId = Field(min_length=1, max_length=256, description="As of a message of its own.")
    memory_id: MemoryId = Field(max_length=64, description="The memory.")
    embedding: Embedding = Field(description="Its vector, and what made it.")


class AttachEmbedding(Command):
    """This is the vector of that memory; those of further ones may come with it, each decided as if sent by itself."""

    channel = Channel.WORK
    sender = "maintenance"

    memory_id: MemoryId = Field(max_length=64, description="The memory.")
    embedding: Embedding = Field(description="Its vector, and what made it.")
    further: tuple[FurtherEmbedding, ...] = Field(
        default=(), max_length=MAX_FURTHER_EMBEDDINGS, description="Of other memories of the person."
    )

    @property
    def memories(self) -> Iterable[MemoryId]:
        """All memories whose vectors it has."""
        return (self.memory_id, *(each.memory_id for each in self.further))


class ExtractedFact(Contract):
    """A fact that a conversation states."""

    text: Text = Field(description="The fact, in words that make sense on their own.")
    source_ids: tuple[MemoryId, ...] = Field(min_length=1, max_length=64, description="The turns that state it.")
    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="What kind of fact it is.")
    confidence: float = Field(default=0.8, ge=0, le=1, description="How sure the extractor is.")
    importance: float | None = Field(
        default=None, ge=0, le=1, description="The extractor's own estimate, in place of the rules' base; else the rules judge."
    )
    occurred_at: Utc = Field(description="When the turn that states it was said.")
    slots: tuple[FactSlot, ...] = Field(
        default=(), max_length=32, description="What it states, in the respects that can be told; else they are read."
    )
    is_whole: bool = Field(default=False, description="Whether the slots are all that it says; else that is read.")
    says_more: bool = Field(default=False, description="Whether it has words that no slot tells of: it never ends as a whole.")
    supersedes: tuple[MemoryId, ...] = Field(
        default=(), max_length=16, description="Known facts that do not hold any more if this one does, as a model sees it."
    )


class SaveFacts(Command):
    """A page of facts of a consolidation run; the last page also says that the session is consolidated."""

    channel = Channel.WORK
    sender = "consolidator"

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation.")
    page: int = Field(ge=0, description="Which page of the run, from 0.")
    is_last: bool = Field(description="True on the page that completes the run.")
    through_number: int = Field(ge=0, description="The session_completed whose turns were read: those since the one before.")
    saved_before: int = Field(default=0, ge=0, description="Facts on the pages before this one.")
    origin: Origin = Field(description="What extracted the facts.")
    facts: tuple[ExtractedFact, ...] = Field(default=(), max_length=256, description="The facts of this page.")
    imported: bool = Field(
        default=False, description="True: all turns of the session came with an import, or the session is relearned."
    )
    tokens: learning.TokensSpent | None = Field(
        default=None, description="On the last page: what the run cost, where a model was asked."
    )
    is_relearned: bool = Field(
        default=False,
        description="True: the session was learned from before, and these are all of its facts. What the embedded rules had"
        " told otherwise ends; what they had told so stays as it is.",
    )

    @property
    def memories(self) -> Iterable[MemoryId]:
        """The turns that state its facts."""
        return {source for fact in self.facts for source in fact.source_ids}


class LearningPreview(Contract):
    """What a service asks ingest to decide as if it came now, and not to record."""

    space: Space
    user: User
    command: SaveFacts


class FailConsolidation(Command):
    """Learning from a session failed."""

    channel = Channel.WORK
    sender = "consolidator"

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation.")
    through_number: int = Field(default=0, ge=0, description="The session_completed whose turns were read; 0: not known.")
    attempt: int = Field(ge=1, description="Which try it was.")
    code: str = Field(max_length=64, description="Why it failed, without text.")
    tokens: learning.TokensSpent | None = Field(default=None, description="What it cost all the same.")


class AttachEntities(OfMemory):
    """Entities and tags that a better method found in that memory."""

    channel = Channel.WORK
    sender = "maintenance"
    can_wait = True

    method: str = Field(max_length=128, description="What found them, with its version.")
    entities: tuple[Entity, ...] = Field(default=(), max_length=64, description="In text order.")
    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="Topics.")
    metadata_confidence: float = Field(ge=0, le=1, description="Mean confidence of what was found.")
    tokens: learning.TokensSpent | None = Field(default=None, description="What it cost, where a model was asked.")

    @property
    def content(self) -> None:
        """Whatever was found first counts."""
        return


class RetireMemories(Command):
    """These facts have faded. Retire those that ingest finds so, too: live, not confirmed, not pinned, and that low."""

    channel = Channel.WORK
    sender = "maintenance"
    can_wait = True

    memory_ids: tuple[MemoryId, ...] = Field(min_length=1, max_length=250, description="The facts.")
    below: float = Field(gt=0, le=1, description="They are retired whose confidence is lower.")
    at: Utc = Field(description="The moment for which their confidence is reckoned.")


class SweepSessions(Command):
    """Complete the open sessions in which nothing was said for a while."""

    channel = Channel.WORK
    sender = "maintenance"

    before: Utc = Field(description="Sessions whose last turn came before this moment are over.")
    reason: Literal["idle", "swept"] = Field(default="swept", description="idle: by the setting; swept: by the nightly sweep.")
    session_ids: tuple[SessionKey, ...] = Field(default=(), max_length=500, description="Only these; empty: all.")


_published = declared(
    Command,
    globals(),
    *map(vars, (ageing, conflicts, consolidating, entities, feedback, jobs, learning, moving, privacy, reflecting, undoing)),
)
COMMANDS: dict[str, type[Command]] = {model.what: model for model in _published}
"""Every command by its name, the last token of its subject."""


def parse_command(*, channel: str, what: str, payload: bytes) -> Command:
    """The command of a message. Raises a Rejected that says what is wrong with it and what to do."""
    model = COMMANDS.get(what)
    if model is None:
        raise UnknownType(f"no command has this name; known are {', '.join(sorted(bot_commands()))}")
    if model.channel != channel:
        raise WrongChannel(f"{what} belongs on {model.channel}.<space>.<user>.{what}, which only {model.sender} may use")
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise TooLarge(f"the payload has {len(payload)} bytes, at most {MAX_PAYLOAD_BYTES}; split it")
    return read_command(model, payload)


def bot_commands() -> list[str]:
    """The names of the commands that bots, people and agents may send."""
    return [what for what, model in COMMANDS.items() if model.channel is Channel.SEND]
