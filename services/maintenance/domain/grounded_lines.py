"""Takes of what a model wrote the lines that rest on their sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from services.maintenance.domain.summarising import SourceText, SummaryLine
from shared.contracts.parts import Role
from shared.language.statements.grounding import Grounds
from shared.language.text.json_values import json_values, mended, without_thoughts

LONGEST_LINE_CHARACTERS = 400


def grounded_lines(answer: str, sources: Sequence[SourceText], most: int) -> list[SummaryLine]:
    """The lines of an answer that are well formed, cite their person's own words, and say nothing else; at most so many."""
    found = _grounded(_listed(answer), sources)
    return list(dict.fromkeys(found))[:most]


def _grounded(listed: Iterable[Any], sources: Sequence[SourceText]) -> Iterator[SummaryLine]:
    for each in listed:
        match each:
            case {"text": str() as said, "sources": list() as indexes}:
                text = " ".join(said.split())
                cited = _cited(indexes, sources)
                if cited and 0 < len(text) <= LONGEST_LINE_CHARACTERS and Grounds.of(cited, cited).supports(text):
                    yield SummaryLine(text, tuple(source.memory_id for source in cited))
            case _:
                pass


def _cited(indexes: Sequence[Any], sources: Sequence[SourceText]) -> list[SourceText]:
    """The sources with these indexes, from 1; none if there is one that does not exist, or none of them is the person's own."""
    if not all(type(index) is int and 0 < index <= len(sources) for index in indexes):
        return []
    cited = [sources[index - 1] for index in dict.fromkeys(indexes)]
    return [source for source in cited if source.role is Role.USER]


def _listed(answer: str) -> list[Any]:
    for value in json_values(mended(without_thoughts(answer))):
        if isinstance(value, dict) and isinstance(value.get("lines"), list):
            lines: list[Any] = value["lines"]
            return lines
    return []
