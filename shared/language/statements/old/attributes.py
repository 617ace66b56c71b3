"""The attributes that slots have: how many values may hold at once, of what kind they are, and what one says of another."""

import functools
import tomllib
from collections.abc import Iterable
from enum import StrEnum
from importlib import resources
from typing import Literal
from zlib import crc32

from pydantic import Field

from shared.contracts.contract import Contract

INTAKE = "intake"
"""The attribute of what somebody eats, drinks or takes. What they do not, or must not, is what others have to know."""


PLACES = frozenset({"home", "hometown", "whereabouts", "second home"})
"""The attributes whose values are places."""


class ValueKind(StrEnum):
    """How the words of a value are compared."""

    TEXT = "text"
    NAME = "name"
    THING = "thing"  # said with an article, or written with a capital: `a Golf`, not `red`
    NUMBER = "number"
    MONEY = "money"
    TIME = "time"
    CONTACT = "contact"  # a number, address or the like: holds a digit or an @


class Attribute(Contract):
    """One attribute."""

    values: Literal["one", "many"] = "one"  # how many may hold at once
    kind: ValueKind = ValueKind.TEXT
    parts: bool = False  # whether fewer words may name the same: Leeds, Headingley in Leeds
    several: bool = False  # whether its words tell different ones: a son is no daughter
    closed: bool = False  # whether its end ends nothing else: who left Leeds may study there
    among: frozenset[str] = frozenset()  # values by which it is recognised: `switched to Firefox`


class Implied(Contract):
    """What a value of one attribute says of another."""

    attribute: str
    value: str | None = None
    holds: bool = False  # whether it holds, too: who drinks wine drinks alcohol
    same: bool = False  # whether it is the value of the one that says it: who leaves is no boss


class Implication(Contract):
    """What no longer holds where an attribute has one of these values."""

    attribute: str
    values: frozenset[str] = frozenset()  # none where it may have any
    negated: bool = False  # whether its end says so
    ends: tuple[Implied, ...] = Field(min_length=1)


class _Table(Contract):
    attributes: dict[str, Attribute]
    implications: tuple[Implication, ...]
    joint: tuple[frozenset[str], ...] = ()
    """Attributes that one statement gives values in one breath: who leaves Bosch is no engineer at Bosch any more."""


@functools.cache
def _table() -> _Table:
    return _Table.model_validate(tomllib.loads(_source()))


def _source() -> str:
    return resources.files(__package__).joinpath("attributes.toml").read_text(encoding="utf-8")


def table_version() -> str:
    """Another one for another table: what is stored of its attributes is built again then."""
    return f"attributes/{crc32(_source().encode()):08x}"


@functools.lru_cache(maxsize=1024)
def attribute(name: str) -> Attribute:
    """What the table says of an attribute, or of the one that its last words name: a holiday budget is a budget.

    One that is not in it is a text of which one value holds.
    """
    if name.startswith("number of "):
        return _unlisted(ValueKind.NUMBER)
    known = _table().attributes
    words = name.split()
    lasts = [] if words[0] == "favourite" else [" ".join(words[start:]) for start in range(len(words))]
    return next((known[last] for last in lasts if last in known), _unlisted(ValueKind.TEXT))


def holds_one(name: str) -> bool:
    """Whether only one value of the attribute holds at a time.

    >>> holds_one("home"), holds_one("language"), holds_one("favourite colour")
    (True, False, True)
    """
    return attribute(name).values == "one"


@functools.cache
def many_valued() -> frozenset[str]:
    """The attributes of the table that may have several values at a time.

    >>> "allergy" in many_valued(), "home" in many_valued()
    (True, False)
    """
    return frozenset(name for name, of in _table().attributes.items() if of.values != "one")


def are_joint(names: Iterable[str]) -> bool:
    """Tell attributes that one statement gives values in one breath from those that have nothing to do with each other.

    >>> are_joint(["employer", "job"]), are_joint(["job", "age"])
    (True, False)
    """
    told = frozenset(names)
    return len(told) > 1 and any(told <= some for some in _table().joint)


@functools.cache
def names_of_one() -> frozenset[str]:
    """The attributes that tell by what name the only one of a kind is called: partner, boss, mother."""
    return frozenset(name for name, each in _table().attributes.items() if each.kind is ValueKind.NAME and each.values == "one")


def is_listed(name: str) -> bool:
    """Whether the attribute is one of the table; any other bears a name of the person's own words, as an appointment does."""
    return name in _table().attributes or name.startswith("number of ")


def recognised(value: str) -> str | None:
    """The attribute that a value alone shows: `firefox` is a browser."""
    return _by_value().get(value)


def ended_by(name: str, value: str | None, *, negated: bool = False) -> tuple[Implied, ...]:
    """What no longer holds where the attribute has this value, or where that has ended."""
    found = (*_ended().get((name, negated, value or ""), ()), *_ended().get((name, negated, None), ()))
    return tuple(each.model_copy(update={"value": value}) if each.same else each for each in found)


@functools.cache
def _by_value() -> dict[str, str]:
    return {value: name for name, each in _table().attributes.items() for value in each.among}


@functools.cache
def _ended() -> dict[tuple[str, bool, str | None], tuple[Implied, ...]]:
    found: dict[tuple[str, bool, str | None], tuple[Implied, ...]] = {}
    for each in _table().implications:
        for value in each.values or (None,):
            key = (each.attribute, each.negated, value)
            found[key] = (*found.get(key, ()), *each.ends)
    return found


@functools.cache
def _unlisted(kind: ValueKind) -> Attribute:
    return Attribute(kind=kind)
