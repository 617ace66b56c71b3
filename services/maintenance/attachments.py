"""The messages with which vectors are sent."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from services.maintenance.store import Unembedded
from shared.contracts.commands import MAX_FURTHER_EMBEDDINGS, AttachEmbedding, FurtherEmbedding
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MessageId, Scope
from shared.contracts.portions import portions
from shared.domain.arrays import Floats
from shared.domain.vectors import pack

Embedded: TypeAlias = tuple[Unembedded, Envelope, Floats]
"""A memory, the event that has its text, and its vector."""

MOST_TOGETHER = 1 + MAX_FURTHER_EMBEDDINGS


def attachments(made: Sequence[Embedded], model: str, *, most: int) -> Iterator[tuple[Envelope, AttachEmbedding]]:
    """A message for each memory; of what can wait of a person up to `most` in one. With it an event that names the person.

    Each vector has the message_id that it has alone: however it is sent again, it counts once.
    """
    people: dict[Scope, list[Embedded]] = {}
    for each in made:
        people.setdefault(each[0].scope, []).append(each)
    for of_person in people.values():
        for some in portions(of_person, lambda each: 1 if each[0].can_wait else most, most_weight=most):
            yield some[0][1], _attachment(some, model)


def _attachment(made: Sequence[Embedded], model: str) -> AttachEmbedding:
    first, *further = (_vector_of(memory, vector, model) for memory, _, vector in made)
    return AttachEmbedding(
        message_id=first.message_id, memory_id=first.memory_id, embedding=first.embedding, further=tuple(further)
    )


def _vector_of(memory: Unembedded, vector: Floats, model: str) -> FurtherEmbedding:
    message_id = MessageId(f"{memory.memory_id}/{model}")
    return FurtherEmbedding(message_id=message_id, memory_id=memory.memory_id, embedding=pack(vector, model))
