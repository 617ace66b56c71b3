"""Forgetting, incognito, and commands spoken in chat: their commands and events. None of the events holds a word that was said.

Source: ../design/mission.md, promises 3 to 5; memory-upgrade-spec.md, "User Controls & Privacy".
"""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from .command import Channel, Command
from .content import Plain
from .contract import MAX_NUMBER, Contract, Utc
from .event import EventData
from .ids import MemoryId, MessageId, SessionId
from .parts import ChatOutcome
from .reflecting import LostSummary

MAX_QUERY_CHARACTERS = 1_024
_TARGETS = ("memory_ids", "deleted_message_id", "session_id", "query")


class Tombstone(Contract):
    """A value that was forgotten, as keyed hashes: it is recognised when it comes again, and cannot be read."""

    digest: Plain = Field(pattern="^[0-9a-f]{32}$", description="Of the normalised text.")
    simhash: Plain = Field(pattern="^[0-9a-f]{16}$", description="Of keyed features of the normalised text.")
    guard: Plain = Field(pattern="^[0-9a-f]{32}$", description="Of its numbers, dates, negations, names and URLs.")
    tokens: Plain = Field(description="Keyed hashes of its words, uint64[], little-endian, sorted, in base64.", repr=False)
    until: Utc = Field(description="Until then only a save by hand brings it back; afterwards a new mention does.")
    words: Plain = Field(
        default="",
        repr=False,
        description="Keyed hashes of the roots of its content words but names: three quarters of them tell it.",
    )
    light: Plain = Field(
        default="",
        repr=False,
        description="Keyed hashes of those that go with many things, as `last week`: they count beside a name.",
    )
    names: Plain = Field(default="", repr=False, description="Keyed hashes of its names: with one, half of the words tell it.")
    alone: Plain = Field(
        default="", repr=False, description="Keyed hashes of names that nothing else holds, or of a query's word: one tells it."
    )
    rare: Plain = Field(
        default="", repr=False, description="Keyed hashes of its rare words: one tells it where others say it to the person."
    )
    must: Plain = Field(
        default="",
        repr=False,
        description="Keyed hashes of words of which one must be there: the others came with a new value.",
    )


class ForgetTarget(Contract):
    """What is to be forgotten: exactly one of the four."""

    memory_ids: tuple[MemoryId, ...] = Field(default=(), max_length=200, description="These memories.")
    deleted_message_id: MessageId | None = Field(
        default=None, min_length=1, max_length=256, description="The turn with this message_id: its platform deleted it."
    )
    session_id: SessionId | None = Field(default=None, min_length=1, max_length=256, description="Everything of this session.")
    query: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_QUERY_CHARACTERS,
        description="Every memory that holds all of these words, stop words left out. Ask `forget_preview` first.",
    )
    only: bool = Field(
        default=False,
        description="True: only what is named. Else also duplicates, earlier versions, turns that state it, what rests on it.",
    )

    @property
    def means_the_matter(self) -> bool:
        """True where what was said is meant, wherever it was; not for a session, or a message that its platform deleted."""
        return self.session_id is None and self.deleted_message_id is None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        named = [name for name in _TARGETS if getattr(self, name)]
        if len(named) != 1:
            raise PydanticCustomError("malformed", "name exactly one of memory_ids, deleted_message_id, session_id and query")
        return self


class ConfirmedTarget(ForgetTarget):
    """What is to be forgotten, and the word that all of it was shown."""

    confirm: Plain | None = Field(
        default=None,
        pattern="^[0-9a-f]{32}$",
        description="The token of `forget_preview`: what it shows in doubt goes as well. A query that finds such needs it.",
    )


class Forget(Command, ConfirmedTarget):
    """Forget this: hidden at once, then erased from the log and from every file."""


class ForgetUser(Command):
    """Forget everything about this person in this space."""


By = Literal["memory", "message", "session", "query", "chat", "retention"]
"""How what was forgotten was named."""


