"""The subject of a clause: the user, a relative, somebody by name, or a thing that has a value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shared.language.statements.old.attributes import attribute, holds_one

if TYPE_CHECKING:
    from shared.language.statements.old.language import StatementLanguage

USER = "user"
"""The subject that is the person whose memory it is."""

DEPARTED = "departed"
"""The attribute of who is not around any more."""

_NOUN = re.compile(r"[^\W\d_](?:\w|['+&.-])*")
_MOST_THING_WORDS = 6
_MOST_COMPOUND_WORDS = 3
_MOST_OTHERS = 5
"""Most words before a verb that name who else is meant: `and my dear wife Ana`."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a predicate is said of."""

    owners: tuple[str, ...] = (USER,)
    """The subjects of its slots: one who is both named and the only one of their kind has two."""
    relation: str | None = None
    """What they are to the user: `sister`, `dog`."""
    name: str | None = None
    thing: str | None = None
    """The attribute that the clause is about."""
    is_time: bool = False
    is_unknown: bool = False
    """Whether the thing is in no table."""
    is_definite: bool = False
    """Whether it is named without its owner: `the weather`."""
    is_former: bool = False


def subject_of(  # noqa: PLR0911
    words: Sequence[str], language: StatementLanguage, capitals: frozenset[str]
) -> tuple[Subject, tuple[str, ...]] | None:
    """The subject with which a clause begins, and its predicate; None where it begins without one that is known."""
    tables = language.tables
    if words[0] in tables.me:
        return Subject(), _without_others(words[1:], language)
    if words[0] in tables.everyone and words[2:3] and words[2] in tables.me:
        return Subject(), tuple(words[1:])
    if words[0] in tables.my:
        return _owned((USER,), words[1:], language, capitals)
    if words[0] in tables.the and len(words) > 1:
        is_visit = words[1] in language.bare_nouns and " ".join(words[2:4]) in language.meets
        if words[1] in language.kin and words[2:3] and words[2] in language.heads and not is_visit:
            return _owned((USER,), words[1:], language, capitals)
        return _thing(USER, words[1:], language) or _unknown(USER, words[1:], language, is_definite=True)
    form = language.forms.get(words[0])
    is_verb = form is not None and form.is_done and form.base != words[0]  # `got a meeting on Monday`
    is_doer = (
        words[0] in language.kin
        and any(word in tables.me for word in words[2:4])
        and not any(word in language.when or word[:1].isdigit() for word in words)
    )  # `doctor took me off aspirin`
    found = None if is_verb or is_doer else _thing(USER, words, language)
    if found and (found[0].is_time or words[1] not in language.tables.within):  # `rent in Berlin` is nobody's
        return found
    if words[0] in language.kin:  # `landlord raised the rent`
        return _owned((USER,), words, language, capitals)
    return _named(words, language, capitals)


def _without_others(words: Sequence[str], language: StatementLanguage) -> tuple[str, ...]:
    """The predicate of `me and Tash are not together`, `me and my wife Ana live in York`."""
    place = next((place for place, word in enumerate(words[:_MOST_OTHERS]) if word in language.heads), 0)
    return tuple(words[place:] if words and words[0] in language.joints else words)


def _owned(
    owners: tuple[str, ...], words: Sequence[str], language: StatementLanguage, capitals: frozenset[str]
) -> tuple[Subject, tuple[str, ...]] | None:
    rest, is_former = _without_traits(words, language)
    kin = _kin(rest, language)
    if kin is None:
        found = _former_partner(words, rest, language)
        return found or _thing(owners[0], words, language) or _unknown(owners[0], words, language)
    relation, length, is_owner = kin
    own = f"{owners[0]}'s {_kind(rest[:length], relation, words[: len(words) - len(rest)], language)}"
    if is_owner and language.things.get(" ".join(rest[length : length + 1])) == "name":
        return Subject((own,), relation if owners == (USER,) else None), tuple(rest[length + 1 :])
    if is_owner:
        return _owned((own,), rest[length:], language, capitals)
    name = _name(rest[length:], language, capitals)
    rest = rest[length + len(name) :]
    called = " ".join(name).removesuffix("'s")
    names = (called,) if called and not holds_one(relation) else (own, called) if called else (own,)
    if called and name[-1].endswith("'s"):
        return _owned((called,), rest, language, capitals)
    if owners != (USER,):
        return Subject(names), tuple(rest)
    return Subject(names, relation, called or None, is_former=is_former), tuple(rest)


