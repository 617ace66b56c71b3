"""Tells the readings that may end a fact or stand in a profile: a whole clause of a plain shape, with a value of its type.

All else that is read of a text only helps to judge it: a wrong end is worse than a missed one.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from shared.language.statements.old.attributes import PLACES, ValueKind, attribute, holds_one
from shared.language.statements.old.clause_slots import DENIED
from shared.language.statements.old.clauses import Clause, Said
from shared.language.statements.old.language import StatementLanguage
from shared.language.statements.old.marking import MarkedClause
from shared.language.statements.old.notation import with_parts
from shared.language.statements.old.slots import ReadSlot
from shared.language.statements.old.stems import head_of
from shared.language.statements.old.values import is_money

_DESCRIBED = frozenset({"job", "diet"})
_KINDS = {"job": ("job",), "diet": ("diet",), "employer": ("orgs", "institution"), "car": ("make",)}
"""The parts of a language's table that describe the values of an attribute, where it has them; an employer may have a name."""
_AMOUNT = re.compile(r"(?:[^\W\d]+ ){0,2}\D?\d[\d.,' ]*k?(?: ?[^\W\d]+)?(?: (?:a|per|each|im|pro|al|par|por) \w+)?")
_MEASURES = frozenset({ValueKind.MONEY, ValueKind.NUMBER, ValueKind.CONTACT})
_FOR_NOW = re.compile(r"\b(?:right now|for now|at the moment|taper\w*|gerade|momentan|por ahora|de momento|en ce moment)\b")
_OLDEST = 120
_MOST_WORDS = 4
_MOST_NAME_WORDS = 3
_LONGEST_ASIDE = 2


def is_clear(clause: Clause, marked: MarkedClause, whole: Said, before: Sequence[Sequence[str]]) -> bool:
    """True if a clause states something by itself, and not for the moment only.

    It has a subject, leans on no other clause, and no half sentence leads it.
    """
    language = whole.language
    if clause.words[0] in language.breaks - {"but"} or _FOR_NOW.search(" ".join(clause.words)):
        return False
    is_led, gerund = not has_subject(marked.words, whole), language.tables.gerund
    begun = [each for each in before if len(each) > _LONGEST_ASIDE and not has_subject(each, whole)]
    if any(not _is_verb(each[0], whole) or (gerund and each[0].endswith(gerund)) for each in begun):
        return False
    is_gerund = bool(gerund) and marked.words[0].endswith(gerund)
    if before and is_led and not is_gerund and _is_under_way(before[-1], whole):
        return False
    is_denial = not before and not DENIED.isdisjoint(marked.marks)  # `not vegan any more`
    return is_denial or not is_led or _is_verb(marked.words[0], whole)


def has_subject(words: Sequence[str], whole: Said) -> bool:
    """True if a clause says of whom or what it tells, or has a verb behind its first word."""
    language = whole.language
    tables, me = language.tables, language.tables.me
    named = (tables.my, tables.the, tables.he, tables.it, language.kin)
    first = next((word for word in words if word not in language.joints), words[0])
    reach = len(words) if first.endswith("'s") or any(first in some for some in named) else _LONGEST_ASIDE + 1
    return first in me or any(word in language.heads or word in me or _is_verb(word, whole) for word in words[1:reach])


def _is_under_way(words: Sequence[str], whole: Said) -> bool:
    """True if words tell what somebody is doing: behind `I am trying to balance work` comes `and study prep`."""
    gerund = whole.language.tables.gerund
    return bool(gerund) and any(one in whole.language.present and other.endswith(gerund) for one, other in pairwise(words))


def _is_verb(word: str, whole: Said) -> bool:
    return any(word in some for some in (whole.language.forms, whole.language.present, (whole.language.tables.was,)))


def has_its_type(slot: ReadSlot, raw: str | None, whole: Said) -> bool:
    """True if a value is one of its attribute: a place of a home, a number in a person's range of an age, a name of a name.

    `raw`: the words that it was read from; None where the wording itself is the value.
    """
    value, name, kind = slot.value or "", slot.attribute, attribute(slot.attribute).kind
    if slot.value is None or raw is None or kind is ValueKind.TIME:
        return True
    if name == "age":
        return value.isdigit() and int(value) <= _OLDEST
    if kind in _MEASURES:
        return _is_measure(slot, raw, kind)
    if name in PLACES or kind is ValueKind.NAME:
        return _is_written_as_name(head_of(value).split(), raw, whole)
    described = [part for each in _KINDS.get(name, ()) if (part := whole.language.parts.get(each))]
    is_described = any(re.search(rf"\b(?:{with_parts(part, whole.language.parts)})\b", f"{raw} {value}") for part in described)
    is_shown = kind is not ValueKind.THING or not whole.capitals.isdisjoint(value.split())
    is_named = bool(described) and name not in _DESCRIBED and is_shown and _is_written_as_name(value.split(), raw, whole)
    return _is_short(value.split(), whole) and (is_described or is_named or not described)


def _is_measure(slot: ReadSlot, raw: str, kind: ValueKind) -> bool:
    if kind is ValueKind.MONEY:
        return is_money(raw) or _AMOUNT.fullmatch(raw) is not None
    if kind is ValueKind.NUMBER and slot.attribute.startswith("number of "):
        return slot.attribute.replace(" ", "").isalpha() and slot.attribute.count(" ") <= _MOST_WORDS
    return kind is ValueKind.NUMBER or any(character.isdigit() or character == "@" for character in slot.value or "")


def is_for_a_part(slot: ReadSlot, words: Sequence[str], whole: Said) -> bool:
    """True if words behind a value say that it holds at times or for a purpose: another may hold beside it at others."""
    tables, kind = whole.language.tables, attribute(slot.attribute).kind
    is_one = holds_one(slot.attribute) and not slot.negated and kind is not ValueKind.TIME and slot.attribute != "shift"
    is_of_purpose = kind is ValueKind.THING and words[:1] and words[0] in whole.language.prepositions
    return is_one and (bool(is_of_purpose) or not set(tables.often).isdisjoint(words))


def _is_written_as_name(words: Sequence[str], raw: str, whole: Said) -> bool:
    """True if words have capitals, in a text that has any; else if they are few and none of them is a common one."""
    language = whole.language
    is_common = all(any(word in some for some in (language.words, language.adjectives, language.things)) for word in words)
    if is_common or not words or len(words) > _MOST_NAME_WORDS:
        return False
    shown = whole.capitals - set(language.tables.me)
    if not shown or language.tables.nouns_are_capital:
        is_common = raw.partition(" ")[0] in language.articles or not _may_be_place(words, language)
        return len(words) <= _LONGEST_ASIDE and not is_common
    return any(word in shown or word in whole.firsts for word in words)


def _may_be_place(words: Sequence[str], language: StatementLanguage) -> bool:
    """False for what one lives in that is no place: `love`, `debt`."""
    part = language.parts.get("place")
    return part is None or re.match(with_parts(part, language.parts), " ".join(words)) is not None


def _is_short(words: Sequence[str], whole: Said) -> bool:
    language = whole.language
    foreign = (language.pronouns, language.tables.my, language.prepositions - {"of"}, language.breaks)
    return len(words) <= _MOST_WORDS and not any(word in some for word in words[1:] for some in foreign)