class ForgetAgain(Command):
    """A backup was restored that is older than this forgetting: what of it came back is forgotten, the rest recognised.

    All of it is from the kept list that is offered at the restore; it holds no word.
    """

    channel = Channel.WORK
    sender = "the operator, at a restore"

    by: By = Field(description="How it was named when it was forgotten first.")
    memory_ids: tuple[MemoryId, ...] = Field(default=(), description="What was forgotten. Unknown ones came after the backup.")
    commands: Plain = Field(default="", repr=False, description="As in `memory_forgotten`.")
    values: Plain = Field(default="", repr=False, description="As in `memory_forgotten`.")
    tombstones: tuple[Tombstone, ...] = Field(default=(), description="As in `memory_forgotten`.")


class TakeBack(Command):
    """Take back what was forgotten in chat, as long as it waits to be erased: all of it is known again."""

    number: int | None = Field(
        default=None,
        ge=1,
        le=MAX_NUMBER,
        description="The forgetting, as its receipt is asked for; without it the last one that waits.",
    )


class StartIncognito(Command):
    """From now on nothing of this session is kept or recalled."""

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation; it need not have begun.")


class EndIncognito(Command):
    """This session is kept again from now on."""

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation.")


class Scan(Contract):
    """The proof of an erasure: what was looked through after it, and what of the forgotten was still found."""

    events: int = Field(ge=0, description="Events of this person in the log that were read again.")
    found: int = Field(ge=0, description="Of those, how many still held something forgotten. 0, or the erasure goes on.")
    rejected: int = Field(ge=0, description="Refused messages of this person that were erased.")
    in_transit: int = Field(ge=0, description="Messages of this person in SEND that were erased.")
    files: int | None = Field(
        default=0,
        ge=0,
        description="Files of the data folder whose bytes were looked through. Null for a bot that is limited to spaces: their"
        " number would tell how much there is of others.",
    )
    sought: int = Field(default=0, ge=0, description="Names, ids and texts that were looked for in them.")
    places: tuple[Plain, ...] = Field(default=(), description="Files in which one of them was found. None, or it is told here.")
    unread: tuple[Plain, ...] = Field(default=(), description="What could not be looked at.")

    def of_own(self) -> Self:
        """The scan as a bot may see it that is limited to spaces: without what tells how much there is of others."""
        folders = sorted({place.partition("/")[0] for place in self.places})
        unread = dict.fromkeys(each.partition("/")[0] for each in self.unread)
        return self.model_copy(update={"files": None, "places": tuple(folders), "unread": tuple(unread)})


class MemoryForgotten(EventData):
    """These memories are forgotten. What must survive of them is here; their text is erased from the log.

    A large forgetting is several of these, in one batch.
    """

    caused_by: ClassVar = ("forget", "user_message", "add_turns", "erase_rolled_up", "forget_again")
    read_by: ClassVar = {
        "ingest": "the rows of the memories go; tombstones; what is to be erased; afterwards all rows are made anew",
        "retriever": "the memories are hidden",
        "consolidator": "the places of the turns go",
        "maintenance": "the rows of the memories go; what is to be written anew",
    }

    forget_id: Plain = Field(description="The command that asked for it: names the receipt.")
    by: By = Field(description="How it was named.")
    memory_ids: tuple[MemoryId, ...] = Field(description="What is forgotten.")
    asked: int = Field(ge=0, description="How many of them were named; the others follow from those.")
    numbers: tuple[int, ...] = Field(description="Events that held their words or vectors: gaps in the numbers from now on.")
    commands: Plain = Field(default="", repr=False, description="Ids of the commands that made them, 16 bytes each, in base64.")
    values: Plain = Field(
        default="", repr=False, description="Digests of turns that an import may not bring back, 16 bytes each, in base64."
    )
    tombstones: tuple[Tombstone, ...] = Field(default=(), description="Facts and short statements, to be recognised.")
    erase_at: Utc | None = Field(
        default=None, description="Hidden until then, and erased after; it can be taken back meanwhile. Without it at once."
    )
    lost: tuple[LostSummary, ...] = Field(
        default=(), description="The reflections among them: those that went because of a source are written anew."
    )


class ForgettingTakenBack(EventData):
    """What this forgetting hid is known again, as if it had never been forgotten: nothing of it was erased yet."""

    caused_by: ClassVar = ("take_back", "user_message", "add_turns")
    read_by: ClassVar = {
        "ingest": "all rows are made anew without the forgetting",
        "retriever": "the file is made anew without the forgetting",
        "consolidator": "all rows are made anew without the forgetting",
        "maintenance": "all rows are made anew without the forgetting",
    }

    forget_id: Plain = Field(description="The forgetting's.")


