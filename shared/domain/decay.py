"""How the confidence of a fact fades with time, unless somebody comes back to it. A function of time: nothing compounds.

confidence(t) = confidence at the anchor * exp(-rate * days since the anchor)

The anchor is the moment when the fact was learned, and moves when it is confirmed, told again, restored, unpinned, or used by a
recall. Source: ../reference/memory-system.md, "Decay", under the rulings of design/mission.md.
"""

import math
from typing import NamedTuple

DAY = 86_400_000_000
"""Microseconds."""

_LEAST = 1e-12
"""A confidence of 0 has no logarithm; whatever is as low has fallen long ago."""

_LONGEST_DAYS = 3e7
"""Sums of such times fit into 63 bits, however small a rate is."""


class DecayPolicy(NamedTuple):
    """The operator's defaults."""

    rate: float = 0.1  # a day: of facts that are learned from now on
    lasting_rate: float = 0.001  # likewise, of those that state what holds for years: an allergy, a name, a child
    retires_below: float = 0.05  # 0: nothing is retired for its confidence


SHIPPED = DecayPolicy()
"""A fact of confidence 1 that nobody comes back to is retired after 30 days; if it lasts, after ln(20) / 0.001, 8 years."""


def decayed(confidence: float, *, rate: float, days: float) -> float:
    """What is left of a confidence after so many days: confidence * exp(-rate * days). What lies ahead has not begun to fade.

    Of a days and then b days as much is left as of a + b days.

    Worked: of 0.8 at the rate 0.1 a day are left 0.8 * exp(-1) after ten days, and less than 0.05 after ln(16) / 0.1 days.

    >>> round(decayed(0.8, rate=0.1, days=10), 3)
    0.294
    >>> [round(decayed(0.8, rate=0.1, days=days), 4) for days in (27.7, 27.8)]
    [0.0501, 0.0496]
    """
    return confidence * math.exp(-rate * max(days, 0.0))


def told_as(confidence: float) -> float:
    """A confidence as answers tell it: in thousandths."""
    return round(confidence, 3)


class Fading(NamedTuple):
    """How sure a fact is as time goes by. Moments are microseconds since 1970."""

    confidence: float
    """At the anchor."""
    anchor: int
    rate: float = SHIPPED.rate
    """A day; 0: it does not decay."""

    def at(self, moment: int) -> float:
        """The confidence at a moment; before the anchor that of the anchor.

        >>> round(Fading(0.8, anchor=0, rate=0.1).at(10 * DAY), 3)
        0.294
        """
        return decayed(self.confidence, rate=self.rate, days=(moment - self.anchor) / DAY) if self.rate else self.confidence

    def falls_at(self, below: float) -> int | None:
        """The moment from which its confidence is lower; None: it never is.

        >>> Fading(1.0, anchor=0, rate=0.1).falls_at(0.05) / DAY > 29.95
        True
        """
        if not self.rate or not below:
            return None
        fades = log_confidence(self.confidence) - log_confidence(below)
        return self.anchor + lasting(max(fades, 0.0), self.rate)


def log_confidence(confidence: float) -> float:
    """The natural logarithm, which fades by the same amount every day.

    >>> round(log_confidence(0.5), 3), round(log_confidence(0.0), 1)
    (-0.693, -27.6)
    """
    return math.log(max(confidence, _LEAST))


def lasting(logarithm: float, rate: float) -> int:
    """How long a logarithm takes to fade by so much, in microseconds: logarithm / rate days.

    Worked: from 1 to 0.05, ln(20) = 3.0, at 0.1 a day.

    >>> round(lasting(-log_confidence(0.05), 0.1) / DAY, 2)
    29.96
    """
    return round(min(logarithm / rate, _LONGEST_DAYS) * DAY)
