"""Learning from sessions: what it costs, and trying again after a session was set aside."""

from typing import ClassVar

from pydantic import Field

from .command import Channel, Command
from .content import Plain
from .contract import Contract
from .event import EventData
from .ids import SessionId


class TokensSpent(Contract):
    """Tokens of requests to a model."""

    prompt: int = Field(ge=0, description="Tokens that it read.")
    completion: int = Field(ge=0, description="Tokens that it wrote.")


class ConsolidationFailed(EventData):
    """Learning from a session failed; it stays pending and is tried again."""

    caused_by: ClassVar = ("fail_consolidation",)
    read_by: ClassVar = {"consolidator": "the attempts of the completion, which stays pending"}

    session_id: SessionId
    through_number: int = Field(default=0, ge=0, description="The session_completed whose turns were read; 0: not known.")
    attempt: int = Field(ge=1)
    code: Plain = Field(max_length=64, description="Why, without text.")
    tokens: TokensSpent | None = Field(default=None, description="What it cost all the same.")


class RetryConsolidation(Command):
    """Learn from this session again, however often that failed."""

    channel = Channel.WORK
    sender = "consolidator"

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation.")
    through_number: int = Field(ge=1, description="The session_completed whose turns are to be read.")


class ConsolidationRetried(EventData):
    """An operator asked to learn from a session again: its failures up to now do not count any more."""

    caused_by: ClassVar = ("retry_consolidation",)
    read_by: ClassVar = {"consolidator": "the completion is no longer set aside"}

    session_id: SessionId
    through_number: int = Field(ge=1, description="The session_completed whose turns are to be read.")
