"""Chooses the lines about the person that every context begins with: who they are, what they must not eat, how to answer them.

It holds slots only: what plain facts state of the person themselves, each value a few words. A wish to the bot is quoted.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from services.retriever.domain.estimating import estimate_tokens
from services.retriever.domain.gathering import StatedValue
from services.retriever.domain.questions import as_written
from shared.contracts.prompt_safety import harmless
from shared.contracts.queries import Memory, Outdated, ProfileEntry
from shared.language.statements.attributes import INTAKE, holds_one

_WISH = "answer style"
_HEALTH = ("allergy", "condition", "diet", INTAKE, "medication")
ATTRIBUTES = (
    *("name", "nickname", "answer language"),
    *_HEALTH,
    *("relationship", "partner", "child", "number of children", "household"),
    *("job", "employer", "studies", "university", "school"),
    *("home", "time zone", "language", "birthday"),
    _WISH,
)
"""In the order of the line."""

_PINNED = "pinned"
_URGENT = frozenset(("name", "nickname", *_HEALTH))
"""What has its place first where not all fits: who is harmed by an answer is harmed more than who only dislikes its style."""
_MOMENTARY = re.compile(
    r"\b(?:right now|at the moment|for now|these days|gerade|im moment|zurzeit|ahora mismo|de momento|en ce moment"
    r"|pour l['’]instant)\b",
    re.IGNORECASE,
)
"""Attributes whose values hold for a while only: a block shows them, with the date, if the question asks for them."""
_QUOTED = re.compile(r"[“„«\"]\s*(?P<words>.+?)\s*[”“»\"]\W*$", re.DOTALL)
_MOST_VALUES, _SPARE = 4, 2
_MOST_WORDS = 8
_LONGEST = 160
"""Characters of a quotation."""
_BEGINNING = "About the user: "
_BETWEEN, _AND = "; ", ", "


def worth_reading(stated: Iterable[StatedValue]) -> list[StatedValue]:
    """The newest of what is stated of each attribute: a few more than are said, for some may not hold any more."""
    known: Counter[str] = Counter()
    found = []
    for told in stated:
        known[told.attribute] += 1
        if known[told.attribute] <= _most_values(told.attribute) + _SPARE:
            found.append(told)
    return found


def profile(
    stated: Iterable[StatedValue], facts: Mapping[int, Memory], pinned: Sequence[Memory], *, most_tokens: int
) -> tuple[ProfileEntry, ...]:
    """The entries that fit, the newest values of an attribute first.

    `stated`: what facts state of the person, the newest first; `facts`: these facts by number.
    """
    values: dict[str, list[ProfileEntry]] = {name: [] for name in (*ATTRIBUTES, _PINNED)}
    for told in stated:
        fact, known, value = facts[told.number], values[told.attribute], _value(told)
        is_new = value and value.casefold() not in {each.value.casefold() for each in known}
        if is_new and len(known) < _most_values(told.attribute) and _holds(fact, told.place):
            known.append(_entry(told.attribute, value, fact))
    shown = {entry.memory_id for entries in values.values() for entry in entries}
    values[_PINNED] = [_entry(_PINNED, memory.text, memory) for memory in pinned if memory.memory_id not in shown]
    return _fitting([entry for entries in values.values() for entry in entries], most_tokens)


def profile_line(entries: Sequence[ProfileEntry]) -> str:
    """The entries in one line; empty if there are none."""
    said: dict[str, list[str]] = {}
    for entry in entries:
        said.setdefault(_LABELS.get(entry.about, entry.about), []).append(entry.value)
    return _BEGINNING + _BETWEEN.join(f"{about} {_AND.join(values)}" for about, values in said.items()) if said else ""


_LABELS = {_WISH: "asks", INTAKE: "does not take"}


def _most_values(attribute: str) -> int:
    return 1 if holds_one(attribute) else _MOST_VALUES


def _holds(fact: Memory, place: int) -> bool:
    return fact.outdated is not Outdated.WHOLLY and place not in fact.outdated_slots and not fact.conflict_ids


def _value(told: StatedValue) -> str:
    """The value as it is written, a wish as it was asked; empty if it is too long to be one, or is so for the moment only."""
    if told.attribute == _WISH:
        quoted = _QUOTED.search(told.text)
        return f'"{quoted["words"] if quoted else told.text}"'
    is_short = len(told.value.split()) <= _MOST_WORDS and not _MOMENTARY.search(told.text)
    return as_written(told.value, told.text) if is_short else ""


def _entry(about: str, value: str, memory: Memory) -> ProfileEntry:
    shown = harmless(value)[:_LONGEST]
    return ProfileEntry(about=about, value=shown, memory_id=memory.memory_id, source_ids=memory.source_ids)


def _fitting(entries: Sequence[ProfileEntry], most_tokens: int) -> tuple[ProfileEntry, ...]:
    """The entries that fit, in their order, the urgent chosen first; one that is too long leaves room for a short one."""
    taken: list[ProfileEntry] = []
    for entry in sorted(entries, key=lambda each: each.about not in _URGENT):
        if estimate_tokens(profile_line(chosen := [each for each in entries if each in taken or each is entry])) <= most_tokens:
            taken = chosen
    return tuple(taken)
