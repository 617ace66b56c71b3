"""Reads a person's file as a whole: counts, settings, topics, and the profile of an entity."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Column, Connection, desc, func, select, text

from services.retriever.domain.summary import summary_markdown
from services.retriever.store.entity_lookup import find, most_mentioned
from services.retriever.store.narrowing import mentions
from services.retriever.store.read_memories import by_numbers, memories_of
from services.retriever.store.schema import entities, memories, metadata, sessions
from services.retriever.store.shown_rows import COLUMNS
from shared.contracts.errors import NotFound
from shared.contracts.parts import Kind, Standing
from shared.contracts.preferences import PersonSettings
from shared.contracts.queries import (
    EntityAnswer,
    EntityQuery,
    Memory,
    StatsAnswer,
    StatsQuery,
    SummaryAnswer,
    SummaryQuery,
    Topic,
)
from shared.domain.moments import moment

_FACTS_OF_A_PROFILE = 5
_ENTITIES_OF_A_SUMMARY = 10
_ACTIVE = memories.c.valid_until.is_(None)
_BEST_FIRST = (desc(memories.c.pinned), desc(memories.c.importance), desc(memories.c.number))
_TOPICS = text(
    """
    WITH facts AS (
      SELECT number, json_extract(tags, '$[0]') AS tag, count(*) OVER of_tag AS facts,
             row_number() OVER (of_tag ORDER BY pinned DESC, importance DESC, number DESC) AS place
      FROM memories WHERE kind = 'fact' AND valid_until IS NULL
      WINDOW of_tag AS (PARTITION BY json_extract(tags, '$[0]'))),
    ranked AS (SELECT *, dense_rank() OVER (ORDER BY tag IS NULL, facts DESC, tag) AS topic FROM facts)
    SELECT tag, facts, number FROM ranked WHERE place <= :most AND topic <= :topics ORDER BY topic, place
    """
)


def stats(db: Connection, _: StatsQuery, position: int) -> StatsAnswer:
    """The counts by kind and status, the latest record, and the settings."""
    by_status = _by_status(db)
    values = {row.key: row.value for row in db.execute(select(metadata))}
    settings = PersonSettings.model_validate_json(values.get("settings", "{}"))
    cap = settings.soft_cap or (int(values["soft_cap"]) if "soft_cap" in values else None)
    return StatsAnswer(
        position=position,
        memories=by_status[Standing.ACTIVE],
        by_status=by_status,
        pinned=_count(db, memories.c.pinned),
        manually_saved=_count(db, memories.c.manually_saved),
        repeats=db.scalar(select(func.coalesce(func.sum(memories.c.repeat_count), 0))) or 0,
        trims=db.scalar(select(func.count()).where(memories.c.ended_because == "trimmed")) or 0,
        sessions=db.scalar(select(func.count()).select_from(sessions)) or 0,
        open_sessions=db.scalar(select(func.count()).select_from(sessions).where(sessions.c.completed_at.is_(None))) or 0,
        entities=db.scalar(select(func.count()).select_from(entities)) or 0,
        latest_recorded_at=latest_record(db),
        soft_cap=cap,
        cap_usage=by_status[Standing.ACTIVE][Kind.FACT] / cap if cap else None,
        capacity_exceeded_at=_moment(values, "capacity_exceeded_at"),
        settings=settings,
    )


def latest_record(db: Connection) -> datetime | None:
    """The moment at which the newest memory was recorded; None if there is none. One row is read."""
    latest = db.scalar(select(memories.c.created_at).order_by(memories.c.number.desc()).limit(1))
    return moment(latest) if latest is not None else None


def no_stats(position: int) -> StatsAnswer:
    """The counts of someone of whom nothing is known."""
    return StatsAnswer(
        position=position,
        memories=dict.fromkeys(Kind, 0),
        by_status={status: dict.fromkeys(Kind, 0) for status in Standing},
        sessions=0,
        open_sessions=0,
        entities=0,
        latest_recorded_at=None,
    )


def summary(db: Connection, query: SummaryQuery, position: int) -> SummaryAnswer:
    """The facts by topic and the entities mentioned most, with the same as a page to read."""
    counts = _by_status(db)[Standing.ACTIVE]
    topics = _topics(db, query)
    entities = most_mentioned(db, _ENTITIES_OF_A_SUMMARY)
    return SummaryAnswer(
        position=position,
        markdown=summary_markdown(counts, topics, entities),
        topics=tuple(topics),
        memories=counts,
        entities=tuple(entities),
    )


def no_summary(position: int) -> SummaryAnswer:
    """The summary of someone of whom nothing is known."""
    return SummaryAnswer(position=position, markdown="", topics=(), memories=dict.fromkeys(Kind, 0), entities=())


def _topics(db: Connection, query: SummaryQuery) -> list[Topic]:
    """The facts by their first tag, best first; facts without a tag last."""
    rows = db.execute(_TOPICS, {"most": query.limit, "topics": query.topics}).all()
    found = by_numbers(db, [row.number for row in rows])
    by_tag: dict[str | None, list[Memory]] = {}
    counts = {row.tag: row.facts for row in rows}
    for row in rows:
        by_tag.setdefault(row.tag, []).append(found[row.number])
    return [Topic(tag=tag, facts=counts[tag], memories=tuple(of)) for tag, of in by_tag.items()]


def profile(db: Connection, query: EntityQuery, position: int) -> EntityAnswer:
    """The profile of the entity that a name means, and the memories that mention it. Raises NotFound."""
    known = find(db, query.name)
    if not known:
        raise NotFound("nobody and nothing of this name is known for this space and user")
    mentioning = select(*COLUMNS).where(_ACTIVE, mentions(known[0].entity_id))
    newest = db.execute(mentioning.order_by(desc(memories.c.event_time), desc(memories.c.number)).limit(query.limit))
    facts = db.execute(mentioning.where(memories.c.kind == Kind.FACT).order_by(*_BEST_FIRST).limit(_FACTS_OF_A_PROFILE))
    return EntityAnswer(
        position=position,
        entity=known[0],
        summary="\n".join(row.content for row in facts),
        memories=tuple(memories_of(db, newest.all())),
        others=tuple(known[1:]),
    )


def _by_status(db: Connection) -> dict[Standing, dict[Kind, int]]:
    counts = {status: dict.fromkeys(Kind, 0) for status in Standing}
    columns = (memories.c.status, memories.c.kind)
    for status, kind, count in db.execute(select(*columns, func.count()).group_by(*columns)):
        counts[Standing(status)][Kind(kind)] = count
    return counts


def _count(db: Connection, flag: Column[int]) -> int:
    return db.scalar(select(func.count()).select_from(memories).where(_ACTIVE, flag == 1)) or 0


def _moment(values: Mapping[str, str], key: str) -> datetime | None:
    return moment(int(values[key])) if key in values else None
