"""The words that announce a secret, and those that show that none follows: in English, German, Spanish and French."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from itertools import groupby
from typing import NamedTuple

_BEGINS = r"(?<![^\W_])"


class SecretWords(NamedTuple):
    """The words of secrets.toml."""

    stems: tuple[str, ...]  # one of them is in every name, in lower case
    as_written: str  # or this, as it is written
    names: re.Pattern[str]  # of secrets; the group that matched is the kind, with `_` for spaces
    changes: re.Pattern[str]  # beginnings of words that say that a secret is a new one
    joins: frozenset[str]  # between a name and its secret: `is`
    refers: frozenset[str]  # back to a name: `my PIN? It is 4711`
    articles: frozenset[str]  # before a number: `die 4711`
    renews: frozenset[str]  # before a new or an old secret: `changed to`
    still: frozenset[str]  # after `is`, before the secret: `now`
    relates: frozenset[str]  # between a name and whose it is: `for the bank`
    corrects: frozenset[str]  # between an old secret and a new one: `hunter2, not hunter3`
    adds: frozenset[str]  # between secrets
    follows: frozenset[str]  # after a secret that is a word itself
    owns: frozenset[str]  # before a name: `my`
    states: frozenset[str]  # between a secret and its name: `4711 is my pin`
    compounds: frozenset[str]  # after a name that means another thing: `password manager`
    counts: frozenset[str]  # after a number that is no secret: `12 characters`
    digits: frozenset[str]  # spelled out
    describes: frozenset[str]  # after `my password is`: how it is, and not what


@cache
def secret_words() -> SecretWords:
    """The words, read once."""
    tables = tomllib.loads(resources.files(__package__).joinpath("secrets.toml").read_text(encoding="utf-8"))
    lists = {name: frozenset(words.split()) for name, words in tables["words"].items()}
    changes = re.compile("|".join(sorted(lists.pop("changes"))), re.IGNORECASE)
    lists["follows"] |= lists["adds"] | lists["relates"]
    stems, as_written = tuple(tables["stems"].split()), tables["as_written"]
    return SecretWords(stems=stems, as_written=as_written, names=_names(tables["names"]), changes=changes, **lists)


def _names(patterns: dict[str, list[str]]) -> re.Pattern[str]:
    kinds = (f"(?P<{kind.replace(' ', '_')}>{_any_of(of_kind)})" for kind, of_kind in patterns.items())
    return re.compile(rf"(?:{'|'.join(kinds)})(?![\w-]|['’](?!s\b)\w)(?:['’]s\b)?", re.IGNORECASE)


def _any_of(patterns: Iterable[str]) -> str:
    """The alternatives in order; neighbours that begin where a word does ask for that once, not each at each letter."""
    alternatives = []
    for is_bounded, some in groupby(patterns, lambda pattern: pattern.startswith(_BEGINS)):
        joined = "|".join(pattern.removeprefix(_BEGINS) for pattern in some)
        alternatives.append(f"{_BEGINS}(?:{joined})" if is_bounded else joined)
    return "|".join(alternatives)
