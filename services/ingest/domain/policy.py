"""The operator's policy for remembering. A person's own settings take precedence."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from shared.contracts.parts import FactSlot
from shared.contracts.preferences import PersonSettings
from shared.domain.decay import SHIPPED as SHIPPED_DECAY
from shared.language.statements.lasting import states_lasting

Secrecy = Literal["mask", "refuse", "keep"]
"""What becomes of passwords, PINs, numbers of cards, keys and tokens."""

STALE_AFTER = timedelta(hours=24)
"""Scores of a recall that is older are not used.

Source: ../reference/memory-upgrade-spec.md, "Score Persistence".
"""

TAU_DAYS = 7.0
"""Recency is exp(-age / tau). Source: ../reference/memory-upgrade-spec.md, "Capacity Trimming"."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator's defaults."""

    soft_cap: int = 200
    pin_manual_saves: bool = False
    languages: tuple[str, ...] = ("en",)  # of the commands that a person speaks in chat
    tombstone: timedelta = timedelta(hours=24)  # how long nothing but a save by hand brings back what was forgotten
    grace: timedelta = timedelta(minutes=10)  # how long what was forgotten in chat can be taken back
    withholds_replies: bool = True  # whether what a bot answers to what is not to be kept is not kept either
    secrets: Secrecy = "mask"
    decay_rate: float = SHIPPED_DECAY.rate  # a day: of facts that are told from now on
    lasting_decay_rate: float = SHIPPED_DECAY.lasting_rate  # likewise, of those that state what holds for years
    sharing: bool = True  # whether a person may share a tag with another space

    def cap(self, settings: PersonSettings) -> int:
        """Most live facts of a scope."""
        return self.soft_cap if settings.soft_cap is None else settings.soft_cap

    def rate_of(self, stated: Iterable[FactSlot]) -> float:
        """How fast a fact that states this fades, a day: confidence(t) = confidence at the anchor * exp(-rate * days since).

        What holds for years fades at `lasting_decay_rate`, and never faster than anything else.

        Worked: of an allergy that was told with 0.8 are left 0.8 * exp(-0.001 * 365) = 0.555 after a year in which nobody came
        back to it, and less than 0.05 after ln(16) / 0.001 days, seven and a half years; of a hobby after 28 days.
        """
        return min(self.decay_rate, self.lasting_decay_rate) if states_lasting(stated) else self.decay_rate

    def pins_manual_saves(self, settings: PersonSettings) -> bool:
        """True if facts saved by hand are pinned as well."""
        return self.pin_manual_saves if settings.pin_manual_saves is None else settings.pin_manual_saves


SHIPPED = Policy()
"""The default policy."""
