"""Tells which turns their own speaker put right a moment later, `I live in Leeds.`, `no wait, York`, or took back as a joke.

Only the words say so. So it is known before anything is learned from the session, and where learning missed it.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from services.retriever.domain.succession import Heir, MemoryEnding
from services.retriever.store.legs import Connection
from shared.language.statements.righting import Righting, is_joke, may_put_right, righting
from shared.runtime.sqlite import rows

WITHIN = 24
"""So many events after a turn the turns are looked at that may put it right."""
NEXT_TURNS = 2
"""So many of them are looked at."""

_LATER = """
SELECT turn.number, turn.id, turn.content, later.number, later.id, later.content, later.event_time
FROM memories AS turn JOIN memories AS later
  ON later.number > turn.number AND later.number <= turn.number + :within AND later.kind = 'episode'
  AND later.ended_because IS NOT 'held_back'
  AND later.session_id = turn.session_id AND later.source_role = 'user' AND later.speaker IS turn.speaker
WHERE turn.number IN (SELECT value FROM json_each(:numbers)) AND turn.kind = 'episode' AND turn.source_role = 'user'
ORDER BY turn.number, later.number
"""
_TURNS = """
SELECT number, content, event_time FROM memories
WHERE number IN (SELECT value FROM json_each(:numbers)) AND kind = 'episode' AND source_role = 'user'
"""
_OF_BOTH = """
SELECT memories.number, memories.id FROM fact_sources AS one JOIN fact_sources AS other ON other.fact = one.fact
JOIN memories ON memories.number = one.fact
WHERE one.source = :earlier AND other.source = :later AND memories.status = 'active' ORDER BY memories.number
"""


class _Turn(NamedTuple):
    """A turn of the user."""

    number: int
    memory_id: str
    text: str


class _LaterTurn(NamedTuple):
    """A turn that the same speaker said soon after another one, and that begins as corrections do."""

    turn: _Turn
    said_at: int
    is_next: bool  # the speaker said nothing in between


def corrected(db: Connection, numbers: Collection[int]) -> dict[int, MemoryEnding]:
    """How much of each of these turns its speaker has put right; the others are left out.

    In its place stand the live facts that were learned of both turns, or else the turn that corrects; of a joke nothing does.
    """
    if not numbers:
        return {}
    jokes = {number: joke(said_at) for number, said_at in _jokes(db, numbers)}
    endings = {}
    for turn, later_turns in _followed(rows(db, _LATER, {"numbers": json.dumps(sorted(numbers)), "within": WITHIN})):
        for later in later_turns:
            if how := righting(turn.text, later.turn.text, is_next=later.is_next):
                by, since = Heir(later.turn.number, later.turn.memory_id), later.said_at if how is Righting.WHOLLY else None
                endings[turn.number] = put_right(db, turn.memory_id, by, since=since)
                break
    return jokes | endings


def joke(said_at: int) -> MemoryEnding:
    """The ending of a turn that says of itself that it is none to believe."""
    return MemoryEnding(is_whole=True, since=said_at, is_corrected=True)


def _jokes(db: Connection, numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    for number, text, said_at in rows(db, _TURNS, {"numbers": json.dumps(sorted(numbers))}):
        if is_joke(text):
            yield number, said_at


def _followed(found: Iterable[tuple[Any, ...]]) -> Iterator[tuple[_Turn, Sequence[_LaterTurn]]]:
    """Each turn with those of its speaker that followed, and may put it right."""
    followed: defaultdict[_Turn, list[_LaterTurn]] = defaultdict(list)
    for *earlier, number, memory_id, text, said_at in found:
        later_turns = followed[_Turn(*earlier)]
        later_turns.append(_LaterTurn(_Turn(number, memory_id, text), said_at, is_next=not later_turns))
    for turn, later_turns in followed.items():
        yield turn, [later for later in later_turns[:NEXT_TURNS] if may_put_right(later.turn.text)]


def put_right(db: Connection, memory_id: str, by: Heir, *, since: int | None) -> MemoryEnding:
    """The ending of a turn that another one puts right. `since`: when that was said, if nothing of it holds."""
    facts = rows(db, _OF_BOTH, {"earlier": memory_id, "later": by.memory_id})
    heirs = tuple(Heir(*fact) for fact in facts) or (by,)
    return MemoryEnding(is_whole=since is not None, heirs=heirs, since=since, is_corrected=True)
