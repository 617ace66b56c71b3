"""Words as they are written out: contractions, owners, and what is typed in a hurry."""

from collections.abc import Sequence

from shared.language.statements.old.language import StatementLanguage

_SHORTEST_OWNER = 4
_NO_OWNERS = ("ss", "is", "us", "ics", "hs")
"""How words end that have their s as nouns: `boss`, `tennis`, `maths`."""
_NO_NAMES = frozenset(
    ("sales", "sports", "accounts", "operations", "arts", "games", "systems", "services", "weekends", "clients")
)
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
    if (
        tables.possessive
        and word.endswith(("s", tables.possessive))
        and not (bool(before) and (before[-1] in language.tables.numbers or before[-1].isdigit()))
    ):
        if owned := _without_apostrophe(word, following, before, language):
            return owned
        if word.endswith(tables.possessive) and len(word) > len(tables.possessive):
            return _owned(word, following, before, language)
    first, mark, rest = word.partition("'")
    if mark and first in tables.elisions:
        rest = language.writing.written(rest)
        return [tables.spellings.get(f"{first}'", f"{first}'"), *tables.spellings.get(rest, rest).split()]
    return [word]


def _without_apostrophe(word: str, following: str, before: Sequence[str], language: StatementLanguage) -> list[str]:
    """`dads moved`, `its a Tesla`, `rents 850`: the ending of an owner or a verb as it is typed in a hurry."""
    stem = word.removesuffix("s")
    begins = not before or before[-1] in language.joints
    if begins and following in language.kin and _may_own(word, language):
        return [f"{stem}{language.tables.possessive}"]
    if (
        stem in language.tables.it
        and word not in language.tables.it
        and following
        and (not before or (before[-1] == "," and (following in language.tables.titles or following in language.after_is)))
    ):
        return [] if following in language.things else [stem, language.tables.be]
    named = (language.kin, language.things, language.nouns)
    is_noun = any(stem in some for some in (*named, language.tables.it)) and not any(word in some for some in named)
    is_plural = stem in language.things and following in language.prepositions
    if stem == word or not following or not is_noun or is_plural:
        return []
    if following in language.after_has:
        return [stem, "has"]
    return [stem, language.tables.be] if following in language.after_is or following[:1].isdigit() else []


def _may_own(word: str, language: StatementLanguage) -> bool:
    """Whether a word with an s can be a name: `finns teacher`, but no `tennis teacher`, nor `sales manager`."""
    if (
        len(word) < _SHORTEST_OWNER
        or not word.isalpha()
        or not word.endswith("s")
        or word in _NO_NAMES
        or word.endswith(_NO_OWNERS)
    ):
        return False
    activities = language.parts.get("activities", "").split("|")
    known = (language.kin, language.things, language.nouns, language.forms, language.words, language.openers, activities)
    return not any(each in some for some in known for each in (word, word.removesuffix("s")))


def _owned(word: str, following: str, before: Sequence[str], language: StatementLanguage) -> list[str]:
    stem = word[: -len(language.tables.possessive)]
    if before and before[-1] in language.favourite and following not in language.heads:  # `my favourite colour's teal`
        return [stem, language.tables.be]
    if following in language.after_has:
        return [stem, "has"]
    if stem in language.things or following in language.after_is or (following.endswith("ing") and following in language.forms):
        return [stem, language.tables.be]
    return [word]
