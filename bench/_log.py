"""Fabricates a log with the events that ingest would append for the conversations of some users.

Sending 600,000 turns and embedding them would take two hours. The texts are synthetic, and so are the vectors: random
directions, of the real embedder's name and dimensions, so that memstream finds nothing left to embed.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from nats.aio.client import Client

from bench._installation import SPACE, Installation
from bench._text import Writer
from memstream.cli.projections import rebuild
from memstream.cli.server import any_server
from memstream.cli.services import PROJECTIONS
from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.store import Store
from services.maintenance.store import MaintenanceStore, facts
from services.retriever.store.index import ScopeIndex
from shared.contracts.conflicts import ConflictDetected
from shared.contracts.envelope import Actor
from shared.contracts.event import EventData
from shared.contracts.events import (
    EpisodeRecorded,
    FactOutdated,
    FactRemembered,
    FactSuperseded,
    MemoryEmbedded,
    SessionCompleted,
    SessionConsolidated,
    SessionStarted,
)
from shared.contracts.ids import MemoryId, MessageId, Scope, SessionId, Slot, User
from shared.contracts.parts import FactSlot, Origin, Role
from shared.contracts.subjects import memory_subject, slot_of
from shared.domain.digests import Digester, conflict_id
from shared.domain.vectors import pack
from shared.language.text.entities import find_entities
from shared.runtime.connection import server_url, service_options
from shared.runtime.embedders.factory import EmbedderSettings, make_embedder
from shared.runtime.embedders.port import EmbedderModel
from shared.runtime.eventlog.append import MAX_BATCH, NewEvent, append
from shared.runtime.keys import Keys, load_keys

SESSION = 30
"""Memories of a session."""

_FACTS_A_SESSION, _FACTS_THAT_CHANGE = 2, 10
_CHANGED = 4
"""Where facts change, one of so many in a session ends an earlier one, in whole or in part, or puts it in doubt."""

_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
_LARGE = 50_000
_DONE = "fabricated-3.json"
_OF_EVERYBODY = [name for name in PROJECTIONS if name != "feed"]
"""The feed follows nothing as long as nobody reads: with a folder of it, it would tell every event to nobody."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many users a fabricated log has, and how many memories of each."""

    users: int
    memories_each: int  # two of thirty are facts, the others turns
    embedder: str = "minilm"
    facts_change: bool = False  # ten of thirty are facts, of which later ones end three or put them in doubt

    @property
    def name(self) -> str:
        """How the folder is called in which an installation with this log is kept, before the name of its network."""
        return f"{self.users}-users-of-{self.memories_each}{'-changing' * self.facts_change}-{self.embedder}"


def user_name(index: int) -> User:
    """The user at this index of a fabricated log."""
    return User(f"user-{index}")


async def installation_of(plan: Plan, folder: Path, *, is_new: bool = False) -> Installation:
    """An installation with this log and all projections. It is made once and kept in `folder`; `is_new` makes it again.

    Another network has a folder of its own: what was fabricated for one would be embedded by the other while we measure.
    """
    network = _model(plan).fingerprint.rpartition("/")[2]
    installation = Installation(folder / f"{plan.name}-{network}", plan.embedder)
    done = installation.root / _DONE
    if is_new or not done.exists():
        print(f"fabricating {plan.users:,} users of {plan.memories_each:,} memories; the next time they are there already")
        shutil.rmtree(installation.root, ignore_errors=True)
        await installation.create()
        await fabricate(plan, installation)
        await _project(plan, installation)
        done.write_text(_made_of(plan), encoding="utf-8")
    elif done.read_text(encoding="utf-8") != _made_of(plan):
        print(f"building the projections of {plan.users:,} users of {plan.memories_each:,} memories anew", flush=True)
        await _project(plan, installation)
        done.write_text(_made_of(plan), encoding="utf-8")
    _look_at_facts(plan, installation)
    return installation


def _look_at_facts(plan: Plan, installation: Installation) -> None:
    """Mark all facts as enriched: maintenance would spend minutes on it while we measure, and find nothing in them."""
    store = MaintenanceStore(installation.files.projection("maintenance"), load_keys(installation.files.keys).digester)
    with store.transaction() as db:
        for fact in facts.sparse(db, _model(plan).fingerprint, plan.users * plan.memories_each):
            facts.look_at(db, fact)
    store.close()


