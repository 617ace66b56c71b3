"""The closed list of attributes of which a value may be asserted, from attributes.toml."""

import functools
import tomllib
from enum import StrEnum
from importlib import resources
from zlib import crc32

from shared.contracts.contract import Contract

INTAKE = "intake"
"""The attribute of food, drink and medicines. What somebody does not take is what others have to know."""

_DOSE = " dose"
_FAVOURITE = "favourite "


class ValueKind(StrEnum):
    """How a value is checked when it is read, and compared."""

    PERSON = "person"
    PLACE = "place"
    FIRM = "firm"
    ROLE = "role"
    STATUS = "status"
    DIET = "diet"
    FOOD = "food"
    ALLERGEN = "allergen"
    CONDITION = "condition"
    DRUG = "drug"
    DOSE = "dose"
    TONGUE = "tongue"
    CAR = "car"
    DEVICE = "device"
    CONTACT = "contact"
    NUMBER = "number"
    AGE = "age"
    MONEY = "money"
    DATE = "date"
    TIME = "time"
    WORDS = "words"
    LIKING = "liking"
    TEXT = "text"


class Attribute(Contract):
    """One attribute: its type, and how many values hold at a time."""

    type: ValueKind
    one: bool = False
    parts: bool = False  # fewer words may name the same: Leeds, Headingley in Leeds
    lasts: bool = False  # a value holds for years
    fixed: bool = False  # a person has one value for life: a second one contradicts the first


class _Named(Attribute):
    words: frozenset[str]
    first_words: frozenset[str]


class _Table(Contract):
    attributes: dict[str, Attribute]
    named: _Named
    favourite: Attribute
    dose: Attribute


@functools.cache
def _table() -> _Table:
    return _Table.model_validate(tomllib.loads(_source()))


def _source() -> str:
    return resources.files(__package__).joinpath("attributes.toml").read_text(encoding="utf-8")


def table_version() -> str:
    """Return the version of the list, by which stored readings are made anew when it changes."""
    return f"attributes/{crc32(_source().encode()):08x}"


@functools.lru_cache(maxsize=1024)
def find_attribute(name: str) -> Attribute | None:
    """Return an attribute of the list, a favourite, a dose, or an appointment by its own name; else None."""
    table = _table()
    if found := table.attributes.get(name):
        return found
    if name.startswith(_FAVOURITE):
        return table.favourite
    if name.endswith(_DOSE):
        return table.dose
    first, last = name.partition(" ")[0], name.rpartition(" ")[2]
    return table.named if last in table.named.words or first in table.named.first_words else None


def attribute(name: str) -> Attribute:
    """Return an attribute; one that is not in the list, of an old log or a model, is a text that may have many values."""
    return find_attribute(name) or Attribute(type=ValueKind.TEXT)


def holds_one(name: str) -> bool:
    """Return True if only one value of the attribute holds at a time.

    >>> holds_one("home"), holds_one("allergy"), holds_one("favourite colour"), holds_one("hobby")
    (True, False, True, False)
    """
    return attribute(name).one


@functools.cache
def many_valued() -> frozenset[str]:
    """Return the attributes of the list that may have several values at a time."""
    return frozenset(name for name, each in _table().attributes.items() if not each.one)


@functools.cache
def lasting() -> frozenset[str]:
    """Return the attributes whose values hold for years."""
    return frozenset(name for name, each in _table().attributes.items() if each.lasts)


def is_listed(name: str) -> bool:
    """Return True if the attribute has a word of its own; an appointment or a favourite bears the person's own words."""
    return name in _table().attributes
