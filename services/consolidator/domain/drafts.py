"""Facts before they are written."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date

from services.consolidator.domain.dates import resolved
from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.grammars import grammar_of, quoted
from services.consolidator.domain.kinds import FactTag
from services.consolidator.domain.language import ENGLISH, LearningLanguage, known_words
from shared.language.statements.language import named_things
from shared.language.statements.reading import read_slots
from shared.language.statements.rule_slots import ACTIVITY
from shared.language.statements.slots import ReadSlot
from shared.language.statements.subjects import DEPARTED, USER

_LEANT = 0.1
_ENOUGH_WORDS = 2
_OF_USER = frozenset({"relationship", "age", DEPARTED})
"""What is said of the user where nobody is named: `the divorce went through`, `Fiona left the company`."""
_WISH = "answer style"
_WISHES = frozenset({_WISH, "answer language", "nickname"})
_DEEDS = frozenset({ACTIVITY, "uses"})
_LONGEST_VALUE = 256
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|we|us|our)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A cleaned sentence, its language and its turns: the first stated it, the others asked for it or corrected it."""

    words: str
    turns: tuple[SaidTurn, ...]
    language: LearningLanguage

    @property
    def speaker(self) -> str | None:
        """Who stated it, by name."""
        return self.turns[0].speaker

    @property
    def said_on(self) -> date:
        """The day on which it was stated."""
        return self.turns[0].occurred_at.date()

    @property
    def dated(self) -> str:
        """The words with a date beside `yesterday`."""
        is_english = self.language.code == ENGLISH
        return resolved(self.words, self.said_on) if is_english else self.words

    def slots(self) -> tuple[ReadSlot, ...]:
        """What the sentence states for longer than the moment; whatever it states where it says that something changed."""
        found = slots_of(self.dated, self.speaker, self.language, self.said_on)
        if self.language.finds(self.language.changes, self.words):
            return found
        tells_habit = (
            self.language.begins(self.language.habit, self.words) and known_words(self.words, self.language) >= _ENOUGH_WORDS
        )
        return tuple(
            slot for slot in found if not slot.is_generic and (tells_habit or slot.attribute != ACTIVITY or _is_end(slot))
        )


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A fact before it is written: its sentences in order, of which only the first can be understood alone."""

    statements: tuple[Statement, ...]
    tags: tuple[FactTag, ...]
    confidence: float
    is_wish: bool = False

    def followed_by(self, said: Statement, tags: tuple[FactTag, ...]) -> FactDraft:
        """The draft with a further sentence, which depends on it."""
        return replace(
            self, statements=(*self.statements, said), tags=union(self.tags, tags), confidence=self.confidence - _LEANT
        )

    def put_right(self, wrong: Statement, right: Statement) -> FactDraft:
        """The draft with one of its sentences replaced by the corrected one."""
        corrected = tuple(right if said is wrong else said for said in self.statements)
        return replace(self, statements=corrected, tags=union(self.tags, (FactTag.CORRECTION,)))

    @property
    def turns(self) -> tuple[SaidTurn, ...]:
        """All turns that it rests on, as they were said."""
        found = {turn.number: turn for said in self.statements for turn in said.turns}
        return tuple(sorted(found.values(), key=lambda turn: (turn.occurred_at, turn.number)))

    def slots(self) -> tuple[ReadSlot, ...]:
        """What the sentences state, read together; of a wish to the bot at least what is wished for."""
        first, words = self.statements[0], ". ".join(said.dated for said in self.statements)
        found = slots_of(words, first.speaker, first.language, first.said_on)
        return _wished(words, found) if self.is_wish else found

    def told(self) -> str:
        """The fact in words that make sense on their own."""
        first = self.statements[0]
        words = [said.dated for said in self.statements]
        if self.is_wish:
            return quoted(words, first.speaker, first.language, is_wish=True)
        return grammar_of(first.language).told(words, first.speaker)


def _wished(words: str, found: Iterable[ReadSlot]) -> tuple[ReadSlot, ...]:
    """What a wish states: what it is, if need be in its own words; what the bot is to do is not what the user does."""
    told = tuple(slot for slot in found if slot.attribute not in _DEEDS)
    if any(slot.attribute in _WISHES and not slot.negated for slot in told):
        return told
    return (*told, ReadSlot(subject=USER, attribute=_WISH, value=words.casefold()[:_LONGEST_VALUE].strip(), is_plain=True))


def slots_of(words: str, speaker: str | None, language: LearningLanguage, said_on: date) -> tuple[ReadSlot, ...]:
    """The slots that words state which were said on a day.

    English that never says `I` or `my` tells of the user only what it names, `rent is 900`, and what is no more: `Rex died`.
    """
    found = read_slots(words, speaker=speaker, said_on=said_on)
    if language.code != ENGLISH or _FIRST_PERSON.search(words):
        return found
    named = named_things(words.lower())
    return tuple(slot for slot in found if slot.subject != USER or _tells_of_user(slot, words.lower(), named))


def _tells_of_user(slot: ReadSlot, lower: str, named: Collection[str]) -> bool:
    """Whether a slot of the user is said without `I` or `my`: an end, or the value of a thing that the words name."""
    is_named = slot.attribute.startswith("favourite") or slot.attribute in named or slot.attribute.partition(" ")[0] in lower
    return _is_end(slot) or slot.is_implied or slot.attribute in _OF_USER or is_named


def _is_end(slot: ReadSlot) -> bool:
    """Whether a slot only says what does not hold any more, of which who never had it loses nothing."""
    return slot.negated and slot.replaces is not None


def union(some: tuple[FactTag, ...], more: tuple[FactTag, ...]) -> tuple[FactTag, ...]:
    """The tags of both, each once."""
    return tuple(dict.fromkeys((*some, *more)))
