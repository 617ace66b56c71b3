"""Keyed digests: they let a service recognise an id or a text without keeping it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from shared.contracts.ids import CommandId, EntityId, EventId, MemoryId, Scope

_BYTES = 16


@dataclass(frozen=True, slots=True)
class Digester:
    """Makes 128-bit digests with one secret key (blake2b)."""

    key: bytes

    def digest(self, *parts: str) -> bytes:
        """16 bytes for these parts; the parts' lengths are part of it, so ("ab", "c") and ("a", "bc") differ."""
        hashed = hashlib.blake2b(key=self.key, digest_size=_BYTES)
        for part in parts:
            raw = part.encode()
            hashed.update(len(raw).to_bytes(8, "big"))
            hashed.update(raw)
        return hashed.digest()

    def command_id(self, scope: Scope, what: str, message_id: str) -> CommandId:
        """The id of a command that its sender named: equal for every copy of it."""
        return CommandId(self.digest("command", scope, what, message_id).hex())

    def delivery_id(self, stream_id: str, sequence: int) -> CommandId:
        """The id of one stored message: for commands without a message_id, and for rejections."""
        return CommandId(self.digest("delivery", stream_id, str(sequence)).hex())


def event_id(scope: Scope, what: str, command_id: CommandId, index: int) -> EventId:
    """hash(scope, what, command id, index): a retry of the same decision gives the same id."""
    text = f"{scope}\0{what}\0{command_id}\0{index}"
    return EventId(hashlib.blake2b(text.encode(), digest_size=_BYTES).hexdigest())


def memory_id(prefix: str, event: EventId) -> MemoryId:
    """The id of the memory that an event makes."""
    return MemoryId(f"{prefix}_{event[:24]}")


def entity_id(entity_type: str, canonical_name: str) -> EntityId:
    """The id of an entity within a user's file."""
    hashed = hashlib.blake2b(f"{entity_type}\0{canonical_name}".encode(), digest_size=10)
    return EntityId(f"ent_{hashed.hexdigest()}")
