"""Records what services find about a memory: its vector, entities and tags."""

from collections.abc import Sequence

from services.ingest.domain.keeping import known_memory
from services.ingest.domain.learned import finding
from services.ingest.domain.memories import Fact, tag_hash
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.withholding import labels_left, tells_of_forgotten
from shared.contracts.commands import AttachEmbedding, AttachEntities, FurtherEmbedding
from shared.contracts.errors import UnknownMemory
from shared.contracts.events import MemoryEmbedded, MemoryEnriched
from shared.contracts.ids import CommandId, Scope
from shared.contracts.parts import Importance
from shared.domain.digests import Digester
from shared.domain.importance import enriched


def attach_embedding(command: AttachEmbedding, ruling: Ruling) -> None:
    """Record the vectors that are new, of memories that are known still. Raises UnknownMemory where none of them is.

    What was recorded before may come again when its memory is gone: that leads to nothing.
    """
    given, is_any_there, is_any_lost = ruling.given, False, False
    vectors: list[AttachEmbedding | FurtherEmbedding] = [command, *command.further]
    for each, identity in zip(vectors, (given.command_id, *given.part_ids), strict=True):
        ruling.begin_part(given.of_part(command.what, identity))
        is_there, is_known = each.memory_id in ruling.state.memories, ruling.is_known(None)
        if is_there and not is_known:
            ruling.add(MemoryEmbedded(memory_id=each.memory_id, embedding=each.embedding))
        is_any_there |= is_there
        is_any_lost |= not (is_there or is_known)
    if is_any_lost and not is_any_there:
        raise UnknownMemory


def embedding_command_ids(command: AttachEmbedding, *, scope: Scope, digester: Digester) -> Sequence[CommandId]:
    """The command id of each further vector: that of a message with its message_id."""
    return [digester.command_id(scope, command.what, each.message_id) for each in command.further]


def attach_entities(command: AttachEntities, ruling: Ruling) -> None:
    """Record entities and tags that a method found, if any are new; each finding counts once. Raises UnknownMemory."""
    memory, digester = known_memory(command.memory_id, ruling.state), ruling.given.digester
    state, given = ruling.state, ruling.given
    entities = tuple(each for each in command.entities if not tells_of_forgotten(each.name, state, given))
    command = command.model_copy(update={"entities": entities, "tags": labels_left(command.tags, state, given)})
    if finding(command, digester) in memory.enriched:
        return
    fact = ruling.state.facts.get(command.memory_id)
    importance = _importance(fact, command) if fact else None
    found = MemoryEnriched(
        memory_id=command.memory_id,
        method=command.method,
        entities=command.entities,
        added_tags=tuple(t for t in dict.fromkeys(command.tags) if tag_hash(t, digester) not in memory.tags),
        metadata_confidence=command.metadata_confidence,
        importance=importance,
        importance_before=fact.importance if fact and importance else None,
        tokens=command.tokens,
    )
    ruling.add(found)


def _importance(fact: Fact, command: AttachEntities) -> Importance | None:
    """The new importance of a fact, if the finding changes it, else None."""
    has_metadata = bool(command.entities or command.tags)
    importance = enriched(
        fact.parts, metadata_confidence=command.metadata_confidence, has_metadata=has_metadata, repeats=fact.repeat_count
    )
    return importance if importance.value != fact.importance else None
