"""Merges entities that are one, and takes that back. Whether an id is known is read from the log: ingest keeps no names.

Source: ../reference/memory-system.md, "entities"; docs/adr/0056-entities-are-found-merged-and-parted.md.
"""

from contextlib import suppress

from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.entities import EntitiesMerged, EntitiesUnmerged, MergeEntities, UnmergeEntities
from shared.contracts.errors import UnknownEntity
from shared.contracts.event import EventData
from shared.contracts.ids import EntityId
from shared.domain.aliases import Merges, TypedName, meanings


def merge_entities(command: MergeEntities, ruling: Ruling) -> None:
    """Count an entity to another one, unless they are one already. Raises UnknownEntity."""
    merged = merge_of(command.entity_id, command.into, ruling.state)
    if merged:
        ruling.add(merged)


def unmerge_entities(command: UnmergeEntities, ruling: Ruling) -> None:
    """Make an entity one of its own again, unless it is. Raises UnknownEntity."""
    unmerged = unmerge_of(command.entity_id, ruling.state)
    if unmerged:
        ruling.add(unmerged)


def merge_of(entity_id: EntityId, into: EntityId, state: ScopeState) -> EntitiesMerged | None:
    """The event that counts an entity to another one, as they are known by now; None if they are one. Raises UnknownEntity."""
    known, said = _known(state)
    meant = meanings(known.values(), said)
    one, other = (meant[_named(each, known)] for each in (entity_id, into))
    return None if one == other else EntitiesMerged(entity_id=one.id, into=other.id)


def unmerge_of(entity_id: EntityId, state: ScopeState) -> EntitiesUnmerged | None:
    """The event by which an entity is one of its own; None if it is. Raises UnknownEntity.

    What somebody merged is taken back; where nobody did, the likeness of the names counts no more.
    """
    known, said = _known(state)
    name = _named(entity_id, known)
    if (was := said.into.get(entity_id)) in known:
        return EntitiesUnmerged(entity_id=entity_id, was=was)
    meant = meanings(known.values(), said)[name]
    return None if meant == name else EntitiesUnmerged(entity_id=entity_id, was=meant.id, by_rule=True)


def as_said_elsewhere(said: EntitiesMerged | EntitiesUnmerged, state: ScopeState) -> list[EventData]:
    """What an imported event changes here: nothing where one of the two is not known here, or where it holds already."""
    with suppress(UnknownEntity):
        if isinstance(said, EntitiesMerged):
            merged = merge_of(said.entity_id, said.into, state)
            return [merged] if merged else []
        unmerged = unmerge_of(said.entity_id, state)
        return [unmerged] if unmerged and unmerged.by_rule == said.by_rule else []
    return []


def _known(state: ScopeState) -> tuple[dict[EntityId, TypedName], Merges]:
    words = state.words()
    return {name.id: name for name in words.names()}, words.merges()


def _named(entity_id: EntityId, known: dict[EntityId, TypedName]) -> TypedName:
    if entity_id not in known:
        raise UnknownEntity
    return known[entity_id]
