"""Reads the slots of a text, clause by clause.

Attributes that begin with `@` stand for one that the words name: `@kin` for the relative or pet that was captured, `@name` for
what somebody is called, `@self` for the subject as somebody's relative, `@appointment` for what has a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from shared.statements import values
from shared.statements.attributes import ValueKind, attribute, ended_by, holds_one, recognised
from shared.statements.clauses import Clause, Said, said
from shared.statements.language import Mark, SlotRule, StatementLanguage
from shared.statements.marking import MarkedClause, marked_clause
from shared.statements.predicates import Predicate, matches, predicates_of
from shared.statements.slots import ReadSlot
from shared.statements.subjects import USER, Subject, subject_of, thing_of

_LONGEST_VALUE = 200
_LONGEST_FRAGMENT = 4


def read_slots(text: str, *, speaker: str | None = None, user: str | None = None) -> tuple[ReadSlot, ...]:
    """What a text states, in the order in which it does; a later statement takes the place of an earlier one of the same.

    `I`, `the user` and the names of the speaker and the user are all the subject `user`.

    >>> [(slot.attribute, slot.value) for slot in read_slots("I moved from Leeds to York last week")]
    [('home', 'york')]
    """
    names = tuple(sorted({" ".join(name.lower().split()) for name in (speaker, user) if name and name.strip()}))
    whole = said(text, names)
    reader = _Reader(whole)
    for clause in whole.clauses:
        reader.read(clause)
    return reader.slots()


@dataclass(slots=True)
class _Reader:
    """What was read so far."""

    said: Said
    found: list[ReadSlot] = field(default_factory=list)
    _is_void: bool = False
    _pending: frozenset[Mark] = frozenset()
    _clauses: int = 0
    _has_rest: bool = False
    _subject: Subject | None = None
    _other: Subject | None = None
    _thing: Subject | None = None
    _head: str = ""
    _first: str = ""
    _story: int | None = None

    def slots(self) -> tuple[ReadSlot, ...]:
        """All that was read, and what it says of other attributes."""
        is_whole = self._clauses == 1 and not self._has_rest
        done = [slot.model_copy(update={"is_whole": is_whole}) for slot in self.found]
        return (*done, *(each for slot in done for each in _implied(slot)))

    def read(self, clause: Clause) -> None:
        """Add what a clause states."""
        if clause.begins_sentence:
            self._is_void, self._story = False, None
        marked = marked_clause(clause.words, self.said)
        if Mark.JOKE in marked.marks:
            self.found.clear()
        if self._is_void or Mark.VOID in marked.marks:
            if self._story is not None:  # `we used to have a dog when I was little` is a story of then
                del self.found[self._story :]
            self._is_void = True
            self._clauses += 1
            return
        if not marked.words:
            self._pending = marked.marks & _CARRIED
            return
        marked = replace(marked, marks=marked.marks | self._pending)
        self._pending = frozenset()
        self._clauses += 1
        self._first = clause.words[0]
        self._story = len(self.found) if Mark.ENDED in marked.marks else None
        fresh = list(self._stated(marked))
        if not fresh and self.found and clause.words[0] not in self.said.language.breaks:
            fresh = list(self._fragment(marked))
        for slot in fresh:
            if slot.subject not in _SOMEBODY.owners:
                self._add(slot)

    def _add(self, slot: ReadSlot) -> None:
        """A later value of a single-valued attribute takes the earlier one's place."""
        for place, old in enumerate(self.found):
            if (old.subject, old.attribute) != (slot.subject, slot.attribute):
                continue
            if (old.value, old.negated) == (slot.value, slot.negated):
                return
            if holds_one(slot.attribute) and not slot.negated and old.value is not None:
                self.found[place] = slot if slot.replaces else slot.model_copy(update={"replaces": old.value})
                return
        self.found.append(slot)
        if slot.subject == USER and slot.attribute in self.said.language.thing_names:
            self._thing = Subject(thing=slot.attribute)

    def _stated(self, marked: MarkedClause) -> Iterator[ReadSlot]:
        language = self.said.language
        subject, rest = self._parsed(marked)
        if subject is None or not rest:
            return
        if subject.relation and subject.name:
            yield self._slot((USER, subject.relation), subject.name, marked, negated=subject.is_former, is_plain=True)
        if subject.is_former:
            return
        if subject.thing:
            yield from self._of_thing(subject, marked)
            return
        yield from self._of_person(subject, rest, marked, language)

    def _parsed(self, marked: MarkedClause) -> tuple[Subject | None, tuple[str, ...]]:
        """The subject of a clause, its own or the one of the clause before, and the predicate."""
        language, words = self.said.language, marked.words
        tables = language.tables
        if words[0] in tables.he and len(words) > 1:
            return self._other or _SOMEBODY, words[1:]
        if words[0] in tables.it and len(words) > 1:
            is_own = words[2:3] and words[2] in tables.my  # `it is my 30th birthday`
            return Subject() if is_own else self._thing, words[1:]
        found = subject_of(words, language, self.said.capitals)
        if found:
            subject, rest = found
            if subject.thing:
                self._thing = subject
            elif subject.owners != (USER,):
                self._other = subject
            self._subject = subject
            return subject, rest
        return self._elided(words)

    def _elided(self, words: tuple[str, ...]) -> tuple[Subject | None, tuple[str, ...]]:
        """The subject of a clause that begins with its verb: the user, or whom the clause before was about."""
        language = self.said.language
        tables = language.tables
        if tables.inverts and words[0] in language.heads and words[1:2] and words[1] in tables.me:
            self._subject = Subject()
            return self._subject, (words[0], *words[2:])
        form = language.forms.get(words[0])
        before = self._subject if self._subject and not self._subject.thing else None
        if form is None or before:
            return before or Subject(), words
        is_first_form = words[0] == form.base
        if tables.drops_subject:
            return (Subject() if is_first_form else self._other), words
        is_order = is_first_form and form.base not in tables.bare and words[0] == self._first
        return (None if is_order else Subject()), words

    def _of_thing(self, subject: Subject, marked: MarkedClause) -> Iterator[ReadSlot]:
        language = self.said.language
        timed = subject_of(marked.timed, language, self.said.capitals)
        words = timed[1] if timed else marked.timed[1:]
        kind = ValueKind.TIME if subject.is_time else attribute(subject.thing or "").kind
        predicate, *_ = predicates_of(words, language)
        for rule, groups in matches(predicate.words, language.thing_rules, language):
            if rule.negated:
                yield self._slot((subject.owners[0], subject.thing or ""), None, marked, negated=True)
                return
            value = self._value(groups["value"], kind)
            if value is not None and (kind is not ValueKind.THING or self._is_particular(groups["value"])):
                old = groups.get("old")
                yield self._slot(
                    (subject.owners[0], self._contact(subject.thing or "", value)),
                    value,
                    replace(marked, marks=marked.marks - {Mark.FUTURE} if kind is ValueKind.TIME else marked.marks),
                    replaces=self._value(old, kind) if old else None,
                )
                return

    def _contact(self, thing: str, value: str) -> str:
        """A phone that is digits is a phone number."""
        return "phone number" if thing == "phone" and sum(map(str.isdigit, value)) > len(value) / 2 else thing

    def _of_person(
        self, subject: Subject, rest: Sequence[str], marked: MarkedClause, language: StatementLanguage
    ) -> Iterator[ReadSlot]:
        done: set[str] = set()
        if subject.owners != (USER,):
            rest = [language.owns.get(word, word) for word in rest]
        for predicate in predicates_of(rest, language):
            for rule, groups in matches(predicate.words, language.rules, language):
                if done and rule.attributes[0] in _LAST:
                    continue
                told = [slot for slot in self._by_rule(subject, rule, groups, predicate, marked) if slot.attribute not in done]
                yield from told
                done.update(slot.attribute for slot in told)
                if told and rule.attributes[0] in _ALONE:
                    break
            if done:
                self._head = predicate.words.partition(" ")[0]
                return

    def _by_rule(
        self, subject: Subject, rule: SlotRule, groups: dict[str, str], predicate: Predicate, marked: MarkedClause
    ) -> Iterator[ReadSlot]:
        if rule.negated and not marked.marks.isdisjoint(_DENIED):
            return  # `I did not quit` says nothing of what holds
        if predicate.is_past and Mark.ENDED not in marked.marks and rule.attributes[0] in _DEEDS:
            return  # `I ate meat yesterday`
        if "proper" in groups and not self._names(groups["proper"], subject, predicate, marked):
            return
        marks = marked.marks - {Mark.FUTURE} if predicate.is_perfect else marked.marks
        told = replace(marked, marks=marks | _told_by_verb(predicate, rule, marks))
        is_ended = rule.negated or predicate.is_past or predicate.is_stopped
        for name in rule.attributes:
            if name in {"@appointment", "@thing"}:
                yield from self._appointment(rule, marked)
                continue
            owners, resolved = self._resolved(name, subject, groups)
            if resolved is None:
                continue
            owners = (USER,) if rule.attributes[0] == "@self" else owners
            is_named = rule.attributes[0] == "@self"
            if is_named and ((name == "@self") == (subject.relation is None) or not (subject.relation or subject.name)):
                continue
            raw = subject.name if is_named else rule.value or groups.get("value") or groups.get("proper")
            for value in self._values(raw, resolved):
                if name == "@kin" and value:
                    self._other = Subject((value,), name=value)
                shown = recognised(value) if resolved == "uses" and value else None
                old = self._value(groups["old"], attribute(resolved).kind) if "old" in groups else None
                yield from (
                    self._slot((owner, shown or resolved), value, told, negated=is_ended, replaces=old) for owner in owners
                )

    def _names(self, proper: str, subject: Subject, predicate: Predicate, marked: MarkedClause) -> bool:
        """Whether what somebody is said to be is what they are called."""
        be = self.said.language.tables.be
        is_said = not predicate.words.startswith(be) or be in marked.words or subject.relation is not None
        return is_said and all(self._is_name(each, subject) for each in values.listed(proper))

    def _values(self, raw: str | None, name: str) -> list[str | None]:
        """The values that the words give an attribute; without words, the one that is none."""
        if raw is None:
            return [None]
        several = [raw] if holds_one(name) else values.listed(raw)
        return [value for each in several if (value := self._value(each, attribute(name).kind)) is not None]

    def _resolved(self, name: str, subject: Subject, groups: dict[str, str]) -> tuple[tuple[str, ...], str | None]:
        """The subjects and the attribute that a rule's attribute stands for here."""
        match name:
            case "@kin":
                word = groups["kin"]
                kin = self.said.language.kin
                return subject.owners[:1], kin.get(word) or kin.get(word.removesuffix("s"))
            case "@count":
                counted = self.said.language.kin[groups["kin"]]
                return subject.owners, "number of children" if counted == "child" else f"number of {counted}s"
            case "@self" | "@name":
                return (USER,), subject.relation
            case "@appointment" | "@thing":
                return subject.owners, name
            case "name" if subject.relation:
                return (USER,), subject.relation
        return subject.owners, name

    def _appointment(self, rule: SlotRule, marked: MarkedClause) -> Iterator[ReadSlot]:
        found = subject_of(marked.timed, self.said.language, self.said.capitals)
        words = found[1] if found else marked.timed
        for predicate in predicates_of(words, self.said.language):
            if not (match := rule.pattern.match(predicate.words)):
                continue
            thing = thing_of((match.groupdict().get("what") or rule.value or "").split(), self.said.language)
            if thing is None or not thing.thing:
                return
            self._thing = thing
            marks = marked.marks - {Mark.FUTURE}
            if rule.negated:
                yield self._slot((USER, thing.thing), None, replace(marked, marks=marks), negated=True)
                return
            kind = ValueKind.TIME if thing.is_time else attribute(thing.thing).kind
            value = self._value(match["value"], kind)
            if value:
                yield self._slot((USER, thing.thing), value, replace(marked, marks=marks))
            return

    def _is_name(self, words: str, subject: Subject) -> bool:
        """Whether what somebody `is` is a name: written like one, or after a word for one who has one."""
        split = words.split()
        if all(word in self.said.capitals for word in split) and not self.said.language.tables.nouns_are_capital:
            return True
        is_role = subject.relation is not None and attribute(subject.relation).kind is ValueKind.NAME
        language = self.said.language
        telling = all(word.isalpha() and word not in language.adjectives and word not in language.words for word in split)
        return is_role and telling and len(split) == 1 and split[0] not in language.heads and f"is {split[0]}" not in _NEVER

    def _value(self, words: str, kind: ValueKind) -> str | None:
        language = self.said.language
        if kind is ValueKind.TIME:
            return values.compared(words, kind, language)
        cut = values.cut(words, language)
        self._has_rest = self._has_rest or not cut.is_whole
        value = values.compared(cut.words, kind, language)
        return value[:_LONGEST_VALUE] if value else None

    def _is_particular(self, words: str) -> bool:
        """Whether a thing is told apart, and not only described: `a Golf`, not `red`."""
        split = words.split()
        return split[0] in self.said.language.articles or any(
            word in self.said.capitals or not word.isalpha() or recognised(word) for word in split
        )

    def _slot(
        self,
        whose: tuple[str, str],
        value: str | None,
        marked: MarkedClause,
        *,
        negated: bool = False,
        replaces: str | None = None,
        is_plain: bool = False,
    ) -> ReadSlot:
        marks = marked.marks
        if not is_plain:
            negated = negated or not marks.isdisjoint(_DENIED)
        is_future = Mark.FUTURE in marks and not is_plain
        return ReadSlot(
            subject=whose[0],
            attribute=whose[1],
            value=value,
            negated=negated,
            is_doubtful=Mark.DOUBT in marks and not is_plain,
            is_future=is_future,
            replaces=replaces,
            valid_from=_moment(self.said.dates) if is_future else None,
        )

    def _fragment(self, marked: MarkedClause) -> Iterator[ReadSlot]:
        """A few words that put right or add to what was said last: `not Leeds`, `scratch that, York`."""
        last = self.found[-1]
        language = self.said.language
        words = " ".join(marked.timed if attribute(last.attribute).kind is ValueKind.TIME else marked.words)
        if len(words.split()) > _LONGEST_FRAGMENT:
            return
        for rule, groups in matches(f"{self._head} {words}", language.rules, language):
            subject = self._subject or Subject()
            predicate = Predicate(f"{self._head} {words}")
            told = list(self._by_rule(subject, rule, groups, predicate, marked))
            if any(slot.attribute == last.attribute for slot in told):
                yield from told
                return
        value = self._value(words, attribute(last.attribute).kind)
        if value is None or words.partition(" ")[0] in language.heads:
            return
        if Mark.NEGATED in marked.marks:
            if value != last.value:
                self.found[-1] = last.model_copy(update={"replaces": value})
        elif Mark.RETRACTION in marked.marks:
            yield last.model_copy(update={"value": value, "negated": False, "replaces": last.value})


