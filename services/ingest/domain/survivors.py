"""What must survive when a whole person is forgotten: which commands and turns must not come back, and a count."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, replace

from services.ingest.domain.seen import SeenCommand
from shared.contracts.envelope import Envelope
from shared.contracts.privacy import MemoryForgotten, UserForgotten


@dataclass(frozen=True, slots=True)
class Survivors:
    """Packed digests of a person's commands and turns, and the number of memories; loaded without reading the log.

    The digests follow each other as in the event, some perhaps twice: ten thousand objects would take too long.
    """

    commands: bytes = b""  # ids of those that told something, now or before an earlier forgetting
    values: bytes = b""  # digests of what was said in turns, likewise
    memories: int = 0

    def after(self, event: Envelope, seen: SeenCommand, *, added: int) -> Survivors:
        """What must survive after one more event. `seen`: what is known of its command; `added`: the memories it made."""
        data = event.data
        if isinstance(data, UserForgotten):
            return replace(self.plus(b64decode(data.commands), b64decode(data.values)), memories=0)
        told = replace(self, memories=self.memories + added)
        if isinstance(data, MemoryForgotten):
            return told.plus(b64decode(data.commands), b64decode(data.values))
        if seen.content is None:
            return told
        return told.plus(bytes.fromhex(event.causation_id), seen.content if seen.is_turn else b"")

    def plus(self, commands: bytes, values: bytes) -> Survivors:
        """This with more digests of commands and values."""
        return replace(self, commands=self.commands + commands, values=self.values + values)
