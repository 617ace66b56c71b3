"""Learns from a session anew, when an operator asks: tells what that changes, and has it recorded or not."""

from typing import Any

from pydantic import Field

from services.consolidator.domain.evidence import said, turns_learned_from
from services.consolidator.domain.extraction import FactExtractor
from services.consolidator.session_run import RunProgress
from shared.contracts.asked import OutcomeQuery
from shared.contracts.commands import LearningPreview, SaveFacts
from shared.contracts.consolidating import RUN_PATTERN
from shared.contracts.contract import Contract
from shared.contracts.ids import MessageId, Scope, SessionId, Space, User
from shared.contracts.portions import portions
from shared.contracts.subjects import ask_subject
from shared.runtime.asking import answer_on, ask
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.connection import Client
from shared.runtime.projector import read_scope
from shared.runtime.sending import send_work

_TIMEOUT_S = 30.0


class RelearnRequest(Contract):
    """The session to learn from anew."""

    scope: Scope = Field(description="The keyed hash of its person and space.")
    session_id: SessionId = Field(description="The conversation.")
    run_id: str = Field(pattern=RUN_PATTERN, description="The name of the run.")
    is_dry: bool = Field(description="True: nothing is recorded.")


async def relearn(
    request: RelearnRequest, client: Client, extractor: FactExtractor, ledger: TokenLedger, *, page: int
) -> dict[str, Any]:
    """Return the changes to which a session leads that is learned from anew. Raises NotFound, Unavailable or a Rejected."""
    events = await read_scope(client, request.scope)
    parts, last = turns_learned_from(request.session_id, [each.event for each in events])
    progress = RunProgress(ledger.meter(request.scope))
    pages = [each for part in parts.values() for each in portions(part, lambda _: 1, most_weight=page)]
    facts = [fact for each in pages for fact in await extractor.extract(said(each), meter=progress.meter)]
    command = SaveFacts(
        message_id=MessageId(f"{request.run_id}/{last.event_id}"),
        session_id=request.session_id,
        page=0,
        is_last=True,
        through_number=max(parts, default=0),
        origin=extractor.origin(request.run_id),
        facts=tuple(facts),
        imported=True,  # it is of the past
        tokens=progress.take_tokens(),
        is_relearned=True,
    )
    space, user = Space(last.space), User(last.user)
    asked = LearningPreview(space=space, user=user, command=command).model_dump_json().encode()
    told = await answer_on(client, "admin.ingest.preview", asked, silence="ingest does not answer", timeout_s=_TIMEOUT_S)
    if told["changes"] and not request.is_dry:
        await send_work(client, last, command)
        query = OutcomeQuery(what=command.what, message_id=command.message_id, timeout_s=_TIMEOUT_S)
        await ask(client, ask_subject(space, user, query.query_name), query)
    return told
