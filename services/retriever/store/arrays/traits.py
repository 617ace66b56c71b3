"""What of a memory ranking needs, read from the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from services.retriever.domain.manner import Manner, PlainManners
from services.retriever.store.arrays.columns import ASKS, DATED, HAS_DIGIT, KINDS, OF_BOT, SAYS_NOTHING, SUPERSEDED
from services.retriever.store.arrays.memory_rows import SESSION, SPEAKER
from services.retriever.store.arrays.person_arrays import PersonArrays
from shared.contracts.parts import Kind
from shared.domain.arrays import NDArray, np
from shared.domain.decay import DAY

_FACT = KINDS.index(Kind.FACT)
_OF_MANNER = ("of_self", "to_other", "capitals", "length")


class Traits(NamedTuple):
    """The traits of a memory."""

    number: int
    kind: str
    time: int  # microseconds
    importance: float
    confidence: float
    session_id: str | None
    speaker: str | None
    asks: bool  # a turn that is a question
    is_superseded: bool  # another memory holds in its place
    is_dated: bool  # it speaks of a day
    is_of_bot: bool  # a bot said it, not a person by name
    manner: Manner


def saying_nothing(arrays: PersonArrays, numbers: Sequence[int]) -> frozenset[int]:
    """The numbers of these memories that are turns which only react or only tell the memory what to do."""
    flags = arrays["flags"][arrays.rows_of(numbers)].tolist()
    return frozenset(number for number, of in zip(numbers, flags, strict=True) if of & SAYS_NOTHING)


def confidences(arrays: PersonArrays, rows: NDArray[Any], moment: int) -> NDArray[Any]:
    """How sure these memories are at a moment, in microseconds: `Fading.at` of all of them at once."""
    confidence, anchor, rate = (arrays[column][rows] for column in ("confidence", "anchor", "decay_rate"))
    sure: NDArray[Any] = confidence * np.exp(-rate * np.maximum(moment - anchor, 0) / DAY)
    return sure


def traits_of(arrays: PersonArrays, numbers: Sequence[int], language: str, moment: int) -> list[Traits]:
    """The traits of these memories at a moment, in their order; how they are said to who reads them in a language."""
    rows = arrays.rows_of(numbers)
    kinds, flags = arrays["kind"][rows], arrays["flags"][rows]
    columns = (
        *(arrays[column][rows].tolist() for column in ("time", "importance")),
        confidences(arrays, rows, moment).tolist(),
        *(_named(arrays, column, rows, start) for column, start in (("session", SESSION), ("speaker", SPEAKER))),
        *((flags & flag != 0).tolist() for flag in (ASKS, SUPERSEDED, DATED, OF_BOT)),
    )
    of_self, to_other, capitals, length = (arrays[column][rows] for column in _OF_MANNER)
    manners = PlainManners(of_self, to_other, capitals, flags & HAS_DIGIT != 0, length).read_in(language, kinds == _FACT)
    named = (KINDS[kind] for kind in kinds.tolist())
    return list(map(Traits, numbers, named, *columns, manners))


def _named(arrays: PersonArrays, column: str, rows: NDArray[Any], start: str) -> list[str | None]:
    """The names in a column of these rows, without their beginning."""
    places = arrays[column][rows].tolist()
    names = {place: arrays.names.after(start, place) for place in set(places)}
    return [names[place] for place in places]
