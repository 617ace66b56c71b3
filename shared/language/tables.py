"""Loads the tables of a language: one file a language, `languages/<code>.toml`, in parts, each read when it is needed.

A part is a top-level table (`[text]`, `[questions]`, …) with its subtables (`[text.calendar]`), all in one stretch of the file:
so a part is parsed without the others. Each package declares its part as a subclass of `LanguagePart`; an entry that the
part does not know, or one that is missing, is an error that names the file and the key.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from shared.contracts.errors import Misconfigured
from shared.domain.made_once import made_once

_FOLDER = resources.files(__package__).joinpath("languages")
_PART = re.compile(r"^\[+(\w+)[\w.]*\]+", re.MULTILINE)

ENGLISH = "en"
_OTHERS = {file.name.removesuffix(".toml") for file in _FOLDER.iterdir() if file.name.endswith(".toml")} - {ENGLISH}
CODES: tuple[str, ...] = (ENGLISH, *sorted(_OTHERS))
"""The languages that have a file, English first."""


def _words(value: object) -> object:
    return value.split() if isinstance(value, str) else value


def _phrases(value: object) -> object:
    return [phrase.strip() for phrase in value.split(";") if phrase.strip()] if isinstance(value, str) else value


def _pattern(value: object) -> object:
    return value.replace("\n", "") if isinstance(value, str) else value


WordSet = Annotated[frozenset[str], BeforeValidator(_words)]
"""Words in one string, with white space between them."""
WordList = Annotated[tuple[str, ...], BeforeValidator(_words)]
"""Words in one string whose order counts."""
Phrases = Annotated[tuple[str, ...], BeforeValidator(_phrases)]
"""Phrases in one string, with semicolons between them."""
Pattern = Annotated[str, BeforeValidator(_pattern)]
"""A regular expression over several lines, which are put together as they are."""


class Section(BaseModel):
    """A table of a language's file. Fields without a default are what every language must have."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LanguagePart(Section):
    """One part of a language's file, with the tables in it."""

    part: ClassVar[str]
    """Name of the top-level table."""


P = TypeVar("P", bound=LanguagePart)


def section(code: str, part: str) -> Mapping[str, Any]:
    """Return a part of a language's file as it is written, without a check; empty if the file lacks it.

    Raises Misconfigured if the language has no file, or the part is no TOML.
    """
    try:
        found: Mapping[str, Any] = tomllib.loads(_sources(code).get(part, "")).get(part, {})
    except tomllib.TOMLDecodeError as error:
        raise Misconfigured(f"{code}.toml: [{part}] is no TOML: {error}") from error
    return found


def check(code: str, part: type[P]) -> P:
    """Return a part of a language, checked. Raises Misconfigured, naming the file and each wrong or missing entry."""
    try:
        return part.model_validate(section(code, part.part))
    except ValidationError as error:
        wrong = "; ".join(f"[{'.'.join((part.part, *map(str, each['loc'])))}] {each['msg']}" for each in error.errors())
        raise Misconfigured(f"{code}.toml: {wrong}") from error


@made_once
def _checked(key: tuple[str, type[LanguagePart]]) -> LanguagePart:
    return check(*key)


def table(code: str, part: type[P]) -> P:
    """Return a part of a language, read once."""
    found = _checked((code, part))
    assert isinstance(found, part)  # noqa: S101 - the key says so
    return found


@cache
def _sources(code: str) -> Mapping[str, str]:
    """The text of each part of a language's file, by its name."""
    if code not in CODES:
        raise Misconfigured(f"there is no language file {code}.toml")
    text = _FOLDER.joinpath(f"{code}.toml").read_text(encoding="utf-8")
    begins: dict[str, int] = {}
    for header in _PART.finditer(text):
        begins.setdefault(header[1], header.start())
    ends = [*list(begins.values())[1:], len(text)][: len(begins)]
    return {name: text[start:end] for (name, start), end in zip(begins.items(), ends, strict=True)}
