"""Finds whom the names of a question mean, by how people address each other in a person's file."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import starmap

from services.retriever.store.search.columns import ENDED, HELD_BACK
from services.retriever.store.search.index import INDEX
from services.retriever.store.search.searched_file import SearchedFile
from shared.domain.arrays import np
from shared.language.questions.calling import AddressingTurn, addressed, greets, misspelt, put_with, strange_names
from shared.language.questions.tables import greetings
from shared.language.text.words import is_by_character
from shared.runtime.sqlite import rows

_ENOUGH = 200
_MOST_LOOKED_AT = 2_000
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
        found = _holding(file, [f'"{name}"'])
        if speaker := _addressed(file, name, found) if found else misspelt(name, speakers):
            meant[name] = speaker
    return put_with(question, meant)


def _holding(file: SearchedFile, terms: Sequence[str]) -> list[int]:
    """Return the numbers of the oldest live memories that hold one of these terms in their text."""
    numbers = np.array(INDEX.words.numbers(file.db, terms, _MOST_LOOKED_AT), np.int64)
    found = numbers[file.columns["flags"][file.columns.rows_of(numbers)] & (ENDED | HELD_BACK) == 0]
    return list(found[:_ENOUGH].tolist())


def _addressed(file: SearchedFile, name: str, found: Collection[int]) -> str | None:
    """Return the speaker whom these turns address by a name, or None.

    The turns in which the name stands after a greeting are read first.

    Without a greeting nobody is addressed by it, and in most files no turn has one: so none of the others need be read.
    """
    greeted = _holding(file, [f'"{greeting} {name}"' for greeting in greetings()])
    may_greet = _texts(file, [number for number in greeted if number in found])
    return addressed(name, _turns(file, found)) if any(greets(name, text) for text in may_greet) else None


def _turns(file: SearchedFile, found: Collection[int]) -> list[AddressingTurn]:
    """Return these turns with their speakers and those before and after; none if nobody beside them has a name."""
    columns = file.columns
    at = columns.rows_of(found)
    beside = columns["beside"][at, :2]
    if not ((beside >= 0) & (columns["speaker"][beside] >= 0)).any():
        return []
    of_all = np.append(columns["speaker"], -1)  # nobody speaks in the row -1
    speakers, before, after = (columns.speakers.at(of_all[rows].tolist()) for rows in (at, *beside.T))
    before_and_after = zip(before, after, strict=True)
    return list(starmap(AddressingTurn, zip(_texts(file, found), speakers, before_and_after, strict=True)))


def _texts(file: SearchedFile, numbers: Collection[int]) -> list[str]:
    """Return the texts of these memories, given in ascending order."""
    return [text for (text,) in rows(file.db, _TEXTS, {"numbers": json.dumps(list(numbers))})] if numbers else []
