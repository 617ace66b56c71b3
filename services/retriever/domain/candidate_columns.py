"""Candidates as columns: ranking reckons with all of them at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from services.retriever.domain.candidate import Candidate
from services.retriever.domain.manner import PLAIN, Manner
from shared.domain.arrays import NDArray, np
from shared.domain.records import records

_NO_TAGS: tuple[str, ...] = ()


class CandidateColumns(NamedTuple):
    """The fields of `Candidate`, each of all candidates in one order; NaN stands for what is not known."""

    number: Sequence[int]
    kind: Sequence[str]
    age_s: NDArray[Any]
    importance: NDArray[Any]
    confidence: NDArray[Any]
    session: Sequence[int | str | None]
    asks: NDArray[Any]
    legs: Mapping[str, NDArray[Any]]  # NaN where a leg knows nothing of it
    cosine: NDArray[Any]
    is_superseded: NDArray[Any]
    is_of_another: NDArray[Any]
    is_of_bot: NDArray[Any]
    is_dated: NDArray[Any]
    manner: NDArray[Any]  # float64[5, n], a row for each field of `Manner`

    @classmethod
    def of(cls, found: Sequence[Candidate]) -> CandidateColumns:
        """The columns of these candidates."""
        legs = dict.fromkeys(leg for each in found for leg in each.legs)
        names = ("age_s", "importance", "confidence", "asks", "is_superseded", "is_of_another", "is_of_bot", "is_dated")
        flat = {name: np.array([getattr(each, name) for each in found]) for name in names}
        return cls(
            number=[each.number for each in found],
            kind=[each.kind for each in found],
            session=[each.session for each in found],
            legs={leg: np.array([each.legs.get(leg, math.nan) for each in found]) for leg in legs},
            cosine=np.array([math.nan if each.cosine is None else each.cosine for each in found]),
            manner=np.array([each.manner for each in found], float).reshape(-1, len(Manner._fields)).T,
            **flat,
        )

    def at(self, rows: NDArray[Any]) -> CandidateColumns:
        """The columns of the candidates in these rows."""
        places = rows.tolist()
        return CandidateColumns(
            number=[self.number[place] for place in places],
            kind=[self.kind[place] for place in places],
            age_s=self.age_s[rows],
            importance=self.importance[rows],
            confidence=self.confidence[rows],
            session=[self.session[place] for place in places],
            asks=self.asks[rows],
            legs={leg: column[rows] for leg, column in self.legs.items()},
            cosine=self.cosine[rows],
            is_superseded=self.is_superseded[rows],
            is_of_another=self.is_of_another[rows],
            is_of_bot=self.is_of_bot[rows],
            is_dated=self.is_dated[rows],
            manner=self.manner[:, rows],
        )

    def candidates(self, ranks: Iterable[Mapping[str, int]]) -> list[Candidate]:
        """A candidate for each row, without its manner. `ranks`: those in the legs, in this order, where they are looked at."""
        found: list[dict[str, float]] = [{} for _ in self.number]
        for leg, column in self.legs.items():
            rows = np.flatnonzero(~np.isnan(column))
            for row, score in zip(rows.tolist(), column[rows].tolist(), strict=True):
                found[row][leg] = score
        fields = zip(
            self.number,
            self.kind,
            self.age_s.tolist(),
            self.importance.tolist(),
            self.confidence.tolist(),
            self.session,
            self.asks.tolist(),
            repeat(_NO_TAGS),
            found,
            ranks,
            [None if cosine != cosine else cosine for cosine in self.cosine.tolist()],  # noqa: PLR0124 - NaN
            self.is_superseded.tolist(),
            self.is_of_another.tolist(),
            self.is_of_bot.tolist(),
            self.is_dated.tolist(),
            repeat(PLAIN),
            strict=False,
        )
        return list(records(Candidate, fields))


def column_of(numbers: Sequence[int], values: Mapping[int, float]) -> NDArray[Any]:
    """The value of each of these numbers, float64[n]; NaN where there is none."""
    if not values:
        return np.full(len(numbers), np.nan)
    return np.array([values.get(number, np.nan) for number in numbers])