def _kind(said: Sequence[str], relation: str, traits: Sequence[str], language: StatementLanguage) -> str:
    """Which of several relatives is meant: `other sister`, `daughter` of the children."""
    if holds_one(relation):
        return relation
    kind = " ".join(said).removesuffix("'s") if attribute(relation).several else relation
    told = [word for word in traits if word in language.tables.distinct][:1]
    return " ".join([*told, kind])


def _without_traits(words: Sequence[str], language: StatementLanguage) -> tuple[list[str], bool]:
    """The words behind what is said of a relative before naming them, and whether that says that they are none any more."""
    rest, former = list(words), language.tables.former
    while len(rest) > 1 and rest[1] not in language.heads and (rest[0] in language.tables.traits or rest[0] in former):
        rest = rest[1:]
    return rest, any(word in former for word in words[: len(words) - len(rest)])


def _former_partner(
    words: Sequence[str], rest: Sequence[str], language: StatementLanguage
) -> tuple[Subject, tuple[str, ...]] | None:
    """`my ex Zoe moved`, and `my ex is Zoe`."""
    if not words or not rest or words[0] not in language.tables.former[:1]:
        return None
    if rest[0] not in language.heads and rest[0] != words[0]:
        return Subject(relation="partner", name=rest[0], is_former=True), tuple(rest[1:])
    is_named_behind = len(words) > 1 and words[1] in language.heads
    return (Subject(relation="partner", is_former=True), tuple(words[1:])) if is_named_behind else None


def _kin(words: Sequence[str], language: StatementLanguage) -> tuple[str, int, bool] | None:
    """What relation begins here, in how many words, and whether it owns what follows."""
    for length in (2, 1):
        said = " ".join(words[:length])
        plain = said.removesuffix("'s")
        if plain in language.kin:
            following = words[length] if length < len(words) else ""
            is_owner = plain != said
            named = (language.things, language.nouns, language.wrappers)
            if not is_owner and any(following in some for some in named):
                return None  # `dentist appointment`, `team lunch`
            return language.kin[plain], length, is_owner
    return None


def _name(words: Sequence[str], language: StatementLanguage, capitals: frozenset[str]) -> tuple[str, ...]:
    """The name that stands here before a verb: one word, or two."""
    if not words or not _may_name(words[0], language) or _is_deed(words, language, capitals):
        return ()
    if words[0] in language.tables.titles and len(words) > 1:
        return tuple(words[:2])
    if len(words) > 1 and words[0] in capitals and words[1] in capitals and _may_name(words[1], language):
        return tuple(words[:2])
    return (words[0],)


def _is_deed(words: Sequence[str], language: StatementLanguage, capitals: frozenset[str]) -> bool:
    """Whether the word is a verb that no table knows: `believed` of `my aunt believed in me`, but not `Ahmed moved`."""
    past, is_before_verb = language.tables.past, len(words) > 1 and words[1] in language.heads
    return bool(past) and words[0].endswith(past) and words[0] not in capitals and not is_before_verb


def _may_name(word: str, language: StatementLanguage) -> bool:
    plain = word.removesuffix("'s")
    return (
        plain.replace("-", "").replace("'", "").isalpha()
        and plain not in language.heads
        and plain not in language.words
        and plain not in language.openers
        and plain not in language.breaks
        and plain not in language.adjectives
        and plain not in language.kin
    )


def _named(
    words: Sequence[str], language: StatementLanguage, capitals: frozenset[str]
) -> tuple[Subject, tuple[str, ...]] | None:
    name = _name(words, language, capitals)
    if not name:
        return None
    if name[-1].endswith("'s"):
        return _owned((" ".join(name).removesuffix("'s"),), words[len(name) :], language, capitals)
    rest = words[len(name) :]
    if rest and rest[0] not in language.heads and _may_name(rest[0], language) and len(rest) > 1 and rest[1] in language.heads:
        name, rest = (*name, rest[0]), rest[1:]
    if not rest or rest[0] not in language.heads or rest[0].endswith("ing"):
        return None
    called = " ".join(name)
    return Subject((called,), name=called), tuple(rest)


def _thing(owner: str, words: Sequence[str], language: StatementLanguage) -> tuple[Subject, tuple[str, ...]] | None:
    """A thing that stands before a verb."""
    for place, word in enumerate(words[: _MOST_THING_WORDS + 1]):
        if place and word in language.thing_heads and (found := thing_of(words[:place], language)):
            return replace(found, owners=(owner,)), tuple(words[place:])
        if place and (found := _without_verb(words, place, language)):
            return replace(found, owners=(owner,)), (language.tables.be, *words[place:])
    return None


