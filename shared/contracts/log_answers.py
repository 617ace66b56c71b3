"""Answers about what happened: outcomes, forgettings, the audit, and the export."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from .answers import Answer
from .contract import Contract, Utc
from .envelope import Actor
from .moving import ImportedRecord
from .parts import Kind
from .privacy import Scan


class Verdict(StrEnum):
    """What became of something that was sent."""

    RECORDED = "recorded"
    UNCHANGED = "unchanged"
    REJECTED = "rejected"
    NOT_RECORDED = "not_recorded"


class WouldForget(Contract):
    """A memory that would be forgotten."""

    memory_id: str
    kind: Kind
    why: Literal["named", "near_duplicate", "earlier_version", "states_it", "rests_on_it"] = Field(
        description="named: by the command; near_duplicate: says the same; earlier_version: what the fact said before it was "
        "corrected; states_it: a turn that says it; rests_on_it: a fact whose every source goes."
    )
    in_doubt: bool = Field(
        default=False, description="True: found by likeness alone, or it names somebody else. It goes with `confirm` only."
    )


class ForgetPreviewAnswer(Answer):
    """What a forget command would do now."""

    memories: tuple[WouldForget, ...] = Field(description="Named ones first.")
    events: int = Field(ge=0, description="Events of the log that would be erased.")
    losing_a_source: tuple[str, ...] = Field(default=(), description="Facts that would stay, with one source less.")
    token: str | None = Field(
        default=None, description="Given where some of it is in doubt: `forget` with this as `confirm` takes all that is shown."
    )


class ReceiptAnswer(Contract):
    """The receipt of a forgetting."""

    state: Literal["waiting", "erasing", "done", "taken_back"] = Field(
        description="waiting: hidden from every query, and can be taken back until `erase_at`; erasing: its bytes are going."
    )
    scope: str = Field(description="Keyed name of space and user.")
    forgotten_at: Utc
    erase_at: Utc | None = Field(default=None, description="While it waits: when it is erased.")
    completed_at: Utc | None = Field(default=None, description="When it was erased, or taken back.")
    memories: int = Field(ge=0, description="Memories that were forgotten.")
    events: int = Field(ge=0, description="Events to erase from the log.")
    erased: int = Field(ge=0, description="Of those, erased by now.")
    scan: Scan | None = Field(default=None, description="The proof, once it is done.")
    backups: tuple[str, ...] = Field(default=(), description="Backups that cannot be changed and still hold it.")


class AuditEntry(Contract):
    """One thing that was done, or refused."""

    number: int = Field(description="The event's number among this person's events.")
    at: Utc = Field(description="When the server took the command.")
    type: str = Field(description="The event's type; command_rejected: a command was refused.")
    actor: Actor = Field(description="Who asked: the channel is authenticated, the name is claimed.")
    result: Literal["recorded", "rejected"]
    code: str | None = Field(default=None, description="Why it was refused.")
    memory_ids: tuple[str, ...] = Field(default=(), description="The memories that it is about.")
    details: dict[str, JsonValue] = Field(default_factory=dict, description="Other ids, counts, flags and codes of the event.")


class AuditAnswer(Answer):
    """A page of the trail."""

    entries: tuple[AuditEntry, ...] = Field(description="Newest first.")
    next_before_number: int | None = Field(default=None, description="Ask with it for the next page; null: no more.")


class ExportAnswer(Answer):
    """A page of an export."""

    content_digest: str | None = Field(
        default=None, description="On the first page: of everything that is remembered of this person. Null on later ones."
    )
    through_position: int = Field(description="The export ends here. Sealed for a bot that is limited to spaces.")
    records: tuple[ImportedRecord, ...] = Field(description="`import_memories` takes them.")
    next_after_position: int | None = Field(default=None, description="Ask with it for the next page; null: no more.")


class OutcomeAnswer(Contract):
    """What became of something that was sent, and from which position on a query knows it."""

    verdict: Verdict = Field(
        description="recorded: events were appended; unchanged: it was known already; rejected;"
        " not_recorded: the person does not want it kept."
    )
    position: int = Field(
        description="Give it as min_position to a query that must know this. For a bot that is limited to spaces: `number`."
    )
    memory_id: str | None = Field(default=None, description="The memory that it made, where it made exactly one.")
    number: int | None = Field(default=None, description="Its last event.")
    code: str | None = Field(default=None, description="Why it was rejected or not recorded, as a program reads it.")
    lifted: bool = Field(
        default=False,
        description="Whether it says what had been forgotten, and is kept again: saved by hand, or said anew.",
    )
    held_back: bool = Field(
        default=False,
        description="Whether its person had just had this forgotten: it is kept as said, but not learned from or recalled.",
    )
    masked: tuple[str, ...] = Field(
        default=(), description="Kinds of secrets that stand masked in what was recorded, as `password`, `pin`, `card number`."
    )
    reason: str | None = Field(
        default=None,
        description="The same in words, for the bot's author: the field and what is wrong with it, never its value.",
    )
