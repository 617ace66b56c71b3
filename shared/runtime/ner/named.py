"""Makes entities of what a model says that it found: cut to the name itself, and nothing that is none."""

import re
from collections.abc import Iterator

from shared.contracts.parts import Entity
from shared.language.text.noise import is_no_name, is_noise, is_shouted
from shared.runtime.ner.port import MOST_ENTITIES

_BEFORE = re.compile(r"(?:the|a|an|my|our|your|his|her|their)\s+|[\s\"'“”‘’«»(\[@#*_-]+", re.IGNORECASE)
_AFTER = re.compile(r"(?:['’]s?|[\s\"'“”‘’«».,;:!?)\]*_-]+)$")
_FIRST = re.compile(r"([\w'’]+),?\s+")
_LONGEST = 80
_TYPES = frozenset({"person", "organization", "location", "project", "other"})


def entity_at(text: str, start: int, end: int, *, kind: str, confidence: float) -> Entity | None:
    """The entity at a place, without articles and signs around its name; None if no name is left.

    >>> found = entity_at("We saw the Louvre's roof", 7, 19, kind="location", confidence=0.8)
    >>> found.name, found.start, found.end
    ('Louvre', 11, 17)
    """
    while (before := _BEFORE.match(text, start, end) or _noise_at(text, start, end)) and before.end() > start:
        start = before.end()
    while (after := _AFTER.search(text[start:end])) and after.start() < end - start:
        end = start + after.start()
    name = text[start:end]
    if kind not in _TYPES or not _is_name(name):
        return None
    return Entity(name=name, type=kind, start=start, end=end, confidence=confidence)


def places_of(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a name stands in a text, as a word of its own and as it is written."""
    name = name.strip()
    if name:
        for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            yield found.span()


def in_order(found: list[Entity]) -> list[Entity]:
    """Entities by their places in the text, the first 64."""
    return sorted(found, key=lambda entity: (entity.start, entity.end))[:MOST_ENTITIES]


def _noise_at(text: str, start: int, end: int) -> re.Match[str] | None:
    """The first word of several, if it is noise: the `Yep` of `Yep Jon`."""
    first = _FIRST.match(text, start, end)
    return first if first and is_noise(first[1]) else None


def _is_name(name: str) -> bool:
    words = name.split()
    is_written = 1 < len(name) <= _LONGEST and "\n" not in name and any(map(str.isalpha, name))
    return is_written and not is_shouted(name) and not all(is_noise(word) or is_no_name(word) for word in words)