def _unknown(
    owner: str, words: Sequence[str], language: StatementLanguage, *, is_definite: bool = False
) -> tuple[Subject, tuple[str, ...]] | None:
    """What somebody owns that is in no table: `my internet provider is`."""
    skipped = set(language.tables.traits).difference(language.tables.distinct)
    while len(words) > 1 and words[0] in skipped and words[1] not in language.thing_heads:
        words = words[1:]
    place = next((place for place, word in enumerate(words) if place and word in language.heads), 0)
    if words[place + 1 : place + 2] and words[place + 1] in language.thing_heads and words[place] not in language.thing_heads:
        place += 1  # `annual leave is`
    if not 0 < place <= _MOST_COMPOUND_WORDS or not all(_NOUN.fullmatch(word) for word in words[:place]):
        return None
    return Subject((owner,), thing=" ".join(words[:place]), is_unknown=True, is_definite=is_definite), tuple(words[place:])


def _without_verb(words: Sequence[str], place: int, language: StatementLanguage) -> Subject | None:
    """The thing of `dentist on Tuesday at 2`, `rent 850`."""
    is_number = words[place][:1].isdigit()
    if not (is_number or words[place] in language.prepositions) or not language.heads.isdisjoint(words):
        return None
    found = thing_of(words[:place], language)
    return found if found and (found.is_time or is_number) else None


def thing_of(words: Sequence[str], language: StatementLanguage) -> Subject | None:
    """The thing that these words name, with its attribute: `monthly rent` is the rent, a meeting keeps whom it is with."""
    left = [word for word in words if word not in language.articles]
    while len(left) > 1 and left[0] in language.tables.traits and left[0] not in language.tables.distinct:
        left = left[1:]
    while len(left) > 1 and left[-1] in language.when:
        left = left[:-1]
    plain = " ".join(left)
    if plain in language.things:
        return Subject(thing=language.things[plain])
    if favourite := _favourite(left, language):
        return Subject(thing=favourite)
    if not left:
        return None
    if len(left) > 1 and left[0] in language.things and left[1] in language.prepositions:
        is_own = not left[-1].isalpha() or left[-1] in language.parts.get("dwelling", left[-1]).split("|")
        is_several = (left[0] in language.kinds or not is_own) and len(left) > 2  # noqa: PLR2004
        return Subject(thing=" ".join([*([left[-1]] if is_several else []), language.things[left[0]]]))
    if (
        len(left) <= _MOST_COMPOUND_WORDS
        and language.kinds.get(left[-1])
        and language.heads.isdisjoint(set(left[:-1]).difference(language.tables.distinct))
    ):
        return Subject(thing=" ".join([*left[:-1], language.kinds[left[-1]]]))
    return _appointment([word.removesuffix("'s") for word in left], language)


def _favourite(words: Sequence[str], language: StatementLanguage) -> str | None:
    """The attribute of `favourite flowers`, and of `Lieblingsblumen`, which is one word."""
    if len(words) > 1 and words[0] in language.favourite:
        return " ".join(["favourite", *words[1:]])
    is_joined = len(words) == 1 and language.tables.nouns_are_capital and words[0].startswith(tuple(language.favourite))
    return f"favourite {words[0]}" if is_joined else None


def _appointment(words: list[str], language: StatementLanguage) -> Subject | None:
    """`dentist`, `dentist appointment` and `appointment at the dentist` are one."""
    made = language.tables.appointments.made
    if len(words) > 1 and words[-1] in language.wrappers and words[-2] in language.nouns:  # a yoga class is yoga
        words = words[:-1]
    if len(words) == 1 and words[0] in language.bare_nouns:
        return Subject(thing=f"{words[0]} {made}", is_time=True)
    head = next((place for place, word in enumerate(words) if word in language.prepositions), len(words))
    if language.clitics and language.has_time(words[0]) and head > 1:  # `match de foot`: the noun goes first
        return Subject(thing=" ".join(words), is_time=True)
    if not head or not language.has_time(words[head - 1]):
        return Subject(thing=f"{' '.join(words)}", is_time=True) if " ".join(words) in language.nouns else None
    if words[:head] == [made] and head + 1 < len(words):
        return Subject(thing=f"{' '.join(words[head + 1 :])} {made}", is_time=True)
    return Subject(thing=" ".join(words), is_time=True)
