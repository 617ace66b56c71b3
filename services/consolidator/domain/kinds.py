"""Names the kinds of facts, as their tags."""

from enum import StrEnum


class FactTag(StrEnum):
    """What a fact is about, as tags."""

    PREFERENCE = "preference"
    PLAN = "plan"
    ATTRIBUTE = "attribute"
    RELATIONSHIP = "relationship"
    EVENT = "event"
    GOAL = "goal"
    COMMITMENT = "commitment"
    CORRECTION = "correction"
    ASKED = "asked_to_remember"
