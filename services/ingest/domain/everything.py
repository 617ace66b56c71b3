"""What must survive when a whole person is forgotten: what may never have its effect again, and how much there was."""

from __future__ import annotations

from dataclasses import dataclass

from services.ingest.domain.state import ScopeState


@dataclass(frozen=True, slots=True)
class Everything:
    """Of one person, without words: it must be known at once, so that everything can be hidden at once.

    Digests as the event has them, one after the other, some perhaps twice: to make objects of ten thousand takes longest.
    """

    commands: bytes  # ids of those that told something, now or before an earlier forgetting
    values: bytes  # digests of what was said in turns, likewise
    memories: int


def everything_of(state: ScopeState) -> Everything:
    """The same, of a state that holds all that is known of the person."""
    told = {command_id: seen for command_id, seen in state.seen.items() if seen.content is not None}
    said = (seen.content for seen in told.values() if seen.content is not None and seen.is_turn)
    return Everything(
        commands=bytes.fromhex("".join(sorted(state.privacy.forgotten_commands.union(told)))),
        values=b"".join(sorted(state.privacy.forgotten_values.union(said))),
        memories=len(state.memories),
    )
