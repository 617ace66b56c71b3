"""Describes events for the audit: who did what and when, without any text."""

from pydantic import JsonValue

from shared.contracts.command import Channel
from shared.contracts.commands import COMMANDS
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.events import CommandRejected
from shared.contracts.preferences import SettingsChanged
from shared.contracts.queries import AuditEntry

LEFT_OUT = frozenset({"episode_recorded", "memory_embedded", "memory_enriched", "memories_recalled"})
"""The many; shown where they are asked for."""

_SAFE = (
    *("session_id", "message_id", "turn_id", "recall_id", "forget_id", "run_id", "conflict_id", "through_number"),  # ids
    *("turns", "facts", "attempt", "live", "cap", "repeat_count", "erased", "asked"),  # counts
    *("resumed", "manually_saved", "pinned", "by_default", "helped"),  # flags
    *("role", "reason", "match", "was", "by", "what", "command", "outcome", "code", "holds", "how"),  # codes
)
_COUNTED = ("numbers", "tombstones", "backups")


def entry_of(event: Envelope, *, is_limited: bool = False) -> AuditEntry:
    """The audit entry of an event. Only fields that can hold no text are taken over.

    `is_limited`: for a bot that is limited to spaces, without what tells how much there is of others.
    """
    data = event.data
    refused = isinstance(data, CommandRejected)
    details: dict[str, JsonValue] = {}
    for name in _SAFE:
        value = getattr(data, name, None)
        if name != "code" and isinstance(value, str | int | float):  # `asked` is a count in some events, more in others
            details[name] = value
    details |= {name: len(getattr(data, name)) for name in _COUNTED if hasattr(data, name)}
    if isinstance(data, SettingsChanged):
        asked = data.asked.model_dump(exclude_none=True)
        details["settings"] = [*asked, *data.unset]
    if scan := getattr(data, "scan", None):
        details["scan"] = (scan.of_own() if is_limited else scan).model_dump(mode="json")
    return AuditEntry(
        number=event.number,
        at=event.recorded_at,
        type=event.type,
        actor=_actor(event),
        result="rejected" if refused else "recorded",
        code=getattr(data, "code", None),
        memory_ids=data.named,
        details=details,
    )


def _actor(event: Envelope) -> Actor:
    """The actor of an event. A service sends no name; it is known by the command that only it may send."""
    if event.actor.name or event.actor.channel != Channel.WORK:
        return event.actor
    senders = {COMMANDS[what].sender for what in event.data.caused_by if _is_work(what)}
    return event.actor.model_copy(update={"name": senders.pop() if len(senders) == 1 else None})


def _is_work(what: str) -> bool:
    return what in COMMANDS and COMMANDS[what].channel is Channel.WORK
