"""Keeps the index of a person's file in step with its rows, in their transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from services.retriever.store.changes import FileChanges
from services.retriever.store.memory_row import HELD_BACK
from services.retriever.store.search.index import INDEX
from services.retriever.store.search.port import HALF_BYTES, IndexedText, StoredVector
from shared.contracts.parts import Embedding, Kind
from shared.domain.moments import moment
from shared.runtime.sqlite import rows, write_rows
from shared.text.indexed import date_words, said, without_subject
from shared.text.words import spaced

_TEXTS = """
SELECT number, kind, content, speaker, event_time, tags, origin, ended_because FROM memories
WHERE number IN (SELECT value FROM json_each(:numbers))
"""
_REGISTER = "INSERT INTO vector_models(model, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING"


class _Text(NamedTuple):
    """What of a memory its words depend on."""

    number: int
    kind: str
    content: str
    speaker: str | None
    event_time: int
    tags: str
    origin: str | None
    ended_because: str | None


def index_words(db: Connection, changes: FileChanges, before: Sequence[IndexedText]) -> None:
    """Index the memories that came, and anew those that were indexed by other texts `before`, or are held back no more."""
    created = [_Text._make(row[name] for name in _Text._fields) for row in changes.created]
    INDEX.words.remove(db, before)
    INDEX.words.put(db, [*_indexed(created), *indexed_texts(db, changes.reindexed)])


def unindex(db: Connection, numbers: Collection[int]) -> None:
    """Leave memories out of the index, before they are deleted."""
    INDEX.words.remove(db, indexed_texts(db, numbers))
    INDEX.vectors.remove(db, numbers)


def indexed_texts(db: Connection, numbers: Collection[int]) -> list[IndexedText]:
    """The texts by which memories are indexed as they are in their table; those that are not indexed are left out."""
    if not numbers:
        return []
    return list(_indexed(map(_Text._make, rows(db, _TEXTS, {"numbers": json.dumps(list(numbers))}))))


def index_vectors(db: Connection, vectors: Iterable[tuple[int, str, Embedding]], packed: Iterable[bytes]) -> None:
    """Index vectors of memories, each with its bytes of float16, before they stand in their table."""
    by_model: dict[tuple[str, int], dict[int, StoredVector]] = {}
    for (number, kind, embedding), vector in zip(vectors, packed, strict=True):
        of_model = by_model.setdefault((embedding.model, len(vector) // HALF_BYTES), {})
        of_model[number] = StoredVector(number, kind, vector)
    write_rows(db, _REGISTER, by_model)
    for model, found in by_model.items():
        INDEX.vectors.put(db, *model, list(found.values()))


def _indexed(texts: Iterable[_Text]) -> Iterator[IndexedText]:
    """The texts that are not held back; that of a turn with its date, by which its neighbours are not found."""
    for text in texts:
        if text.ended_because == HELD_BACK:
            continue
        tags = spaced(" ".join(json.loads(text.tags)))
        if text.kind == Kind.EPISODE:
            yield IndexedText(text.number, spaced(said(text.speaker, text.content)), date_words(moment(text.event_time)), tags)
        else:
            yield IndexedText(text.number, "", spaced(without_subject(text.content) if text.origin else text.content), tags)
