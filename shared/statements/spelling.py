"""Words as they are written out: contractions, owners, and what is typed in a hurry."""

from __future__ import annotations

from collections.abc import Sequence

from shared.statements.language import StatementLanguage

MARKS = '.!?…)("*_~¡¿'
"""Punctuation that belongs to no word."""


def spelled(words: Sequence[str], language: StatementLanguage) -> list[str]:
    """The words of a sentence written out: `I'm` as `I is`, `dads` before a verb as `dad has`."""
    done: list[str] = []
    for place, raw in enumerate(words):
        word = raw.strip(MARKS) if len(raw) > 1 else raw
        if not word or word in MARKS:
            continue
        if word.startswith("ex-"):
            done.append("ex")
            word = word.removeprefix("ex-")
        following = words[place + 1].strip(MARKS) if place + 1 < len(words) else ""
        done.extend(_written_out(word, following, done, language))
    return done


def _written_out(word: str, following: str, before: Sequence[str], language: StatementLanguage) -> list[str]:
    tables = language.tables
    if short := tables.spellings.get(word):
        return short.split()
    word = language.writing.written(word)
    if short := tables.spellings.get(word):
        return short.split()
    if tables.possessive and not _counted(before, language):
        if owned := _without_apostrophe(word, following, language, is_first=not before):
            return owned
        if word.endswith(tables.possessive) and len(word) > len(tables.possessive):
            return _owned(word, following, before, language)
    first, mark, rest = word.partition("'")
    if mark and first in tables.elisions:
        rest = language.writing.written(rest)
        return [tables.spellings.get(f"{first}'", f"{first}'"), *tables.spellings.get(rest, rest).split()]
    return [word]


def _counted(before: Sequence[str], language: StatementLanguage) -> bool:
    return bool(before) and (before[-1] in language.tables.numbers or before[-1].isdigit())


def _without_apostrophe(word: str, following: str, language: StatementLanguage, *, is_first: bool) -> list[str]:
    """`dads moved`, `its a Tesla`, `rents 850`: the ending of an owner or a verb as it is typed in a hurry."""
    stem = word.removesuffix("s")
    if stem in language.tables.it and word not in language.tables.it and is_first and following:
        return [] if following in language.things else [stem, language.tables.be]
    if stem == word or not following or word in language.kin or word in language.things or word in language.nouns:
        return []
    after = following
    if stem in language.things and after in language.prepositions:
        return []
    if (
        stem not in language.kin
        and stem not in language.things
        and stem not in language.nouns
        and stem not in language.tables.it
    ):
        return []
    if after in language.after_has:
        return [stem, "has"]
    return [stem, language.tables.be] if after in language.after_is or after[:1].isdigit() else []


def _owned(word: str, following: str, before: Sequence[str], language: StatementLanguage) -> list[str]:
    stem = word[: -len(language.tables.possessive)]
    if before and before[-1] in language.favourite and following not in language.heads:  # `my favourite colour's teal`
        return [stem, language.tables.be]
    if following in language.after_has:
        return [stem, "has"]
    if stem in language.things or following in language.after_is or (following.endswith("ing") and following in language.forms):
        return [stem, language.tables.be]
    return [word]
