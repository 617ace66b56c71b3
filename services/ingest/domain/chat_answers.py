"""Takes a turn for the answer to a question which of two facts holds, where the bot has just asked it in this session.

The bot may have put the question into words of its own. It is recognised by what the two facts differ in, and by what they are
about. The turn is recorded like any other.
"""

from typing import NamedTuple

from services.ingest.domain.conflicts import settle
from services.ingest.domain.deeds import slots_of
from services.ingest.domain.doubts import KnownConflict
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.commands import UserMessage
from shared.contracts.conflicts import Holds
from shared.contracts.ids import ConflictId, MemoryId, SessionId
from shared.contracts.parts import Role
from shared.language.commands.settling import Alternatives, aim_of, may_answer, read_holds
from shared.language.text.calendar import named_day
from shared.language.text.stating import content_words

_LONGEST_QUESTION = 400
_MOST_WORDS_BESIDE = 1
"""Content words of a question that is about the two facts although it names nothing that they have in common."""
_BEGINNING = 4
"""Letters."""


class ChatAnswer(NamedTuple):
    """What the person says of a pending question."""

    conflict_id: ConflictId
    holds: Holds


def answer_in(turn: UserMessage, state: ScopeState) -> ChatAnswer | None:
    """The answer that a turn gives to the question that the bot asked just before; None if it gives none. Raises Lacks."""
    pending = {each: conflict for each, conflict in state.conflicts.items() if conflict.is_pending}
    session = state.sessions.get(turn.session_id)
    if not (pending and session and session.is_asked and may_answer(turn.text)):
        return None
    question = _asked(turn.session_id, state.words())
    if question is None:
        return None
    for conflict_id, conflict in reversed(pending.items()):
        between, common = _difference(conflict, state.words())
        aim = aim_of(question, between) if _is_about(question, between, common) else None
        if aim and (holds := read_holds(turn.text, aim, between)):
            return ChatAnswer(conflict_id, holds)
    return None


def take_answer(answer: ChatAnswer, ruling: Ruling) -> None:
    """End what does not hold, if the question is pending still."""
    if ruling.state.conflicts[answer.conflict_id].is_pending:
        settle(answer.conflict_id, answer.holds, "chat", ruling)


def _asked(session_id: SessionId, words: Recollection) -> str | None:
    """The question with which the last turn of a session ends, if it is the bot's."""
    last = max((told for told in words.of_session(session_id) if told.role), key=lambda told: told.number, default=None)
    if last is None or last.role is not Role.ASSISTANT or not last.is_question:
        return None
    return last.texts[0][-_LONGEST_QUESTION:]


def _difference(conflict: KnownConflict, words: Recollection) -> tuple[Alternatives, frozenset[str]]:
    """The words that tell two facts apart, and those that both have."""
    older, newer = (words.told[each].texts[0] for each in _both(conflict))
    stated = [{(slot.subject, slot.attribute): slot for slot in slots_of(each, words.deeds)} for each in _both(conflict)]
    for key in stated[0].keys() & stated[1].keys():
        old, new = (
            content_words(" ".join(named_day(text, word) for word in (slots[key].value or "").split()))
            for slots, text in zip(stated, (older, newer), strict=True)
        )
        if old != new:
            return Alternatives(new - old, old - new), _common(older, newer) | content_words(key[1])
    old, new = content_words(older), content_words(newer)
    return Alternatives(new - old, old - new), _common(older, newer)


def _both(conflict: KnownConflict) -> tuple[MemoryId, MemoryId]:
    return conflict.older, conflict.newer


def _common(older: str, newer: str) -> frozenset[str]:
    return content_words(older) & content_words(newer)


def _is_about(question: str, between: Alternatives, common: frozenset[str]) -> bool:
    said = content_words(question)
    is_short = len(said - between.newer - between.older) <= _MOST_WORDS_BESIDE
    return is_short or not _beginnings(said).isdisjoint(_beginnings(common))


def _beginnings(words: frozenset[str]) -> frozenset[str]:
    """What forms of a word have in common in any language: `wohn` of `wohne` and `wohnst`."""
    return frozenset(word[:_BEGINNING] for word in words if len(word) >= _BEGINNING)
