"""The words that announce a secret, and those that show that none follows: in English, German, Spanish and French."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from itertools import chain, groupby
from typing import NamedTuple

_NamesOfKinds = Mapping[str, Iterable[tuple[str, str]]]
"""Of each kind of secret the names, as expressions, each after its stems."""

_BEGINS = r"(?<![^\W_])"
_ALIKE = frozenset("ſıİ")
"""Letters that an expression takes for `s` and `i` in any case, although their lower case is another one."""


class SecretWords(NamedTuple):
    """The words of secrets.toml."""

    stems: tuple[str, ...]  # one of them is in every name, in lower case
    as_written: tuple[str, ...]  # or of these, as they are written
    names: re.Pattern[str]  # of secrets; the group that matched is the kind, with `_` for spaces
    names_with: Mapping[str, str]  # by stem, an expression for the names that may have it
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
    names_with = _names_with(tables["names"])
    as_written = tuple(stem for stem in names_with if stem.isupper())
    stems = tuple(stem for stem in names_with if stem not in as_written)
    names = _compiled(_names(tables["names"]))
    return SecretWords(stems=stems, as_written=as_written, names=names, names_with=names_with, changes=changes, **lists)


def may_name(text: str, start: int, end: int) -> bool:
    """Whether a secret may be named between two places: never false where one is. Fast for what people say."""
    words, piece = secret_words(), text[start:end]
    folded = piece.lower()
    there = [stem for stem in words.stems if stem in folded]
    there += [stem for stem in words.as_written if stem in piece]
    if not there or not (piece.isascii() or _ALIKE.isdisjoint(piece)):
        return bool(there)
    return any(_compiled(words.names_with[stem]).search(text, start, end) for stem in there)


def _names(patterns: _NamesOfKinds) -> str:
    """An expression for the names of all kinds, each kind a group."""
    kinds = (f"(?P<{kind.replace(' ', '_')}>{_any_of(each for _, each in of_kind)})" for kind, of_kind in patterns.items())
    return _whole("|".join(kinds))


def _names_with(patterns: _NamesOfKinds) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for stems, pattern in chain.from_iterable(patterns.values()):
        for stem in stems.split():
            found.setdefault(stem, []).append(pattern)
    return {stem: _whole(_any_of(some)) for stem, some in found.items()}


def _whole(names: str) -> str:
    """An expression for names that end where a word does."""
    return rf"(?:{names})(?![\w-]|['’](?!s\b)\w)(?:['’]s\b)?"


@cache
def _compiled(names: str) -> re.Pattern[str]:
    """Names as a pattern. Those that may have a stem are compiled when it is first met."""
    return re.compile(names, re.IGNORECASE)


def _any_of(patterns: Iterable[str]) -> str:
    """The alternatives in order; neighbours that begin where a word does ask for that once, not each at each letter."""
    alternatives = []
    for is_bounded, some in groupby(patterns, lambda pattern: pattern.startswith(_BEGINS)):
        joined = "|".join(pattern.removeprefix(_BEGINS) for pattern in some)
        alternatives.append(f"{_BEGINS}(?:{joined})" if is_bounded else joined)
    return "|".join(alternatives)
