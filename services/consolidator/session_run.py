"""Learns from one session: reads its turns from the log, extracts facts page by page, and sends them to be recorded.

A run is named after the completion that it answers to, and reads the turns since the completion before. However often it is
sent, ingest records each of its pages once, the first; so a crash at any point repeats nothing and loses nothing. After a
failure it goes on with the page that failed: those before it are paid for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.consolidator.domain.evidence import marked, said
from services.consolidator.domain.extraction import FactExtractor, SaidTurn
from services.consolidator.known_facts import PersonsFacts
from services.consolidator.settings import ConsolidatorSettings
from services.consolidator.store import ConsolidatorStore, PendingCompletion, session_of
from shared.contracts.commands import ExtractedFact, SaveFacts
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Unavailable
from shared.contracts.ids import MessageId, Position
from shared.contracts.learning import TokensSpent
from shared.domain.model_tokens import TokenUsage
from shared.runtime.chat_models.ledger import PersonMeter, TokenLedger
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.logs import log
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread


@dataclass
class RunProgress:
    """How far a run has come, and what it has cost since that was last recorded."""

    meter: PersonMeter
    read: set[int] = field(default_factory=set)  # numbers of turns
    pages: int = 0
    saved: int = 0

    def take_tokens(self) -> TokensSpent | None:
        """The tokens that are not recorded yet, which from now on count as recorded; None if nothing was spent."""
        used, self.meter.used = self.meter.used, TokenUsage()
        return TokensSpent(prompt=used.prompt, completion=used.completion) if used.total else None


class SessionLearner:
    """Runs the extractor over sessions. Several may be under way at once; of one session one."""

    def __init__(
        self,
        client: Client,
        store: ConsolidatorStore,
        extractor: FactExtractor,
        settings: ConsolidatorSettings,
        ledger: TokenLedger,
    ) -> None:
        self._client = client
        self._store = store
        self._extractor = extractor
        self._settings = settings
        self._ledger = ledger
        self._progress: dict[Position, RunProgress] = {}

    async def learn(self, session: PendingCompletion) -> None:
        """Extract and send every page of a session; the last one also says that the session is consolidated."""
        completion = await self.completion(session)
        progress = self._progress.setdefault(session.position, RunProgress(self._ledger.meter(session.scope)))
        left = [turn for turn in await in_thread(self._store.turns, session) if turn[0] not in progress.read]
        size = self._settings.page
        pages = [left[start : start + size] for start in range(0, len(left), size)] or [[]]
        for page in pages:
            await self._learn_page(session, completion, page, progress, is_last=page is pages[-1])
        self._progress.pop(session.position, None)  # the log may have told of the end before the reply came
        log.info("session.learned", scope=session.scope, pages=progress.pages, facts=progress.saved)

    def spent_in_vain(self, session: PendingCompletion) -> TokensSpent | None:
        """The tokens of a run that failed, to be recorded with its failure."""
        progress = self._progress.get(session.position)
        return progress.take_tokens() if progress else None

    def forget_all_but(self, pending: Sequence[PendingCompletion]) -> None:
        """Drop the progress of sessions that are not pending any more."""
        waiting = {session.position for session in pending}
        self._progress = {position: each for position, each in self._progress.items() if position in waiting}

    async def completion(self, session: PendingCompletion) -> Envelope:
        """The event that completed the session: it names the person, and the id of the run is derived from its id."""
        [event] = await read_at(self._client, [session.position])
        if event is None:
            raise Unavailable("the session's completion is not in the log any more")
        return event

    async def _learn_page(
        self,
        session: PendingCompletion,
        completion: Envelope,
        page: Sequence[tuple[int, Position]],
        progress: RunProgress,
        *,
        is_last: bool,
    ) -> None:
        events = [event for event in await read_at(self._client, [at for _, at in page]) if event is not None]
        facts = await self._extracted(completion, said(events), progress)
        command = SaveFacts(
            message_id=MessageId(f"{completion.event_id}/{progress.pages}"),
            session_id=session_of(completion),
            page=progress.pages,
            is_last=is_last,
            through_number=session.completed,
            saved_before=progress.saved,
            origin=marked(self._extractor.origin(completion.event_id), events),
            facts=facts,
            imported=session.imported,
            tokens=progress.take_tokens() if is_last else None,
        )
        await send_work(self._client, completion, command)
        progress.read.update(number for number, _ in page)
        progress.pages += 1
        progress.saved += len(facts)

    async def _extracted(self, person: Envelope, turns: Sequence[SaidTurn], progress: RunProgress) -> tuple[ExtractedFact, ...]:
        known = PersonsFacts(self._client, person, most_near=self._settings.known_facts, min_position=self._store.position)
        return tuple(await self._extractor.extract(turns, known=known, meter=progress.meter))
