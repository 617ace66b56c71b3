"""Relatives whom a clause names in passing, whatever else it says: `I live in Leeds with my girlfriend Nora`."""

from collections.abc import Iterator, Sequence

from shared.language.statements.old.attributes import holds_one
from shared.language.statements.old.clauses import Said
from shared.language.statements.old.language import StatementLanguage
from shared.language.statements.old.subjects import Subject, subject_of


def mentioned(words: Sequence[str], whole: Said, *, leaves_no_object: bool) -> Iterator[Subject]:
    """Those whom a clause names, where it does more than that.

    Where capitals do not show who is called so, in lower case or in German, a name is read only in a clause that
    `leaves_no_object`: after `I live with my wife` comes a name, after `I play with my wife` perhaps `tennis`.
    """
    language = whole.language
    for place, word in enumerate(words):
        if word in language.tables.my and (found := _relative(words[place:], whole)):
            who, following = found
            if _is_called(who, following, whole, leaves_no_object=leaves_no_object):
                yield who


def _relative(words: Sequence[str], whole: Said) -> tuple[Subject, tuple[str, ...]] | None:
    """The relative with a name who begins here, and the words that follow."""
    plain = _joined(words, whole.language)
    who, following = (plain and subject_of(plain, whole.language, whole.capitals)) or (Subject(), ())
    if not who.relation or not who.name or who.is_former:
        return None
    is_one_of_many = not set(words[1:3]).isdisjoint(whole.language.tables.distinct)  # `my first wife Ana`
    return None if is_one_of_many and holds_one(who.relation) else (who, following)


def _joined(words: Sequence[str], language: StatementLanguage) -> tuple[str, ...]:
    """The words without what parts a name from those around it: `my wife, Ana, ...` and `my brother Tom's flat`."""
    place = next((place for place, word in enumerate(words[:-1]) if word in language.kin), None)
    if place is None:
        return tuple(words)
    before, behind = words[: place + 1], words[place + 1 :]
    if behind[0] == ",":
        return (*before, *behind[1:]) if behind[2:3] in ((), (",",)) else ()
    return (*before, behind[0].removesuffix("'s"), *behind[1:])


def _is_called(who: Subject, following: Sequence[str], whole: Said, *, leaves_no_object: bool) -> bool:
    """Whether the word behind a relative is their name."""
    language, name = whole.language, (who.name or "").split()
    if name[0] in language.weekdays or name[0] in language.parts.get("tongue", "").split("|"):
        return False  # `I met my boss Tuesday`, `I speak with my wife German`
    if whole.capitals.difference(language.tables.me) and not language.tables.nouns_are_capital:
        return whole.capitals.issuperset(name)
    is_last = not following or following[0] in language.prepositions
    return leaves_no_object and is_last and language.ends.longest(name[0], " ".join(name), 0) is None