def _model(plan: Plan) -> EmbedderModel:
    """The model whose name and dimensions the fabricated vectors bear."""
    embedder = make_embedder(EmbedderSettings(kind=plan.embedder))  # type: ignore[arg-type] # pydantic checks it
    assert embedder is not None
    return embedder.model


def _made_of(plan: Plan) -> str:
    """The plan and the schema versions, as JSON. Projections of another version would be rebuilt while we measure."""
    return json.dumps({**asdict(plan), "schemas": {"ingest": Store.version, "retriever": ScopeIndex.version}}) + "\n"


async def _project(plan: Plan, installation: Installation) -> None:
    """Rebuild all projections; those of a large log in parallel, to use every core."""
    async with any_server(installation.settings):
        if plan.users * plan.memories_each < _LARGE:
            for name in _OF_EVERYBODY:
                await rebuild(name, installation.settings, lambda _applied, _left: None)
        else:
            await asyncio.gather(*(installation.command("rebuild", "--projection", name) for name in _OF_EVERYBODY))


async def fabricate(plan: Plan, installation: Installation) -> int:
    """Append the events of a plan to the log and return their number. No service may run meanwhile."""
    keys = load_keys(installation.files.keys)
    count = 0
    async with any_server(installation.settings), _writer(installation) as client:
        events = _interleaved(plan, keys, _model(plan))
        while batch := list(islice(events, MAX_BATCH)):
            await append(client, batch)
            count += len(batch)
    return count


