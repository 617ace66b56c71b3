"""Reads the slots of a text, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache, partial

from shared.contracts.parts import FactSlot
from shared.language.statements.old.attributes import ValueKind, attribute, ended_by, holds_one, is_listed
from shared.language.statements.old.clauses import Clause, Said, said
from shared.language.statements.old.marking import MarkedClause, marked_clause, without_old
from shared.language.statements.old.plain import has_subject, is_clear
from shared.language.statements.old.referents import SOMEBODY
from shared.language.statements.old.rule_slots import ACTIVITY
from shared.language.statements.old.slot_corrections import SlotCorrection, correction_in
from shared.language.statements.old.slots import ReadSlot
from shared.language.statements.old.stating import StatementReader
from shared.language.statements.old.subjects import USER, Subject, thing_of
from shared.language.statements.old.tables import Mark
from shared.language.statements.old.validity import Validity, moment_of, validity_of
from shared.language.statements.old.valuing import ValueReader

_LONGEST_FRAGMENT = 4
_LONG_STAY_DAYS = 21
_SEVERAL = frozenset({ValueKind.TEXT, ValueKind.THING, ValueKind.CONTACT})
"""Kinds of which somebody may have a second: two jobs, two phones, but no two ages."""
_ONE = frozenset({"relationship", "diet", "religion", "height", "blood type", "handedness", "household"})
_CARRIED = frozenset({Mark.DOUBT, Mark.RETRACTION, Mark.FUTURE})
"""What marks the next clause where it stands alone: `I think, ...`, `scratch that.`, `next month, ...`"""


@lru_cache(maxsize=128)
def read_slots(
    text: str, *, speaker: str | None = None, user: str | None = None, said_on: date | None = None
) -> tuple[ReadSlot, ...]:
    """What a text states, in the order in which it does; a later statement takes the place of an earlier one of the same.

    `I`, `the user` and the names of the speaker and the user are all the subject `user`. `No wait, York.` puts right what the
    text states before. `said_on` is the day from which `since May` is told.

    >>> [(slot.attribute, slot.value) for slot in read_slots("I moved from Leeds to York last week")]
    [('home', 'york')]
    """
    names = tuple(sorted({" ".join(name.lower().split()) for name in (speaker, user) if name and name.strip()}))
    reader = _Reader.of(said(text, names), said_on)
    for clause in reader.said.clauses:
        reader.read(clause)
    return reader.slots()


@dataclass(slots=True)
class _Reader:
    """What was read so far."""

    said: Said
    values: ValueReader
    statements: StatementReader
    said_on: date | None
    found: list[ReadSlot] = field(default_factory=list)
    _is_void: bool = False
    _pending: frozenset[Mark] = frozenset()
    _clauses: int = 0
    _before: list[tuple[str, ...]] = field(default_factory=list)
    """The clauses of the sentence that were read."""
    _first: int = 0
    """Where what the sentence states begins."""
    _is_unread: bool = False
    """Whether nothing plain was read of a clause."""
    _story: int | None = None
    """Where what the clause before said to have ended begins."""

    @classmethod
    def of(cls, text: Said, said_on: date | None) -> _Reader:
        """A reader that has read nothing of a text."""
        values = ValueReader(text)
        return cls(text, values, StatementReader.of(text, values), said_on)

    def slots(self) -> tuple[ReadSlot, ...]:
        """All that was read, and what it says of other attributes."""
        is_whole = self._clauses == 1 and not self.values.has_rest
        says_more = self._is_unread or self.values.has_rest
        done = [slot.model_copy(update={"is_whole": is_whole, "says_more": says_more}) for slot in self.found]
        stated = {(slot.subject, slot.attribute) for slot in done}
        implied = (
            each for slot in done for each in _implied(slot) if not each.negated or (each.subject, each.attribute) not in stated
        )
        return (*done, *implied)

    def read(self, clause: Clause) -> None:
        """Add what a clause states."""
        if clause.begins_sentence:
            self._is_void, self._story, self._first = False, None, len(self.found)
            self._before.clear()
            self._pending -= {Mark.FUTURE}
        language = self.said.language
        words, old = without_old(clause.words, language)
        validity = validity_of(words, language, self.said_on)
        marked = marked_clause(words, self.said, validity.spans)
        if Mark.JOKE in marked.marks:
            self.found.clear()
        if self._is_void or Mark.VOID in marked.marks:
            self._skip(clause.words[0])
        elif Mark.SKIPPED in marked.marks:
            self._clauses += 1
        elif not marked.words:
            self._pending = marked.marks & _CARRIED
            self._bound(validity)
        else:
            marked = replace(marked, marks=marked.marks | self._pending)
            self._pending = frozenset()
            self._clauses += 1
            self._story = len(self.found) if Mark.ENDED in marked.marks else None
            fresh = self._fresh(clause, marked)
            fresh = [_beside(slot) for slot in fresh] if Mark.ADDED in marked.marks else fresh
            if not is_clear(clause, marked, self.said, self._before):
                fresh = _unclear(fresh)
                self._doubt_half_sentence()
            self._is_unread = self._is_unread or not any(slot.is_plain for slot in fresh)
            self._before.append(marked.words)
            self._add_all(fresh, self.values.value(old), validity)

    def _bound(self, validity: Validity) -> None:
        """A clause that only says since when, or until when, tells it of what was said before: `until May`."""
        if self.found and (validity.start or validity.end):
            last = self.found[-1]
            told = {"valid_from": validity.start or last.valid_from, "valid_until": validity.end or last.valid_until}
            self.found[-1] = last.model_copy(update=told)

    def _skip(self, first: str) -> None:
        """Nothing is stated here, nor in the rest of the sentence: `we used to have a dog when I was little` is a story.

        What stands before `unless` holds under a condition only.
        """
        found = self.said.language.marks.longest(first, first, 0)
        if found and found[1] is Mark.VOID:
            self.found[self._first :] = _unclear(self.found[self._first :])
        self._doubt_half_sentence()
        if self._story is not None:
            del self.found[self._story :]
        self._is_void = True
        self._clauses += 1

    def _doubt_half_sentence(self) -> None:
        """What a sentence begins with is not plain where that has no subject and more follows: `coming from a school, ...`."""
        gerund, first = self.said.language.tables.gerund, self._before[0] if self._before else ()
        if gerund and first and first[0].endswith(gerund) and not has_subject(first, self.said):
            self.found[self._first :] = _unclear(self.found[self._first :])

    def _fresh(self, clause: Clause, marked: MarkedClause) -> list[ReadSlot]:
        language = self.said.language
        if fresh := list(self._corrected(marked)) or list(self.statements.stated(marked)):
            return fresh
        leans = (
            clause.words[0] in language.breaks
            or clause.words[0] in language.pronouns
            or (Mark.NEGATED in marked.marks and clause.words[0] not in language.tables.denies)
        )
        if self.found and not leans and len(marked.words) <= _LONGEST_FRAGMENT:
            return self.statements.continued(marked, self.found[-1].attribute)
        return []

    def _add_all(self, fresh: Sequence[ReadSlot], old: str | None, validity: Validity) -> None:
        for slot in map(partial(self._settled, validity=validity), map(_of_owner, fresh)):
            start = validity.start or (
                (moment_of(self.said.dates[0]) if len(self.said.dates) == 1 else None) if slot.is_future else None
            )
            is_time = self._kind(slot) is ValueKind.TIME
            is_future = slot.is_future or validity.is_coming
            told = {"replaces": slot.replaces or old, "valid_from": start, "valid_until": validity.end, "is_future": is_future}
            if slot.subject not in SOMEBODY.owners:
                self._add(slot if is_time else slot.model_copy(update=told))

    def _settled(self, slot: ReadSlot, validity: Validity) -> ReadSlot:
        """Where somebody is since May, or instead of where they lived, is where they live."""
        has_left = any((old.subject, old.attribute, old.negated) == (slot.subject, "home", True) for old in self.found)
        start = validity.start.date() if validity.start else None
        has_stayed = start is not None and (self.said_on is None or (self.said_on - start).days >= _LONG_STAY_DAYS)
        is_home = slot.attribute == "whereabouts" and not slot.negated and (has_stayed or has_left)
        return slot.model_copy(update={"attribute": "home"}) if is_home else slot

    def _add(self, slot: ReadSlot) -> None:
        """A later value of a single-valued attribute takes the earlier one's place."""
        for place, old in enumerate(self.found):
            if (old.subject, old.attribute) != (slot.subject, slot.attribute):
                continue
            if (old.value, old.negated) == (slot.value, slot.negated):
                return
            if old.value is None and slot.value is not None and not (old.negated or slot.negated):
                self.found[place] = slot  # `I have a new boss, she is called Ruth`
                return
            is_plan_beside = slot.is_future and not old.is_future  # `I'm 27, turning 28 in May`
            if holds_one(slot.attribute) and not slot.negated and old.value is not None and not is_plan_beside:
                self.found[place] = slot if slot.replaces else slot.model_copy(update={"replaces": old.value})
                return
        self.found.append(slot)
        if slot.subject == USER and slot.attribute in self.said.language.thing_names:
            self.statements.referents.thing = Subject(thing=slot.attribute)

    def _corrected(self, marked: MarkedClause) -> Iterator[ReadSlot]:
        """What a fragment puts right of what was said before: `scratch that, York`."""
        correction = correction_in(marked.spoken, self.said.language)
        if correction and not self.found and correction.new and correction.old:
            yield from self._contrast(correction)
        is_marked = Mark.RETRACTION in marked.marks
        if correction is None or not (is_marked or correction.old or correction.is_told):
            return
        for last in reversed(self.found):
            kind = self._kind(last)
            is_plain = not is_marked and not correction.old
            if not (is_plain and kind is ValueKind.TEXT) and (found := self._put_right(last, correction, kind)):
                yield from found
                return

    def _contrast(self, correction: SlotCorrection) -> Iterator[ReadSlot]:
        """`it's Daniel, not Dan`, of which nothing was said before."""
        new, old = (self.values.value(" ".join(words)) for words in (correction.new, correction.old))
        if new and old:
            yield ReadSlot(subject=USER, attribute=ACTIVITY, value=new, replaces=old)

    def _put_right(self, last: ReadSlot, correction: SlotCorrection, kind: ValueKind) -> list[ReadSlot]:
        """The slot that was said before as a fragment corrects it; none where its words are no values of it."""
        new, old = (self.values.value(" ".join(words) or None, kind) for words in (correction.new, correction.old))
        if (correction.new and new is None) or (correction.old and old is None):
            return []
        if new is not None:
            return [last.model_copy(update={"value": new, "negated": False, "replaces": old or last.value})]
        if old != last.value:  # `I live in York, not Leeds`
            self.found[self.found.index(last)] = last.model_copy(update={"replaces": old})
            return [last.model_copy(update={"replaces": old})]
        return [last.model_copy(update={"value": old, "negated": True, "replaces": old})]

    def _kind(self, slot: FactSlot) -> ValueKind:
        thing = thing_of(slot.attribute.split(), self.said.language)
        return ValueKind.TIME if thing and thing.is_time else attribute(slot.attribute).kind


