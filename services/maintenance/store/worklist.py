"""The worklist of maintenance: applies events to maintenance.db, and answers the jobs."""

from collections.abc import Collection
from pathlib import Path

from services.maintenance.store import ageing, decaying, facts, job_runs, memories, mentions, people, reflections, sessions
from services.maintenance.store.due_people import DuePeople
from services.maintenance.store.memories import Backlog, Unembedded
from services.maintenance.store.schema import (
    ERASING,
    FACT,
    FADING,
    JOB_RUN,
    LOOKED_AT,
    LOST_REFLECTION,
    MEMORY,
    MENTIONING_LITTLE,
    OLD_MEMORY,
    OPEN_SESSION,
    PERSON,
    REFLECTION,
    SCHEMA,
    USAGE,
)
from shared.contracts.events import MemoryEmbedded
from shared.contracts.ids import Scope
from shared.domain.digests import Digester
from shared.runtime.bulk import Batch
from shared.runtime.chat_models.usage import DayUsage, spend, usage_in
from shared.runtime.projection_file import in_transaction
from shared.runtime.projector import Recorded
from shared.runtime.worklist import Worklist


class MaintenanceStore(Worklist):
    """Follows which memories have a vector of which model, which facts have topics, and which sessions are open."""

    name = "maintenance"
    schema = SCHEMA
    version = "11"
    digested = (
        *(ERASING, FACT, FADING, JOB_RUN, LOST_REFLECTION, MEMORY, OLD_MEMORY, OPEN_SESSION, PERSON),
        *(MENTIONING_LITTLE, REFLECTION, USAGE),
    )
    tallied = (LOOKED_AT,)

    def __init__(self, folder: Path, digester: Digester) -> None:
        super().__init__(folder, digester)
        self.due = DuePeople()
        with self.transaction() as db:
            self._models = memories.models(db)

    def apply_event(self, db: Batch, recorded: Recorded) -> None:
        """Apply an event to the memories, facts and sessions, or to the history of the jobs."""
        if isinstance(data := recorded.event.data, MemoryEmbedded):
            self._models.add(data.embedding.model)
        people.follow_people(db, recorded)
        memories.follow_memories(db, recorded)
        facts.follow_facts(db, recorded)
        self.due.follow(recorded)
        decaying.follow_fading(db, recorded)
        mentions.follow_mentions(db, recorded)
        sessions.follow_sessions(db, recorded, self._digester)
        job_runs.follow_job_runs(db, recorded)
        ageing.follow_ageing(db, recorded)
        reflections.follow_reflections(db, recorded)
        spend(USAGE, db, recorded)

    def is_news(self, recorded: Recorded) -> bool:
        """True if an event may bring something to embed; a vector does so only if there are vectors of several models."""
        data = recorded.event.data
        return data.makes is not None or (isinstance(data, MemoryEmbedded) and len(self._models) > 1)

    def unembedded(self, model: str, limit: int) -> list[Unembedded]:
        """Memories without a vector of this model, in the order in which to embed them."""
        with self.transaction() as db:
            return memories.unembedded(db, self._unless_only(model), limit)

    def backlog(self, model: str, without: Collection[str] = ()) -> Backlog:
        """The embedding backlog for a model, not counting the memories in `without`."""
        with self.transaction() as db:
            return memories.backlog(db, self._unless_only(model), without)

    def has_others(self, model: str) -> bool:
        """True if there are vectors of other models than this."""
        return bool(self._models - {model})

    def usage(self, *, since: str, until: str, scope: Scope | None = None) -> list[DayUsage]:
        """The tokens of each day from `since` to `until`, of everybody or of one person, in their order."""
        with self.transaction() as db:
            return usage_in(USAGE, db, since=since, until=until, scope=scope)

    def _unless_only(self, model: str) -> str | None:
        """The model, if there are vectors of other models, else None."""
        return model if self.has_others(model) else None

    still_unembedded = in_transaction(memories.still_unembedded)
    ageing_scopes = in_transaction(ageing.ageing_scopes)
    ageing_page = in_transaction(ageing.ageing_page)
    person_choices = in_transaction(people.person_choices)
    rolled_up_scopes = in_transaction(ageing.rolled_up_scopes)
    rolled_up = in_transaction(ageing.rolled_up)
    left_to_erase = in_transaction(ageing.left_to_erase)
    lost_reflections = in_transaction(reflections.lost_reflections)
    memories_at = in_transaction(reflections.memories_at)
    recent_memories = in_transaction(reflections.recent_memories)
    to_reflect_on = in_transaction(reflections.to_reflect_on)
    sparse = in_transaction(facts.sparse)
    looked_at = in_transaction(facts.look_at)
    falling = in_transaction(decaying.falling)
    unread = in_transaction(mentions.unread)
    idle_sessions = in_transaction(sessions.idle_sessions)
    last_job_runs = in_transaction(job_runs.last_runs)
    last_job_successes = in_transaction(job_runs.last_successes)
    job_runs = in_transaction(job_runs.job_runs)
    silent_sessions = in_transaction(sessions.silent_sessions)
