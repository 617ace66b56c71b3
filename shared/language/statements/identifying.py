"""Tells texts apart that are about other people or things: by names, numbers, and relations such as `son` or `colleague`."""

from __future__ import annotations

from enum import IntEnum
from functools import cache, lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from shared.language.text.languages import STOP_WORDS
from shared.language.text.names import OPENERS
from shared.language.text.phrasing import ENGLISH, GERMANIC, ROMANCE
from shared.language.text.stating import content_words, has_enough
from shared.language.text.tokens import surface

if TYPE_CHECKING:
    from shared.language.statements.language import StatementLanguage

_COMMON = (ENGLISH | GERMANIC | ROMANCE | OPENERS).union(*STOP_WORDS.values())


class Stating(IntEnum):
    """How surely a text states what another one states."""

    NOT = 0
    LIKELY = 1  # it has most of the words, and no other word in place of those that it lacks
    SURE = 2  # it has all of the words


def stating(text: str, statement: str) -> Stating:
    """Return how surely a text states a statement. One with another name, number or relation does not.

    >>> statement = "The user's son Tom is allergic to nuts."
    >>> [stating(text, statement).name for text in ("Tom, my son, is allergic to nuts.", "My son Max is allergic to nuts.")]
    ['SURE', 'NOT']
    """
    said, stated = content_words(text), content_words(statement)
    missing, extra = stated - said, said - stated
    if not has_enough(said, stated) or not (missing | extra).isdisjoint(identifying(text) | identifying(statement)):
        return Stating.NOT
    if missing:
        return Stating.NOT if extra else Stating.LIKELY
    return Stating.SURE


@lru_cache(maxsize=4_096)
def identifying(text: str) -> frozenset[str]:
    """Return the stems of the names, numbers and relations in a text: of its content words those that say of whom it is.

    Any word with a capital counts as a name, unless it opens a sentence and is common in a shipped language, or a mark
    stands behind it: `Right?`, `Fine, then`.

    >>> sorted(identifying("Yes, my colleague Anna has 3 bikes."))
    ['3', 'anna', 'colleagu']
    """
    tokens = surface(text).tokens
    named = (
        token.key
        for token, after in zip_longest(tokens, tokens[1:])
        if token.is_capital and not (token.opens and (token.key in _COMMON or after is None or after.breaks))
    )
    words = content_words(text)
    return words & (content_words(" ".join(named)) | relations() | {word for word in words if not word.isalpha()})


def _languages() -> list[StatementLanguage]:
    from shared.language.statements.language import statement_language  # noqa: PLC0415 - patterns that nobody needs at the start
    from shared.language.tables import CODES  # noqa: PLC0415

    return [statement_language(code) for code in CODES]


@cache
def dates() -> frozenset[str]:
    """Return the stems of the names of days and months in each language whose statements are read."""
    languages = _languages()
    return content_words(" ".join(" ".join((*each.weekdays, *each.months)) for each in languages))


@cache
def relations() -> frozenset[str]:
    """Return the stems of the words for a relation to somebody, in each language whose statements are read."""
    said = (word for each in _languages() for word in each.kin)
    return content_words(" ".join(word for word in said if " " not in word))