def _unclear(slots: Sequence[ReadSlot]) -> list[ReadSlot]:
    return [slot.model_copy(update={"is_plain": False}) for slot in slots]


def _of_owner(slot: ReadSlot) -> ReadSlot:
    """`Finn's teacher is called Baird` tells who the teacher of Finn is."""
    owner, _, relation = slot.subject.rpartition("'s ")
    is_naming = owner and slot.attribute == "name" and attribute(relation).kind is ValueKind.NAME
    return slot.model_copy(update={"subject": owner, "attribute": relation}) if is_naming else slot


def _beside(slot: ReadSlot) -> ReadSlot:
    """A slot that takes nobody's place: `I also teach singing` states a second subject."""
    is_one = holds_one(slot.attribute) and is_listed(slot.attribute) and attribute(slot.attribute).kind in _SEVERAL
    if not is_one or slot.negated or slot.replaces or slot.attribute in _ONE:
        return slot
    return slot.model_copy(update={"attribute": f"second {slot.attribute}"})


def _implied(slot: ReadSlot) -> Iterator[ReadSlot]:
    for each in ended_by(slot.attribute, slot.value, negated=slot.negated):
        denied = {"attribute": each.attribute, "value": each.value, "negated": not each.holds}
        yield slot.model_copy(update={**denied, "replaces": None, "is_implied": True})
