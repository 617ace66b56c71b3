"""The jobs of maintenance: what is told of each run. No word of anybody is in it.

A run concerns the installation, not a person: its command and event name no space and no user.
"""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from .command import Channel, Command
from .content import Plain
from .contract import Contract, Utc
from .event import EventData

JobEnd = Literal["done", "limit", "failed"]


class JobRun(Contract):
    """How a run of a job went."""

    run: Plain = Field(min_length=1, max_length=128, description="The run's id; after an interruption the same run goes on.")
    job: Plain = Field(min_length=1, max_length=64, description="The job's name.")
    asked_by: Literal["schedule", "hand"] = Field(description="schedule: its time had come; hand: somebody ran it.")
    due_at: Utc = Field(description="When its time had come, or it was asked for.")
    began_at: Utc = Field(description="When it began; after an interruption, the last time.")
    duration_ms: int = Field(ge=0, description="How long it took since then.")
    ended: JobEnd = Field(
        description="done: nothing was left to do; limit: its time or its number of items was up, the next run goes on;"
        " failed: it could not go on."
    )
    code: Plain | None = Field(default=None, max_length=64, description="Of a failure: the error's code.")
    counts: dict[Plain, int] = Field(default_factory=dict, max_length=32, description="How much of what it did.")


class FinishJob(JobRun, Command):
    """A run of a job is over. Its message_id names the run: however often it is told, it counts once."""

    channel = Channel.WORK
    sender = "maintenance"
    is_of_installation = True

    @model_validator(mode="after")
    def _named_by_its_run(self) -> Self:
        if str(self.message_id) != self.run:
            raise PydanticCustomError("malformed", "message_id must equal run")
        return self


class JobFinished(JobRun, EventData):
    """A run of a job of maintenance is over. The envelope of this event names no space and no user."""

    caused_by: ClassVar = ("finish_job",)
    read_by: ClassVar = {"maintenance": "the history of the jobs"}
