"""Moving a person from one place to another: the records of an export, and the command that takes them in."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, JsonValue, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from .command import Command
from .contract import Contract, Utc
from .event import EventData
from .events import EVENTS, SessionConsolidated
from .ids import CommandId
from .parts import MAX_ID_CHARACTERS
from .upcasters import upcast

EXPORT_VERSION = 1
MAX_RECORDS = 200
_MEMORY_ID = re.compile(r"(?:ep|fact|ref|roll)_[0-9a-f]{24}")
_MEMORIES = ("memory_id", "corrects", "superseded_by", "outdated_by", "newer", "rolled_up_into")
_ENTITY_ID = re.compile(r"ent_[0-9a-f]{20}")
_ENTITIES = ("entity_id", "into", "was")
_IDS = ("session_id", "message_id", "speaker")
_LISTS = ("source_ids", "tags", "added_source_ids", "added_tags", "removed_source_ids", "removed_tags")

RECORD_TYPES = tuple(name for name, event in EVENTS.items() if event.is_exported)
"""What an export holds."""

if TYPE_CHECKING:
    RecordType = str
else:
    RecordType = Literal[RECORD_TYPES]


class ImportedRecord(Contract):
    """One line of an export: what an event said, with the ids that it had."""

    record_id: str = Field(
        pattern="^[0-9a-f]{32}$", description="The event's id where it was exported; imported once, for ever."
    )
    command_id: CommandId = Field(pattern="^[0-9a-f]{32}$", description="The command that caused it there.")
    type: RecordType = Field(description="The event's type.")
    version: int = Field(default=1, ge=1, description="Version of `data`.")
    occurred_at: Utc = Field(description="When it happened.")
    data: dict[str, JsonValue] = Field(description="What the event says: see docs/events.md.")
    consolidated: SessionConsolidated | None = Field(
        default=None, description="Of a session_completed: that it was learned from. Its through_number is given anew."
    )

    @cached_property
    def said(self) -> EventData:
        """The data, read."""
        document: dict[str, Any] = upcast({"type": self.type, "version": self.version, "data": self.data})
        return EVENTS[self.type].model_validate(document["data"])

    @model_validator(mode="after")
    def _of_its_type(self) -> Self:
        if self.version > EVENTS[self.type].event_version:
            raise PydanticCustomError("malformed", "it comes from a newer memstream; upgrade this one")
        if self.consolidated and self.type != "session_completed":
            raise PydanticCustomError("malformed", "only a session_completed has `consolidated`")
        try:
            said = self.said
        except ValidationError as error:  # its own words would quote the text
            fields = ", ".join(".".join(map(str, each["loc"][:1])) for each in error.errors(include_input=False)[:3])
            raise PydanticCustomError("malformed", f"the data is no {self.type}: {_safe(fields)}") from None
        _require_ids(said)
        return self


class ImportMemories(Command):
    """Records of an export, in its order. Ids are kept, what is known is unchanged, and what was forgotten here stays so.

    Of facts that contradict each other the one holds that was told last; of those that say the same one.
    """

    can_wait = True

    records: tuple[ImportedRecord, ...] = Field(
        min_length=1, max_length=MAX_RECORDS, description="Lines of the export after its first one."
    )


def _require_ids(said: EventData) -> None:
    for name in _MEMORIES:
        memory_id = getattr(said, name, None)
        if memory_id is not None and not _MEMORY_ID.fullmatch(memory_id):
            raise PydanticCustomError("malformed", f"{name} is no id of a memory")
    of_entities = _ENTITIES if hasattr(said, "entity_id") else ()
    if any(not _ENTITY_ID.fullmatch(each) for name in of_entities if (each := getattr(said, name, None)) is not None):
        raise PydanticCustomError("malformed", "an entity is named by what is no id of one")
    named = [each for name in _IDS if (each := getattr(said, name, None)) is not None]
    listed = [each for name in _LISTS for each in getattr(said, name, ())]
    if any(not 0 < len(each) <= MAX_ID_CHARACTERS for each in (*named, *listed)):
        raise PydanticCustomError("malformed", f"an id, name or tag must have 1 to {MAX_ID_CHARACTERS} characters")


def _safe(fields: str) -> str:
    """The names of fields, but not of unknown ones: those may be text."""
    return fields if re.fullmatch(r"[a-z_, ]{0,100}", fields) else "an unknown field"
