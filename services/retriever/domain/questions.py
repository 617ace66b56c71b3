"""Asks a person which of two facts holds, in words made of the two facts as they stand.

questions.toml has for each language: `yours` by attribute, for what is stated of the person; `theirs` for somebody else's;
`named` for what has a name of its own, as an appointment; `either` where nothing else fits. The answer to all but the last is
yes if the newer fact holds. `{when}` is the value, in English with its preposition: `on Thursday`, `at 15:00`.
"""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import resources
from typing import NamedTuple

from pydantic import Field

from shared.contracts.contract import Contract
from shared.contracts.parts import FactSlot
from shared.language.statements.attributes import ValueKind, attribute, is_listed
from shared.language.statements.subjects import USER
from shared.language.text.calendar import named_day
from shared.language.text.languages import detect_language

_TIME_OF_DAY = re.compile(r"\d{1,2}[:.]\d{2}")
_OF_USER = f"{USER}'s "


class FactInDoubt(NamedTuple):
    """A fact with what it states."""

    text: str
    slots: tuple[FactSlot, ...] = ()


class Sayings(Contract):
    """What can be asked in one language."""

    either: str = Field(description="Names both facts: `{older}`, `{newer}`.")
    named: str = Field(description="Of what has a name in the person's own words: `{attribute}`, `{when}`.")
    theirs: str | None = Field(default=None, description="Of somebody else: `{whose}`, `{attribute}`, `{value}`.")
    yours: dict[str, str] = Field(description="Of the person, by attribute: `{value}` or `{when}`.")
    means: dict[str, str] = Field(default_factory=dict, description="Phrases of questions, and the attribute that they mean.")
    on: str = Field(default="{}", description="What stands before a day.")
    at: str = Field(default="{}", description="What stands before a time of day.")


def question(older: FactInDoubt, newer: FactInDoubt) -> str:
    """The question which of two facts holds, in the language of their words.

    >>> slots = [FactSlot(subject="user", attribute="home", value=each) for each in ("leeds", "york")]
    >>> question(FactInDoubt("The user lives in Leeds.", (slots[0],)), FactInDoubt("I guess I live in York", (slots[1],)))
    'Do you live in York now?'
    """
    say = all_sayings()[_language_of(older, newer)]
    slot = _in_doubt(older, newer)
    template = _template(slot, say) if slot else None
    if slot is None or template is None or slot.value is None:
        return say.either.format(older=older.text.strip(), newer=newer.text.strip())
    value, name = (as_written(words, newer.text) for words in (slot.value, slot.attribute))
    return template.format(value=value, when=_when(value, slot, say), attribute=name, whose=_whose(slot, newer.text))


def _in_doubt(older: FactInDoubt, newer: FactInDoubt) -> FactSlot | None:
    """The slot of the newer fact that contradicts the older one, if it has a value to ask about."""
    stated = {(slot.subject, slot.attribute): slot for slot in older.slots}
    for slot in newer.slots:
        old = stated.get((slot.subject, slot.attribute))
        if old and slot.value and not slot.negated and (old.value, old.negated) != (slot.value, False):
            return slot
    return None


def _template(slot: FactSlot, say: Sayings) -> str | None:
    if slot.subject != USER:
        return say.theirs
    if slot.attribute in say.yours:
        return say.yours[slot.attribute]
    return say.named if say.theirs or not is_listed(slot.attribute) else None


def _whose(slot: FactSlot, text: str) -> str:
    owner = slot.subject.removeprefix(_OF_USER)
    return f"your {owner}'s" if owner != slot.subject else f"{as_written(owner, text)}'s"


def _when(value: str, slot: FactSlot, say: Sayings) -> str:
    """The value after its preposition, where it is a day or a time of day: `on Thursday at 15:00`."""
    if is_listed(slot.attribute) and attribute(slot.attribute).type not in (ValueKind.TIME, ValueKind.DATE):
        return value
    words = value.split()
    times = [word for word in words if _TIME_OF_DAY.fullmatch(word)]
    day = " ".join(word for word in words if word not in times)
    if not times and not (day[:1].isupper() or day[:1].isdigit()):
        return value
    return " ".join([*([say.on.format(day)] if day else []), *(say.at.format(time) for time in times)])


def as_written(words: str, text: str) -> str:
    """Words of a slot, each as the text writes it."""
    written = {word.casefold(): word for word in re.findall(r"[\w'’-]+", text)}
    return " ".join(named_day(text, written.get(word, word)) for word in words.split())


def _language_of(*facts: FactInDoubt) -> str:
    return detect_language(" ".join(fact.text for fact in facts)) or "en"


@functools.cache
def all_sayings() -> dict[str, Sayings]:
    """What can be asked, by language."""
    source = resources.files(__package__).joinpath("questions.toml").read_text(encoding="utf-8")
    return {language: Sayings.model_validate(table) for language, table in tomllib.loads(source).items()}
