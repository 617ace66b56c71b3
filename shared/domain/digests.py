"""Keyed digests: they let a service recognise an id or a text without keeping it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from shared.contracts.ids import CommandId, ConflictId, EntityId, EventId, MemoryId, Scope

_BYTES = 16


@dataclass(frozen=True, slots=True)
class Digester:
    """Makes 128-bit digests with one secret key (blake2b)."""

    key: bytes

    def digest(self, *parts: str) -> bytes:
        """16 bytes for these parts. Their lengths are hashed too, so ("ab", "c") and ("a", "bc") differ.

        The first part names what is digested; its share of the work is cached, so use few different ones.
        """
        return _ended(_begun(self.key, *parts[:1]), parts[1:])

    def command_id(self, scope: Scope, what: str, message_id: str) -> CommandId:
        """The id of a command with a message_id: equal for every copy of the command."""
        return CommandId(_ended(_begun(self.key, "command", scope, what), (message_id,)).hex())  # an import asks for hundreds

    def delivery_id(self, stream_id: str, sequence: int) -> CommandId:
        """The id of one message in a stream, for commands without a message_id and for rejections."""
        return CommandId(self.digest("delivery", stream_id, str(sequence)).hex())


@lru_cache(maxsize=256)
def _begun(key: bytes, *parts: str) -> hashlib.blake2b:
    hashed = hashlib.blake2b(key=key, digest_size=_BYTES)
    for part in parts:
        hashed.update(_measured(part))
    return hashed


def _ended(begun: hashlib.blake2b, parts: Iterable[str]) -> bytes:
    hashed = begun.copy()
    for part in parts:
        hashed.update(_measured(part))
    return hashed.digest()


def _measured(part: str) -> bytes:
    raw = part.encode()
    return len(raw).to_bytes(8, "big") + raw


@lru_cache(maxsize=16)  # an event and the memory that it makes ask for the same, one after the other
def event_id(scope: Scope, what: str, command_id: CommandId, index: int) -> EventId:
    """The id of the event at `index` of a decision: equal for every retry of the same decision."""
    text = f"{scope}\0{what}\0{command_id}\0{index}"
    return EventId(hashlib.blake2b(text.encode(), digest_size=_BYTES).hexdigest())


def memory_id(prefix: str, event: EventId) -> MemoryId:
    """The id of the memory that an event makes."""
    return MemoryId(f"{prefix}_{event[:24]}")


def conflict_id(one: MemoryId, other: MemoryId) -> ConflictId:
    """The id of the question which of two facts holds: the same, whichever is named first."""
    hashed = hashlib.blake2b("\0".join(sorted((one, other))).encode(), digest_size=12)
    return ConflictId(f"conf_{hashed.hexdigest()}")


def entity_id(entity_type: str, canonical_name: str) -> EntityId:
    """The id of an entity within a user's file."""
    hashed = hashlib.blake2b(f"{entity_type}\0{canonical_name}".encode(), digest_size=10)
    return EntityId(f"ent_{hashed.hexdigest()}")
