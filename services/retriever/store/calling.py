"""Finds whom the names of a question mean, by how people address each other in a person's file."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from services.retriever.domain.calling import GREETINGS, AddressingTurn, addressed, misspelt, put_with, strange_names
from services.retriever.store.arrays.columns import ENDED, HELD_BACK
from services.retriever.store.arrays.memory_rows import SPEAKER
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.arrays.searched_file import SearchedFile
from services.retriever.store.arrays.word_places import TermPlaces, places_of
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
        places = places_of(file.arrays, f'"{name}"')
        found = _live(file.arrays, places.own_rows)
        if not len(found):
            speaker = misspelt(name, speakers)
        else:
            speaker = addressed(name, _turns(file, found)) if _is_greeted(file.arrays, places) else None
        if speaker:
            meant[name] = speaker
    return put_with(question, meant)


def _live(arrays: PersonArrays, found: NDArray[Any]) -> NDArray[Any]:
    """The oldest live memories among these."""
    return np.asarray(found[arrays["flags"][found] & (ENDED | HELD_BACK) == 0][:_ENOUGH])


def _is_greeted(arrays: PersonArrays, name: TermPlaces) -> bool:
    """Whether a name stands after a greeting anywhere, without which nobody is addressed by it: else no text need be read."""
    after = arrays.computed("after greetings", _after_greetings)
    begins, ends = (np.searchsorted(after, name.keys, side) for side in ("left", "right"))
    return bool((begins < ends).any())


def _after_greetings(arrays: PersonArrays) -> NDArray[Any]:
    """The places right after greetings, each with its memory as one number, ascending."""
    return np.sort(np.concatenate([places_of(arrays, f'"{each}"').keys + len(each.split()) for each in GREETINGS]))


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
