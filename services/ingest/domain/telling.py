"""Recognises what was forgotten in other words: by keyed hashes of the distinctive words, and of the query that named it.

A text states what was forgotten if it has
- a name or long number that nothing else holds, or the query's one word; or
- half of its words, two at least, and one of its names; or
- three quarters of its words, two at least, or two thirds if others than its person say it to them. Where it names somebody
  else in place of the one who was meant, it says something else: `Anna is allergic to walnuts` is not `Zorvanda is`.
Source: ../design/mission.md, the ruling on tombstones.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from services.ingest.domain.recognising import of_recent_texts
from services.ingest.domain.simhash import keyed_hashes
from shared.domain.digests import Digester
from shared.text.distinctive import distinctive, passages

_LEAST = 2
_ENOUGH = 0.75
_ENOUGH_WITH_A_NAME = 0.5
_ENOUGH_OF_OTHERS = 2 / 3


@dataclass(frozen=True, slots=True)
class TellingWords:
    """The distinctive words of what was forgotten, as keyed hashes."""

    words: frozenset[bytes] = frozenset()  # all of its content words
    names: frozenset[bytes] = frozenset()
    alone: frozenset[bytes] = frozenset()  # those of which one is enough


class SaidWords(NamedTuple):
    """The words of a passage, as keyed hashes, to look for distinctive ones in."""

    words: frozenset[bytes]
    wholes: frozenset[bytes]
    others: frozenset[bytes]  # names, but of those whom it greets
    is_of_the_talk: bool


def _said(text: str, digester: Digester) -> tuple[SaidWords, ...]:
    return tuple(_passage(passage, digester) for passage in passages(text))


def _passage(text: str, digester: Digester) -> SaidWords:
    found = distinctive(text)
    return SaidWords(
        roots_of(found.said, digester),
        wholes_of(found.wholes, digester),
        wholes_of(found.names - found.greeted, digester),
        found.is_of_the_talk,
    )


said_in = of_recent_texts(_said)
"""What each passage of a text says, cached: a command is decided several times."""


def roots_of(words: Iterable[str], digester: Digester) -> frozenset[bytes]:
    """The keyed hashes of the roots of words."""
    return frozenset(keyed_hashes(digester.key, b"roots", words))


def wholes_of(words: Iterable[str], digester: Digester) -> frozenset[bytes]:
    """The keyed hashes of whole words."""
    return frozenset(keyed_hashes(digester.key, b"wholes", words))


def tells(forgotten: TellingWords, said: SaidWords, *, by_others: bool) -> bool:
    """True if a passage states what was forgotten. `by_others`: it is not what its person says now."""
    if not forgotten.alone.isdisjoint(said.wholes):
        return True
    shared = len(forgotten.words & said.words)
    if shared < _LEAST:
        return False
    if not forgotten.names.isdisjoint(said.wholes):
        return shared >= _ENOUGH_WITH_A_NAME * len(forgotten.words)
    is_of_another = said.others and (forgotten.names or not said.is_of_the_talk)
    enough = _ENOUGH_OF_OTHERS if by_others and said.is_of_the_talk else _ENOUGH
    return not is_of_another and shared >= enough * len(forgotten.words)
