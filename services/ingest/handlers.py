"""Queries that ingest answers: outcomes, previews and receipts of forgettings; and the hold on purging."""

import asyncio
from typing import Any

from faststream.nats import NatsRouter
from pydantic import Field

from services.ingest.drain import Purging
from services.ingest.forgetting_queries import ForgettingQueries
from services.ingest.outcomes import Outcomes
from shared.contracts.commands import COMMANDS
from shared.contracts.contract import Contract
from shared.contracts.errors import Malformed, NotCaughtUp
from shared.contracts.queries import (
    ForgetPreviewAnswer,
    ForgetPreviewQuery,
    OutcomeAnswer,
    OutcomeQuery,
    ReceiptAnswer,
    ReceiptQuery,
    Verdict,
)
from shared.contracts.subjects import slot_of
from shared.domain.sealing import SEQUENCE, Seal, is_sealed
from shared.runtime.asking import Asker
from shared.runtime.broker import QueryBroker, answer_with, asker
from shared.runtime.direct_queries import encoded
from shared.runtime.places import left_s


class HoldRequest(Contract):
    """How long nothing is to be purged from SEND."""

    seconds: float = Field(ge=0, le=600)


def answer_directly(broker: QueryBroker, outcomes: Outcomes) -> None:
    """Answer the query that follows whatever is sent."""

    async def outcome(of: Asker, query: OutcomeQuery) -> bytes:
        try:
            async with asyncio.timeout(left_s(query.timeout_s)):
                answer = await _outcome(outcomes, query, of)
        except TimeoutError as error:
            raise NotCaughtUp(f"it was not decided within {query.timeout_s:g} s; ask again") from error
        position = of.position(number=answer.number or 0, in_log=answer.position)
        return encoded(answer.model_copy(update={"position": position}))

    broker.direct.add(OutcomeQuery, outcome)
    broker.documented.include_router(make_documented_router())


def make_documented_router() -> NatsRouter:
    """A router that is never started: what the AsyncAPI document says of the query that is answered directly."""
    router = NatsRouter()

    async def outcome(query: OutcomeQuery) -> OutcomeAnswer:
        """What became of something that was sent. Waits until it is decided."""
        raise NotImplementedError(f"{query.query_name} is answered directly")

    answer_with(outcome, router, outcome.__name__, queue="ingest")
    return router


def make_router(receipts: ForgettingQueries) -> NatsRouter:
    """The router with the handlers of what is not answered directly."""
    router = NatsRouter()

    async def forget_preview(query: ForgetPreviewQuery) -> ForgetPreviewAnswer:
        """What would be forgotten, and why; nothing is changed."""
        left_s(query.timeout_s)
        return await receipts.preview(asker(), query)

    async def receipt(query: ReceiptQuery) -> ReceiptAnswer:
        """How far a forgetting has come, and its receipt."""
        return receipts.receipt(asker(), query.number)

    for handler in (forget_preview, receipt):
        answer_with(handler, router, handler.__name__, queue="ingest")
    return router


def make_hold_router(purging: Purging) -> NatsRouter:
    """The router by which whoever copies SEND has nothing purged from it meanwhile."""
    router = NatsRouter()

    @router.subscriber("admin.ingest.hold")
    async def hold(request: HoldRequest) -> dict[str, Any]:
        """Purge nothing from SEND for so many seconds."""
        return await purging.hold(request.seconds)

    return router


async def _outcome(outcomes: Outcomes, query: OutcomeQuery, of: Asker) -> OutcomeAnswer:
    scope = outcomes.keys.scope_of(of.space, of.user)
    named = query.message_id if query.what in COMMANDS else None
    if (sequence := query.sequence) is not None:
        if of.by_number or is_sealed(sequence):
            sequence = Seal(SEQUENCE, of.names, outcomes.keys.digester).opened(sequence)
        answer = await outcomes.of_sequence(scope, slot_of(of.user), sequence)
        if answer:
            return answer
        known = outcomes.known(scope, query.what, named) if query.what and named else None
        is_done = known is not None and known.verdict is Verdict.RECORDED
        return known.model_copy(update={"verdict": Verdict.UNCHANGED}) if known and is_done else outcomes.unchanged(scope)
    if query.what and named:
        return await outcomes.of_message(scope, query.what, named)
    raise Malformed("give the `sequence` of the publish acknowledgement, or `what` and `message_id`")
