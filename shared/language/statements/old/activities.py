"""What the shape of a sentence states where no wording knows its words: `I volunteer at the shelter`, `I'm in the choir`."""

from collections.abc import Sequence
from typing import NamedTuple

from shared.language.statements.old.language import StatementLanguage

_MOST_TRAIT_WORDS = 7


class Activity(NamedTuple):
    """What somebody does, has or is."""

    words: str
    lasts: bool
    """Whether it holds for longer than the moment, as far as its shape shows: `I'm at the airport` does not."""


def activity(words: Sequence[str], language: StatementLanguage, *, is_over: bool) -> Activity | None:
    """What somebody does or is by a predicate; None where it tells of one time only, unless it `is_over`.

    The verb is left out where it says nothing beside its object: to `play badminton` is `badminton`.
    """
    tables = language.tables
    if words[0] in language.present:
        trait = words[1:]
        is_verb = bool(trait) and bool(tables.gerund) and trait[0].endswith(tables.gerund)
        found = activity(trait, language, is_over=is_over) if is_verb else _trait(trait, language, is_over=is_over)
        return found._replace(lasts=is_over or (found.lasts and not is_verb)) if found else None
    form = language.forms.get(words[0])
    base = form.base if form else words[0]
    if not _may_last(base, words, language, is_over=is_over):
        return None
    is_often = any(word in language.tables.often or word in language.wrappers for word in words)
    is_brief = base in language.tables.brief or not set(language.tables.here).isdisjoint(words)
    lasts = is_over or is_often or not is_brief
    if base in tables.light and len(words) > 1:
        return Activity(" ".join(without_light(words, language)), lasts)
    return Activity(" ".join(words), lasts) if len(words) > 1 or is_over or form else None


def is_hollow(words: Sequence[str], language: StatementLanguage) -> bool:
    """Whether words name nothing that somebody does: `do` of `I do`, `make it`."""
    bases = (form.base if (form := language.forms.get(word)) else word for word in words)
    return all(base in language.tables.hollow or base in language.vague for base in bases)


def without_light(words: Sequence[str], language: StatementLanguage) -> Sequence[str]:
    """The words without a verb that says nothing beside its object: `Dropbox` of `paying for Dropbox`."""
    form = language.forms.get(words[0])
    if len(words) == 1 or (form.base if form else words[0]) not in language.tables.light:
        return words
    return words[2 if len(words) > 2 and words[1] in language.tables.attached else 1 :]  # noqa: PLR2004


def _may_last(base: str, words: Sequence[str], language: StatementLanguage, *, is_over: bool) -> bool:
    """Whether a verb can tell of more than one time."""
    tables = language.tables
    if not language.may_be_verb(base) and not (is_over and base in tables.light):
        return False
    form = language.forms.get(words[0])
    tells_once = form.is_past or form.is_done if form else bool(tables.past) and words[0].endswith(tables.past)
    return not (tells_once and not is_over) and not language.tells_once(" ".join([base, *words[1:]]))


def _trait(words: Sequence[str], language: StatementLanguage, *, is_over: bool) -> Activity | None:
    if not words or len(words) > _MOST_TRAIT_WORDS or not words[0].isalpha():
        return None
    if words[0] in language.adjectives and not is_over:
        return None
    lasts = is_over or language.tables.be_lasts or not set(language.tables.groups).isdisjoint(words)
    if words[0] in language.tables.within or words[0] in language.articles:
        return Activity(" ".join(words[1:]), lasts or words[0] in language.articles) if len(words) > 1 else None
    is_word = words[0] not in language.vague and words[0] not in language.prepositions
    return Activity(" ".join(words), lasts) if is_word else None
