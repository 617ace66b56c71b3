"""How long work may wait for those who are being answered: so long that they mostly are, and not so long that it never ends."""

from __future__ import annotations

from dataclasses import dataclass, replace

_EARNED = 6


@dataclass(frozen=True, slots=True)
class Patience:
    """How long work may still wait, in seconds, and the most that it may save up.

    It earns `earned` times as long as it works: where somebody is always being answered, a seventh of the time is left to it.
    """

    most_s: float
    left_s: float
    earned: float = _EARNED

    @classmethod
    def full(cls, most_s: float, earned: float = _EARNED) -> Patience:
        """The patience of work which has not waited yet."""
        return cls(most_s, most_s, earned)

    def worked(self, seconds: float) -> Patience:
        """The patience after some work.

        >>> Patience(0.5, 0.0).worked(0.01).left_s
        0.06
        """
        return replace(self, left_s=min(self.most_s, self.left_s + self.earned * seconds))

    def waited(self, seconds: float) -> Patience:
        """The patience after a wait."""
        return replace(self, left_s=max(0.0, self.left_s - seconds))
