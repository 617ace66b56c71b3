"""How much a bot or a person may send: so much a second, and after a pause what was not used, up to a burst (token bucket).

Source: J. Turner, "New directions in communications", 1986 (the leaky bucket as a meter).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


class Amount(NamedTuple):
    """Messages and bytes."""

    messages: float
    bytes: float


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be sent a second, and for how many seconds it is saved up. 0 of either kind: as much as anybody likes."""

    per_second: Amount
    burst_s: float

    @property
    def burst(self) -> Amount:
        """The most that may come at once."""
        return Amount(self.per_second.messages * self.burst_s, self.per_second.bytes * self.burst_s)


@dataclass(frozen=True, slots=True)
class Spent:
    """What is used up at a moment; it is given back with time."""

    amount: Amount
    at: datetime

    def later(self, allowance: Allowance, now: datetime) -> Spent:
        """What is still used up at a later moment; an earlier one gives nothing back.

        Worked: of 10 messages with 2 a second 4 are still used up after 3 s.
        """
        passed_s = max(0.0, (now - self.at).total_seconds())
        pairs = zip(self.amount, allowance.per_second, strict=True)
        left = [max(0.0, spent - back * passed_s) if back else 0.0 for spent, back in pairs]
        return Spent(Amount(*left), max(self.at, now))

    def with_one(self, size: int) -> Spent:
        """What is used up after one message more, which has so many bytes."""
        return Spent(Amount(self.amount.messages + 1, self.amount.bytes + size), self.at)

    def exceeds(self, allowance: Allowance) -> str | None:
        """What of it is more than allowed, `messages` or `bytes`; None if nothing is."""
        used = zip(Amount._fields, self.amount, allowance.burst, strict=True)
        return next((kind for kind, spent, most in used if most and spent > most), None)


class Meter:
    """What several senders have used of the same allowance each. Those who have it all back are forgotten now and then."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self._spent: dict[Hashable, Spent] = {}
        self._tidied: datetime | None = None

    def after(self, sender: Hashable, size: int, now: datetime) -> Spent:
        """What a sender will have used with one message more of so many bytes."""
        spent = self._spent.get(sender)
        return (spent.later(self.allowance, now) if spent else Spent(Amount(0, 0), now)).with_one(size)

    def note(self, sender: Hashable, spent: Spent) -> None:
        """Note what a sender has used."""
        self._spent[sender] = spent
        if self._tidied is None or (spent.at - self._tidied).total_seconds() > self.allowance.burst_s:
            self._tidied = spent.at
            self._spent = {one: each for one, each in self._spent.items() if any(each.later(self.allowance, spent.at).amount)}
