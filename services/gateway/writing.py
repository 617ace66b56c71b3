"""Writes: sent to be decided, answered with the id of an operation, and waited for where that is wanted."""

import hmac
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import Depends, Header, Query, Response
from pydantic import Field

from memstream.client import Receipt
from services.gateway.answers import json_answer
from services.gateway.people import Person
from shared.contracts.commands import bot_commands
from shared.contracts.contract import Contract
from shared.contracts.errors import (
    MemstreamError,
    NotCaughtUp,
    NotFound,
    NotRecorded,
    Rejected,
    error_classes,
    outcome_of,
)
from shared.contracts.queries import OutcomeAnswer, Verdict

LONGEST_WAIT_S = 30.0
ACCEPTED, DECIDED = 202, 200
_AT_ONCE_S = 0.05
_SEQUENCE = re.compile(r"[1-9][0-9]{0,18}")
_TOLD = ("memory_id", "number", "position", "code", "lifted", "held_back", "masked")


class Operation(Contract):
    """A write, and what became of it so far."""

    operation_id: str = Field(
        description="For `GET /operations/{operation_id}`.", examples=["remember_fact.1208925819614629.5ac3f1c07ab9e2d4"]
    )
    what: str = Field(description="The command that was sent.", examples=["remember_fact"])
    message_id: str = Field(description="The `Idempotency-Key`, else one that was made.")
    state: Literal["accepted", "recorded", "unchanged", "not_recorded"] = Field(
        description="accepted: it is on disk, and will be decided; recorded; unchanged: it was so already; not_recorded: the"
        " person does not want it kept, see `code`. What is rejected is answered as a problem."
    )
    memory_id: str | None = Field(default=None, description="The memory that it made, where it made exactly one.")
    number: int | None = Field(default=None, description="Its last event; of a forgetting the number of its receipt.")
    position: int | None = Field(default=None, description="Give it as `min_position` to a query that must know this.")
    code: str | None = Field(default=None, description="Why it was not recorded.")
    lifted: bool = Field(default=False, description="It had been forgotten, and is kept again.")
    held_back: bool = Field(default=False, description="It had just been forgotten: kept as said, but not learned from.")
    masked: tuple[str, ...] = Field(default=(), description="Kinds of secrets that stand masked in what was recorded.")


class Write:
    """How a write is sent: under which name, and how long its decision is waited for."""

    def __init__(
        self,
        idempotency_key: Annotated[
            str | None,
            Header(
                alias="Idempotency-Key",
                min_length=1,
                max_length=256,
                description="Sent again with the same key, it is done once, for ever; with other words it is refused. The same"
                " as the `message_id` of a bot's command.",
            ),
        ] = None,
        wait: Annotated[
            float, Query(ge=0, le=LONGEST_WAIT_S, description="Seconds to wait for the decision; then 200 in place of 202.")
        ] = 0.0,
    ) -> None:
        self.message_id = idempotency_key
        self.wait_s = wait

    async def carry_out(self, person: Person, what: str, fields: Mapping[str, Any]) -> Response:
        """Send a command, and wait as long as is wanted. Raises the Rejected or NotRecorded that says why it had no effect."""
        receipt = await person.memories.send(what, {**fields, "message_id": self.message_id})
        return await decided(person, receipt, wait_s=self.wait_s)


Written = Annotated[Write, Depends()]
WRITES: dict[str, Any] = {
    "response_model": Operation,
    "status_code": ACCEPTED,
    "responses": {DECIDED: {"model": Operation, "description": "Decided within `wait`."}},
}
"""What every route that writes says of its answers."""


async def decided(person: Person, receipt: Receipt, *, wait_s: float) -> Response:
    """The operation of something that was sent, once it is decided or the time is up."""
    outcome = None
    if wait_s:
        try:
            outcome = await person.memories.outcome(receipt, timeout_s=wait_s)
        except NotCaughtUp:
            outcome = None
    said = _operation(person, receipt, outcome)
    return json_answer(said.model_dump_json().encode(), ACCEPTED if outcome is None else DECIDED)


async def operation_of(person: Person, operation_id: str, *, wait_s: float) -> Response:
    """An operation by its id. Raises NotFound for one that is not this person's, be there one of others or not."""
    named, _, stamp = operation_id.rpartition(".")
    what, _, sequence = named.partition(".")
    is_own = hmac.compare_digest(stamp.encode(), person.stamp(named).encode())
    if not is_own or what not in bot_commands() or not _SEQUENCE.fullmatch(sequence):
        raise NotFound
    return await decided(person, Receipt(what, "", int(sequence)), wait_s=max(wait_s, _AT_ONCE_S))


def _operation(person: Person, receipt: Receipt, outcome: OutcomeAnswer | None) -> Operation:
    named = f"{receipt.what}.{receipt.sequence}"
    said: dict[str, Any] = {
        "operation_id": f"{named}.{person.stamp(named)}",
        "what": receipt.what,
        "message_id": receipt.message_id,
        "state": "accepted",
    }
    if outcome is not None:
        _raise_if_refused(outcome)
        said |= {"state": outcome.verdict.value} | {name: getattr(outcome, name) for name in _TOLD}
    return Operation.model_validate(said)


def _raise_if_refused(outcome: OutcomeAnswer) -> None:
    """Raise the error of an outcome that is one. What the person asked for is an answer."""
    if outcome.verdict not in {Verdict.REJECTED, Verdict.NOT_RECORDED}:
        return
    kind: type[MemstreamError] = error_classes().get(outcome.code or "", Rejected)
    error = kind(outcome.reason)
    if not isinstance(error, NotRecorded) or outcome_of(error).http_status != DECIDED:
        raise error
