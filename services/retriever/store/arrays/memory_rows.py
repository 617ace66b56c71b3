"""Reads from a person's SQLite file what the arrays hold of each memory. The same for one memory as for all of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from services.retriever.domain.manner import PlainManner, plain_manner
from services.retriever.domain.repeats import says_nothing, wording_key
from services.retriever.domain.telling_change import tells_change, tells_end
from services.retriever.store.arrays.columns import ASKS as IS_QUESTION
from services.retriever.store.arrays.columns import (
    DATED,
    ENDED,
    HAS_DIGIT,
    HELD_BACK,
    JOKES,
    KINDS,
    MAY_PUT_RIGHT,
    OF_BOT,
    OF_USER,
    PINNED,
    ROLLED_UP,
    SAYS_NOTHING,
    SUPERSEDED,
    TELLS_CHANGE,
    TELLS_END,
    VectorModel,
)
from services.retriever.store.arrays.names import Names
from services.retriever.store.legs import ASKS
from shared.contracts.parts import Kind, Role
from shared.domain.arrays import NDArray, np
from shared.domain.moments import moment
from shared.runtime.sqlite import rows
from shared.statements.righting import is_joke, may_put_right
from shared.text.indexed import date_words, said, without_subject
from shared.text.length import beginning
from shared.text.words import spaced

_THESE = "number IN (SELECT value FROM json_each(:numbers))"
_DECAY = "CASE WHEN pinned THEN 0.0 ELSE decay_rate END"
OF_STANDING = ENDED | SUPERSEDED | HELD_BACK | ROLLED_UP | PINNED
"""The flags that change; the others follow from what a memory says, and who said it."""

_STANDING = f"""
  {ENDED} * (valid_until IS NOT NULL) + {SUPERSEDED} * (status = 'superseded') + {HELD_BACK} * (ended_because IS 'held_back')
  + {ROLLED_UP} * (ended_because IS 'rolled_up') + {PINNED} * (pinned = 1)
"""
_SCORES = f"""
SELECT number, importance, confidence, confidence_at, {_DECAY}, {_STANDING} FROM memories WHERE {_THESE} ORDER BY number
"""
_MEMORIES = f"""
SELECT number, kind, event_time, importance, confidence, confidence_at,
  {_DECAY}, session_id, speaker, source_role, content, tags, origin, {_STANDING}
  + {IS_QUESTION} * (kind = 'episode' AND {ASKS})
  + {OF_BOT} * (kind = 'episode' AND source_role IS 'assistant' AND speaker IS NULL)
  + {OF_USER} * (kind = 'episode' AND source_role IS 'user')
  + {DATED} * EXISTS (SELECT 1 FROM memory_days WHERE memory_days.number = memories.number)
FROM memories WHERE {_THESE} ORDER BY number
"""
_NUMBERS = "SELECT number FROM memories ORDER BY number"
_VECTORS = f"SELECT number, model, embedding FROM vec_memories WHERE {_THESE} ORDER BY model, number"
_FLOAT_BYTES = 4

SESSION, SPEAKER = "session ", "speaker "
"""What stands before the names of sessions and of speakers among those of words."""


class SearchedMemory(NamedTuple):
    """What is read of a memory."""

    number: int
    kind: str
    time: int
    importance: float
    confidence: float
    anchor: int
    decay_rate: float
    session: str | None
    speaker: str | None
    role: str | None
    content: str
    tags: str
    origin: str | None
    flags: int

    @property
    def is_turn(self) -> bool:
        """True if it has neighbours: a turn that is not held back."""
        return self.kind == Kind.EPISODE and not self.flags & HELD_BACK

    @property
    def says_nothing(self) -> bool:
        """True of a turn that only reacts or only tells the memory what to do."""
        role = Role(self.role) if self.role else None
        return self.kind == Kind.EPISODE and says_nothing(self.content, role, self.speaker)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its session and of its speaker."""
        return tuple(of + name for of, name in ((SESSION, self.session), (SPEAKER, self.speaker)) if name is not None)

    @property
    def indexed(self) -> tuple[str, str]:
        """The words by which it is found, of a turn with those of its date; and its tags."""
        if self.flags & HELD_BACK:
            return "", ""
        tags = spaced(" ".join(json.loads(self.tags)))
        if self.is_turn:
            return f"{spaced(said(self.speaker, self.content))} {date_words(moment(self.time))}", tags
        return spaced(without_subject(self.content) if self.origin else self.content), tags


