"""The predicate of a clause, its verb in the form in which the rules name it; and the rules that it meets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.statements.language import Mark, RuleIndex, SlotRule, StatementLanguage


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate with its verb in the form in which the rules name it."""

    words: str
    is_past: bool = False
    is_coming: bool = False
    is_stopped: bool = False
    is_perfect: bool = False


def predicates_of(words: Sequence[str], language: StatementLanguage) -> list[Predicate]:
    """How a predicate can be read, the likeliest first."""
    tables = language.tables
    first, rest = words[0], list(words[1:])
    is_perfect = False
    if (
        language.forms.get(first)
        and language.forms[first].base in language.auxiliaries
        and rest
        and _is_participle(rest[0], language)
    ):
        first, rest, is_perfect = rest[0], rest[1:], True
    first = tables.be if first in language.present else first
    following = language.forms.get(rest[0]) if rest else None
    if first in language.present and rest and rest[0] in language.present:
        first, rest = rest[0], rest[1:]
        following = language.forms.get(rest[0]) if rest else None
    if first == tables.be and following and not _is_adjective(rest[0], language):
        literal = Predicate(" ".join([first, *rest]))
        verb = Predicate(" ".join([following.base, *rest[1:]]), is_coming=following.is_coming)
        return [literal, verb] if following.is_done and not following.is_coming else [verb, literal]
    if first == tables.was:
        tail = " ".join(rest)
        done = [Predicate(" ".join([following.base, *rest[1:]]), is_past=not following.is_done)] if following else []
        return [Predicate(f"{first} {tail}"), *done, Predicate(f"{tables.be} {tail}", is_past=True)]
    form = language.forms.get(first)
    if form is None:
        literal = Predicate(" ".join([first, *rest]))
        return [literal] if first in language.present else [literal, Predicate(" ".join([tables.be, first, *rest]))]
    made = Predicate(" ".join([form.base, *rest]), form.is_past and not is_perfect, form.is_coming, is_perfect=is_perfect)
    found = [made]
    if form.base in tables.stops or form.base in tables.starts:
        place = 1 if rest[:1] in (["up"], ["to"], ["back"]) else 0
        inner = language.forms.get(rest[place]) if place < len(rest) else None
        if inner:
            inside = " ".join([inner.base, *rest[place + 1 :]])
            found.append(Predicate(inside, is_coming=form.is_coming, is_stopped=form.base in tables.stops))
        elif place < len(rest) and rest[place] == "being":
            inside = " ".join([tables.be, *rest[place + 1 :]])
            found.append(Predicate(inside, is_coming=form.is_coming, is_stopped=form.base in tables.stops))
    return found


def _is_participle(word: str, language: StatementLanguage) -> bool:
    form = language.forms.get(word)
    return word in language.present or (
        (form is not None and (form.is_past or (form.is_done and word != form.base)))
        or word in {"quit", "cut", "split", "become"}
    )


def _is_adjective(word: str, language: StatementLanguage) -> bool:
    return word in language.after_is


def matches(predicate: str, rules: RuleIndex, language: StatementLanguage) -> Iterator[tuple[SlotRule, dict[str, str]]]:
    """The rules whose wording a predicate has, with what they capture of it."""
    head = predicate.partition(" ")[0]
    for rule in rules.get(head, ()):
        if found := rule.pattern.match(predicate):
            groups = {name: value for name, value in found.groupdict().items() if value is not None}
            if _may_end(groups.get("rest", ""), rule, groups, language):
                yield rule, groups


def _may_end(rest: str, rule: SlotRule, groups: Mapping[str, str], language: StatementLanguage) -> bool:
    """Whether a wording may be followed by the rest: `broke up` means another thing in `broke up the fight`."""
    names_nothing = rule.value is None and groups.keys() <= {"rest"}
    if not rest or not (rule.whole or names_nothing):
        return True
    end = language.ends.longest(rest.partition(" ")[0], rest, 0)
    return end is not None and (end[1] is Mark.TIME or not rule.whole)
