"""The predicate of a clause, its verb in the form in which the rules name it; and the rules that it meets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from shared.language.statements.old.language import Form, RuleIndex, StatementLanguage
from shared.language.statements.old.tables import Mark, SlotRule


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
    clitic = language.clitics.get(words[0]) if len(words) > 1 else None
    if clitic is None:
        return _readings(words, language)
    behind = [replace(each, words=f"{clitic} {each.words}") for each in _readings(words[1:], language)]
    return [*behind, Predicate(" ".join([clitic, *words[1:]]))]


def _readings(words: Sequence[str], language: StatementLanguage) -> list[Predicate]:
    """How a predicate can be read that begins with its verb."""
    tables = language.tables
    first, rest, is_perfect = _without_auxiliary(words[0], list(words[1:]), language)
    if first in language.present and rest and rest[0] in language.present:
        first, rest = rest[0], rest[1:]
    following = language.forms.get(rest[0]) if rest else None
    if first == tables.be and following and rest[0] not in language.after_is:
        return _with_participle(rest, following, language)
    if first == tables.was:
        return _in_the_past(rest, following, language)
    form = language.forms.get(first)
    if form is None:
        literal = Predicate(" ".join([first, *rest]))
        return [literal] if first in language.present else [literal, Predicate(" ".join([tables.be, first, *rest]))]
    made = Predicate(" ".join([form.base, *rest]), form.is_past and not is_perfect, form.is_coming, is_perfect=is_perfect)
    as_said = [Predicate(" ".join(words))] if is_perfect and language.clitics else []
    return [made, *_inner(form, rest, language), *as_said]


def _without_auxiliary(first: str, rest: list[str], language: StatementLanguage) -> tuple[str, list[str], bool]:
    """The verb and what follows it, and whether `have` stood before it."""
    form = language.forms.get(first)
    is_perfect = bool(form and form.base in language.auxiliaries and rest and _is_participle(rest[0], language))
    if is_perfect:
        first, rest = rest[0], rest[1:]
    return language.tables.be if first in language.present else first, rest, is_perfect


def _with_participle(rest: Sequence[str], following: Form, language: StatementLanguage) -> list[Predicate]:
    """`is living`, `is moving`, `is divorced`."""
    literal = Predicate(" ".join([language.tables.be, *rest]))
    verb = Predicate(" ".join([following.base, *rest[1:]]), is_coming=following.is_coming)
    return [literal, verb] if following.is_done and not following.is_coming else [verb, literal]


def _in_the_past(rest: Sequence[str], following: Form | None, language: StatementLanguage) -> list[Predicate]:
    """`was moved`, `was living`, `was vegan`."""
    tables, tail = language.tables, " ".join(rest)
    done = [Predicate(" ".join([following.base, *rest[1:]]), is_past=not following.is_done)] if following else []
    return [Predicate(f"{tables.was} {tail}"), *done, Predicate(f"{tables.be} {tail}", is_past=True)]


def _inner(form: Form, rest: Sequence[str], language: StatementLanguage) -> list[Predicate]:
    """What another verb stops or starts: `gave up smoking`, `stopped being vegan`."""
    tables = language.tables
    if form.base not in tables.stops and form.base not in tables.starts:
        return []
    words = rest[1:] if rest[:1] in (["up"], ["to"], ["back"]) else rest
    inner = language.forms.get(words[0]) if words else None
    base = inner.base if inner else tables.be if words and words[0] == "being" else None
    if base is None:
        return []
    return [Predicate(" ".join([base, *words[1:]]), is_coming=form.is_coming, is_stopped=form.base in tables.stops)]


def _is_participle(word: str, language: StatementLanguage) -> bool:
    form = language.forms.get(word)
    is_base = form is not None and word == form.base and not language.clitics  # where these are, verbs are named by a past
    return word in language.present or (
        (form is not None and (form.is_past or (form.is_done and not is_base)))
        or word in {"quit", "cut", "split", "become", "come", "run", "put"}
    )


def matches(predicate: str, rules: RuleIndex, language: StatementLanguage) -> Iterator[tuple[SlotRule, dict[str, str]]]:
    """The rules whose wording a predicate has, with what they capture of it."""
    head, _, behind = predicate.partition(" ")
    of_head = rules.get(head)
    for rule in of_head.before(behind.partition(" ")[0]) if of_head else ():
        if found := rule.pattern.match(predicate):
            groups = {name: value for name, value in found.groupdict().items() if value is not None}
            if _may_end(groups.get("rest", ""), rule, groups, language):
                yield rule, groups


def _may_end(rest: str, rule: SlotRule, groups: Mapping[str, str], language: StatementLanguage) -> bool:
    """Whether a wording may be followed by the rest: `broke up` means another thing in `broke up the fight`."""
    names_nothing = rule.value is None and groups.keys() <= {"rest"}
    if not rest or (rule.negated and rest.startswith(",")) or not (rule.whole or names_nothing):
        return True
    end = language.ends.longest(rest.partition(" ")[0], rest, 0)
    return end is not None and (end[1] is Mark.TIME or not rule.whole)