class Scores(NamedTuple):
    """What changes of memories without their words, as columns; `standing`: the flags that do."""

    number: NDArray[np.int64]
    importance: NDArray[np.float64]
    confidence: NDArray[np.float64]
    anchor: NDArray[np.int64]
    decay_rate: NDArray[np.float64]
    standing: NDArray[np.uint16]


class ModelVectors(NamedTuple):
    """The vectors of one model, of length 1 unless all zeros, and the memories that have them."""

    model: VectorModel
    numbers: list[int]
    vectors: NDArray[np.float32]


def numbers_of_all(db: Connection) -> list[int]:
    """The numbers of all memories, ascending."""
    return [number for (number,) in rows(db, _NUMBERS)]


def memory_rows(db: Connection, numbers: Collection[int]) -> list[SearchedMemory]:
    """These memories, ascending by number; those that are gone are left out."""
    return list(map(SearchedMemory._make, rows(db, _MEMORIES, {"numbers": json.dumps(list(numbers))})))


def scores(db: Connection, numbers: Collection[int]) -> Scores:
    """What may have changed of these memories without their words, ascending by number; those that are gone are left out."""
    found = rows(db, _SCORES, {"numbers": json.dumps(list(numbers))})
    columns = zip(*found, strict=True) if found else ((),) * len(Scores._fields)
    types = ("<i8", "<f8", "<f8", "<i8", "<f8", "<u2")
    return Scores(*(np.array(column, of_type) for column, of_type in zip(columns, types, strict=True)))


def plain_columns(found: Sequence[SearchedMemory], names: Names) -> dict[str, NDArray[np.generic]]:
    """The columns of these memories that no other memory has a part in. `names`: those of sessions and speakers among them."""
    manners = [plain_manner(row.content) for row in found]
    columns: dict[str, Iterable[Any]] = {
        "number": (row.number for row in found),
        "time": (row.time for row in found),
        "importance": (row.importance for row in found),
        "confidence": (row.confidence for row in found),
        "anchor": (row.anchor for row in found),
        "decay_rate": (row.decay_rate for row in found),
        "session": (-1 if row.session is None else names[SESSION + row.session] for row in found),
        "speaker": (-1 if row.speaker is None else names[SPEAKER + row.speaker] for row in found),
        "wording": (wording_key(row.content) for row in found),
        "kind": (KINDS.index(row.kind) for row in found),
        "flags": (row.flags | _flags_of_words(row, told) for row, told in zip(found, manners, strict=True)),
        "of_self": (told.of_self for told in manners),
        "to_other": (told.to_other for told in manners),
        "capitals": (told.capitals for told in manners),
        "length": (told.length for told in manners),
    }
    return {name: np.array(list(values)) for name, values in columns.items()}


def _flags_of_words(row: SearchedMemory, told: PlainManner) -> int:
    found = HAS_DIGIT * told.has_digit | SAYS_NOTHING * row.says_nothing
    if row.flags & OF_USER:
        found |= MAY_PUT_RIGHT * may_put_right(row.content) | JOKES * is_joke(row.content)
    if row.flags & OF_USER or row.kind != Kind.EPISODE:
        text = beginning(row.content)
        found |= TELLS_CHANGE * tells_change(text) | TELLS_END * tells_end(text)
    return found


def vectors_of(db: Connection, numbers: Collection[int]) -> Iterator[ModelVectors]:
    """The vectors of these memories, model by model."""
    by_model: dict[VectorModel, list[tuple[int, bytes]]] = {}
    for number, model, raw in rows(db, _VECTORS, {"numbers": json.dumps(list(numbers))}):
        by_model.setdefault(VectorModel(model, len(raw) // _FLOAT_BYTES), []).append((number, raw))
    for model, found in by_model.items():
        raw = b"".join(each for _, each in found)
        vectors = np.frombuffer(raw, "<f4").reshape(len(found), model.dimensions)
        lengths = np.linalg.norm(vectors, axis=1)
        yield ModelVectors(model, [number for number, _ in found], vectors / (lengths + (lengths == 0))[:, None])
