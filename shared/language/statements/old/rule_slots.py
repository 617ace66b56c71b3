"""What a rule states of a subject, once a predicate has its wording.

Attributes that begin with `@` stand for one that the words name: `@kin` for the relative or pet that was captured, `@name` for
what somebody is called, `@self` for the subject as somebody's relative, `@appointment` for what has a time, `@thing` for what
has a value, `@price` for what is paid for it, `@ended` for what is no more, by its name, `@count` for how many there are,
`@parents` for the health of both parents, `@often` for how often something is done, `@left` for who is not around any more,
`@dismissed` for the user's work, which the subject has ended.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from shared.language.statements import values
from shared.language.statements.old.activities import without_light
from shared.language.statements.old.attributes import ValueKind, attribute, ended_by, recognised
from shared.language.statements.old.clause_slots import DENIED, stated_slot, without_plan
from shared.language.statements.old.clauses import Said
from shared.language.statements.old.marking import MarkedClause
from shared.language.statements.old.predicates import Predicate, predicates_of
from shared.language.statements.old.referents import Referents
from shared.language.statements.old.slots import ReadSlot
from shared.language.statements.old.subjects import DEPARTED, USER, Subject, thing_of
from shared.language.statements.old.tables import Mark, SlotRule
from shared.language.statements.old.valuing import ValueReader

Owners = tuple[str, ...]

ACTIVITY = "activity"
"""The attribute of whatever else somebody does, has or is."""

_DEEDS = frozenset(
    {
        *("habit", "hobby", "likes", "instrument", "training", "uses", "looking for", "medication", "phone", "car"),
        *("wake-up time", "bedtime", "gym", "intake"),
    }
)
"""What is done: its past tells of one time."""
_FEELINGS = frozenset({"likes"})
"""Whose end ends nothing else: who hates running may run."""
_VARIOUS = "relative"
"""The relation that grandmothers share with aunts: where one without a name dies, the others live."""


@dataclass(slots=True)
class RuleReader:
    """Reads what rules state in the clauses of one text."""

    said: Said
    referents: Referents
    values: ValueReader

    def slots(
        self, subject: Subject, rule: SlotRule, groups: dict[str, str], predicate: Predicate, marked: MarkedClause
    ) -> Iterator[ReadSlot]:
        """What a rule states of a subject, with the words that its wording captures of the predicate."""
        if _says_nothing(rule, predicate, marked.marks):
            return
        if "proper" in groups and not self._names(groups["proper"], subject, predicate, marked):
            return
        told = replace(marked, marks=self._marks(predicate, rule, marked.marks))
        is_ended = rule.negated or (predicate.is_past and not rule.done) or predicate.is_stopped
        for name in rule.attributes:
            if name in {"@appointment", "@thing"}:
                yield from self._appointment(rule, marked)
            elif name in {"@price", "@often"}:
                yield from self._measured(name, groups, told)
            elif name in {"@ended", "@left"}:
                yield from self._gone_by_name(name, subject, told)
            elif name == "@dismissed":
                yield from _dismissed(subject, told)
            elif rule.attributes[0] == "@self":
                yield from self._of_self(name, subject, told)
            elif resolved := self._resolved(name, subject, groups):
                yield from self._slots(*resolved, rule, groups, told, is_ended=is_ended)

    def _slots(
        self, owners: Owners, name: str, rule: SlotRule, groups: dict[str, str], told: MarkedClause, *, is_ended: bool
    ) -> Iterator[ReadSlot]:
        """One attribute by a rule, of each owner and with each value."""
        if name == ACTIVITY and rule.negated and self._is_of_one_time(groups.get("old", ""), rule):
            return
        words = rule.value or groups.get("value") or groups.get("proper") or (groups.get("old") if rule.negated else None)
        if words and name == ACTIVITY and rule.negated:
            words = " ".join(without_light(words.split(), self.said.language))
        old = self.values.value(groups.get("old"), attribute(name).kind)
        old = old or self._left_behind(name, groups, told)
        is_said_over = is_ended or Mark.ENDED in told.marks
        is_over = is_said_over and name not in _FEELINGS and Mark.DOUBT not in told.marks
        is_over = is_over and rule.attributes != ("@name",)  # `my sister is no teacher any more`: the user may be one
        is_weak = rule.weak and not self.values.is_lasting(words or "")
        for value in self.values.values(words, name):
            if rule.attributes[0] == "@kin":
                self.referents.other = _met(owners[0], name, value)
            shown = self._kind_of(value) if value and name == "uses" and "_" not in groups else None
            shown = self._kind_of(value) if value and name == "home" else shown  # `we moved to Windows`
            replaced = value if is_over and value else old
            dose = values.dose_of(words) if words and value and name == "medication" and not is_ended else None
            if dose:
                yield stated_slot((owners[0], f"{value} dose"), dose, told)
            for owner in owners:
                yield stated_slot((owner, shown or name), value, told, negated=is_ended, replaces=replaced, is_generic=is_weak)

    def _left_behind(self, name: str, groups: dict[str, str], told: MarkedClause) -> str | None:
        """What was spoken of before somebody switches to something else: `Barclays shut my branch, so I switched to Monzo`."""
        before = self.referents.other
        is_switch = name == "uses" and "old" not in groups and not self.said.language.changes.isdisjoint(told.words)
        return before.name if is_switch and before and not before.relation else None

    def _is_of_one_time(self, old: str, rule: SlotRule) -> bool:
        """Whether nothing that lasts ends: `finished another painting`, `is off to bed`."""
        tables, first = self.said.language.tables, old.partition(" ")[0]
        is_one_of_many = first in self.said.language.articles and first not in (*tables.my, *tables.the, *tables.theirs)
        return first in self.said.language.prepositions or (rule.weak and is_one_of_many)

    def _kind_of(self, value: str) -> str | None:
        """The attribute that a value shows: `firefox` is a browser, an `electric car` a car."""
        first, _, _ = value.partition(" ")
        return recognised(value) or recognised(first) or self.said.language.things.get(value.rpartition(" ")[2])

    def _of_self(self, name: str, subject: Subject, told: MarkedClause) -> Iterator[ReadSlot]:
        """What somebody was to the user, and is not any more: `Biscuit died`."""
        if subject.name or (subject.relation and subject.relation != _VARIOUS):
            known = subject.relation or ("companion" if name == "@self" else name)
            yield stated_slot((USER, known), subject.name, told, negated=True, replaces=subject.name)

    def _marks(self, predicate: Predicate, rule: SlotRule, marks: frozenset[Mark]) -> frozenset[Mark]:
        """The marks of a clause with what its verb's form says: `moving` is to come, and `lived` has ended, perhaps."""
        marks = marks - {Mark.FUTURE} if predicate.is_perfect else marks
        future = {Mark.FUTURE} if predicate.is_coming else set()
        is_being = predicate.words.startswith(self.said.language.tables.be)
        is_denied = Mark.ENDED in marks or (Mark.NEGATED in marks and is_being)  # `I was never vegan`
        is_over = predicate.is_past and not (rule.negated or rule.done or is_denied)
        doubt = {Mark.DOUBT} if is_over else set()
        return marks | future | doubt

    def _names(self, proper: str, subject: Subject, predicate: Predicate, marked: MarkedClause) -> bool:
        """Whether what somebody is said to be is what they are called."""
        be = self.said.language.tables.be
        is_be_said = not self.said.language.present.isdisjoint(marked.words)
        is_said = not predicate.words.startswith(be) or is_be_said or subject.relation is not None
        return is_said and self.values.are_names(proper, subject)

    def _resolved(self, name: str, subject: Subject, groups: dict[str, str]) -> tuple[Owners, str] | None:
        """The subjects and the attribute that a rule's attribute stands for here."""
        kin = self.said.language.kin
        owners, found = subject.owners, name
        if name == "@kin":
            word = groups["kin"]
            owners, found = owners[:1], kin.get(word) or kin.get(word.removesuffix("s")) or ""
        elif name == "@count":
            known = self.said.language.kin.get(groups.get("kin", ""), "")
            found = _number_of(
                known if known and known != "child" else groups.get("kin") or self.values.value(groups["counted"]) or ""
            )
        elif name == "@parents":
            both = (USER, f"{USER}'s partner")
            owners, found = (
                both if subject.relation in {"child", "partner"} or subject.owners == (USER,) else subject.owners,
                "condition",
            )
        elif name == "@name" or (name == "name" and subject.relation):
            owners, found = (USER,), subject.relation or ""
        return (owners, found) if found else None

    def _appointment(self, rule: SlotRule, marked: MarkedClause) -> Iterator[ReadSlot]:
        for predicate in predicates_of(self.referents.timed(marked), self.said.language):
            if not (match := rule.pattern.match(predicate.words)):
                continue
            thing = thing_of((match.groupdict().get("what") or rule.value or "").split(), self.said.language)
            if thing is None or not thing.thing:
                yield from self._moved(rule, match.groupdict(), predicate, marked)
                return
            self.referents.thing = thing
            told = replace(marked, marks=marked.marks - {Mark.FUTURE})
            kind = ValueKind.TIME if thing.is_time else attribute(thing.thing).kind
            value = None if rule.negated else self.values.value(match["value"], kind)
            if rule.negated or value:
                yield stated_slot((USER, thing.thing), value, told, negated=rule.negated)
            return

    def _measured(self, name: str, groups: dict[str, str], marked: MarkedClause) -> Iterator[ReadSlot]:
        """What is paid for something, as its value: `my phone plan is £15` tells of the same; or how often it is done."""
        thing, what = thing_of(groups["what"].split(), self.said.language), self.values.value(groups["what"])
        if name == "@often" and what:
            yield stated_slot((USER, f"frequency of {what}"), f"{groups['often']} a {groups['unit']}", marked)
        elif name == "@price" and (value := self.values.value(groups["value"], ValueKind.MONEY)):
            bill = thing.thing if thing else what
            yield from [stated_slot((USER, bill), value, marked)] if bill else []

    def _gone_by_name(self, name: str, subject: Subject, told: MarkedClause) -> Iterator[ReadSlot]:
        """What is no more, by its name: `Mudlark split up`; or who is not around: `Fiona left`, `my flatmate moved out`."""
        if name == "@ended" and subject.name and not subject.relation:
            yield stated_slot((USER, ACTIVITY), subject.name, told, negated=True, replaces=subject.name)
        elif name == "@left" and subject.relation in {each.attribute for each in ended_by(DEPARTED, subject.name)}:
            yield stated_slot((USER, subject.relation or ""), subject.name, told, negated=True, replaces=subject.name)
        elif name == "@left" and subject.name and not subject.relation:
            yield stated_slot((USER, DEPARTED), subject.name, told)

    def _moved(
        self, rule: SlotRule, groups: dict[str, str | None], predicate: Predicate, marked: MarkedClause
    ) -> Iterator[ReadSlot]:
        """What is in no table, and has another time now, or none: `I moved my bouldering to Tuesdays`."""
        tables, what = self.said.language.tables, groups.get("what") or ""
        first, _, noun = what.partition(" ")
        is_definite = first in (*tables.my, *tables.the) and noun.partition(" ")[0] not in tables.wrappers
        name, value = self.values.value(what), self.values.value(groups.get("value"), ValueKind.TIME)
        if is_definite and name and rule.negated:
            yield stated_slot((USER, name), None, marked, negated=True)
            yield stated_slot((USER, ACTIVITY), name, marked, negated=True, replaces=name)
        elif is_definite and name and value and predicate.words.partition(" ")[0] not in tables.auxiliaries:
            self.referents.thing = Subject(thing=name, is_time=True)
            yield stated_slot((USER, name), value, without_plan(marked, ValueKind.TIME), replaces=name)


