"""What every context says of its person first, whatever is asked: who they are, how to answer them, what they must not eat."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from services.retriever.domain.estimating import estimate_tokens
from services.retriever.domain.gathering import StatedValue
from services.retriever.domain.questions import as_written
from shared.contracts.prompt_safety import harmless
from shared.contracts.queries import Memory, Outdated, ProfileEntry
from shared.statements.attributes import INTAKE, holds_one

HEALTH = ("allergy", "condition", "diet", INTAKE, "medication", "aid")
OF_FAMILY = "health of the family"
ATTRIBUTES = (
    *("name", "nickname", "answer language", "answer style"),
    *(*HEALTH, OF_FAMILY),
    *("relationship", "partner", "child", "number of children", "household"),
    *("job", "employer", "studies", "university", "school"),
    *("home", "time zone", "language", "birthday"),
)
"""In the order of the line."""

_PINNED = "pinned"
_IN_FULL = frozenset(("answer style", "allergy", "condition", INTAKE, "medication", OF_FAMILY))
"""What is said in the words of the whole fact: of these it matters what the value leaves out."""
_URGENT = frozenset(("name", "nickname", *HEALTH, OF_FAMILY))
"""What has its place first where not all fits: who is harmed by an answer is harmed more than who only dislikes its style."""
_WHO = re.compile(r"(?:The user(?:'s)?|Der Nutzer|El usuario|L['’]utilisateur) ")
"""What learned facts of each language begin with."""
_MOST_VALUES, _SPARE = 4, 2
_LONGEST = 160
"""Characters of a value."""
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
        fact, known = facts[told.number], values[told.attribute]
        if _holds(fact, told.place) and len(known) < _most_values(told.attribute):
            entry = _entry(told.attribute, _value(told), fact)
            said = {each.value for each in (known if told.attribute not in _IN_FULL else chain(*values.values()))}
            known += [] if entry.value in said else [entry]
    shown = {entry.memory_id for entries in values.values() for entry in entries}
    values[_PINNED] = [_entry(_PINNED, memory.text, memory) for memory in pinned if memory.memory_id not in shown]
    return _fitting([entry for entries in values.values() for entry in entries], most_tokens)


def profile_line(entries: Sequence[ProfileEntry]) -> str:
    """The entries in one line; empty if there are none."""
    said: dict[str, list[str]] = {}
    for entry in entries:
        said.setdefault(entry.about, []).append(entry.value)
    return _BEGINNING + _BETWEEN.join(_listed(about, values) for about, values in said.items()) if said else ""


def _listed(about: str, values: Sequence[str]) -> str:
    return _BETWEEN.join(values) if about in _IN_FULL else f"{about} {_AND.join(values)}"


def _most_values(attribute: str) -> int:
    return 1 if attribute != OF_FAMILY and holds_one(attribute) else _MOST_VALUES


def _holds(fact: Memory, place: int) -> bool:
    return fact.outdated is not Outdated.WHOLLY and place not in fact.outdated_slots and not fact.conflict_ids


def _value(told: StatedValue) -> str:
    if told.attribute not in _IN_FULL:
        return as_written(told.value, told.text)
    who = _WHO.match(told.text)
    return told.text[who.end() if who else 0 :].rstrip(".")


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
