"""What a clause states of its subject: by the rules of its language, or by its shape where no rule knows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.language.statements.old.activities import activity, is_hollow
from shared.language.statements.old.attributes import ValueKind, attribute
from shared.language.statements.old.clause_slots import known_slot, stated_slot, without_plan
from shared.language.statements.old.clauses import Said
from shared.language.statements.old.marking import MarkedClause
from shared.language.statements.old.mentions import mentioned
from shared.language.statements.old.plain import has_its_type, is_for_a_part
from shared.language.statements.old.predicates import Predicate, matches, predicates_of
from shared.language.statements.old.referents import SOMEBODY, Referents
from shared.language.statements.old.rule_slots import ACTIVITY, RuleReader
from shared.language.statements.old.slots import ReadSlot
from shared.language.statements.old.subjects import USER, Subject, thing_of
from shared.language.statements.old.tables import Mark
from shared.language.statements.old.values import has_clock, is_money
from shared.language.statements.old.valuing import ValueReader

_ALONE = frozenset({"@kin", "@name", "@appointment", "@thing"})
"""What these read of a predicate, no other rule reads anew."""
_LAST = frozenset({"uses", "likes", ACTIVITY})
"""What is read only where nothing else was."""
_WITH_WHOM = frozenset({"home", "household", "whereabouts"})
"""Behind what states these, nobody says what was done with somebody."""
_LONGEST_ENDED = 3
_LONGEST_MENTION = 4
_MOST_VERB_WORDS = 2
_MOST_THING_WORDS = 3
_MOST_OBJECT_WORDS = 4


@dataclass(slots=True)
class StatementReader:
    """Reads what the clauses of one text state."""

    said: Said
    referents: Referents
    values: ValueReader
    rules: RuleReader
    head: str = ""
    """The verb of the last clause that stated something."""
    tells_with_whom: bool = False
    """Whether that clause says where somebody lives: relatives who are named behind it live there, too."""

    @classmethod
    def of(cls, text: Said, values: ValueReader) -> StatementReader:
        """A reader that has read nothing of a text."""
        referents = Referents(text)
        return cls(text, referents, values, RuleReader(text, referents, values))

    def stated(self, marked: MarkedClause) -> Iterator[ReadSlot]:
        """The slots of a clause."""
        subject, rest = self.referents.parsed(marked.words)
        told: list[ReadSlot] = []
        if subject is not None and rest:
            told.extend(self._told(subject, rest, marked))
            if subject.relation and subject.name:
                named = known_slot((USER, subject.relation), subject.name, is_over=subject.is_former)
                yield named.model_copy(update={"is_implied": bool(told) and not subject.is_former})
            self.values.has_rest = self.values.has_rest or not told
            self._note_object(rest)
        yield from told
        yield from self._mentioned(marked.words, rest, subject, told)

    def _mentioned(
        self, words: Sequence[str], predicate: Sequence[str], subject: Subject | None, told: Sequence[ReadSlot]
    ) -> Iterator[ReadSlot]:
        """Who somebody is whom the clause names in passing."""
        known = {slot.attribute for slot in told} | ({subject.relation} if subject and subject.name and predicate else set())
        is_more = not predicate and len(words) <= _LONGEST_MENTION  # `and our son Finn`
        self.tells_with_whom = (is_more and self.tells_with_whom) or not known.isdisjoint(_WITH_WHOM)
        for somebody in mentioned(words, self.said, leaves_no_object=self.tells_with_whom):
            if somebody.relation and somebody.name and somebody.relation not in known:
                self.referents.other = somebody
                self.values.has_rest = True
                yield known_slot((USER, somebody.relation), somebody.name, is_over=False)

    def _note_object(self, predicate: Sequence[str]) -> None:
        """Note of what `it` will speak: `I changed my number, it's 0770`."""
        tables = self.said.language.tables
        place = next((place for place, word in enumerate(predicate) if word in (*tables.my, *tables.the)), None)
        if place is None or self.referents.thing:
            return
        thing = thing_of(predicate[place + 1 :], self.said.language)
        if thing and thing.thing:
            self.referents.thing = thing
        elif not self.said.language.alters.isdisjoint(predicate[:2]) and (
            words := predicate[place + 1 : place + 1 + _MOST_THING_WORDS]
        ):
            self.referents.thing = Subject(thing=" ".join(words), is_unknown=True)

    def _told(self, subject: Subject, rest: tuple[str, ...], marked: MarkedClause) -> Iterable[ReadSlot]:
        """What a clause says of its subject."""
        if subject.is_former:
            return self._former(subject, " ".join(rest))
        if subject.thing:
            told = list(self._of_thing(subject, marked))
            return told or self._of_doer(subject, rest, marked)
        return self._of_person(subject, rest, marked) or self._by_shape(subject, rest, marked)

    def _of_doer(self, subject: Subject, rest: tuple[str, ...], marked: MarkedClause) -> list[ReadSlot]:
        """What somebody does who has no name: `the salon moved my haircut to Monday`, `my company made me redundant`."""
        is_to_user = rest[1:2] != () and rest[1] in self.said.language.tables.me
        is_doer = subject.is_unknown and (subject.is_definite or is_to_user)
        return self._of_person(SOMEBODY, rest, marked) if is_doer else []

    def continued(self, marked: MarkedClause, attribute_name: str) -> list[ReadSlot]:
        """What the words state with the verb of the clause before: `and cats` behind `I'm allergic to nuts`."""
        predicate = Predicate(f"{self.head} {' '.join(marked.words)}")
        subject = self.referents.subject or Subject()
        for rule, groups in matches(predicate.words, self.said.language.rules, self.said.language):
            told = list(self.rules.slots(subject, rule, groups, predicate, marked))
            if any(slot.attribute == attribute_name for slot in told):
                return told
        return []

    def _former(self, subject: Subject, predicate: str) -> Iterator[ReadSlot]:
        """`Luca is my ex-boyfriend`."""
        name = predicate.removeprefix(f"{self.said.language.tables.be} ")
        if subject.relation and not subject.name and name != predicate and self.values.is_name(name, subject):
            yield known_slot((USER, subject.relation), name, is_over=True)

    def _of_thing(self, subject: Subject, marked: MarkedClause) -> Iterator[ReadSlot]:
        language, thing = self.said.language, subject.thing or ""
        predicate, *_ = predicates_of(self.referents.timed(marked), language)
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
            is_vague = kind is ValueKind.THING or (
                is_it
                and bool(language.tables.gerund)
                and " " not in groups["value"]
                and groups["value"].endswith(language.tables.gerund)
            )
            is_vague = is_vague or (subject.is_unknown and not is_time and not thing.endswith(language.tables.roles))
            if subject.is_definite and subject.is_unknown and not is_time and not is_money(groups["value"]):
                return  # `the weather is a mess`
            if value is not None and (not is_vague or self.values.is_particular(groups["value"])):
                name = rule.attributes[0] or (
                    "phone number" if thing == "phone" and sum(map(str.isdigit, value)) > len(value) / 2 else thing
                )
                old = self.values.value(groups.get("old"), kind)
                told = [stated_slot((subject.owners[0], name), value, without_plan(marked, kind), replaces=old)]
                yield from self._marked_plain(told, groups)
                return

    def _is_dead(self, predicate: Predicate) -> bool:
        """Whether a predicate tells the end of a companion: `our parrot died`."""
        known = matches(predicate.words, self.said.language.rules, self.said.language)
        return any(rule.negated and rule.attributes == ("@self",) for rule, _ in known)

    def _gone(self, subject: Subject, marked: MarkedClause, *, is_weak: bool) -> ReadSlot:
        """`the meeting is cancelled`, and `my strawberry allergy is gone`, of which only the words are known."""
        whose, thing = subject.owners[0], subject.thing or ""
        if not subject.is_unknown:
            return stated_slot((whose, thing), None, marked, negated=True).model_copy(update={"is_plain": True})
        value = self.values.value(thing)
        return stated_slot((whose, ACTIVITY), value, marked, negated=True, replaces=value, is_generic=is_weak)

    def _of_person(self, subject: Subject, rest: Sequence[str], marked: MarkedClause) -> list[ReadSlot]:
        """What the rules know of a predicate; `my doctor switched me to` tells of the user."""
        if subject.owners != (USER,) and rest[0] in self.said.language.tables.to_me:
            return self._by_rules(Subject(), rest, marked)
        told = self._by_rules(subject, rest, marked)
        if told and subject.owners != (USER,) and not self.said.language.mine.isdisjoint(rest[1:_MOST_OBJECT_WORDS]):
            ended = [slot for slot in told if slot.negated and slot.replaces]  # `the doctor stopped my ramipril`
            told = [slot.model_copy(update={"subject": USER}) if slot in ended else slot for slot in told]
        left = tuple(word for word in rest if word not in self.said.language.tables.me)
        if not told and left and self._is_to_user(subject, rest):
            return self._by_rules(Subject(), left, marked)
        return told

    def _is_to_user(self, subject: Subject, rest: Sequence[str]) -> bool:
        me = self.said.language.tables.me
        return subject.owners != (USER,) and any(word in me for word in rest[1 : 1 + _MOST_VERB_WORDS])

    def _by_rules(self, subject: Subject, rest: Sequence[str], marked: MarkedClause) -> list[ReadSlot]:
        language = self.said.language
        words = rest if subject.owners == (USER,) else [language.owns.get(word, word) for word in rest]
        found: dict[str, list[ReadSlot]] = {}
        for predicate in predicates_of(words, language):
            for rule, groups in matches(predicate.words, language.rules, language):
                if found and rule.attributes[0] in _LAST:
                    continue
                self.values.behind = ""
                told = [s for s in self.rules.slots(subject, rule, groups, predicate, marked) if s.attribute not in found]
                for slot in self._marked_plain(told, groups):
                    found.setdefault(slot.attribute, []).append(slot)
                if told and rule.attributes[0] in _ALONE:
                    break
            if found:
                self.head = predicate.words.partition(" ")[0]
                break
        return [slot for some in found.values() for slot in some]

    def _marked_plain(self, told: Iterable[ReadSlot], groups: Mapping[str, str]) -> Iterator[ReadSlot]:
        """The slots of a wording, marked plain where it reaches to the end of the clause with values of their types."""
        rest = groups.get("rest", "")
        raw = groups.get("value") or groups.get("proper") or groups.get("old")
        first = rest.partition(" ")[0]
        end = self.said.language.ends.longest(first, rest, 0) if rest else (0, Mark.TIME)
        is_whole = end is not None and end[1] is Mark.TIME
        self.values.has_rest = self.values.has_rest or not is_whole
        is_whole = is_whole or first in self.said.language.joints or groups.keys() == {"_", "rest"}
        behind = f"{self.values.behind} {rest} {groups.get('_', '')}".split()
        for slot in told:
            is_plain = (
                (is_whole or slot.attribute == "medication")
                and has_its_type(slot, raw, self.said)
                and not is_for_a_part(slot, behind, self.said)
            )
            yield slot.model_copy(update={"is_plain": is_plain})

    def _by_shape(self, subject: Subject, rest: tuple[str, ...], marked: MarkedClause) -> Iterator[ReadSlot]:
        """What no rule knows: whatever else somebody does or is."""
        is_over = Mark.ENDED in marked.marks
        is_without_subject = marked.words == rest and rest[0] not in self.said.language.forms
        if is_without_subject and is_over and len(rest) <= _LONGEST_ENDED:
            value = self.values.value(" ".join(rest))  # `no more macOS`
            yield stated_slot((USER, ACTIVITY), value, marked, replaces=value)
        if is_without_subject or self._is_to_user(subject, rest):
            return
        found = activity(rest, self.said.language, is_over=is_over)
        is_told = found is not None and not is_hollow(found.words.split(), self.said.language)
        if found and is_told and (value := self.values.value(found.words)):
            whose = (subject.owners[0], ACTIVITY)
            is_course = not self.said.language.wrappers.isdisjoint(found.words.split())
            is_now = rest[0] in self.said.language.present
            lasts = found.lasts or is_course or (not is_now and self.values.is_lasting(found.words))
            yield stated_slot(whose, value, marked, replaces=value if is_over else None, is_generic=not lasts)
