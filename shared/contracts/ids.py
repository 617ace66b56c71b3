"""The types of the identifiers. Prefixes say what an id names: `ep_` episode, `fact_` fact, `ent_` entity, `rec_` recall."""

from typing import NewType

Space = NewType("Space", str)
"""A namespace of memories, such as a project or a bot; chosen by the operator, decoded form."""

User = NewType("User", str)
"""The person who is remembered, as the bot names them, decoded form."""

Scope = NewType("Scope", str)
"""32 hex digits: keyed hash of (space, user). Stands in subjects and file names, so that neither bears a name."""

Slot = NewType("Slot", int)
"""0..63: the partition of the user, the unit in which users are spread over instances."""

SessionId = NewType("SessionId", str)
"""A conversation, as the bot names it; unique within a scope."""

MessageId = NewType("MessageId", str)
"""A message, as the bot names it; makes sending idempotent within (scope, what)."""

EventId = NewType("EventId", str)
"""32 hex digits: hash of (scope, what, command id, index), so that a retry has the same id."""

CommandId = NewType("CommandId", str)
"""32 hex digits: keyed hash of (scope, what, message_id), or of the SEND position where there is no message_id."""

MemoryId = NewType("MemoryId", str)
"""`ep_…`, `fact_…` or `roll_…`: derived from the event id that made it, not from time."""

EntityId = NewType("EntityId", str)
"""`ent_…`: derived from the entity's type and canonical name."""

ConflictId = NewType("ConflictId", str)
"""`conf_…`: derived from the ids of the two facts, so that the same two are asked about once."""

RecallId = NewType("RecallId", str)
"""`rec_…`: names one answer, so that it can be explained."""

Position = NewType("Position", int)
"""The sequence of an event in the MEMORY stream. Orders events; never stored inside one."""

EventNumber = NewType("EventNumber", int)
"""1, 2, 3 …: the scope's own gapless counter."""