def _interleaved(plan: Plan, keys: Keys, model: EmbedderModel) -> Iterator[NewEvent]:
    """The events of all users, session by session, so that users take turns as they would over time."""
    authors = [_Author(user_name(index), keys, model, facts_change=plan.facts_change) for index in range(plan.users)]
    for begin in range(0, plan.memories_each, SESSION):
        for author in authors:
            yield from author.session(begin // SESSION, min(SESSION, plan.memories_each - begin))


class _Author:
    """Writes the events of one user."""

    def __init__(self, user: User, keys: Keys, model: EmbedderModel, *, facts_change: bool) -> None:
        self._user = user
        self._scope: Scope = keys.scope_of(SPACE, user)
        self._slot: Slot = slot_of(user)
        self._digester: Digester = keys.digester
        self._model = model
        self._write = Writer(f"memories of {user}")
        self._directions = np.random.default_rng(self._slot + int(user.rpartition("-")[2]))
        self._name = self._write.name()
        self._facts_change = facts_change
        self._chance = Random(f"changes of {user}")
        self._holding: list[MemoryId] = []  # facts that nothing has ended or put in doubt
        self._changed = 0
        self._events = 0

    def session(self, index: int, memories: int) -> Iterator[NewEvent]:
        """The events of one session: its turns, the facts learned from it, and all vectors."""
        session, at = SessionId(f"session-{index}"), _BEGIN + timedelta(days=index)
        facts = min(_FACTS_THAT_CHANGE if self._facts_change else _FACTS_A_SESSION, memories - 1)
        made: list[MemoryId] = []
        yield self._event("user_message", f"{session}/begin", SessionStarted(session_id=session), at)
        for turn in range(memories - facts):
            yield self._turn(session, turn, at + timedelta(minutes=turn), made)
        yield from self._vectors(made, at)
        yield self._event(
            "end_session", f"{session}/end", SessionCompleted(session_id=session, reason="ended", turns=len(made)), at
        )
        completed = self._events  # what the consolidation names: else memstream would learn from the session again
        learned: list[MemoryId] = []
        for fact in range(facts):
            yield self._fact(session, fact, at, sources=made[fact : fact + 1], made=learned)
            if self._facts_change:
                yield from self._changes(learned[-1], fact, at)
        origin = Origin(extractor="bench/1", run_id=f"run-{index}")
        consolidated = SessionConsolidated(session_id=session, through_number=completed, facts=facts, origin=origin)
        yield self._event("save_facts", f"{session}/learned", consolidated, at)
        yield from self._vectors(learned, at)

    def _turn(self, session: SessionId, turn: int, at: datetime, made: list[MemoryId]) -> NewEvent:
        role = (Role.USER, Role.ASSISTANT)[turn % 2]
        what = ("user_message", "agent_response")[turn % 2]
        message, text = MessageId(f"{session}/{turn}"), self._write.turn()
        given = self._given(what, message, at)
        made.append(given.memory_id("ep", 0))
        episode = EpisodeRecorded(
            memory_id=made[-1],
            session_id=session,
            role=role,
            text=text,
            speaker=self._name if role is Role.USER else "Assistant",
            message_id=message,
            entities=find_entities(text),
        )
        return self._sealed(given, episode, at)

    def _fact(self, session: SessionId, fact: int, at: datetime, *, sources: list[MemoryId], made: list[MemoryId]) -> NewEvent:
        given = self._given("save_facts", f"{session}/fact/{fact}", at)
        made.append(given.memory_id("fact", 0))
        remembered = FactRemembered(
            memory_id=made[-1],
            text=self._write.turn(),
            session_id=session,
            source_ids=tuple(sources),
            manually_saved=False,
            confidence=0.8,
            slots=(self._stated(),) if self._facts_change else (),
            origin=Origin(extractor="bench/1", run_id=f"run-{session}"),
        )
        return self._sealed(given, remembered, at)

    def _stated(self) -> FactSlot:
        attribute, value = self._write.words(2)
        return FactSlot(subject="user", attribute=attribute, value=value)

    def _changes(self, newer: MemoryId, fact: int, at: datetime) -> Iterator[NewEvent]:
        """What a new fact does to an earlier one, if anything: ends it, ends the one thing that it states, or doubts it."""
        if fact % _CHANGED == 0 and self._holding:
            older = self._holding.pop(self._chance.randrange(len(self._holding)))
            yield self._event("save_facts", f"{newer}/changes", self._change(older, newer, at), at)
        self._holding.append(newer)

    def _change(self, older: MemoryId, newer: MemoryId, at: datetime) -> EventData:
        self._changed += 1
        match self._changed % 4:
            case 0:
                return FactOutdated(memory_id=older, outdated_by=newer, slots=(0,), valid_until=at)
            case 1:
                asked = conflict_id(older, newer)
                return ConflictDetected(conflict_id=asked, memory_id=older, newer=newer, reason="hedged")
            case _:
                ends = {"superseded_by": newer, "reason": "conflict", "valid_until": at}
                return FactSuperseded.model_validate({"memory_id": older, "confidence": 0.3, "confidence_before": 0.8, **ends})

    def _vectors(self, memories: list[MemoryId], at: datetime) -> Iterator[NewEvent]:
        rows = self._directions.normal(size=(len(memories), self._model.dimensions))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        for memory, row in zip(memories, rows, strict=True):
            embedded = MemoryEmbedded(memory_id=memory, embedding=pack(row, self._model.fingerprint))
            yield self._event("attach_embedding", f"{memory}/{self._model.fingerprint}", embedded, at)

    def _event(self, what: str, message: str, data: EventData, at: datetime) -> NewEvent:
        return self._sealed(self._given(what, message, at), data, at)

    def _given(self, what: str, message: str, at: datetime) -> Circumstances:
        command = self._digester.command_id(self._scope, what, message)
        actor = Actor(channel="work" if what in {"attach_embedding", "save_facts"} else "send")
        return Circumstances(SPACE, self._user, self._scope, what, command, command, at, actor, self._digester)

    def _sealed(self, given: Circumstances, data: EventData, at: datetime) -> NewEvent:
        ruling = Ruling(ScopeState(number=self._events), given)
        ruling.add(data, at)
        [event] = ruling.events
        self._events += 1
        return NewEvent(memory_subject(self._slot, self._scope, event.type), event.event_id, event.encode())


@asynccontextmanager
async def _writer(installation: Installation) -> AsyncIterator[Client]:
    """A connection with the rights of ingest, which alone may append."""
    client = Client()
    await client.connect(server_url(installation.settings), **service_options(installation.settings, "ingest"))
    try:
        yield client
    finally:
        await client.close()
