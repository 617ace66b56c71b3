"""A log as one version of memstream wrote it, kept for ever: later versions must read it as it was meant.

`python -m tests.support.golden_log 0.1.0` writes the log of the version of today, once, when it is tagged; it replaces none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import select

from services.consolidator.store import ConsolidatorStore
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from services.maintenance.store import MaintenanceStore
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.schema import memories
from shared.contracts.command import Command
from shared.contracts.ids import MemoryId, Position, Scope, SessionId, Slot, User
from shared.contracts.parts import Entity
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import EndIncognito, Forget, StartIncognito
from shared.contracts.subjects import SLOTS, memory_subject, scope_of_subject, slot_of, slot_of_subject
from shared.runtime.eventlog.read import Record
from shared.runtime.projector import Recorded, decoded, without_taken_back
from tests.support.commands import (
    agent_says,
    answer,
    change,
    confirm,
    correct,
    embed,
    end,
    extracted,
    find_more,
    import_of,
    page,
    pin,
    recall_of,
    remember,
    restore,
    undo,
    unpin,
    user_says,
)
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, BEN, KEYS, SEND_ID, SPACE, at

LOGS = Path(__file__).parents[1] / "golden" / "logs"
_OF_A_MEMORY = ("id", "kind", "content", "session_id", "status", "ended_because", "superseded_by", "pinned", "repeat_count")


def records_of(path: Path) -> list[Record]:
    """The log as it lies in a file."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [
        Record(
            Position(each["position"]),
            scope_of_subject(each["subject"]),
            json.dumps(each["event"]).encode(),
            each["headers"],
            slot_of_subject(each["subject"]),
        )
        for each in lines
    ]


def replayed(records: Sequence[Record], folder: Path) -> dict[str, Any]:
    """What all projections make of a log: what is remembered of each person, and how much the services know."""
    events = without_taken_back([decoded(record) for record in records])
    end_of_log = events[-1].position
    with closing(Store(folder / "ingest", KEYS.digester)) as store:
        slots = [Slot(slot) for slot in range(SLOTS)]
        projection = IngestProjection(store, KEYS.digester, slots=slots, send_id=SEND_ID, live=False)
        projection.apply(events, end_of_log, is_rebuild=True)
        missing = store.missing()
    worklists = {}
    for make in (MaintenanceStore, ConsolidatorStore):
        with closing(make(folder / make.name, KEYS.digester)) as worklist:
            worklist.apply(events, end_of_log)
            worklists[make.name] = worklist.position
    people = sorted({recorded.scope for recorded in events})
    return {
        "people": {scope: _remembered([each for each in events if each.scope == scope], folder) for scope in people},
        "missing": len(missing),
        "reached": worklists,
    }


def _remembered(events: Sequence[Recorded], folder: Path) -> dict[str, Any]:
    with closing(MemoryFile(folder / f"{events[0].scope}.db")) as file:
        file.apply(events, allow_gaps=True)
        columns = [memories.c[name] for name in _OF_A_MEMORY]
        with file.connect() as db:
            found = db.execute(select(*columns).order_by(memories.c.number)).mappings().all()
        return {"number": file.number, "memories": [dict(row) for row in found]}


def life() -> PaperLog:
    """A bit of everything that people and services send, of two people."""
    log = PaperLog()

    def told(*commands: Command, user: Any = ANNA, minute: float = 0) -> None:  # noqa: ANN401 - a NewType
        for command in commands:
            log.tell(command, user=user, now=at(minute))

    def ids(kind: str, scope: Scope) -> list[str]:
        return [r.event.data.memory_id for r in log.records if r.scope == scope and r.event.type == kind]  # type: ignore[attr-defined]

    told(user_says("Hi! I am Anna and I live in Leeds.", message_id="m1"), agent_says("Hello Anna!", message_id="m2"))
    told(user_says("My sister Zora keeps bees near York.", message_id="m3", speaker="Anna", metadata={"channel": "web"}))
    told(change(PersonSettings(memory_enabled=True, time_zone="Europe/London")), minute=1)
    told(end(), minute=2)
    scope = KEYS.scope_of(SPACE, ANNA)
    first, _, bees = ids("episode_recorded", scope)
    facts = (extracted("Anna lives in Leeds", source=first, tags=("home",)), extracted("Zora keeps bees", source=bees))
    told(page(*facts, is_last=True), minute=3)
    told(*(embed(each) for each in (first, bees)), minute=4)
    told(remember("Anna likes tea", message_id="r1", tags=("taste",)), remember("Anna likes tea", message_id="r2"), minute=5)
    lives, _, tea = ids("fact_remembered", scope)
    zora = Entity(name="Zora", type="person", start=0, end=4, confidence=0.9)
    told(find_more(ids("fact_remembered", scope)[1], entities=(zora,), tags=("family",)), minute=6)
    told(recall_of({lives: 0.9, tea: 0.4}), minute=7)
    told(correct(lives, "Anna lives in Oslo"), pin(tea), confirm(tea), minute=8)
    told(StartIncognito(session_id=SessionId("s2")), minute=9)
    told(EndIncognito(session_id=SessionId("s2")), user_says("I might move to York.", "s2"), minute=10)
    told(remember("I think I live in York now."), minute=11)
    doubts = [r.event.data.conflict_id for r in log.records if r.event.type == "conflict_detected"]  # type: ignore[attr-defined]
    told(*(answer(each, "newer") for each in doubts[:1]), minute=12)
    told(remember("Anna has a dog called Quix"), remember("Anna plays chess"), minute=13)
    dog, chess = ids("fact_remembered", scope)[-2:]
    told(undo(memory_id=chess), restore(chess), unpin(tea), minute=14)
    told(Forget(memory_ids=(MemoryId(dog),)), minute=16)
    told(import_of([user_says("In March I ran ten miles.", "march", message_id="i1", occurred_at=at(-60_000))]), minute=17)
    told(user_says("I am Ben.", message_id="b1"), remember("Ben likes rum"), user=BEN, minute=18)
    told(user_says("Forget that I like rum.", message_id="b2"), user=BEN, minute=19)
    log.settle(pin("fact_unknown"))
    log.erase()
    return log


def write(version: str) -> None:
    """Write the log of today, and what is made of it."""
    path = LOGS / f"{version}.jsonl"
    if path.exists():
        raise SystemExit(f"{path.name} is there: a log that was published stays as it is")
    lines = [
        json.dumps(
            {
                "position": record.position,
                "subject": memory_subject(slot_of(User(record.event.user)), record.scope, record.event.type),
                "headers": {"Nats-Msg-Id": record.event.event_id, "Memstream-Sent": record.sent},
                "event": json.loads(record.event.encode()),
            },
            ensure_ascii=False,
        )
        for record in life().records
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1])
