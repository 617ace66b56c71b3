"""Queries that ingest answers: outcomes, previews and receipts of forgettings, digests."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from faststream.nats import NatsRouter

from services.ingest.domain.sealing import opened
from services.ingest.forgetting_queries import ForgettingQueries
from services.ingest.outcomes import Outcomes
from services.ingest.store import Store
from shared.contracts.commands import COMMANDS
from shared.contracts.errors import Malformed, NotCaughtUp
from shared.contracts.ids import Space, User
from shared.contracts.queries import (
    ForgetPreviewAnswer,
    ForgetPreviewQuery,
    OutcomeAnswer,
    OutcomeQuery,
    ReceiptAnswer,
    ReceiptQuery,
    Verdict,
)
from shared.contracts.subjects import encode_token, slot_of
from shared.runtime.broker import asked_of
from shared.runtime.comparing import CompareRequest, Comparison
from shared.runtime.tasks import in_thread

_WORKERS = 64


def make_router(
    outcomes: Outcomes,
    receipts: ForgettingQueries,
    store: Store,
    compared: Callable[[CompareRequest], Awaitable[Comparison]],
) -> NatsRouter:
    """The router with the handlers."""
    router = NatsRouter()

    @router.subscriber("ask.{space}.{user}.outcome", queue="ingest", max_workers=_WORKERS)
    async def outcome(query: OutcomeQuery) -> OutcomeAnswer:
        """What became of something that was sent. Waits until it is decided."""
        space, user = asked_of()
        try:
            async with asyncio.timeout(query.timeout_s):
                return await _outcome(outcomes, query, space, user)
        except TimeoutError as error:
            raise NotCaughtUp(f"it was not decided within {query.timeout_s:g} s; ask again") from error

    @router.subscriber("ask.{space}.{user}.forget_preview", queue="ingest", max_workers=_WORKERS)
    async def forget_preview(query: ForgetPreviewQuery) -> ForgetPreviewAnswer:
        """What would be forgotten, and why; nothing is changed."""
        return await receipts.preview(*asked_of(), query)

    @router.subscriber("ask.{space}.{user}.receipt", queue="ingest", max_workers=_WORKERS)
    async def receipt(query: ReceiptQuery) -> ReceiptAnswer:
        """How far a forgetting has come, and its receipt."""
        return receipts.receipt(*asked_of(), query.number)

    @router.subscriber("admin.ingest.digests")
    async def digests() -> dict[str, str | int]:
        """The projection digest of everything decided so far."""
        return store.digests()

    @router.subscriber("admin.ingest.status")
    async def status() -> dict[str, int]:
        """The numbers of people whose forgotten memories are still being erased, and whose rows are then to be made anew."""
        return {"erasing": len(await in_thread(store.to_erase)), "to_rebuild": len(store.scopes_to_rebuild())}

    @router.subscriber("admin.ingest.compare")
    async def compare(request: CompareRequest) -> dict[str, Any]:
        """Compare the rows of these people with the log."""
        return (await compared(request))._asdict()

    return router


async def _outcome(outcomes: Outcomes, query: OutcomeQuery, space: Space, user: User) -> OutcomeAnswer:
    scope = outcomes.keys.scope_of(space, user)
    named = query.message_id if query.what in COMMANDS else None
    if query.sequence is not None:
        sequence = opened(query.sequence, encode_token(space), encode_token(user), outcomes.keys.digester)
        answer = await outcomes.of_sequence(scope, slot_of(user), sequence)
        if answer:
            return answer
        known = outcomes.known(scope, query.what, named) if query.what and named else None
        is_done = known is not None and known.verdict is Verdict.RECORDED
        return known.model_copy(update={"verdict": Verdict.UNCHANGED}) if known and is_done else outcomes.unchanged(scope)
    if query.what and named:
        return await outcomes.of_message(scope, query.what, named)
    raise Malformed("give the `sequence` of the publish acknowledgement, or `what` and `message_id`")
