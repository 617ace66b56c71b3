"""Fast entity recognition: patterns for mentions, hashtags, e-mail addresses, URLs and dates; names by capitals. No model.

Source: ../reference/memory-system.md, "ner", provider `regex`, strategy `fast`.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from shared.contracts.parts import Entity
from shared.domain.aliases import TypedName
from shared.language.text.calendar import MONTH, ORDINAL
from shared.language.text.cleaning import Comparable, comparable
from shared.language.text.length import is_read
from shared.language.text.names import find_names
from shared.language.text.noise import is_noise

_DATE = "|".join(
    (
        r"\d{4}-\d{2}-\d{2}",
        r"\d{1,2}[./]\d{1,2}[./]\d{2,4}",
        rf"\d{{1,2}}{ORDINAL}?\s+(?:of\s+)?{MONTH}\b(?:,?\s+\d{{4}}\b)?",
        rf"{MONTH}\s+\d{{1,2}}{ORDINAL}?\b(?:,?\s+\d{{4}}\b)?",
    )
)
_DIGIT = re.compile(r"\d")
_PATTERNS: tuple[tuple[str, str, float, re.Pattern[str]], ...] = (
    ("url", "://", 0.99, re.compile(r"\bhttps?://[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]", re.IGNORECASE)),
    ("email", "@", 0.99, re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+\b")),
    ("person", "@", 0.9, re.compile(r"(?<![\w@./])@[A-Za-z_]\w{1,63}\b")),
    ("hashtag", "#", 0.9, re.compile(r"(?<![\w#&/])#[^\W\d]\w{1,63}\b")),
    ("date", "", 0.85, re.compile(rf"\b(?=[\djfmasond])(?:{_DATE})(?!\w)", re.IGNORECASE)),
)
_MOST = 64
"""Most entities kept of one text."""


def find_entities(text: str) -> tuple[Entity, ...]:
    """The entities of a text, in its order, without overlaps: the more confident wins, then the longer, then the earlier.

    A text that is too long to be read has none.

    >>> [(e.type, e.name) for e in find_entities("Ask @ben on 3 May about #boats")]
    [('person', '@ben'), ('date', '3 May'), ('hashtag', '#boats')]
    """
    if not is_read(text):
        return ()
    written = text
    text, offsets = Comparable.of(written)
    found = find_names(text)
    if "@" in text or "#" in text or "://" in text or _DIGIT.search(text):  # most texts have none
        found = [*_find_patterns(text), *found]
    kept = without_overlaps(found)[:_MOST] if len(found) > 1 else found
    if text != written:
        places = ((offsets[each.start], offsets[each.end]) for each in kept)
        kept = [each.model_copy(update={"start": start, "end": end}) for each, (start, end) in zip(kept, places, strict=True)]
    return tuple(kept)


def _find_patterns(text: str) -> Iterator[Entity]:
    for kind, needed, confidence, pattern in _PATTERNS:
        if needed in text:
            for match in pattern.finditer(text):
                if kind == "hashtag" and is_noise(match[0]):
                    continue
                yield Entity(name=match[0], type=kind, start=match.start(), end=match.end(), confidence=confidence)


def without_overlaps(found: list[Entity]) -> list[Entity]:
    """Keep one of entities that share characters: the highest confidence, then the longest span, then the first."""
    kept: list[Entity] = []  # in text order, so that a neighbour is found by bisection
    for entity in sorted(found, key=lambda e: (-e.confidence, e.start - e.end, e.start)):
        place = bisect_left(kept, entity.start, key=lambda e: e.start)
        follows = place == 0 or kept[place - 1].end <= entity.start
        precedes = place == len(kept) or entity.end <= kept[place].start
        if follows and precedes:
            kept.insert(place, entity)
    return kept


def precedes(one: Entity, other: Entity) -> bool:
    """True if of two entities that share characters the first is kept: it is more confident, else longer."""
    return (one.confidence, one.end - one.start) > (other.confidence, other.end - other.start)


def share_place(one: Entity, other: Entity) -> bool:
    """True if two entities share a character, or begin at the same one."""
    return one.start == other.start or (one.start < other.end and other.start < one.end)


def canonical_name(entity: Entity) -> str:
    """The name by which two mentions are the same entity: case folded, without the sign of a mention or hashtag."""
    return " ".join(comparable(entity.name).casefold().lstrip("@#").split())


def name_of(entity: Entity) -> TypedName:
    """The name under which an entity is mentioned."""
    return TypedName(entity.type, canonical_name(entity))
