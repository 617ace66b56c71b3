"""What an agent needs that learns from conversations itself, and taking back what a run learned."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memstream._contracts import Conversation, FactOfBatch, Holds, Kind, Memory, NotFound, PendingConflict
from memstream.client.asking import Asking
from memstream.client.exchange import DEFAULT_TIMEOUT_S, Decision

_MOST_PENDING = 200


class Contradictions(NamedTuple):
    """What may contradict a fact."""

    nearest: list[Memory]
    pending: list[PendingConflict]


class Consolidating(Asking):
    """Facts are learned under the guards of the consolidator: they are compared with what is known, and rest on turns."""

    async def session(self, session_id: str, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> Conversation:
        """A conversation, and how far it is learned from, with what this client decided before. Raises NotFound."""
        asked = await self.sessions(session_id=session_id, min_position=self.decided_up_to, timeout_s=timeout_s)
        found = asked.sessions
        if not found:
            raise NotFound("no turn of this session was recorded")
        return found[0]

    async def save_facts_batch(
        self,
        session_id: str,
        facts: Iterable[FactOfBatch | Mapping[str, Any]],
        *,
        run_id: str | None = None,
        model: str | None = None,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Record facts that an agent learned from turns of a session. `run_id` names them for `undo`."""
        facts = [fact.model_dump(mode="json") if isinstance(fact, FactOfBatch) else dict(fact) for fact in facts]
        return await self._decide("save_facts_batch", locals())

    async def mark_session_consolidated(
        self,
        session_id: str,
        *,
        facts: int = 0,
        run_id: str | None = None,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Say that all is learned that a session taught; one that is open is ended first."""
        return await self._decide("mark_session_consolidated", locals())

    async def detect_conflicts(self, memory_id: str, *, limit: int = 5, timeout_s: float = DEFAULT_TIMEOUT_S) -> Contradictions:
        """The known facts nearest to a fact, and the questions that are pending about it."""
        fact = (await self.show(memory_id, min_position=self.decided_up_to, timeout_s=timeout_s)).memory
        near = await self.search(fact.text, kinds=(Kind.FACT,), limit=limit + 1, timeout_s=timeout_s)
        pending = (await self.conflicts(limit=_MOST_PENDING, timeout_s=timeout_s)).conflicts
        others: list[Memory] = [each for each in near.items if each.memory_id != fact.memory_id]
        return Contradictions(others[:limit], [each for each in pending if fact.memory_id in {each.older, each.newer}])

    async def resolve_conflict(
        self,
        memory_id: str,
        superseded_by: str,
        *,
        is_certain: bool = True,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Put one fact in the place of another that does not hold any more; if that is not certain, have the person asked."""
        return await self._decide("resolve_conflict", locals())

    async def answer_conflict(
        self, conflict_id: str, holds: Holds, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Say which of two facts holds, as the person does. What does not hold is ended; with `neither` both are."""
        return await self._decide("answer_conflict", locals())

    async def undo(
        self,
        run_id: str | None = None,
        *,
        memory_id: str | None = None,
        number: int | None = None,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Take back what a run did, or the recording of one fact or roll-up: what it had ended holds again.

        `number`: only the time that the fact was told again by this event.
        """
        return await self._decide("undo", locals())

    async def redo(
        self,
        run_id: str | None = None,
        *,
        memory_id: str | None = None,
        number: int | None = None,
        message_id: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Decision:
        """Do again what `undo` has taken back of this last, as far as nothing else was decided about it since."""
        return await self._decide("redo", locals())
