"""Of what kind a fact is, as its tags."""

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
