"""Reads a user's turns into drafts of facts. A later sentence may depend on an earlier one, or correct it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from itertools import pairwise

from services.consolidator.domain.corrections import correction
from services.consolidator.domain.echoes import MARK
from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.kinds import FactTag, StatementRule, has_date, is_detail, kinds
from services.consolidator.domain.requests import answered, asked, is_statement
from services.consolidator.domain.sentences import statements, without_opening
from services.consolidator.domain.standing import is_left_out, leans, names_something, without_listener
from services.consolidator.domain.subjects import tells_only_the_name, with_subject

_RECENT = 6
"""How many statements back a correction may apply."""
_MOST_SENTENCES = 3
_CERTAIN = 0.95
_LEANT = 0.1


@dataclass(frozen=True, slots=True)
class Statement:
    """A cleaned sentence and its turns: the first stated it, the others corrected it."""

    words: str
    turns: tuple[SaidTurn, ...]


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A fact before it is written: its sentences in order, of which only the first can be understood alone."""

    statements: tuple[Statement, ...]
    tags: tuple[FactTag, ...]
    confidence: float

    def followed_by(self, said: Statement, tags: tuple[FactTag, ...]) -> FactDraft:
        """The draft with a further sentence, which depends on it."""
        return replace(
            self, statements=(*self.statements, said), tags=_union(self.tags, tags), confidence=self.confidence - _LEANT
        )

    def put_right(self, wrong: Statement, right: Statement) -> FactDraft:
        """The draft with one of its sentences replaced by the corrected one."""
        corrected = tuple(right if said is wrong else said for said in self.statements)
        return replace(self, statements=corrected, tags=_union(self.tags, (FactTag.CORRECTION,)))


@dataclass(slots=True)
class TurnReader:
    """Reads turns one after the other, and collects the drafts of facts."""

    drafts: list[FactDraft] = field(default_factory=list)
    _recent: deque[Statement] = field(default_factory=lambda: deque(maxlen=_RECENT))

    def read(self, turn: SaidTurn) -> None:
        """Read a turn, and add what it states."""
        whole = ["" if MARK in sentence else sentence for sentence in statements(turn.text)]
        for sentence, following in pairwise((*whole, "")):
            if sentence:
                self._hear(Statement(sentence, (turn,)), following)
            else:
                self._recent.clear()  # what comes next may lean on what was cut out

    def _hear(self, said: Statement, following: str) -> None:
        request = asked(said.words)
        if request is not None:
            self._keep(replace(said, words=request), following)
        elif not self._put_right(said):
            self._weigh(said)

    def _keep(self, said: Statement, following: str) -> None:
        """Add what the user asks to remember, of whatever kind, if it is a statement."""
        words = answered(said.words, following) or (said.words if is_statement(said.words) else None)
        heard = without_listener(without_opening(words)) if words else None
        if heard and not leans(heard):
            said = replace(said, words=heard)
            self._add(said, _union((FactTag.ASKED,), _tags(kinds(heard))), _CERTAIN)
            self._recent.append(said)

    def _put_right(self, said: Statement) -> bool:
        change = correction(said.words)
        if change is None:
            return False
        for wrong in reversed(self._recent):
            if words := change.applied(wrong.words):
                self._correct(wrong, replace(wrong, words=words, turns=(*wrong.turns, *said.turns)))
                return True
        return False

    def _correct(self, wrong: Statement, right: Statement) -> None:
        self._recent[self._recent.index(wrong)] = right
        held = [index for index, draft in enumerate(self.drafts) if any(said is wrong for said in draft.statements)]
        if held:
            self.drafts[held[0]] = self.drafts[held[0]].put_right(wrong, right)
        elif (found := kinds(right.words)) and not leans(right.words):
            self._add(right, _union(_tags(found), (FactTag.CORRECTION,)), _confidence(found))

    def _weigh(self, said: Statement) -> None:
        words = None if said.words.endswith("?") else without_listener(said.words)
        if words is None or is_left_out(words):
            return
        said = replace(said, words=with_subject(words, said.turns[0].speaker))
        found = kinds(said.words)
        if leans(said.words):
            if correction(said.words) is None:  # what it puts right was not found: it means nothing
                self._lean(said, found)
        elif found and not tells_only_the_name(said.words, said.turns[0].speaker):
            self._add(said, _tags(found), _confidence(found))
        self._recent.append(said)

    def _lean(self, said: Statement, found: list[StatementRule]) -> None:
        """Add a sentence to the draft that it depends on; if that is not clear, drop it."""
        before = self._before(said) if found or is_detail(said.words) else None
        if before is None:
            return
        if self.drafts and self.drafts[-1].statements[-1] is before:
            if len(self.drafts[-1].statements) < _MOST_SENTENCES:
                self.drafts[-1] = self.drafts[-1].followed_by(said, _tags(found))
        elif found and names_something(before.words):
            self.drafts.append(FactDraft((before, said), _tags(found), _confidence(found) - _LEANT))

    def _before(self, said: Statement) -> Statement | None:
        """The statement before this one in its turn. One of the turn before only if this one gives a date.

        "They've moved the race!" - "Moved to when?" - "Now it's on 24 May".
        """
        last = self._recent[-1] if self._recent else None
        if last is None or last.turns == said.turns:
            return last
        is_same_voice = last.turns[0].speaker == said.turns[0].speaker
        return last if is_same_voice and has_date(said.words) and names_something(last.words) else None

    def _add(self, said: Statement, tags: tuple[FactTag, ...], confidence: float) -> None:
        self.drafts.append(FactDraft((said,), tags, confidence))


def _tags(found: list[StatementRule]) -> tuple[FactTag, ...]:
    return tuple(dict.fromkeys(rule.tag for rule in found))


def _confidence(found: list[StatementRule]) -> float:
    return max(rule.confidence for rule in found)


def _union(some: tuple[FactTag, ...], more: tuple[FactTag, ...]) -> tuple[FactTag, ...]:
    return tuple(dict.fromkeys((*some, *more)))
