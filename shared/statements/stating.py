"""What a clause states of its subject, by the rules of its language.

Attributes that begin with `@` stand for one that the words name: `@kin` for the relative or pet that was captured, `@name` for
what somebody is called, `@self` for the subject as somebody's relative, `@appointment` for what has a time, `@thing` for what
has a value, `@price` for what is paid for it, `@ended` for what is no more, by its name, `@count` for how many there are,
`@parents` for the health of both parents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from shared.statements import values
from shared.statements.attributes import ValueKind, attribute, recognised
from shared.statements.clauses import Said
from shared.statements.generic import activity, is_hollow, without_light
from shared.statements.language import StatementLanguage
from shared.statements.marking import MarkedClause
from shared.statements.predicates import Predicate, matches, predicates_of
from shared.statements.referents import SOMEBODY, Referents
from shared.statements.slots import ReadSlot
from shared.statements.subjects import USER, Subject, thing_of
from shared.statements.tables import Mark, SlotRule
from shared.statements.values import has_clock
from shared.statements.valuing import ValueReader

Owners = tuple[str, ...]

ACTIVITY = "activity"
"""The attribute of whatever else somebody does, has or is."""

_ALONE = frozenset({"@kin", "@name", "@appointment", "@thing"})
"""What these read of a predicate, no other rule reads anew."""
_DEEDS = frozenset(
    {
        *("habit", "hobby", "likes", "instrument", "training", "uses", "looking for", "medication", "phone", "car"),
        *("wake-up time", "bedtime", "gym"),
    }
)
"""What is done: its past tells of one time."""
_LAST = frozenset({"uses", "likes", ACTIVITY})
"""What is read only where nothing else was."""
_FEELINGS = frozenset({"likes"})
"""Whose end ends nothing else: who hates running may run."""
_VARIOUS = "relative"
"""The relation that grandmothers share with aunts: where one without a name dies, the others live."""
_LONGEST_ENDED = 3
_DENIED = frozenset({Mark.NEGATED, Mark.ENDED})


@dataclass(slots=True)
class StatementReader:
    """Reads what the clauses of one text state."""

    said: Said
    referents: Referents
    values: ValueReader
    head: str = ""
    """The verb of the last clause that stated something."""

    def stated(self, marked: MarkedClause) -> Iterator[ReadSlot]:
        """The slots of a clause."""
        subject, rest = self.referents.parsed(marked.words)
        if subject is None or not rest:
            return
        told = list(self._told(subject, rest, marked))
        if subject.relation and subject.name:
            named = _plain((USER, subject.relation), subject.name, is_over=subject.is_former)
            yield named.model_copy(update={"is_implied": bool(told) and not subject.is_former})
        self.values.has_rest = self.values.has_rest or not told
        self._note_object(rest)
        yield from told

    def _note_object(self, predicate: Sequence[str]) -> None:
        """Note of what `it` will speak: `I changed my number, it's 0770`."""
        place = next((place for place, word in enumerate(predicate) if word in self.said.language.tables.my), None)
        thing = thing_of(predicate[place + 1 :], self.said.language) if place is not None else None
        if thing and thing.thing and not self.referents.thing:
            self.referents.thing = thing

    def _told(self, subject: Subject, rest: tuple[str, ...], marked: MarkedClause) -> Iterable[ReadSlot]:
        """What a clause says of its subject."""
        if subject.is_former:
            return self._former(subject, " ".join(rest))
        if subject.thing:
            told = list(self._of_thing(subject, marked))
            is_doer = not told and subject.is_unknown and subject.is_definite
            return self._by_rules(SOMEBODY, rest, marked) if is_doer else told  # `the salon moved my haircut to Monday`
        return self._of_person(subject, rest, marked) or self._by_shape(subject, rest, marked)

    def continued(self, marked: MarkedClause, attribute_name: str) -> list[ReadSlot]:
        """What the words state with the verb of the clause before: `and cats` behind `I'm allergic to nuts`."""
        predicate = Predicate(f"{self.head} {' '.join(marked.words)}")
        subject = self.referents.subject or Subject()
        for rule, groups in matches(predicate.words, self.said.language.rules, self.said.language):
            told = list(self._by_rule(subject, rule, groups, predicate, marked))
            if any(slot.attribute == attribute_name for slot in told):
                return told
        return []

    def _former(self, subject: Subject, predicate: str) -> Iterator[ReadSlot]:
        """`Luca is my ex-boyfriend`."""
        name = predicate.removeprefix(f"{self.said.language.tables.be} ")
        if subject.relation and not subject.name and name != predicate and self.values.is_name(name, subject):
            yield _plain((USER, subject.relation), name, is_over=True)

    def _of_thing(self, subject: Subject, marked: MarkedClause) -> Iterator[ReadSlot]:
        language, thing = self.said.language, subject.thing or ""
        predicate, *_ = predicates_of(self._timed(marked), language)
        is_time = subject.is_time or (subject.is_unknown and has_clock(predicate.words, language))
        kind = ValueKind.TIME if is_time else attribute(thing).kind
        found = sorted(matches(predicate.words, language.thing_rules, language), key=lambda each: not each[0].negated)
        if subject.is_unknown and self._is_dead(predicate):
            yield self._gone(subject, marked, is_weak=False)
            return
        for rule, groups in found:
            if rule.negated:
                yield self._gone(subject, marked, is_weak=rule.weak)
                return
            value = self.values.value(groups["value"], kind)
            is_it = marked.words[0] in language.tables.it
            is_vague = kind is ValueKind.THING or (is_it and _is_described(groups["value"], language))
            is_vague = is_vague or (subject.is_unknown and not is_time and not thing.endswith(language.tables.roles))
            if subject.is_definite and subject.is_unknown and not is_time:
                return  # `the weather is a mess`
            if value is not None and (not is_vague or self.values.is_particular(groups["value"])):
                name = rule.attributes[0] or _contact(thing, value)
                old = self.values.value(groups.get("old"), kind)
                yield slot_of((subject.owners[0], name), value, _untimed(marked, kind), replaces=old)
                return

    def _is_dead(self, predicate: Predicate) -> bool:
        """Whether a predicate tells the end of a companion: `our parrot died`."""
        known = matches(predicate.words, self.said.language.rules, self.said.language)
        return any(rule.negated and rule.attributes == ("@self",) for rule, _ in known)

    def _gone(self, subject: Subject, marked: MarkedClause, *, is_weak: bool) -> ReadSlot:
        """`the meeting is cancelled`, and `my strawberry allergy is gone`, of which only the words are known."""
        whose, thing = subject.owners[0], subject.thing or ""
        if not subject.is_unknown:
            return slot_of((whose, thing), None, marked, negated=True)
        value = self.values.value(thing)
        return slot_of((whose, ACTIVITY), value, marked, negated=True, replaces=value, is_generic=is_weak)

    def _of_person(self, subject: Subject, rest: Sequence[str], marked: MarkedClause) -> list[ReadSlot]:
        """What the rules know of a predicate; `my doctor switched me to` tells of the user."""
        told = self._by_rules(subject, rest, marked)
        if not told and self._is_to_user(subject, rest):
            return self._by_rules(Subject(), (rest[0], *rest[2:]), marked)
        return told

    def _is_to_user(self, subject: Subject, rest: Sequence[str]) -> bool:
        return subject.owners != (USER,) and len(rest) > 1 and rest[1] in self.said.language.tables.me

    def _by_rules(self, subject: Subject, rest: Sequence[str], marked: MarkedClause) -> list[ReadSlot]:
        language = self.said.language
        words = rest if subject.owners == (USER,) else [language.owns.get(word, word) for word in rest]
        found: dict[str, list[ReadSlot]] = {}
        for predicate in predicates_of(words, language):
            for rule, groups in matches(predicate.words, language.rules, language):
                if found and rule.attributes[0] in _LAST:
                    continue
                told = [s for s in self._by_rule(subject, rule, groups, predicate, marked) if s.attribute not in found]
                for slot in told:
                    found.setdefault(slot.attribute, []).append(slot)
                if told and rule.attributes[0] in _ALONE:
                    break
            if found:
                self.head = predicate.words.partition(" ")[0]
                break
        return [slot for some in found.values() for slot in some]

    def _by_shape(self, subject: Subject, rest: tuple[str, ...], marked: MarkedClause) -> Iterator[ReadSlot]:
        """What no rule knows: whatever else somebody does or is."""
        is_over = Mark.ENDED in marked.marks
        is_without_subject = marked.words == rest and rest[0] not in self.said.language.forms
        if is_without_subject and is_over and len(rest) <= _LONGEST_ENDED:
            value = self.values.value(" ".join(rest))  # `no more macOS`
            yield slot_of((USER, ACTIVITY), value, marked, replaces=value)
        if is_without_subject or self._is_to_user(subject, rest):
            return
        found = activity(rest, self.said.language, is_over=is_over)
        is_told = found is not None and not is_hollow(found.words.split(), self.said.language)
        if found and is_told and (value := self.values.value(found.words)):
            whose = (subject.owners[0], ACTIVITY)
            lasts = found.lasts or (rest[0] not in self.said.language.present and self.values.is_lasting(found.words))
            yield slot_of(whose, value, marked, replaces=value if is_over else None, is_generic=not lasts)

    def _by_rule(
        self, subject: Subject, rule: SlotRule, groups: dict[str, str], predicate: Predicate, marked: MarkedClause
    ) -> Iterator[ReadSlot]:
        if _says_nothing(rule, predicate, marked.marks):
            return
        if "proper" in groups and not self._names(groups["proper"], subject, predicate, marked):
            return
        told = replace(marked, marks=self._marks(predicate, rule, marked.marks))
        is_ended = rule.negated or (predicate.is_past and not rule.done) or predicate.is_stopped
        for name in rule.attributes:
            if name in {"@appointment", "@thing"}:
                yield from self._appointment(rule, marked)
            elif name == "@price":
                yield from self._priced(groups, told)
            elif name == "@ended" and subject.name and not subject.relation:
                yield slot_of((USER, ACTIVITY), subject.name, told, negated=True, replaces=subject.name)
            elif name == "@ended":
                return
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
        is_over = is_ended and name not in _FEELINGS and Mark.DOUBT not in told.marks
        is_weak = rule.weak and not self.values.is_lasting(words or "")
        for value in self.values.values(words, name):
            if value and rule.attributes[0] == "@kin":
                self.referents.other = Subject((value,), name=value)
            shown = self._kind_of(value) if value and name == "uses" and "_" not in groups else None
            shown = recognised(value) if value and name == "home" else shown  # `we moved to Windows`
            replaced = value if is_over and value else old
            dose = values.dose_of(words) if words and value and name == "medication" and not is_ended else None
            if dose:
                yield slot_of((owners[0], f"{value} dose"), dose, told)
            for owner in owners:
                yield slot_of((owner, shown or name), value, told, negated=is_ended, replaces=replaced, is_generic=is_weak)

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
            yield slot_of((USER, known), subject.name, told, negated=True, replaces=subject.name)

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
            found = _number_of(self._counted(groups))
        elif name == "@parents":
            owners, found = self._parents(subject), "condition"
        elif name == "@name" or (name == "name" and subject.relation):
            owners, found = (USER,), subject.relation or ""
        return (owners, found) if found else None

    def _parents(self, subject: Subject) -> Owners:
        """Whose pregnancy is over where somebody had a baby, or the baby was born."""
        both = (USER, f"{USER}'s partner")
        return both if subject.relation in {"child", "partner"} or subject.owners == (USER,) else subject.owners

    def _counted(self, groups: dict[str, str]) -> str:
        """What is counted: sons apart from daughters, though both are children."""
        known = self.said.language.kin.get(groups.get("kin", ""), "")
        return known if known and known != "child" else groups.get("kin") or self.values.value(groups["counted"]) or ""

    def _appointment(self, rule: SlotRule, marked: MarkedClause) -> Iterator[ReadSlot]:
        for predicate in predicates_of(self._timed(marked), self.said.language):
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
                yield slot_of((USER, thing.thing), value, told, negated=rule.negated)
            return

    def _priced(self, groups: dict[str, str], marked: MarkedClause) -> Iterator[ReadSlot]:
        """What is paid for something, as its value: `my phone plan is £15` tells of the same."""
        thing = thing_of(groups["what"].split(), self.said.language)
        name = thing.thing if thing else self.values.value(groups["what"])
        value = self.values.value(groups["value"], ValueKind.MONEY)
        if name and value:
            yield slot_of((USER, name), value, marked)

    def _moved(
        self, rule: SlotRule, groups: dict[str, str | None], predicate: Predicate, marked: MarkedClause
    ) -> Iterator[ReadSlot]:
        """What is in no table, and has another time now, or none: `I moved my bouldering to Tuesdays`."""
        tables, what = self.said.language.tables, groups.get("what") or ""
        is_definite = what.partition(" ")[0] in (*tables.my, *tables.the)
        name, value = self.values.value(what), self.values.value(groups.get("value"), ValueKind.TIME)
        if is_definite and name and rule.negated:
            yield slot_of((USER, name), None, marked, negated=True)
            yield slot_of((USER, ACTIVITY), name, marked, negated=True, replaces=name)
        elif is_definite and name and value and predicate.words.partition(" ")[0] not in tables.auxiliaries:
            self.referents.thing = Subject(thing=name, is_time=True)
            yield slot_of((USER, name), value, _untimed(marked, ValueKind.TIME), replaces=name)

    def _timed(self, marked: MarkedClause) -> tuple[str, ...]:
        """The predicate with the times that it names."""
        more = len(marked.timed) - len(marked.words) if marked.timed[0] != marked.words[0] else 0
        return self.referents.predicate(marked.timed, more=more)


def slot_of(
    whose: tuple[str, str],
    value: str | None,
    marked: MarkedClause,
    *,
    negated: bool = False,
    replaces: str | None = None,
    is_generic: bool = False,
) -> ReadSlot:
    """A slot as a clause with such marks states it."""
    return ReadSlot(
        subject=whose[0],
        attribute=whose[1],
        value=value,
        negated=negated or not marked.marks.isdisjoint(_DENIED),
        is_doubtful=Mark.DOUBT in marked.marks,
        is_future=Mark.FUTURE in marked.marks,
        replaces=replaces,
        is_generic=is_generic,
    )


def _plain(whose: tuple[str, str], value: str, *, is_over: bool) -> ReadSlot:
    """A slot of which the clause speaks as known: `my sister Nadia`, `my ex-wife Anna`."""
    return ReadSlot(subject=whose[0], attribute=whose[1], value=value, negated=is_over, replaces=value if is_over else None)


def _says_nothing(rule: SlotRule, predicate: Predicate, marks: frozenset[Mark]) -> bool:
    """`I did not quit` says nothing of what holds, and `I ate meat yesterday` nothing that lasts."""
    if rule.negated:
        return not marks.isdisjoint(_DENIED)
    is_of_one_time = predicate.is_past or Mark.ONCE in marks
    return is_of_one_time and Mark.ENDED not in marks and rule.attributes[0] in _DEEDS


def _untimed(marked: MarkedClause, kind: ValueKind) -> MarkedClause:
    """An appointment to come is no plan: it is an appointment now."""
    return replace(marked, marks=marked.marks - {Mark.FUTURE}) if kind is ValueKind.TIME else marked


def _is_described(words: str, language: StatementLanguage) -> bool:
    """`it is raining`."""
    return bool(language.tables.gerund) and " " not in words and words.endswith(language.tables.gerund)


def _number_of(counted: str) -> str:
    if counted in {"child", "children", "kid", "kids"}:
        return "number of children"
    return f"number of {counted}{'' if counted.endswith('s') else 's'}" if counted else ""


def _contact(thing: str, value: str) -> str:
    """A phone that is digits is a phone number."""
    return "phone number" if thing == "phone" and sum(map(str.isdigit, value)) > len(value) / 2 else thing
