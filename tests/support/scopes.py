"""Fixed names, keys and moments that the tests share."""

from datetime import UTC, datetime, timedelta

from shared.contracts.ids import Scope, Slot, Space, User
from shared.contracts.subjects import slot_of
from shared.runtime.keys import Keys

T0 = datetime(2026, 5, 3, 9, 0, tzinfo=UTC)
KEYS = Keys(b"s" * 32, b"d" * 32)
SPACE = Space("home")
ANNA = User("anna")
BEN = User("ben")
SEND_ID = "5e" * 16
LOG_ID = "10" * 16
HOSTILE_IDS = [
    "a.b",
    "*",
    ">",
    "%",
    "%2E",
    "🙂",
    "é",
    "e\u0301",
    "x" * 128,
    "ü" * 64,
    " ",
    "a b",
    "../x",
    "..",
    "a\0b",
    "\n",
    "\x7f",
    "$JS",
    "_INBOX",
    "'; drop table seen; --",
]


def at(minutes: float) -> datetime:
    """So many minutes after T0."""
    return T0 + timedelta(minutes=minutes)


def scope_of(user: User = ANNA, space: Space = SPACE) -> Scope:
    """The scope under the tests' keys."""
    return KEYS.scope_of(space, user)


ANNAS_SCOPE = scope_of()
ANNAS_SLOT: Slot = slot_of(ANNA)


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, moment: datetime = T0) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """The same moment every time."""
        return self._moment

    def advance(self, minutes: float) -> None:
        """Move it on."""
        self._moment += timedelta(minutes=minutes)
