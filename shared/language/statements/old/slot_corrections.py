"""Fragments that put right what was said before: `no wait, York`, `not Leeds but York`, `it's Thursday`."""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from shared.language.statements.old.language import StatementLanguage

_LONGEST = 8
_LONGEST_PART = 4


class SlotCorrection(NamedTuple):
    """The words of a fragment: what holds, and what does not."""

    new: tuple[str, ...]
    old: tuple[str, ...]
    is_told: bool
    """Whether it is said in a clause: `it is Thursday`."""


def correction_in(words: Sequence[str], language: StatementLanguage) -> SlotCorrection | None:
    """How a clause can be read as a fragment; None where it has a verb of its own or is too long for one."""
    if len(words) > _LONGEST:
        return None
    for pattern in _patterns(language):
        if found := pattern.match(" ".join(words)):
            parts = found.groupdict()
            new, old = _plain(parts.get("new") or "", language), _plain(parts.get("old") or "", language, is_denied=True)
            if new is not None and old is not None and (new or old):
                return SlotCorrection(new, old, bool(parts.get("it")))
    return None


@functools.cache
def _patterns(language: StatementLanguage) -> tuple[re.Pattern[str], ...]:
    tables = language.tables
    it = f"(?:{'|'.join(tables.it) or '(?!)'}) {tables.be} "
    no, but = "|".join(tables.denies), "|".join(tables.butting)
    joint = "|".join(tables.joints)
    return (
        re.compile(rf"(?P<it>{it})?(?:{no}) (?P<old>[^,]+?)(?: ,| (?:{but}))+ (?:{it})?(?P<new>[^,]+)$"),
        re.compile(rf"(?P<it>{it})?(?P<new>[^,]+?)(?: ,)?(?: (?:{joint}))? (?:{no}) (?P<old>[^,]+)$"),
        re.compile(rf"(?:{no}) (?P<old>[^,]+)$"),
        re.compile(rf"(?P<it>{it})?(?P<new>[^,]+)$"),
    )


def _plain(words: str, language: StatementLanguage, *, is_denied: bool = False) -> tuple[str, ...] | None:
    """The words of a value without a preposition; None where they cannot be one."""
    split = words.split()
    while split and split[0] in language.prepositions:
        split = split[1:]
    gerund = language.tables.gerund
    described = () if is_denied else language.adjectives
    is_other = any(
        any(word in some for some in (language.heads, language.pronouns, described)) or (gerund and word.endswith(gerund))
        for word in split
    )
    if is_other or len(split) > _LONGEST_PART or (split and (split[0] in language.vague or split[0] in language.breaks)):
        return None
    return tuple(split)
