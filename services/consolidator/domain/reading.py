"""Reads the turns of a conversation into drafts of facts. A later sentence may depend on an earlier one, or correct it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from services.consolidator.domain.answers import answered, question_of
from services.consolidator.domain.corrections import (
    Correction,
    Retraction,
    amended,
    bare_value,
    correction,
    named_alone,
    retraction,
)
from services.consolidator.domain.drafts import FactDraft, Statement, union
from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.grammars import grammar_of
from services.consolidator.domain.kinds import FactTag, StatementRule, has_date
from services.consolidator.domain.language import LearningLanguage, spoken, tells_language
from services.consolidator.domain.requests import asked, asked_statement
from services.consolidator.domain.sentences import ChatSentence, cleaned, closed, statements, without_opening
from services.consolidator.domain.standing import without_listener
from services.consolidator.domain.worth import has_substance, is_worth_keeping
from shared.contracts.parts import Role
from shared.domain.pauses import may_pause
from shared.language.statements.slots import ReadSlot, ends
from shared.language.statements.subjects import USER
from shared.language.text.without_echoes import MARK

_RECENT = 6
"""How many statements back a correction may apply that does not name what was wrong."""
_MOST_SENTENCES = 3
_REACH_OF_A_NAME = (0, 1)
"""So many turns on `he` may mean a relative whose word does not tell; or somebody who was named."""
_REACH = 2
"""How many turns back a pronoun may mean whoever was named last."""
_FAR_REACH = 8
"""How many turns back it may mean the only one whom it can."""
_JOKE_ALONE = 2
"""Most words before `just kidding` in a sentence that means what was said before."""
_LEAST_WORDS = 3
_LONGEST_WISH = 60
_CERTAIN = 0.95
_OF_SLOTS = 0.85
_LEANT = 0.1
_TAIL = re.compile(r"(?:,|\s[-–—])\s+(?=\S)|\s\(|\s(?=so\b)|\s(?=(?:is|was|does|will|would) (?:that|this|it)\b)")
_NOTHING = ChatSentence("", "")


@dataclass(slots=True)
class TurnReader:
    """Reads turns one after the other, and collects the drafts of facts."""

    drafts: list[FactDraft] = field(default_factory=list)
    _usual: LearningLanguage | None = None
    _question: tuple[str, SaidTurn] | None = None
    _recent: deque[Statement] = field(default_factory=lambda: deque(maxlen=_RECENT))
    _taken_back: Retraction | None = None
    _trails: bool = False
    """Whether the sentence before ends in dots."""
    _person: tuple[str, int] | None = None
    """The relative who was named last, and in which of the user's turns."""
    _people: dict[str, int] = field(default_factory=dict)
    """The relatives who were named, and in which turn last."""
    _stranger: int = -1
    """In which turn somebody else was named last."""
    _turns: int = 0

    @classmethod
    def of(cls, turns: Sequence[SaidTurn]) -> TurnReader:
        """A reader that has read these turns."""
        reader = cls.of_language(turns)
        reader.take_in(turns)
        return reader

    @classmethod
    def of_language(cls, turns: Sequence[SaidTurn]) -> TurnReader:
        """A reader for these turns, which it has not read yet."""
        own = " ".join(turn.text for turn in turns if turn.role is Role.USER)
        return cls(_usual=spoken(own) if tells_language(own) else spoken(" ".join(turn.text for turn in turns)))

    def take_in(self, turns: Iterable[SaidTurn]) -> None:
        """Read the next turns."""
        for turn in turns:
            if turn.role is Role.USER:
                self.read(turn)
            elif turn.role is Role.ASSISTANT:
                self.listen(turn)

    def listen(self, turn: SaidTurn) -> None:
        """Take in what the assistant asks."""
        question = "" if MARK in turn.text else question_of(turn.text)
        self._question = (question, turn) if question else None
        words = self._usual.yours.sub("my", turn.text) if self._usual else turn.text
        self._meet(words, self._usual or spoken(words))

    def _meet(self, words: str, language: LearningLanguage) -> None:
        """Take in whom a sentence names, whom a later pronoun can mean."""
        person = grammar_of(language).person_in(words)
        if person is not None:
            self._person = (person, self._turns)
        if language.strangers.search(words) or person == "":
            self._stranger = self._turns
        elif person:
            self._people[person] = self._turns

    def read(self, turn: SaidTurn) -> None:
        """Read a turn of the user, and add what it states."""
        self._turns += 1
        language = spoken(turn.text, self._usual)
        whole = [_NOTHING if MARK in each.raw else each for each in statements(turn.text, language)]
        first = next((place for place, sentence in enumerate(whole) if sentence.words), 0)
        for place, (sentence, following) in enumerate(pairwise((*whole, _NOTHING))):
            may_pause()
            self._trails = place > 0 and whole[place - 1].raw.endswith(("..", "…"))
            if sentence is _NOTHING:
                self._recent.clear()  # what comes next may lean on what was cut out
            elif (place > first or not self._answer(sentence, turn, language)) and sentence.words:
                self._hear(Statement(sentence.words, (turn,), language), sentence.raw, following.words)
        self._question = self._taken_back = None

    def _answer(self, sentence: ChatSentence, turn: SaidTurn, language: LearningLanguage) -> bool:
        """Add what a sentence states as an answer to the assistant's question."""
        if self._question is None or sentence.words.endswith("?"):
            return False
        question, asking = self._question
        change = retraction(sentence.raw, language)
        if change and not change.is_plain:
            return False
        language = language if tells_language(turn.text) else spoken(f"{question} {turn.text}", language)
        told = answered(question, sentence.raw, language)
        if told is None or grammar_of(language).stated(told, turn.speaker) is None or not has_substance(told, language):
            return False
        said = self._understood(Statement(told, (turn, asking), language))
        found, slots = grammar_of(language).kinds(told), said.slots()
        if not (found or slots):
            return False
        self._add(said, found, slots)
        self._recent.append(said)
        return True

    def _hear(self, said: Statement, raw: str, following: str) -> None:
        self._take_in(said, raw, following)
        self._meet(said.words, said.language)
        if name := _named_first(said):
            self._person = (name, self._turns)

    def _take_in(self, said: Statement, raw: str, following: str) -> None:
        if joke := said.language.jokes.search(raw):
            before = raw[: joke.start()]
            behind = raw[joke.end() :]
            if len(before.split()) <= _JOKE_ALONE:
                self._forget_last()
                if words := cleaned(behind.lstrip(" ,.!;:-–—"), said.language):
                    self._weigh(replace(said, words=words))
            return
        if said.language.sarcasm.match(raw):
            return
        request = asked(said.words)
        if request is not None:
            self._keep(replace(said, words=request), following)
        elif not self._put_right(said, raw):
            self._weigh(said)

    def _keep(self, said: Statement, following: str) -> None:
        """Add what the user asks to remember, of whatever kind, if it is a statement."""
        words = asked_statement(said.words, following, said.language)
        heard = without_listener(words) if words else None
        if heard and has_substance(heard, said.language) and not grammar_of(said.language).leans(heard):
            said = replace(said, words=heard)
            self._draft(said, union((FactTag.ASKED,), _tags(grammar_of(said.language).kinds(heard))), _CERTAIN)
            self._recent.append(said)

    def _put_right(self, said: Statement, raw: str) -> bool:
        """Correct what was said before, where this sentence puts it right."""
        change = retraction(raw, said.language) or self._bare(said, raw)
        named = (correction(change.rest) if change else None) or correction(said.words)
        if named and self._replace(said, named):
            return True
        if named and (alone := named_alone(change.rest if change else said.words)):
            self._weigh(replace(said, words=alone))
            return True
        if change is None and self._taken_back:
            change = self._taken_back._replace(rest=said.words)
        if change is None:
            return False
        if change.rest:
            return self._amend(said, change) or self._instead(said, change)
        self._taken_back = change
        if change.drops:
            self._forget_last()
        return True

    def _bare(self, said: Statement, raw: str) -> Retraction | None:
        """The bare value by which a turn puts right what was said just before, unless it may answer a question.

        In one breath it does so behind dots: `im 43... 44`.
        """
        last = self._recent[-1] if self._recent else None
        is_next = last is not None and last.turns[-1] != said.turns[0] and self._question is None
        found = bare_value(raw, said.language) if is_next or self._trails else None
        return found if is_next or (found and found.rest == raw.strip(" .!…*")) else None

    def _instead(self, said: Statement, change: Retraction) -> bool:
        """Weigh what is said in the place of what was taken back."""
        self._taken_back = change
        is_label = change.cue.endswith(": ") and len(change.rest.split()) <= _LEAST_WORDS
        if change.drops or is_label:
            self._forget_last()
        self._weigh(said if change.is_plain else replace(said, words=cleaned(change.rest, said.language)))
        self._taken_back = None
        return True

    def _replace(self, said: Statement, named: Correction) -> bool:
        for wrong in (*reversed(self._recent), *self._learned()):
            if words := named.applied(wrong.words):
                self._correct(wrong, words, said)
                return True
        return False

    def _learned(self) -> Iterator[Statement]:
        """What is in the drafts, the last first."""
        return (each for draft in reversed(self.drafts) for each in draft.statements)

    def _amend(self, said: Statement, change: Retraction) -> bool:
        recent = [*reversed(self._recent), *self._learned()]
        found = amended([each.words for each in recent], change, said.language, near=len(self._recent))
        if found:
            self._correct(recent[found[0]], found[1], said)
        self._taken_back = None if found else self._taken_back
        return found is not None

    def _correct(self, wrong: Statement, words: str, said: Statement) -> None:
        right = replace(wrong, words=words, turns=(*wrong.turns, *said.turns))
        self._recent = deque((right if each is wrong else each for each in self._recent), maxlen=_RECENT)
        held = [index for index, draft in enumerate(self.drafts) if any(said is wrong for said in draft.statements)]
        if held:
            self.drafts[held[0]] = self.drafts[held[0]].put_right(wrong, right)
        elif len(right.words.split()) >= _LEAST_WORDS and not grammar_of(right.language).leans(
            right.words
        ):  # what somebody takes care to put right is worth keeping
            self._add(right, grammar_of(right.language).kinds(right.words), right.slots(), FactTag.CORRECTION)

    def _forget_last(self) -> None:
        """Drop the last draft, which the user takes back."""
        if self.drafts and self._recent and self.drafts[-1].statements[-1] is self._recent[-1]:
            self.drafts.pop()
            self._recent.pop()

    def _weigh(self, said: Statement) -> None:
        """Add a statement that is worth keeping."""
        grammar = grammar_of(said.language)
        if said.language.begins(said.language.wish, said.words) and len(said.words.split()) <= _LONGEST_WISH:
            self.drafts.append(FactDraft((said,), (FactTag.PREFERENCE,), _OF_SLOTS, is_wish=True))
            return
        words = _before_question(said) if said.words.endswith("?") else said.words
        stated = grammar.stated(words, said.speaker) if words else None
        if stated is None:
            return
        said = self._understood(replace(said, words=stated))
        found, slots = grammar.kinds(said.words), said.slots()
        if grammar.leans(said.words):
            if correction(stated) is None:  # what it puts right was not found: it means nothing
                self._lean(said, found, slots)
        elif (found or slots) and is_worth_keeping(said.words, found, slots, said.language):
            self._add(said, found, slots)
        self._recent.append(said)

    def _understood(self, said: Statement) -> Statement:
        """The statement as it can be understood alone; as it is where it needs no other, or follows the one that it needs."""
        grammar = grammar_of(said.language)
        is_with_draft = bool(self.drafts) and self.drafts[-1].statements[-1].turns[0] == said.turns[0]
        if not grammar.leans(said.words) or is_with_draft:
            return said
        person, named = self._person or ("", self._turns)
        distance = self._turns - named
        if distance > _REACH:
            return self._far(said)
        words = grammar.alone(said.words, person, is_near=distance <= _REACH_OF_A_NAME[person[:1].isupper()])
        self._person = (person, self._turns) if words else self._person
        return replace(said, words=words) if words else said

    def _far(self, said: Statement) -> Statement:
        """The statement with the only relative whom its pronoun can mean, if nobody else was named since."""
        grammar = grammar_of(said.language)
        words = grammar.alone(said.words, "", is_near=False)
        told = {each: turn for each, turn in self._meant(said) if each not in (words, None)}
        if len(told) == 1 and max(self._stranger, self._turns - _FAR_REACH) < max(told.values()):
            words = next(iter(told))
        return replace(said, words=words) if words else said

    def _meant(self, said: Statement) -> Iterator[tuple[str | None, int]]:
        grammar = grammar_of(said.language)
        return ((grammar.alone(said.words, person, is_near=False), turn) for person, turn in self._people.items())

    def _lean(self, said: Statement, found: list[StatementRule], slots: Sequence[ReadSlot]) -> None:
        """Add a sentence to the draft that it depends on; if that is not clear, drop it."""
        grammar = grammar_of(said.language)
        before = self._before(said) if found or slots or grammar.is_detail(said.words) else None
        if before is None or not has_substance(said.words, said.language):
            return
        if self.drafts and self.drafts[-1].statements[-1] is before:
            if len(self.drafts[-1].statements) < _MOST_SENTENCES:
                self.drafts[-1] = self.drafts[-1].followed_by(said, _tags(found))
        elif found and self._explains(before, said):
            self.drafts.append(FactDraft((before, said), _tags(found), _confidence(found) - _LEANT))

    def _explains(self, before: Statement, said: Statement) -> bool:
        """Whether a statement that is no fact by itself names what the next one tells of."""
        grammar = grammar_of(said.language)
        is_clear = not grammar.leans(before.words) or has_date(said.words)
        return is_clear and grammar.names_something(before.words) and has_substance(before.words, said.language)

    def _before(self, said: Statement) -> Statement | None:
        """The statement before this one in its turn. One of the turn before only if this one gives a date.

        "They've moved the race!" - "Moved to when?" - "Now it's on 24 May".
        """
        last = self._recent[-1] if self._recent else None
        if last is None or last.turns[0] == said.turns[0]:
            return last
        is_same_voice = last.speaker == said.speaker
        names = grammar_of(said.language).names_something(last.words)
        return last if is_same_voice and has_date(said.words) and names else None

    def _add(self, said: Statement, found: list[StatementRule], slots: Sequence[ReadSlot], *tags: FactTag) -> None:
        """Add a statement, in the place of those that it ends if it takes back what was said."""
        confidence = _confidence(found) if found else _OF_SLOTS
        if self._taken_back or tags:
            said = self._ended(said, slots)
        self._draft(said, union(_tags(found) or (FactTag.ATTRIBUTE,), tags), confidence)

    def _ended(self, said: Statement, slots: Sequence[ReadSlot]) -> Statement:
        """Drop the drafts that state what a correction ends; it cites their turns beside its own."""
        for draft in list(self.drafts):
            if any(ends(new, old) for new in slots for old in draft.slots()):
                self.drafts.remove(draft)
                said = replace(said, turns=tuple(dict.fromkeys((*said.turns, *draft.turns))))
        return said

    def _draft(self, said: Statement, tags: tuple[FactTag, ...], confidence: float) -> None:
        self.drafts.append(FactDraft((said,), tags, confidence))


def _named_first(said: Statement) -> str | None:
    """Somebody of whom a statement tells something by their name, if it begins with it: `Finn is 5`."""
    if said.language.own.match(said.words):
        return None
    named = {slot.subject for slot in said.slots() if not slot.subject.startswith(USER)}
    first = next(iter(named)) if len(named) == 1 else ""
    is_first = bool(first) and said.words.lower().startswith(f"{first} ")
    return said.words[: len(first)].title() if is_first else None


def _before_question(said: Statement) -> str | None:
    """The statement before a question in one sentence: `we live in York, do you know a market there?`."""
    words = said.words.rstrip("?")
    for cut in reversed(list(_TAIL.finditer(words))):
        tail = without_opening(words[cut.end() :], said.language)
        if said.language.tag.match(tail):
            return None
        if said.language.tail.match(tail):
            return closed(words[: cut.start()])
    return None


def _tags(found: list[StatementRule]) -> tuple[FactTag, ...]:
    return tuple(dict.fromkeys(rule.tag for rule in found))


def _confidence(found: list[StatementRule]) -> float:
    return max(rule.confidence for rule in found)
