"""Finds whom the names of a question mean, by how people address each other in a person's file."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from services.retriever.domain.calling import AddressingTurn, addressed, misspelt, put_with, strange_names
from services.retriever.store.arrays.columns import ENDED, HELD_BACK
from services.retriever.store.arrays.memory_rows import SPEAKER
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.arrays.searched_file import SearchedFile
from services.retriever.store.arrays.word_places import places_of
from shared.domain.arrays import NDArray, np
from shared.runtime.sqlite import rows
from shared.text.words import is_by_character

_ENOUGH = 200
_TEXTS = """
SELECT number, content FROM memories WHERE number IN (SELECT value FROM json_each(:numbers)) ORDER BY number
"""


def as_called(file: SearchedFile, question: str, speakers: Collection[str]) -> str:
    """The question with the names of speakers in the place of others that mean them.

    A name that stands in no memory is a misspelt one; whose a name is that others use, those tell who answer to it.
    """
    if not speakers:
        return question
    meant: dict[str, str] = {}
    for name in strange_names(question, speakers):
        if is_by_character(name):
            continue
        found = _rows_with(file.arrays, name)
        if speaker := addressed(name, _turns(file, found)) if len(found) else misspelt(name, speakers):
            meant[name] = speaker
    return put_with(question, meant)


def _rows_with(arrays: PersonArrays, name: str) -> NDArray[Any]:
    """The oldest live memories with a name in their own words."""
    found = places_of(arrays, f'"{name}"').own_rows
    return np.asarray(found[arrays["flags"][found] & (ENDED | HELD_BACK) == 0][:_ENOUGH])


def _turns(file: SearchedFile, found: NDArray[Any]) -> list[AddressingTurn]:
    """The turns in these rows, who said each, and who spoke before and after; none where nobody with a name did."""
    arrays = file.arrays
    beside = arrays["beside"][found, :2]
    if not ((beside >= 0) & (arrays["speaker"][beside] >= 0)).any():
        return []
    numbers = arrays["number"][found].tolist()
    texts = dict(rows(file.db, _TEXTS, {"numbers": json.dumps(numbers)}))
    before_and_after = zip(*(_speakers(arrays, rows) for rows in beside.T), strict=True)
    return [
        AddressingTurn(texts[number], speaker, beside)
        for number, speaker, beside in zip(numbers, _speakers(arrays, found), before_and_after, strict=True)
    ]


def _speakers(arrays: PersonArrays, found: NDArray[Any]) -> list[str | None]:
    """Who said the turn in each of these rows; None for the row -1, and where the speaker has no name."""
    speakers = zip(found.tolist(), arrays["speaker"][found].tolist(), strict=True)
    return [arrays.names.after(SPEAKER, speaker) if row >= 0 else None for row, speaker in speakers]
