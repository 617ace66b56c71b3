"""Tells lasting wishes to the bot that no phrase of a language file says: `metric please, generally`, `i like short answers`.

A small model tells, of a sentence that has words of such a wish. `bench/wishes/lasting` learns it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from shared.language.statements.language import StatementLanguage
from shared.language.text.weighing import NO_KIND, WITHOUT_ACCENTS, Weights, features_of, read_weights

_QUOTED = re.compile(r'"[^"]*"')
_TOKEN = re.compile(r"\w+|[\",:;()?!-]")
_STYLE, _DEED, _MARKS = "S", "D", frozenset("ANWDP")
_FIRST, _LEAST_KINDS = 3, 2
_SHORT, _LONGEST = 18, 28
"""Words, with two marks, of a short sentence and of the longest that is read."""
_OF_SHORT, _OF_LONG = 1.25, 3.0
"""The least logit of a wish: long sentences are mostly talk."""


def is_lasting_wish(written: str, language: StatementLanguage) -> bool:
    """True if a sentence is a lasting wish to the bot.

    >>> from shared.language.statements.language import statement_language
    >>> [is_lasting_wish(each, statement_language("en")) for each in ("metric please, generally", "I never eat fish")]
    [True, False]
    """
    if not language.wish_kinds:
        return False
    words = tokens(written)
    kinds = kinds_of(words, language)
    least = _OF_SHORT if len(words) <= _SHORT else _OF_LONG
    return may_wish(kinds) and _weights()[language.code].logit(features_of(words, kinds)) > least


def tokens(written: str) -> Sequence[str]:
    """Return the words and signs of a sentence without accents and apostrophes; what it quotes is left out."""
    said = written.lower().replace("'", "")
    if not said.isascii():
        said = said.translate(WITHOUT_ACCENTS)
    return ["<", *_TOKEN.findall(_QUOTED.sub('"', said)), ">"]


def kinds_of(words: Sequence[str], language: StatementLanguage) -> Sequence[str]:
    """Return what each word does in a wish, a letter for each."""
    return [language.wish_kinds.get(word, NO_KIND) for word in words]


def may_wish(kinds: Sequence[str]) -> bool:
    """True if a sentence with words of these kinds may be a wish."""
    if len(kinds) > _LONGEST:
        return False
    return _STYLE in kinds or _DEED in kinds[:_FIRST] or len(_MARKS.intersection(kinds)) >= _LEAST_KINDS


@cache
def _weights() -> Mapping[str, Weights]:
    return read_weights(resources.files(__package__).joinpath("lasting_weights.json").read_text(encoding="utf-8"))
