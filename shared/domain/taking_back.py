"""Forgettings that were taken back: what follows from a log with one is what would follow had it never been.

Nothing of it was erased, so its events are all there. Whoever applies a person's events from the first empties the forgetting
instead of obeying it.
"""

from collections.abc import Collection, Iterable

from shared.contracts.envelope import Envelope
from shared.contracts.privacy import ForgettingTakenBack, MemoryForgotten

_NOTHING = {"memory_ids": (), "asked": 0, "numbers": (), "commands": "", "values": "", "tombstones": ()}


def taken_back(events: Iterable[Envelope]) -> frozenset[str]:
    """The forget_ids of the forgettings that these events take back."""
    return frozenset(event.data.forget_id for event in events if isinstance(event.data, ForgettingTakenBack))


def emptied(event: Envelope, forget_ids: Collection[str]) -> Envelope:
    """The event, or one that forgets nothing where it is one of these forgettings."""
    if not isinstance(event.data, MemoryForgotten) or event.data.forget_id not in forget_ids:
        return event
    return event.model_copy(update={"data": event.data.model_copy(update=_NOTHING)})
