"""Answers `diff`: a person's file of then beside that of now, or of a later then."""

from contextlib import aclosing

from services.retriever.as_of import Until, is_known
from services.retriever.domain.differing import MemoryThen, changes_between
from services.retriever.person_files import PersonFiles, Reading
from services.retriever.store.read_memories import by_ids
from services.retriever.store.standings import standings
from shared.contracts.errors import Malformed
from shared.contracts.privacy import ForgettingTakenBack, MemoryForgotten
from shared.contracts.queries import ChangedMemory, DiffAnswer, DiffQuery
from shared.runtime.asking import Asker
from shared.runtime.projector import scope_batches, without_taken_back


class Differences:
    """Compares what was known of a person at two moments."""

    def __init__(self, files: PersonFiles) -> None:
        self._files = files

    async def diff(self, asker: Asker, query: DiffQuery) -> DiffAnswer:
        """What is otherwise at the later moment. Raises Malformed where it is not the later one, Unavailable."""
        since = _since(query)
        await self._files.wait(asker, query)
        async with self._files.of_then(asker, since, query) as file:
            before = await file.read(lambda reading: standings(reading.db, query.kinds)) or {}
        async with self._files.wanted(asker, query) as file:
            found = await file.read(lambda reading: _changed(reading, before, query))
        scope = self._files.scope_of(asker)
        events = []
        async with aclosing(
            scope_batches(self._files.connected, scope, types=(MemoryForgotten, ForgettingTakenBack))
        ) as batches:
            async for batch in batches:
                events += batch
        forgotten = sum(
            len(recorded.event.data.memory_ids)
            for recorded in without_taken_back(events)
            if isinstance(recorded.event.data, MemoryForgotten)
            and not is_known(recorded.event, since)
            and (query.until is None or is_known(recorded.event, query.until))
        )
        answer = found or DiffAnswer(position=await self._files.told(asker), changes=())
        return answer.model_copy(update={"forgotten": forgotten})


def _since(query: DiffQuery) -> Until:
    since = query.since_number if query.since is None else query.since
    if since is None:
        raise Malformed("give since or since_number, one of them")
    until = query.until
    if isinstance(since, int) and isinstance(until, int) and until < since:
        raise Malformed("at_number is before since_number; exchange them")
    if query.since is not None and query.as_of is not None and query.as_of < query.since:
        raise Malformed("as_of is before since; exchange them")
    return since


def _changed(reading: Reading, before: dict[str, MemoryThen], query: DiffQuery) -> DiffAnswer:
    changes = changes_between(before, standings(reading.db, query.kinds))
    shown = by_ids(reading.db, list(changes)[: query.limit])
    return DiffAnswer(
        position=reading.position,
        changes=tuple(ChangedMemory(change=changes[memory.memory_id], memory=memory) for memory in shown),
        left_out=len(changes) - len(shown),
    )
