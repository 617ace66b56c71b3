"""What the shape of a sentence states where no wording knows its words: `I volunteer at the shelter`, `I'm in the choir`."""

from __future__ import annotations

from collections.abc import Sequence

from shared.statements.language import StatementLanguage

_MOST_TRAIT_WORDS = 5


def activity(words: Sequence[str], language: StatementLanguage, *, is_over: bool) -> str | None:
    """What somebody does or is by a predicate; None where it tells of one time only, unless it `is_over`.

    The verb is left out where it says nothing beside its object: to `play badminton` is `badminton`.
    """
    tables = language.tables
    if words[0] in language.present:
        trait = words[1:]
        is_verb = bool(trait) and (trait[0].endswith(tables.gerund) if tables.gerund else False)
        return activity(trait, language, is_over=is_over) if is_verb else _trait(trait, language, is_over=is_over)
    form = language.forms.get(words[0])
    base = form.base if form else words[0]
    if not language.may_be_verb(base) and not (is_over and base in tables.light):
        return None
    tells_once = form.is_past or form.is_done if form else bool(tables.past) and words[0].endswith(tables.past)
    if (tells_once and not is_over) or language.tells_once(" ".join([base, *words[1:]])):
        return None
    if base in tables.light and len(words) > 1:
        return " ".join(words[2 if len(words) > 2 and words[1] in tables.attached else 1 :])  # noqa: PLR2004
    return " ".join(words) if len(words) > 1 or is_over or form else None


def _trait(words: Sequence[str], language: StatementLanguage, *, is_over: bool) -> str | None:
    if not words or len(words) > _MOST_TRAIT_WORDS or not words[0].isalpha():
        return None
    if words[0] in language.adjectives and not is_over:
        return None
    if words[0] in language.tables.within or words[0] in language.articles:
        return " ".join(words[1:]) or None
    return " ".join(words) if words[0] not in language.vague and words[0] not in language.prepositions else None
