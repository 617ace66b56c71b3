"""What events say of forgetting."""

from collections.abc import Iterable, Sequence

from shared.contracts.privacy import ForgettingTakenBack, MemoryForgotten, UserForgotten
from shared.runtime.projector import Recorded


def forgets(events: Iterable[Recorded]) -> bool:
    """True if something is forgotten: the files that hold it are not to wait."""
    return any(isinstance(recorded.event.data, MemoryForgotten | UserForgotten) for recorded in events)


def place_of_user_forgotten(events: Sequence[Recorded]) -> int | None:
    """The index of the last event that forgets the user; None if there is none. Earlier events do not count."""
    places = (index for index in reversed(range(len(events))) if isinstance(events[index].event.data, UserForgotten))
    return next(places, None)


def takes_back(events: Sequence[Recorded]) -> bool:
    """True if a forgetting is taken back, so that what it hid must be read again."""
    return any(isinstance(each.event.data, ForgettingTakenBack) for each in events)


def is_beginning(events: Sequence[Recorded]) -> bool:
    """True if the first event forgets the user, so that earlier numbers are not missed."""
    return bool(events) and isinstance(events[0].event.data, UserForgotten)
