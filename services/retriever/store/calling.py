"""Finds whom the names of a question mean, by how people address each other in a person's file."""

from collections.abc import Collection

from sqlalchemy import Connection

from services.retriever.domain.calling import AddressingTurn, addressed, misspelt, put_with, strange_names
from services.retriever.store.memory_row import HELD_BACK
from shared.runtime.sqlite import rows
from shared.text.words import is_by_character

_ENOUGH = 200
_TURNS_WITH = f"""
SELECT turn.content, turn.speaker, before.speaker, after.speaker
FROM memories_fts JOIN memories AS turn ON turn.number = memories_fts.rowid
LEFT JOIN neighbours USING (number)
LEFT JOIN memories AS before ON before.number = neighbours.before1
LEFT JOIN memories AS after ON after.number = neighbours.after1
WHERE memories_fts MATCH :term AND turn.valid_until IS NULL AND turn.ended_because IS NOT '{HELD_BACK}'
LIMIT {_ENOUGH}
"""


def as_called(db: Connection, question: str, speakers: Collection[str]) -> str:
    """The question with the names of speakers in the place of others that mean them.

    A name that stands in no memory is a misspelt one; whose a name is that others use, those tell who answer to it.
    """
    if not speakers:
        return question
    meant: dict[str, str] = {}
    for name in strange_names(question, speakers):
        if is_by_character(name):
            continue
        found = rows(db, _TURNS_WITH, {"term": f'turn : "{name}"'})
        turns = [AddressingTurn(text, speaker, tuple(beside)) for text, speaker, *beside in found]
        if speaker := addressed(name, turns) if turns else misspelt(name, speakers):
            meant[name] = speaker
    return put_with(question, meant)
