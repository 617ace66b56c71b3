"""Decides whether a refused message may be kept with its body: not if it may say what its person had forgotten.

The message may be refused for its form, so its strings are looked for in any text.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.ingest.domain.likeness import words_of
from services.ingest.domain.private import Privacy
from services.ingest.domain.simhash import hashes_of
from services.ingest.domain.telling import SaidWords, said_in
from shared.contracts.commands import TURNS
from shared.contracts.ids import CommandId, Scope
from shared.contracts.reading_commands import with_whole_characters
from shared.domain.digests import Digester
from shared.language.text.cleaning import comparable

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_LONGEST_ID = 256
_ENOUGH = 0.6
"""Share of a forgotten statement's words that, near each other, count as the statement."""
_BESIDE = 8


class Quoted(NamedTuple):
    """The strings and words of a payload, as keyed hashes."""

    values: frozenset[bytes]  # of each of its strings
    commands: frozenset[CommandId]  # that one of its strings may name
    words: tuple[bytes, ...]  # in their order, field names among them
    passages: tuple[SaidWords, ...]


def quoted(payload: bytes, *, scope: Scope, digester: Digester) -> Quoted | None:
    """The strings and words of a payload; None if it is no text."""
    try:
        text = with_whole_characters(payload).decode()
    except UnicodeDecodeError:
        return None
    strings, plain = set(_strings(text)), _unescaped(text).replace('"', " ")
    names = [each for each in strings if len(each) <= _LONGEST_ID]
    return Quoted(
        frozenset(digester.digest("content", comparable(each)) for each in strings),
        frozenset(digester.command_id(scope, turn.what, each) for each in names for turn in TURNS.values()),
        tuple(words_of(plain, digester)),
        said_in(plain, digester),
    )


def may_be_kept(said: Quoted, privacy: Privacy) -> bool:
    """True if a payload has no forgotten turn, no id of one, nor the distinctive or most of the words of a tombstone."""
    if said.values & privacy.forgotten_values or said.commands & privacy.forgotten_commands:
        return False
    if privacy.stones_told(said.passages, by_others=True):
        return False
    every = frozenset(said.words)
    return not any(_is_said(hashes_of(stone.likeness.tokens), said.words, every) for stone in privacy.tombstones.values())


def _is_said(wanted: frozenset[bytes], words: Sequence[bytes], every: frozenset[bytes]) -> bool:
    least = max(1, _ENOUGH * len(wanted))
    if len(wanted & every) < least:
        return False
    hits = [place for place, word in enumerate(words) if word in wanted]
    reach = 2 * len(wanted) + _BESIDE
    first = 0
    for last, place in enumerate(hits):
        while hits[first] <= place - reach:
            first += 1
        if len({words[hit] for hit in hits[first : last + 1]}) >= least:
            return True
    return False


def _strings(text: str) -> Iterator[str]:
    yield text
    for found in _STRING.finditer(text):
        try:
            yield json.loads(found[0], strict=False)
        except ValueError:  # no JSON: as it stands there
            yield _unescaped(found[0][1:-1])


def _unescaped(text: str) -> str:
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else f" {found[2]}", text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
