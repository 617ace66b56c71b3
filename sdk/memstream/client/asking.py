"""Asks what is remembered: every query about memories has a method."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal

from memstream._contracts import (
    DEFAULT_BUDGET_TOKENS,
    DEFAULT_CONTEXT_ITEMS,
    ConflictsAnswer,
    ConflictsQuery,
    ContextAnswer,
    ContextQuery,
    DiffAnswer,
    DiffQuery,
    EntitiesAnswer,
    EntitiesQuery,
    EntityAnswer,
    EntityQuery,
    EpisodesAnswer,
    EpisodesQuery,
    ExplainAnswer,
    ExplainQuery,
    Kind,
    ListAnswer,
    ListQuery,
    Preset,
    RankingOptions,
    RecallId,
    SearchAnswer,
    SearchQuery,
    SessionsAnswer,
    SessionsQuery,
    SharesAnswer,
    SharesQuery,
    ShowAnswer,
    ShowQuery,
    Standing,
    StatsAnswer,
    StatsQuery,
    SummaryAnswer,
    SummaryQuery,
)
from memstream.client.exchange import DEFAULT_TIMEOUT_S, Exchange, Receipt

USUAL_KINDS = (Kind.FACT, Kind.EPISODE, Kind.ROLLUP)
NO_METADATA: Mapping[str, Any] = MappingProxyType({})

EXPLAIN_TIMEOUT_S = 15.0
"""The past is replayed from the log."""


class Asking(Exchange):
    """Every query can wait for what was sent before: `after`, a receipt, or `min_position`."""

    async def context(
        self,
        query: str,
        *,
        session_id: str | None = None,
        limit: int = DEFAULT_CONTEXT_ITEMS,
        budget_tokens: int | None = DEFAULT_BUDGET_TOKENS,
        kinds: Iterable[Kind | str] = USUAL_KINDS,
        record: bool = True,
        preset: Preset | str = Preset.SHIPPED,
        ranking: RankingOptions | Mapping[str, Any] | None = None,
        message_id: str | None = None,
        tags: Iterable[str] = (),
        entities: Iterable[str] = (),
        metadata: Mapping[str, Any] = NO_METADATA,
        occurred_after: datetime | None = None,
        occurred_before: datetime | None = None,
        as_of: datetime | None = None,
        at_number: int | None = None,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> ContextAnswer:
        """The memories that matter for these words, as items and as a ready block for the prompt.

        Give `session_id`, the current session, to leave it out; `record=False` where no model gets to see the answer.
        `ranking` changes single weights, for this query only. `as_of`, a moment, or `at_number`, an event of the person's, asks
        what would have mattered then; nothing of it is recorded. `tags`, `entities`, `metadata`, `occurred_after` and
        `occurred_before` limit it to the memories of which all of them are true.
        """
        if self.is_incognito(session_id):
            return ContextAnswer(position=0, recall_id=RecallId(""), markdown="", items=(), tokens=0, withheld="incognito")
        return await self._ask(ContextQuery, ContextAnswer, locals())

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[Kind | str] = USUAL_KINDS,
        exclude_session_id: str | None = None,
        rolled_up: bool = False,
        tags: Iterable[str] = (),
        entities: Iterable[str] = (),
        metadata: Mapping[str, Any] = NO_METADATA,
        occurred_after: datetime | None = None,
        occurred_before: datetime | None = None,
        preset: Preset | str = Preset.SHIPPED,
        ranking: RankingOptions | Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        at_number: int | None = None,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> SearchAnswer:
        """Memories by their words, best first; `tags` and the others limit it as in `context`. Nothing is recorded.

        `rolled_up=True` finds old memories word for word, too, for which a roll-up stands in a context.
        """
        return await self._ask(SearchQuery, SearchAnswer, locals())

    async def explain(
        self,
        query: str | None = None,
        *,
        recall_id: str | None = None,
        at_number: int | None = None,
        session_id: str | None = None,
        kinds: Iterable[Kind | str] = USUAL_KINDS,
        limit: int = DEFAULT_CONTEXT_ITEMS,
        budget_tokens: int | None = DEFAULT_BUDGET_TOKENS,
        preset: Preset | str = Preset.SHIPPED,
        ranking: RankingOptions | Mapping[str, Any] | None = None,
        tags: Iterable[str] = (),
        entities: Iterable[str] = (),
        metadata: Mapping[str, Any] = NO_METADATA,
        occurred_after: datetime | None = None,
        occurred_before: datetime | None = None,
        most_candidates: int = 50,
        timeout_s: float = EXPLAIN_TIMEOUT_S,
    ) -> ExplainAnswer:
        """Why a context was as it was (`recall_id`), or would be (`query`). Raises NotFound.

        A recall holds no words: where the turn that asked was not recorded, give the question again as `query`.
        """
        return await self._ask(ExplainQuery, ExplainAnswer, locals())

    async def list(
        self,
        *,
        limit: int = 50,
        kinds: Iterable[Kind | str] = USUAL_KINDS,
        session_id: str | None = None,
        status: Standing | Literal["active", "superseded", "retired", "all"] = Standing.ACTIVE,
        pinned: bool | None = None,
        manually_saved: bool | None = None,
        tag: str | None = None,
        entity: str | None = None,
        tags: Iterable[str] = (),
        entities: Iterable[str] = (),
        metadata: Mapping[str, Any] = NO_METADATA,
        occurred_after: datetime | None = None,
        occurred_before: datetime | None = None,
        before_number: int | None = None,
        as_of: datetime | None = None,
        at_number: int | None = None,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> ListAnswer:
        """A page of memories, newest first; the next page begins at `before_number=answer.next_before_number`."""
        return await self._ask(ListQuery, ListAnswer, locals())

    async def show(
        self, memory_id: str, *, min_position: int = 0, after: Receipt | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> ShowAnswer:
        """One memory with everything that is known of it, whatever its status. Raises NotFound."""
        return await self._ask(ShowQuery, ShowAnswer, locals())

    async def entity(
        self,
        name: str,
        *,
        limit: int = 20,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> EntityAnswer:
        """Who or what this is, by name, alias or id, and the memories that mention it. Raises NotFound."""
        return await self._ask(EntityQuery, EntityAnswer, locals())

    async def entities(
        self,
        *,
        name: str | None = None,
        types: Iterable[str] = (),
        limit: int = 50,
        offset: int = 0,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> EntitiesAnswer:
        """A page of who and what is mentioned, most first; the next page begins at `offset=answer.next_offset`."""
        return await self._ask(EntitiesQuery, EntitiesAnswer, locals())

    async def diff(
        self,
        *,
        since: datetime | None = None,
        since_number: int | None = None,
        as_of: datetime | None = None,
        at_number: int | None = None,
        kinds: Iterable[Kind | str] = (Kind.FACT, Kind.ROLLUP),
        limit: int = 200,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = EXPLAIN_TIMEOUT_S,
    ) -> DiffAnswer:
        """What was learned, superseded, retired, restored and forgotten between two moments; the later is now by default."""
        return await self._ask(DiffQuery, DiffAnswer, locals())

    async def summary(
        self,
        *,
        limit: int = 10,
        topics: int = 20,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> SummaryAnswer:
        """What is known, by topic: as markdown to read, and as data. `limit`: most facts of a topic."""
        return await self._ask(SummaryQuery, SummaryAnswer, locals())

    async def sessions(
        self,
        *,
        session_id: str | None = None,
        limit: int = 50,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> SessionsAnswer:
        """The conversations, with the runs that learned from them, the latest first."""
        return await self._ask(SessionsQuery, SessionsAnswer, locals())

    async def episodes(
        self,
        session_id: str,
        *,
        after_number: int = 0,
        limit: int = 30,
        min_position: int = 0,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> EpisodesAnswer:
        """A page of the turns of a session that no run has learned from yet. Raises NotFound."""
        return await self._ask(EpisodesQuery, EpisodesAnswer, locals())

    async def conflicts(
        self, *, limit: int = 50, min_position: int = 0, after: Receipt | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> ConflictsAnswer:
        """The facts that may contradict each other, with what to ask the person; `answer_conflict` takes the answer."""
        return await self._ask(ConflictsQuery, ConflictsAnswer, locals())

    async def shares(
        self, *, min_position: int = 0, after: Receipt | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> SharesAnswer:
        """The tags that this space shares with other spaces of the person."""
        return await self._ask(SharesQuery, SharesAnswer, locals())

    async def stats(
        self, *, min_position: int = 0, after: Receipt | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> StatsAnswer:
        """How much is remembered."""
        return await self._ask(StatsQuery, StatsAnswer, locals())
