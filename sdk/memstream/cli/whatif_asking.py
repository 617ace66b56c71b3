"""Recorded questions of people, asked again: as of then with another ranking, or today of another memory of theirs."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from memstream.cli.session import CliSession
from memstream.cli.whatif_differences import ContextDifference, of_contexts
from memstream.client import Memories
from shared.contracts.events import FactRemembered, MemoriesRecalled, SessionStarted
from shared.contracts.ids import Scope, Space, User
from shared.contracts.memories import Memory
from shared.contracts.parts import Kind
from shared.contracts.preferences import RankingOptions
from shared.contracts.recalls import Recall
from shared.runtime.connection import Client, operator_connection
from shared.runtime.eventlog.read import LogReader
from shared.runtime.keys import load_keys
from shared.runtime.projector import decoded, scope_batches

_PAGE = 500


@dataclass(frozen=True, slots=True)
class AskedThen:
    """A question that a person's turn put, and the recall that answered it."""

    words: str
    turn_id: str
    recall: Recall

    def terms(self, ranking: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The terms on which the question was put, as `context` takes them, with some of the ranking otherwise."""
        asked = self.recall.asked
        options = {"session_id": self.recall.session_id, "record": False}
        if asked is None:
            return options | {"ranking": ranking}
        effective = RankingOptions.model_validate({**asked.ranking.model_dump(exclude_none=True), **(ranking or {})})
        return options | {
            "kinds": asked.kinds,
            "limit": asked.limit,
            "budget_tokens": asked.budget_tokens,
            "ranking": effective,
        }


async def people_of(session: CliSession) -> list[str]:
    """Everybody of whom something was recorded in the session's space, by name, as the log says."""
    types = [f"memory.*.*.{each.event_type}" for each in (SessionStarted, FactRemembered)]
    found: dict[str, None] = {}
    async with operator_connection(session.settings) as client:
        async for batch in LogReader(client, subjects=types).to_end():
            events = (decoded(record).event for record in batch)
            found |= {event.user: None for event in events if event.space == session.space}
    return list(found)


async def asked_by(session: CliSession, said: Mapping[str, Sequence[Memory]], last: int) -> dict[str, list[AskedThen]]:
    """The last questions of each person, by name, whose recalls name one of these turns of theirs, oldest first."""
    keys, found = load_keys(session.files.keys), dict[str, list[AskedThen]]()
    async with operator_connection(session.settings) as client:
        for user, turns in said.items():
            words = {turn.message_id: turn.text for turn in turns if turn.message_id}
            scope = keys.scope_of(Space(session.space), User(user))
            recalls = [recall async for recall in _recalls(client, scope)]
            found[user] = [AskedThen(words[turn], turn, each) for each in recalls if (turn := each.turn_id) in words][-last:]
    return found


async def _recalls(client: Client, scope: Scope) -> AsyncGenerator[Recall]:
    async with aclosing(scope_batches(client, scope, types=(MemoriesRecalled,))) as batches:
        async for batch in batches:
            for recorded in batch:
                if isinstance(recorded.event.data, MemoriesRecalled):
                    for recall in recorded.event.data.recalls:
                        yield recall


async def all_of(memory: Memories, *kinds: Kind) -> list[Memory]:
    """All live memories of these kinds, oldest first."""
    found: list[Memory] = []
    before: int | None = None
    while True:
        page = await memory.list(kinds=kinds, limit=_PAGE, before_number=before)
        found += page.items
        if (before := page.next_before_number) is None:
            return found[::-1]


async def ranked_otherwise(memory: Memories, user: str, asked: AskedThen, ranking: Mapping[str, Any]) -> ContextDifference:
    """A question as of then, with the ranking of then and with another; made in scratch, and nothing of it is recorded."""
    then = asked.recall.at_number
    now, other = [await memory.context(asked.words, at_number=then, **asked.terms(each)) for each in (None, ranking)]
    handed_out = [str(item) for item in asked.recall.handed_out]
    is_reproduced = handed_out == [item.memory_id for item in now.items]
    return of_contexts(user, asked.turn_id, now.items, other.items, is_reproduced=is_reproduced)


async def remembered_otherwise(
    memory: Memories, side: Memories, user: str, asked: AskedThen, ranking: Mapping[str, Any], *, position: int
) -> ContextDifference:
    """A question asked today of what is remembered, and of what would be."""
    now = await memory.context(asked.words, **asked.terms())
    other = await side.context(asked.words, min_position=position, **asked.terms(ranking))
    return of_contexts(user, asked.turn_id, now.items, other.items)
