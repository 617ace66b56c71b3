"""The verbs that other memories have, for whoever comes from one of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal

from memstream._contracts import Kind, Memory, MemoryDetail, NotFound, Standing
from memstream.client.asking import NO_METADATA, USUAL_KINDS
from memstream.client.exchange import DEFAULT_TIMEOUT_S, Decision, Receipt
from memstream.client.exporting import AuditAndExport
from memstream.client.remembering import Remembering

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Change:
    """One step in the life of a memory."""

    event: Literal["ADD", "UPDATE", "RETIRE", "DELETE"]
    memory_id: str
    old_memory: str | None
    new_memory: str | None
    created_at: datetime


class FamiliarVerbs(Remembering, AuditAndExport):
    """`get`, `get_all`, `update`, `delete` and `history`; `add` and `search` have these names anyway."""

    async def get(
        self, memory_id: str, *, after: Receipt | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> MemoryDetail | None:
        """One memory with everything that is known of it; None if there is none, as `show` without an error."""
        try:
            return (await self.show(memory_id, after=after, timeout_s=timeout_s)).memory
        except NotFound:
            return None

    async def get_all(
        self,
        *,
        limit: int | None = None,
        kinds: Iterable[Kind | str] = USUAL_KINDS,
        session_id: str | None = None,
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] = NO_METADATA,
        after: Receipt | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> Sequence[Memory]:
        """All memories, newest first, at most `limit`: the pages of `list`, which can be limited in more ways."""
        found: list[Memory] = []
        kinds, tags, before = tuple(kinds), tuple(tags), None
        while limit is None or len(found) < limit:
            page = await self.list(
                limit=_PAGE if limit is None else min(_PAGE, limit - len(found)),
                kinds=kinds,
                session_id=session_id,
                tags=tags,
                metadata=metadata,
                before_number=before,
                after=after,
                timeout_s=timeout_s,
            )
            found += page.items
            if (before := page.next_before_number) is None:
                break
        return found

    async def update(
        self, memory_id: str, text: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Put this text in the place of a fact, as `correct`: the decision's `memory_id` is the new fact."""
        return await self.correct(memory_id, text, message_id=message_id, timeout_s=timeout_s)

    async def delete(
        self, memory_id: str, *, only: bool = False, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Forget a memory and, unless `only`, what says the same and what rests on nothing else, as `forget`."""
        return await self.forget(memory_ids=(memory_id,), only=only, message_id=message_id, timeout_s=timeout_s)

    async def history(self, memory_id: str, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> Sequence[Change]:
        """What became of a memory, oldest first. Of one that was deleted nothing is left but when. Raises NotFound."""
        try:
            memory = (await self.show(memory_id, timeout_s=timeout_s)).memory
        except NotFound:
            return [await self._deletion(memory_id, timeout_s)]
        versions: tuple[Memory, ...] = memory.chain or (memory,)
        newer = memory.superseded_by
        if newer and newer not in {each.memory_id for each in versions}:
            versions = (*versions, (await self.show(newer, timeout_s=timeout_s)).memory)
        changes = [_change("ADD", None, versions[0]), *(_change("UPDATE", *each) for each in pairwise(versions))]
        if memory.status is Standing.RETIRED:
            changes.append(Change("RETIRE", memory.memory_id, memory.text, None, memory.ended_at or memory.recorded_at))
        return changes

    async def _deletion(self, memory_id: str, timeout_s: float) -> Change:
        trail = await self.audit(types=("memory_forgotten",), limit=_PAGE, timeout_s=timeout_s)
        for entry in trail.entries:
            if memory_id in entry.memory_ids:
                return Change("DELETE", memory_id, None, None, entry.at)
        raise NotFound("no memory has this id, and none with it was deleted")


def _change(event: Literal["ADD", "UPDATE"], old: Memory | None, new: Memory) -> Change:
    return Change(event, new.memory_id, old.text if old else None, new.text, new.recorded_at)