_ALONE = frozenset({"@kin", "@name", "@appointment", "@thing"})
"""What these read of a predicate, no other rule reads anew."""
_DEEDS = frozenset({"habit", "hobby", "likes", "instrument", "training", "uses", "looking for", "medication", "phone", "car"})
"""What is done: its past tells of one time."""
_SOMEBODY = Subject(("somebody",))
"""Whom a pronoun means that explains itself by nothing before: what they are is not told, what they moved is."""
_DENIED = frozenset({Mark.NEGATED, Mark.ENDED})
_CARRIED = frozenset({Mark.DOUBT, Mark.RETRACTION})
"""What marks the next clause where it stands alone: `I think, ...`, `scratch that.`"""
_LAST = frozenset({"uses", "likes"})
"""What is read only where nothing else was."""
_NEVER = frozenset({"is next"})


def _told_by_verb(predicate: Predicate, rule: SlotRule, marks: frozenset[Mark]) -> frozenset[Mark]:
    """What a verb's form says: `moving` is to come, and `lived` has ended, perhaps."""
    future = {Mark.FUTURE} if predicate.is_coming else set()
    doubt = {Mark.DOUBT} if predicate.is_past and not rule.negated and Mark.ENDED not in marks else set()
    return frozenset(future | doubt)


def _implied(slot: ReadSlot) -> Iterator[ReadSlot]:
    if not slot.negated:
        for each in ended_by(slot.attribute, slot.value):
            denied = {"attribute": each.attribute, "value": each.value, "negated": True}
            yield slot.model_copy(update={**denied, "replaces": None, "is_implied": True})


def _moment(dates: Sequence[str]) -> datetime | None:
    if len(dates) != 1:
        return None
    try:
        return datetime.fromisoformat(dates[0]).replace(tzinfo=UTC)
    except ValueError:
        return None
