"""Tells which facts of an agent rest on the turns that they name, as the consolidator does for a model's.

Source: docs/adr/0024-a-models-fact-needs-evidence.md.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from services.ingest.domain.recollection import Recollection, ToldMemory
from shared.contracts.consolidating import FactOfBatch
from shared.contracts.ids import SessionId
from shared.contracts.parts import Role


class CitedTurn(NamedTuple):
    """A turn as a fact may rest on it."""

    role: Role | None
    speaker: str | None
    text: str
    occurred_at: datetime


def founded(facts: Sequence[FactOfBatch], session_id: SessionId, words: Recollection) -> list[FactOfBatch]:
    """The facts whose words rest on turns of the user that they name. One whose turns are forgotten is judged elsewhere."""
    turns = {told.memory_id: _turn(told) for told in words.of_session(session_id) if told.role and told.said_at}
    page, known = list(turns.values()), [text for told in words.facts() for text in told.texts]
    cited = ([turns[source] for source in fact.source_ids if source in turns] for fact in facts)
    return [fact for fact, own in zip(facts, cited, strict=True) if not own or _rests(fact.text, own, page, known)]


def _rests(text: str, cited: Sequence[CitedTurn], page: Sequence[CitedTurn], known: Sequence[str]) -> bool:
    from shared.language.statements.grounding import Grounds  # noqa: PLC0415 - tables that nobody needs at the start

    is_of_user = any(turn.role is Role.USER for turn in cited)
    return is_of_user and Grounds.of(cited, page, known).supports(text)


def _turn(told: ToldMemory) -> CitedTurn:
    assert told.said_at  # noqa: S101 - it is a turn
    return CitedTurn(told.role, told.speaker, told.texts[0], told.said_at)
