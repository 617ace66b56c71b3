"""Answers what a forgetting would take, and how far a forgetting has come."""

from typing import Literal

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.forgetting import named_by, propose
from services.ingest.domain.lacks import Needs
from services.ingest.domain.masking import masked_in
from services.ingest.domain.recollection import recollect
from services.ingest.eraser import Eraser
from services.ingest.store import Store
from services.ingest.store.changes import Forgetting
from shared.contracts.envelope import Actor
from shared.contracts.errors import NotFound, Rejected, Unavailable
from shared.contracts.ids import CommandId
from shared.contracts.privacy import ForgettingCompleted
from shared.contracts.queries import ForgetPreviewAnswer, ForgetPreviewQuery, ReceiptAnswer, WouldForget
from shared.contracts.subjects import slot_of
from shared.domain.moments import moment
from shared.runtime.asking import Asker
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.keys import Keys
from shared.runtime.projector import read_scope


class ForgettingQueries:
    """Answers receipt queries of all users; the user comes from the request's subject."""

    def __init__(self, store: Store, keys: Keys, clock: Clock) -> None:
        self._store = store
        self._keys = keys
        self._clock = clock
        self._client: Client | None = None
        self._eraser: Eraser | None = None

    def open(self, client: Client, eraser: Eraser) -> None:
        """Answer from now on."""
        self._client, self._eraser = client, eraser

    async def preview(self, asker: Asker, query: ForgetPreviewQuery) -> ForgetPreviewAnswer:
        """What `forget` with these fields would take now; nothing if it names something unknown."""
        if self._client is None:
            raise Unavailable("ingest is starting; ask again")
        space, user = asker.space, asker.user
        scope = self._keys.scope_of(space, user)
        events = await read_scope(self._client, scope, slot=slot_of(user))
        recollection = recollect(recorded.event for recorded in events).with_hidden()
        needs = Needs(sessions={query.session_id} if query.session_id else set())
        state = self._store.load({scope: needs})[scope]
        given = Circumstances(
            space=space,
            user=user,
            scope=scope,
            what="forget",
            command_id=CommandId(""),
            correlation_id="",
            now=self._clock.now(),
            actor=Actor(channel="ask"),
            digester=self._keys.digester,
        )
        query = masked_in(query, scope=scope, digester=self._keys.digester).said
        try:
            named = named_by(query, recollection, state, given)
        except Rejected:
            named = []
        taken, sure, token = propose(query, named, recollection, self._keys.digester)
        return ForgetPreviewAnswer(
            position=asker.position(number=events[-1].event.number, in_log=events[-1].position) if events else 0,
            memories=tuple(
                WouldForget(
                    memory_id=memory_id,
                    kind=recollection.told[memory_id].kind,
                    why=why,
                    in_doubt=memory_id not in sure.why,
                )
                for memory_id, why in taken.why.items()
            ),
            events=sum(len(recollection.told[memory_id].numbers) for memory_id in taken.why),
            losing_a_source=taken.losing_a_source,
            token=token,
        )

    def receipt(self, asker: Asker, number: int) -> ReceiptAnswer:
        """The receipt of the forgetting whose last event has this number, or its progress. Raises NotFound."""
        scope = self._keys.scope_of(asker.space, asker.user)
        found = self._store.forgetting(scope, number)
        if found is None:
            raise NotFound(f"no forgetting of this person ended with the number {number}")
        erased = self._eraser.erased.get((scope, found.forget_id), 0) if self._eraser else 0
        answer = ReceiptAnswer(
            state=_state_of(found),
            scope=scope,
            forgotten_at=moment(found.forgotten_at),
            erase_at=moment(found.erase_at) if found.erase_at else None,
            completed_at=moment(found.completed_at) if found.completed_at else None,
            memories=found.memories,
            events=found.events,
            erased=erased,
        )
        if found.receipt is None:
            return answer
        receipt = ForgettingCompleted.model_validate_json(found.receipt)
        scan = receipt.scan.of_own() if asker.by_number else receipt.scan
        return answer.model_copy(update={"erased": receipt.erased, "scan": scan, "backups": receipt.backups})


def _state_of(found: Forgetting) -> Literal["waiting", "erasing", "done", "taken_back"]:
    if found.erase_at:
        return "waiting"
    if found.completed_at is None:
        return "erasing"
    return "done" if found.receipt else "taken_back"