class GraceEnded(EventData):
    """The time is over in which a forgetting could be taken back; from here on it is erased. ingest records this itself."""

    caused_by: ClassVar = ("user_message", "add_turns")
    read_by: ClassVar = {"ingest": "what is to be erased"}

    forget_id: Plain = Field(description="The forgetting's.")


class UserForgotten(EventData):
    """Everything about a person is forgotten. The envelope of this event names no user.

    A large forgetting is several of these, in one batch.
    """

    caused_by: ClassVar = ("forget_user", "user_message", "add_turns")
    read_by: ClassVar = {
        "ingest": "all rows go, but what recognises what was forgotten",
        "retriever": "the file is deleted",
        "consolidator": "all rows go",
        "maintenance": "all rows go",
    }

    forget_id: Plain = Field(description="The command that asked for it: names the receipt.")
    scope: Plain = Field(description="Keyed name of space and user.")
    through_number: int = Field(ge=0, description="Every event up to here is erased.")
    memories: int = Field(default=0, ge=0, description="How many memories there were; in the first of a large one.")
    commands: Plain = Field(
        default="", repr=False, description="Ids of the commands that were obeyed, 16 bytes each, in base64."
    )
    values: Plain = Field(
        default="", repr=False, description="Digests of turns that an import may not bring back, 16 bytes each, in base64."
    )


class ForgettingCompleted(EventData):
    """The receipt, which ingest records itself: what was to be erased is erased, and was looked for."""

    caused_by: ClassVar = ("forget", "forget_user", "user_message", "add_turns", "erase_rolled_up", "forget_again")
    read_by: ClassVar = {
        "ingest": "the receipt; the rows are made anew from what is left in the log",
        "retriever": "the file is rebuilt from what is left in the log",
    }

    forget_id: Plain
    erased: int = Field(ge=0, description="Events erased from the log.")
    scan: Scan
    backups: tuple[Plain, ...] = Field(default=(), description="Names of backups that still hold it and cannot be changed.")


class TombstoneLifted(EventData):
    """A forgotten value may be known again: its owner saved it by hand, or said it again after the time."""

    caused_by: ClassVar = ("remember_fact", "correct_fact", "save_facts", "save_facts_batch", "user_message", "add_turns")
    read_by: ClassVar = {"ingest": "the tombstone goes"}

    digest: Plain = Field(description="The tombstone's.")
    by: Literal["saved_by_hand", "said_again"]


class IncognitoStarted(EventData):
    """From here on nothing of this session is kept."""

    caused_by: ClassVar = ("start_incognito", "user_message", "add_turns", "agent_response", "system_message")
    read_by: ClassVar = {"ingest": "nothing of the session is recorded", "retriever": "nothing is answered in it"}

    session_id: SessionId
    by_default: bool = Field(default=False, description="True where the person's settings say so for every new session.")


class IncognitoEnded(EventData):
    """From here on this session is kept again."""

    caused_by: ClassVar = ("end_incognito", "user_message", "add_turns")
    read_by: ClassVar = {"ingest": "the session is recorded again", "retriever": "it is answered again"}

    session_id: SessionId


MOST_NAMED = 200
"""Memories that one event about a chat command names."""


class ChatCommandRead(EventData):
    """A turn was read as a command to memstream, and this came of it.

    A question about many memories is several of these, in one batch.
    """

    caused_by: ClassVar = ("user_message", "add_turns")
    read_by: ClassVar = {"ingest": "a question asked back is open", "retriever": "what the bot may say"}

    session_id: SessionId
    message_id: MessageId | None = Field(default=None, description="The turn that was read.")
    command: Plain = Field(max_length=64, description="Its name.")
    outcome: ChatOutcome
    memory_ids: tuple[MemoryId, ...] = Field(
        default=(), max_length=MOST_NAMED, description="What it is about; of what is done the first 200."
    )
    continues: bool = Field(default=False, description="True: these are more memories of the question before.")
    erase_at: Utc | None = Field(default=None, description="Of what is forgotten: until then it can be taken back.")
    forgetting: int | None = Field(default=None, description="Of what is forgotten or taken back: the number of the receipt.")
