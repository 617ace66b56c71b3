"""The rules by which silent sessions are ended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SweepRules:
    """When and how often sessions are swept without a request."""

    idle_minutes: float | None  # of persons who set no other; None: never
    settle_minutes: float
    every_s: float
    resend_s: float
