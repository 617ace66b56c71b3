"""Finds whom the names of a question mean, by how people address each other in a person's file."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection
from itertools import starmap
from typing import Any

from services.retriever.domain.calling import GREETINGS, AddressingTurn, addressed, greets, misspelt, put_with, strange_names
from services.retriever.store.arrays.columns import ENDED, HELD_BACK
from services.retriever.store.arrays.memory_rows import SPEAKER
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.arrays.searched_file import SearchedFile
from services.retriever.store.arrays.tokens import words_of_term
from services.retriever.store.arrays.word_places import TermPlaces, own_rows_of, places_of
from shared.domain.arrays import NDArray, np
from shared.runtime.sqlite import rows
from shared.text.words import is_by_character

_ENOUGH = 200
_FEW_WORDS = 50_000
_FEW_LOOKS = 4
"""One costs a sixth of looking all greetings up, as is done once for who is asked about again and again."""

_TEXTS = """
SELECT content FROM memories WHERE number IN (SELECT value FROM json_each(:numbers)) ORDER BY number
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
        term = f'"{name}"'
        found = _live(file.arrays, own_rows_of(file.arrays, term))
        speaker = _addressed(file, name, found, term) if len(found) else misspelt(name, speakers)
        if speaker:
            meant[name] = speaker
    return put_with(question, meant)


def _live(arrays: PersonArrays, found: NDArray[Any]) -> NDArray[Any]:
    """The oldest live memories among these."""
    return np.asarray(found[arrays["flags"][found] & (ENDED | HELD_BACK) == 0][:_ENOUGH])


def _addressed(file: SearchedFile, name: str, found: NDArray[Any], term: str) -> str | None:
    """Whom the turns in these rows address by a name; those in which it stands after a greeting are read first.

    Without a greeting nobody is addressed by it, and in most files no turn has one: so none of the others need be read.
    """
    greeted = _greeted(file.arrays, places_of(file.arrays, term))
    may_greet = _texts(file, found[file.arrays.are_among(greeted)[found]]) if len(greeted) else ()
    return addressed(name, _turns(file, found)) if any(greets(name, text) for text in may_greet) else None


def _greeted(arrays: PersonArrays, name: TermPlaces) -> NDArray[Any]:
    """The rows in which a name stands right after a greeting."""
    is_seldom = len(arrays["row"]) <= _FEW_WORDS and arrays.asked_how_often("greetings") <= _FEW_LOOKS
    if is_seldom and not _may_be_greeted(arrays, name):
        return name.rows[:0]
    after = arrays.computed("after greetings", _after_greetings)
    begins, ends = (np.searchsorted(after, name.keys, side) for side in ("left", "right"))
    return np.asarray(name.rows[begins < ends])


def _may_be_greeted(arrays: PersonArrays, name: TermPlaces) -> bool:
    """Whether the last word of a greeting stands right before a name, by one look at all words."""
    near = np.flatnonzero(arrays.are_among(name.rows)[arrays["row"]])
    places = TermPlaces(arrays["row"][near], arrays["place"][near])
    before = near[np.isin(places.keys + 1, name.keys)]
    return any(arrays.names.after("", word) in _greeting_ends() for word in set(arrays["word"][before].tolist()))


@functools.cache
def _greeting_ends() -> frozenset[str]:
    """The last words of greetings, as texts are indexed by them."""
    return frozenset(words_of_term(f'"{each}"')[-1] for each in GREETINGS)


def _after_greetings(arrays: PersonArrays) -> NDArray[Any]:
    """The places right after greetings, each with its memory as one number, ascending."""
    return np.sort(np.concatenate([places_of(arrays, f'"{each}"').keys + len(each.split()) for each in GREETINGS]))


def _turns(file: SearchedFile, found: NDArray[Any]) -> list[AddressingTurn]:
    """The turns in these rows, who said each, and who spoke before and after; none where nobody with a name did."""
    arrays = file.arrays
    beside = arrays["beside"][found, :2]
    if not ((beside >= 0) & (arrays["speaker"][beside] >= 0)).any():
        return []
    before_and_after = zip(*(_speakers(arrays, rows) for rows in beside.T), strict=True)
    turns = zip(_texts(file, found), _speakers(arrays, found), before_and_after, strict=True)
    return list(starmap(AddressingTurn, turns))


def _texts(file: SearchedFile, found: NDArray[Any]) -> list[str]:
    """The texts of the memories in these rows, which ascend."""
    numbers = file.arrays["number"][found].tolist()
    return [text for (text,) in rows(file.db, _TEXTS, {"numbers": json.dumps(numbers)})] if numbers else []


def _speakers(arrays: PersonArrays, found: NDArray[Any]) -> list[str | None]:
    """Who said the turn in each of these rows; None for the row -1, and where the speaker has no name."""
    speakers = zip(found.tolist(), arrays["speaker"][found].tolist(), strict=True)
    return [arrays.names.after(SPEAKER, speaker) if row >= 0 else None for row, speaker in speakers]
