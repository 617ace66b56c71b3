"""Saying that two entities are one, and taking that back: the commands, and their events. None holds a name.

An id of an entity follows from its name, so these events are erased when nothing that is left mentions one of the two.
Source: ../reference/memory-system.md, "entities"; docs/adr/0056-entities-are-found-merged-and-parted.md.
"""

from typing import ClassVar

from pydantic import Field

from .command import Command
from .event import EventData
from .ids import EntityId

MAX_ENTITY_ID_CHARACTERS = 64


class MergeEntities(Command):
    """Two entities are one: whatever mentions the first mentions the second. `unmerge_entities` takes it back."""

    entity_id: EntityId = Field(
        min_length=1,
        max_length=MAX_ENTITY_ID_CHARACTERS,
        description="The one that is no entity of its own, as `entities` names it.",
    )
    into: EntityId = Field(min_length=1, max_length=MAX_ENTITY_ID_CHARACTERS, description="The one that it is.")

    @property
    def content(self) -> str:
        """The two, in their order."""
        return f"{self.entity_id} {self.into}"


class UnmergeEntities(Command):
    """This is an entity of its own: a merge is taken back, or a name that was counted to a longer one stands for itself."""

    stands_for = "entity_id"

    entity_id: EntityId = Field(
        min_length=1,
        max_length=MAX_ENTITY_ID_CHARACTERS,
        description="One of the `names` of an entity, as `entities` lists them.",
    )


class EntitiesMerged(EventData):
    """Two entities are one, as somebody says."""

    caused_by: ClassVar = ("merge_entities", "import_memories")
    is_exported = True
    read_by: ClassVar = {"retriever": "the registry of entities: which names mean which"}

    entity_id: EntityId = Field(description="The one that is no entity of its own.")
    into: EntityId = Field(description="The one that it is.")

    @property
    def content(self) -> str:
        """The two, in their order."""
        return f"{self.entity_id} {self.into}"


class EntitiesUnmerged(EventData):
    """An entity that was counted to another one is one of its own."""

    caused_by: ClassVar = ("unmerge_entities", "import_memories")
    stands_for = "entity_id"
    is_exported = True
    read_by: ClassVar = EntitiesMerged.read_by

    entity_id: EntityId
    was: EntityId = Field(description="What it was counted to.")
    by_rule: bool = Field(
        default=False, description="True: nobody had merged them; the names were alike, and from now on that does not count."
    )
