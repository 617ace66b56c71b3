"""Relearns a session when an operator asks: returns the changes of its facts, and records them unless it is a dry run."""

from typing import Any

from services.consolidator.domain.evidence import said, turns_learned_from
from services.consolidator.domain.extraction import MOST_FACTS, FactExtractor
from services.consolidator.handlers import RelearnRequest
from services.consolidator.session_run import RunProgress
from shared.contracts.asked import OutcomeQuery
from shared.contracts.commands import LearningPreview, SaveFacts
from shared.contracts.errors import Rejected, TooLarge, error_classes
from shared.contracts.ids import MessageId, Space, User
from shared.contracts.portions import portions
from shared.contracts.subjects import ask_subject
from shared.runtime.asking import answer_on, ask
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.connection import Client
from shared.runtime.projector import read_scope
from shared.runtime.sending import send_work

_TIMEOUT_S = 30.0


async def relearn(
    request: RelearnRequest, client: Client, extractor: FactExtractor, ledger: TokenLedger, *, page: int
) -> dict[str, Any]:
    """Relearn a session and return the changes of its facts. Raises NotFound, Unavailable or a Rejected."""
    events = await read_scope(client, request.scope)
    parts, last = turns_learned_from(request.session_id, [each.event for each in events])
    progress = RunProgress(ledger.meter(request.scope))
    pages = [each for part in parts.values() for each in portions(part, lambda _: 1, most_weight=page)]
    facts = [fact for each in pages for fact in await extractor.extract(said(each), meter=progress.meter)]
    if len(facts) > MOST_FACTS:
        raise TooLarge(f"the session states {len(facts)} facts; {MOST_FACTS} can be learned anew at once")
    command = SaveFacts(
        message_id=MessageId(f"{request.run_id}/{last.event_id}"),
        session_id=request.session_id,
        page=0,
        is_last=True,
        through_number=max(parts, default=0),
        origin=extractor.origin(request.run_id),
        facts=tuple(facts),
        imported=True,  # said long ago
        tokens=progress.take_tokens(),
        is_relearned=True,
    )
    space, user = Space(last.space), User(last.user)
    asked = LearningPreview(space=space, user=user, command=command).model_dump_json().encode()
    told = await answer_on(client, "admin.ingest.preview", asked, silence="ingest does not answer", timeout_s=_TIMEOUT_S)
    if told["changes"] and not request.is_dry:
        await send_work(client, last, command)
        query = OutcomeQuery(what=command.what, message_id=command.message_id, timeout_s=_TIMEOUT_S)
        outcome = await ask(client, ask_subject(space, user, query.query_name), query)
        if code := outcome.get("code"):
            raise error_classes().get(code, Rejected)
    return told
