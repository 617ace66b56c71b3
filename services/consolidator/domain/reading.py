"""Reads the turns of a conversation into facts: plain statements, and quotations of what else is worth keeping.

A later sentence may continue the one before it, put it right, or take it back. A short answer is quoted with its question.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from services.consolidator.domain.dates import resolved
from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.kinds import FactTag
from shared.contracts.parts import Role
from shared.domain.pauses import may_pause
from shared.language.statements.clauses import Mood, Sentence
from shared.language.statements.keeping import has_substance, is_worth_keeping
from shared.language.statements.language import StatementLanguage, statement_language
from shared.language.statements.reading import WISHES, Said, correct_slots, read
from shared.language.statements.righting import may_correct, names_old
from shared.language.statements.slots import ReadSlot
from shared.language.statements.subjects import USER
from shared.language.statements.writing import are_words_of, quote, quote_correction, quote_reply, quote_wish, write_plain
from shared.language.tables import ENGLISH
from shared.language.text.languages import detect_language
from shared.language.text.sentences import sentences
from shared.language.text.without_echoes import MARK

_QUOTES_LIKE = ENGLISH
"""The language whose quotation marks stand around words of a language that has no file."""
_LONGEST_LOOK = 4_000
_FEW_WORDS = 8
"""Words. A shorter text may not show its language: it is then read as English, unless its words are of another language."""
_MOST_SENTENCES = 3
_RECENT = 6
_LONGEST_REPLY_WORDS = 8
_MOST_NAMES = 4
_NEXT_TURN = 2
"""The bot's turn stands between."""
_MARKS = ".,;:!?()\"'"
_LEAST_WORDS = 3
_LEAST_CHARACTERS = 12
_CERTAIN, _PLAIN, _QUOTED, _HEDGED = 0.95, 0.9, 0.8, 0.6


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A fact before it is written: the words, where they stand, and the slots that they state."""

    turns: tuple[SaidTurn, ...]
    words: tuple[str, ...]  # as they were said, each of one turn
    language: StatementLanguage
    slots: tuple[ReadSlot, ...] = ()
    is_plain: bool = False  # one plain statement is all of it
    is_wish: bool = False
    question: str = ""  # that it answers
    tags: tuple[FactTag, ...] = ()
    confidence: float = _QUOTED
    end: int = 0  # in the text of its last turn

    def write(self) -> str:
        """Return the text of the fact: in the third person if it is a plain English statement, else a quotation.

        Raises AssertionError if it would be neither.
        """
        speaker = self.turns[0].speaker
        first, *right = (resolved(each, self.turns[0].occurred_at.date()) for each in self.words)
        if self.is_plain and self.language.code == ENGLISH and (plain := write_plain(first, speaker)):
            return plain
        if right:
            text = quote_correction(first, " … ".join(right), speaker, self.language)
        elif self.question:
            text = quote_reply(first, self.question, speaker, self.language)
        else:
            text = (quote_wish if self.is_wish else quote)(first, speaker, self.language)
        assert are_words_of(self.words, [turn.text for turn in self.turns]), "a fact says what nobody said"  # noqa: S101
        return text


@dataclass(slots=True)
class TurnReader:
    """Reads turns one after the other, and collects the drafts of facts."""

    drafts: list[FactDraft] = field(default_factory=list)
    _usual: str | None = None
    _question: tuple[str, SaidTurn] | None = None
    _recent: deque[FactDraft] = field(default_factory=lambda: deque(maxlen=_RECENT))
    _people: set[str] = field(default_factory=set)
    _own_names: set[str] = field(default_factory=set)  # of appointments: `dish rack launch`

    @classmethod
    def of_language(cls, turns: Sequence[SaidTurn]) -> TurnReader:
        """Return a reader for these turns, which it has not read yet."""
        own = " ".join(turn.text for turn in turns if turn.role is Role.USER)[:_LONGEST_LOOK]
        usual = detect_language(own) or detect_language(" ".join(turn.text for turn in turns)[:_LONGEST_LOOK])
        return cls(_usual=ENGLISH if usual is None and len(own.split()) <= _FEW_WORDS else usual)

    def take_in(self, turns: Iterable[SaidTurn]) -> None:
        """Read the next turns."""
        for turn in turns:
            if turn.role is Role.USER:
                self._read(turn)
            elif turn.role is Role.ASSISTANT:
                self._listen(turn)

    def _listen(self, turn: SaidTurn) -> None:
        """Remember what the bot asks last."""
        last = (sentences(turn.text) or [""])[-1]
        self._question = (last, turn) if last.endswith("?") and MARK not in turn.text else None

    def _read(self, turn: SaidTurn) -> None:
        names = (turn.speaker,) if turn.speaker else ()
        said = read(turn.text, language=self._usual, names=names, said_on=turn.occurred_at.date())
        if said.language is None:
            if not self._quote_name(turn):
                self._quote_all(turn)
        else:
            language = statement_language(said.language)
            is_reply = self._answer(turn, said, language)
            for place in range(int(is_reply), len(said.sentences)):
                may_pause()
                self._take(turn, said, place, language)
        self._question = None

    def _quote_name(self, turn: SaidTurn) -> bool:
        """Quote an answer of a few words that are in no language, as names are."""
        words = turn.text.strip(" .!")
        if (
            self._question is None
            or self._usual is None
            or len(words.split()) > _MOST_NAMES
            or not words[:1].isupper()
            or "?" in words
        ):
            return False
        question, asking = self._question
        self._add(FactDraft((turn, asking), (words,), statement_language(self._usual), question=question))
        return True

    def _quote_all(self, turn: SaidTurn) -> None:
        """Quote the sentences of a language that has no file; its questions ask."""
        for each in sentences(turn.text):
            is_long = len(each) >= _LEAST_CHARACTERS and (len(each.split()) >= _LEAST_WORDS or not each.isascii())
            if is_long and not each.rstrip("\"') ").endswith(("?", "？", ";", "؟")) and MARK not in each:
                self._add(FactDraft((turn,), (each.rstrip(". 。"),), statement_language(_QUOTES_LIKE)))

    def _answer(self, turn: SaidTurn, said: Said, language: StatementLanguage) -> bool:
        """Quote a short answer with its question."""
        if self._question is None or not said.sentences:
            return False
        question, asking = self._question
        first = said.sentences[0]
        words = first.whole.text
        is_short = len(words.split()) <= _LONGEST_REPLY_WORDS and first.mood is not Mood.ASKED and first.mood is not Mood.OPEN
        begins = next((token for token in first.whole.tokens if token.start < token.end), None)
        is_own = begins is None or begins.word in language.me | language.my or bool(said.slots_of.get(0))
        spoken = " ".join(word.strip(_MARKS) for word in first.written.lower().split())
        says_nothing = language.refuses.search(spoken) or language.offers.search(question.lower())
        is_telling = has_substance(first, language) or _asks_for(question, language)
        if not is_short or is_own or says_nothing or not is_telling:
            return False
        self._add(FactDraft((turn, asking), (first.written,), language, question=question))
        return True

    def _take(self, turn: SaidTurn, said: Said, place: int, language: StatementLanguage) -> None:
        sentence, slots = said.sentences[place], self._by_own_name(said.slots_of.get(place, ()))
        words = _words_of(sentence, turn, is_plain=place in said.plain)
        if sentence.mood in (Mood.RETRACTION, Mood.JOKE):
            self._take_back(turn)
        elif any(slot.attribute in WISHES for slot in slots):
            self._wish(turn, words, slots, sentence, language)
        elif self._put_right(turn, sentence, said, place, words):
            pass
        elif slots or (sentence.is_asked_for and has_substance(sentence, language)):
            is_whole = place in said.plain
            is_plain = is_whole and sentence.whole.is_own
            confidence = _CERTAIN if sentence.is_asked_for else _PLAIN if is_plain else _QUOTED
            tags = ((FactTag.ASKED,) if sentence.is_asked_for else ()) + _tags(sentence, slots, language)
            own = tuple(slot.model_copy(update={"says_more": not is_whole, "is_whole": is_whole}) for slot in slots)
            self._people.update(slot.value for slot in slots if slot.value and slot.subject == USER and _is_name(slot))
            self._add(
                FactDraft((turn,), (words,), language, own, is_plain, tags=tags, confidence=confidence, end=_end(sentence))
            )
        elif is_worth_keeping(sentence, language, self._people, (turn.speaker or "").lower().split()):
            confidence = _HEDGED if sentence.mood is Mood.HEDGED else _QUOTED
            tags = _tags(sentence, (), language)
            self._add(FactDraft((turn,), (words,), language, tags=tags, confidence=confidence, end=_end(sentence)))
        else:
            self._continue(turn, sentence, language)

    def _by_own_name(self, slots: Sequence[ReadSlot]) -> tuple[ReadSlot, ...]:
        """Return the slots; `the launch` gets the full name of the one launch that the session told of before."""
        named = (
            [name for name in self._own_names if slot.attribute in (name.partition(" ")[0], name.rpartition(" ")[2])]
            for slot in slots
        )
        return tuple(
            slot.model_copy(update={"attribute": names[0]}) if len(names) == 1 else slot
            for slot, names in zip(slots, named, strict=True)
        )

    def _continue(self, turn: SaidTurn, sentence: Sentence, language: StatementLanguage) -> None:
        """Quote a sentence about `he`, `it` or `they` with the one before it, which says who that is."""
        last = self._recent[-1] if self._recent else None
        first = sentence.clauses[0].tokens[0].word if sentence.clauses else ""
        is_next = last is not None and last.turns[-1] is turn and last.end and sentence.start - last.end <= _MOST_SENTENCES
        leans = first in language.leaning and sentence.mood in (Mood.STATED, Mood.HEDGED)
        if last is None or not (is_next and leans and has_substance(sentence, language)) or last.is_wish:
            return
        start = turn.text.find(last.words[0])
        whole = turn.text[start : sentence.start + len(sentence.written)].rstrip(" .!")
        if start >= 0 and whole.count(". ") < _MOST_SENTENCES:
            self._replace(last, replace(last, words=(whole,), is_plain=False, slots=_as_part(last.slots), end=_end(sentence)))

    def _put_right(self, turn: SaidTurn, sentence: Sentence, said: Said, place: int, words: str) -> bool:
        """Quote a correction with what it puts right; a value of the same type takes the place of the wrong one."""
        last = self._recent[-1] if self._recent else None
        if last is None or last.is_wish or turn.number - last.turns[-1].number > _NEXT_TURN:
            return False
        if sentence.mood is not Mood.CORRECTION and not names_old(sentence, last.words, last.language):
            return False
        slots = said.slots_of.get(place, ())
        right = correct_slots(sentence, last.slots, last.language) if last.turns[-1] is not turn else None
        fixed = right if right is not None else tuple(slots)
        told = {(slot.subject, slot.attribute) for slot in fixed}
        is_of_last = told.intersection((slot.subject, slot.attribute) for slot in last.slots)
        is_corrected = bool(fixed) and last.turns[-1] is turn and not sentence.whole.is_own
        if not (right or is_of_last or is_corrected or may_correct(sentence, last.words, last.language)):
            return False
        kept = tuple(slot for slot in last.slots if (slot.subject, slot.attribute) not in told) if fixed else ()
        both = replace(
            last,
            turns=last.turns if turn in last.turns else (*last.turns, turn),
            words=(*last.words, words),
            slots=_as_part((*kept, *fixed)),
            is_plain=False,
            tags=tuple(dict.fromkeys((*last.tags, FactTag.CORRECTION))),
        )
        if place in said.plain and sentence.whole.is_own and not kept:  # the correction repeats the whole statement
            both = replace(both, words=(words,), slots=tuple(slots), is_plain=True)
        self._replace(last, both)
        return True

    def _wish(
        self, turn: SaidTurn, words: str, slots: Sequence[ReadSlot], sentence: Sentence, language: StatementLanguage
    ) -> None:
        told, tags = tuple(slot for slot in slots if slot.attribute in WISHES), (FactTag.PREFERENCE,)
        wish = FactDraft((turn,), (words,), language, told, is_wish=True, tags=tags, confidence=_PLAIN, end=_end(sentence))
        self._add(wish)

    def _take_back(self, turn: SaidTurn) -> None:
        """Drop what was said last, in this turn or the one before."""
        if self._recent and self.drafts and self.drafts[-1] is self._recent[-1]:
            last = self._recent.pop()
            if turn.number - last.turns[-1].number <= _NEXT_TURN:
                self.drafts.pop()

    def _add(self, draft: FactDraft) -> None:
        self._own_names.update(slot.attribute for slot in draft.slots if " " in slot.attribute)
        self.drafts.append(draft)
        self._recent.append(draft)

    def _replace(self, old: FactDraft, new: FactDraft) -> None:
        self.drafts = [new if each is old else each for each in self.drafts]
        self._recent = deque((new if each is old else each for each in self._recent), maxlen=_RECENT)


def _words_of(sentence: Sentence, turn: SaidTurn, *, is_plain: bool) -> str:
    """A sentence as it was written; of a plain statement without what opens and closes it, which says nothing."""
    words, start, end = sentence.whole.tokens, sentence.start, _end(sentence)
    if is_plain and words:
        start, end = words[0].start, words[-1].end if len(sentence.clauses) == 1 else end
    return turn.text[start:end].strip(" .!,;:–—-\n")


def _end(sentence: Sentence) -> int:
    return sentence.start + len(sentence.written)


def _asks_for(question: str, language: StatementLanguage) -> bool:
    """True if a question is about something of the person that even `yes` answers: `Are you married?`."""
    asked = {word.strip(_MARKS) for word in question.lower().split()}
    return not asked.isdisjoint({*language.health, *language.weighty, *language.kin, *language.lists["status"]})


def _is_name(slot: ReadSlot) -> bool:
    return slot.attribute in ("partner", "child", "sister", "brother", "mother", "father", "relative", "friend", "pet")


def _as_part(slots: Iterable[ReadSlot]) -> tuple[ReadSlot, ...]:
    return tuple(slot.model_copy(update={"says_more": True, "is_whole": False}) for slot in slots)


def _tags(sentence: Sentence, slots: Sequence[ReadSlot], language: StatementLanguage) -> tuple[FactTag, ...]:
    text = sentence.whole.text
    found = [FactTag(name) for name, pattern in language.tags.items() if pattern.search(text)]
    if any(token.word in language.kin for token in sentence.whole.tokens):
        found.append(FactTag.RELATIONSHIP)
    return tuple(dict.fromkeys(found)) or ((FactTag.ATTRIBUTE,) if slots else ())
