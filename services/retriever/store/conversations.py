"""Reads the sessions of a person: how far each is learned from, by which runs, and the turns that are still to be read."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from services.retriever.store.read_memories import by_ids
from shared.contracts.errors import NotFound
from shared.contracts.parts import Echo
from shared.contracts.queries import (
    ConsolidationRun,
    Conversation,
    ConversationState,
    EpisodesAnswer,
    EpisodesQuery,
    Memory,
    SessionsAnswer,
    SessionsQuery,
)
from shared.domain.moments import moment
from shared.language.text.without_echoes import without_echoes
from shared.runtime.sqlite import values_named

_SESSIONS = text(
    """
    SELECT sessions.*, count(turn.number) AS turns, coalesce(sum(turn.number > through), 0) AS new_turns
    FROM (
      SELECT *, (SELECT coalesce(max(through_number), 0) FROM consolidation_runs AS run
                 WHERE run.session_id = sessions_consolidations.session_id) AS through
      FROM sessions_consolidations WHERE :session_id IS NULL OR session_id = :session_id
      ORDER BY first_seen_at DESC, session_id LIMIT :limit) AS sessions
    LEFT JOIN memories AS turn ON turn.session_id = sessions.session_id AND turn.kind = 'episode'
    GROUP BY sessions.session_id ORDER BY first_seen_at DESC, sessions.session_id
    """
)
_RUNS = text(
    """
    SELECT * FROM consolidation_runs WHERE session_id IN (SELECT value FROM json_each(:ids)) ORDER BY number
    """
)
_NEW_TURNS = text(
    """
    SELECT id, echoes FROM memories WHERE session_id = :session_id AND kind = 'episode' AND number > :after AND number > (
      SELECT coalesce(max(through_number), 0) FROM consolidation_runs WHERE session_id = :session_id)
      AND ended_because IS NOT 'held_back'
    ORDER BY number LIMIT :limit
    """
)


def conversations(db: Connection, query: SessionsQuery, position: int) -> SessionsAnswer:
    """The sessions of a person, with their runs."""
    rows = db.execute(_SESSIONS, {"session_id": query.session_id, "limit": query.limit}).all()
    runs: dict[str, list[ConsolidationRun]] = {}
    for row in db.execute(_RUNS, {"ids": json.dumps([row.session_id for row in rows])}):
        times = {"at": moment(row.at), "undone_at": None if row.undone_at is None else moment(row.undone_at)}
        run = ConsolidationRun(**values_named(row, ConsolidationRun.model_fields) | times)
        runs.setdefault(row.session_id, []).append(run)
    return SessionsAnswer(position=position, sessions=tuple(_conversation(row, runs.get(row.session_id, ())) for row in rows))


def no_conversations(position: int) -> SessionsAnswer:
    """The answer about a person of whom nothing is known."""
    return SessionsAnswer(position=position, sessions=())


def episodes(db: Connection, query: EpisodesQuery, position: int) -> EpisodesAnswer:
    """The turns that no run has read. Raises NotFound for a session that is not known."""
    known = conversations(db, SessionsQuery(session_id=query.session_id), position).sessions
    if not known:
        raise NotFound("no turn of this session was recorded")
    page = {"session_id": query.session_id, "after": query.after_number, "limit": query.limit}
    echoes = {row.id: json.loads(row.echoes) for row in db.execute(_NEW_TURNS, page)}
    turns = by_ids(db, list(echoes))
    return EpisodesAnswer(
        position=position,
        session_id=query.session_id,
        is_consolidated=known[0].state is ConversationState.CONSOLIDATED,
        episodes=tuple(_without_echoes(turn, echoes[turn.memory_id]) for turn in turns),
        next_after_number=turns[-1].number if len(turns) == query.limit else None,
    )


def _conversation(row: Row[Any], runs: Sequence[ConsolidationRun]) -> Conversation:
    is_learned = bool(runs) and not row.new_turns
    over = ConversationState.CONSOLIDATED if is_learned else ConversationState.PENDING
    return Conversation(
        session_id=row.session_id,
        state=ConversationState.OPEN if row.completed_at is None else over,
        first_seen_at=moment(row.first_seen_at),
        completed_at=None if row.completed_at is None else moment(row.completed_at),
        turns=row.turns,
        new_turns=row.new_turns,
        runs=tuple(runs),
    )


def _without_echoes(turn: Memory, echoes: Sequence[dict[str, Any]]) -> Memory:
    return turn.model_copy(update={"text": without_echoes(turn.text, [Echo(**each) for each in echoes])}) if echoes else turn