def _met(owner: str, relation: str, name: str | None) -> Subject:
    """The one whom `she` means behind `I have a new boss`."""
    own = f"{owner}'s {relation}"
    return Subject((name,), name=name) if name else Subject((own,), relation if owner == USER else None)


def _dismissed(subject: Subject, told: MarkedClause) -> Iterator[ReadSlot]:
    """What ends where somebody dismisses the user: who has a name, and is no relative, is the employer."""
    employer = None if subject.relation else subject.name
    yield stated_slot((USER, "employer"), employer, told, negated=True, replaces=employer)
    yield stated_slot((USER, "job"), None, told, negated=True)


def _says_nothing(rule: SlotRule, predicate: Predicate, marks: frozenset[Mark]) -> bool:
    """`I did not quit` says nothing of what holds, and `I ate meat yesterday` nothing that lasts."""
    if rule.negated:
        return not marks.isdisjoint(DENIED)
    is_of_one_time = predicate.is_past or Mark.ONCE in marks
    return is_of_one_time and Mark.ENDED not in marks and rule.attributes[0] in _DEEDS


def _number_of(counted: str) -> str:
    if counted in {"child", "children", "kid", "kids"}:
        return "number of children"
    head, of, rest = counted.partition(" of ")  # cups of coffee
    return f"number of {head}{'' if head.endswith(('s', 'ren')) else 's'}{of}{rest}" if counted else ""
