"""Writes the index of a person's file in the transaction that writes its rows."""

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
from shared.language.text.indexed import date_words, said, without_subject
from shared.language.text.words import spaced
from shared.runtime.sqlite import rows, write_rows

_TEXTS = """
SELECT number, kind, content, speaker, event_time, tags, origin, ended_because FROM memories
WHERE number IN (SELECT value FROM json_each(:numbers))
"""
_REGISTER = "INSERT INTO vector_models(model, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING"


class _Text(NamedTuple):
    """The columns of a memory that its indexed text depends on."""

    number: int
    kind: str
    content: str
    speaker: str | None
    event_time: int
    tags: str
    origin: str | None
    ended_because: str | None


def index_words(db: Connection, changes: FileChanges, before: Sequence[IndexedText]) -> None:
    """Index new memories, and index again those whose text has changed. `before`: the old texts of the latter."""
    created = [_Text._make(row[name] for name in _Text._fields) for row in changes.created]
    INDEX.words.remove(db, before)
    INDEX.words.put(db, [*_indexed(created), *indexed_texts(db, changes.reindexed)])


def unindex(db: Connection, numbers: Collection[int]) -> None:
    """Remove memories from the index. Call it before their rows are deleted."""
    INDEX.words.remove(db, indexed_texts(db, numbers))
    INDEX.vectors.remove(db, numbers)


def indexed_texts(db: Connection, numbers: Collection[int]) -> list[IndexedText]:
    """Return the indexed texts of memories as their rows are now, without memories that are not indexed."""
    if not numbers:
        return []
    return list(_indexed(map(_Text._make, rows(db, _TEXTS, {"numbers": json.dumps(list(numbers))}))))


def index_vectors(db: Connection, vectors: Iterable[tuple[int, str, Embedding]], packed: Iterable[bytes]) -> None:
    """Index vectors of memories. `packed`: their float16 bytes. Call it before the vectors are written to their table."""
    by_model: dict[tuple[str, int], dict[int, StoredVector]] = {}
    for (number, kind, embedding), vector in zip(vectors, packed, strict=True):
        of_model = by_model.setdefault((embedding.model, len(vector) // HALF_BYTES), {})
        of_model[number] = StoredVector(number, kind, vector)
    write_rows(db, _REGISTER, by_model)
    for model, found in by_model.items():
        INDEX.vectors.put(db, *model, list(found.values()))


def _indexed(texts: Iterable[_Text]) -> Iterator[IndexedText]:
    """Yield the indexed texts of memories that are not held back. A turn's date stands apart: it does not find neighbours."""
    for text in texts:
        if text.ended_because == HELD_BACK:
            continue
        tags = spaced(" ".join(json.loads(text.tags)))
        if text.kind == Kind.EPISODE:
            yield IndexedText(text.number, spaced(said(text.speaker, text.content)), date_words(moment(text.event_time)), tags)
        else:
            yield IndexedText(text.number, "", spaced(without_subject(text.content) if text.origin else text.content), tags)
