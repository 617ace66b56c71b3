"""What of a memory ranking needs, read from the columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from services.retriever.domain.manner import PlainManners
from services.retriever.domain.word_traits import ASKS, HAS_DIGIT
from services.retriever.store.search.columns import DATED, KINDS, OF_BOT, SUPERSEDED, MemoryColumns
from shared.contracts.parts import Kind
from shared.domain.arrays import NDArray, np
from shared.domain.decay import DAY

_FACT = KINDS.index(Kind.FACT)
_OF_MANNER = ("of_self", "to_other", "capitals", "length")


class Traits(NamedTuple):
    """The traits of some memories, each a column."""

    kind: Sequence[str]
    time: NDArray[Any]  # microseconds
    importance: NDArray[Any]
    confidence: NDArray[Any]
    session: Sequence[int | None]  # its place among the names
    speaker: NDArray[Any]  # likewise, -1 where nobody is named
    asks: NDArray[Any]  # a turn that is a question
    is_superseded: NDArray[Any]  # another memory holds in its place
    is_dated: NDArray[Any]  # it speaks of a day
    is_of_bot: NDArray[Any]  # a bot said it, not a person by name
    manner: NDArray[Any]  # float64[5, n], a row for each field of `Manner`


def confidences(columns: MemoryColumns, rows: NDArray[Any], moment: int) -> NDArray[Any]:
    """How sure these memories are at a moment, in microseconds: `Fading.at` of all of them at once."""
    confidence, anchor, rate = (columns[column][rows] for column in ("confidence", "anchor", "decay_rate"))
    sure: NDArray[Any] = confidence * np.exp(-rate * np.maximum(moment - anchor, 0) / DAY)
    return sure


def traits_of(columns: MemoryColumns, rows: NDArray[Any], language: str, moment: int) -> Traits:
    """The traits of the memories in these rows at a moment, in microseconds; how they are said to who reads a language."""
    kinds, flags = columns["kind"][rows], columns["flags"][rows]
    of_self, to_other, capitals, length = (columns[column][rows] for column in _OF_MANNER)
    asks, superseded, dated, of_bot = (flags & flag != 0 for flag in (ASKS, SUPERSEDED, DATED, OF_BOT))
    return Traits(
        [KINDS[kind] for kind in kinds.tolist()],
        columns["time"][rows],
        columns["importance"][rows],
        confidences(columns, rows, moment),
        [session if session >= 0 else None for session in columns["session"][rows].tolist()],
        columns["speaker"][rows],
        asks,
        superseded,
        dated,
        of_bot,
        PlainManners(of_self, to_other, capitals, flags & HAS_DIGIT != 0, length).read_in(language, kinds == _FACT),
    )


def places_of_speakers(columns: MemoryColumns, speakers: Collection[str]) -> list[int]:
    """The places of these speakers among the names; of who never spoke there is none."""
    places = (columns.speakers.of(speaker) for speaker in speakers)
    return [place for place in places if place is not None]
