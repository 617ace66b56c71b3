"""Obeys chat commands: "forget that", "pin this", "turn memory off". A doubtful command is asked back.

`that` is the last thing that was learned or recalled in the session. A turn that has something forgotten, or memory turned off,
is not recorded itself: it may name what is to be forgotten.
Source: ../reference/memory-upgrade-spec.md, "User Controls & Privacy".
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.cascade import going, matching, matching_a_word, matching_loosely
from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.facts import tell
from services.ingest.domain.forgetting import HowNamed, all_forgotten, forgotten, naming_nobody
from services.ingest.domain.lacks import Needs
from services.ingest.domain.masking import known_by
from services.ingest.domain.meaning import is_beyond_doubt, is_one_statement
from services.ingest.domain.memories import Status
from services.ingest.domain.preferences import merge, switching_on
from services.ingest.domain.private import NO_QUESTIONS, Question
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.renewing import NewValue, is_in_doubt, is_plain_order, new_values, parted
from services.ingest.domain.rollups import with_sources
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.taking_back import WishToTakeBack, last_waiting, taken_back, wish_to_take_back
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.withheld_turns import answered_of_the_one_before, is_withheld, said_beside_it, shall_be_kept
from services.ingest.domain.withholding import begins_incognito, id_left, is_recorded, lifted_by_hand, require_memory
from shared.contracts.commands import UserMessage
from shared.contracts.event import EventData
from shared.contracts.events import EpisodeRecorded, MemoryPinned, MemoryUnpinned
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import ChatOutcome, Kind, Role
from shared.contracts.preferences import PersonSettings, SettingsChanged
from shared.contracts.privacy import (
    MOST_NAMED,
    ChatCommandRead,
    IncognitoEnded,
    IncognitoStarted,
    MemoryForgotten,
    UserForgotten,
)
from shared.language.commands.command import ASKED_BACK, FLOOR, ChatCommand, ChatCommandName, CommandScope
from shared.language.commands.reading import read_answer, read_chat_command
from shared.language.text.cleaning import comparable

Name = ChatCommandName

_MOST_AT_ONCE = 20
"""Most memories of a chat that are forgotten without asking back."""
_MOST_PINNED = 3

_KEEPING = {Name.ASK_ABOUT, Name.PIN_THAT, Name.UNPIN_THAT, Name.REMEMBER_THAT}


class Obeyed(NamedTuple):
    """What a turn leads to as a command. The turn is recorded first, if it is kept, then the changes, then the outcome."""

    name: Name
    outcome: ChatOutcome
    memory_ids: Sequence[MemoryId] = ()
    changes: Sequence[EventData] = ()
    erase_at: datetime | None = None  # until then it can be taken back
    is_kept: bool = True  # whether the turn itself is recorded
    takes_its_turn: bool = False  # a yes to what is asked back takes the turn that asks as well: it says the words too
    forgetting: int | None = None  # the number of what is taken back
    fact: str | None = None  # to be kept, as told by hand
    renewed: Sequence[NewValue] = ()  # facts to be kept in the same way: new values of what is forgotten


@lru_cache(maxsize=512)
def command_in(text: str, languages: tuple[str, ...]) -> ChatCommand | None:
    """The chat command in a turn's text; None if it is talk."""
    found = read_chat_command(text, languages=languages)
    if found is None or found.is_sure:
        return found
    return found if found.name in ASKED_BACK else None


@lru_cache(maxsize=512)
def _answer_in(text: str, languages: tuple[str, ...]) -> ChatCommand | None:
    return read_answer(text, languages=languages)


def obey(command: UserMessage, state: ScopeState, given: Circumstances) -> Obeyed | None:
    """What a turn leads to as a chat command; None if it is talk.

    Raises Lacks, and MemoryOff or Incognito if it asks for something to be kept.
    """
    text, languages = comparable(command.text), given.policy.languages
    question = state.privacy.questions.get(command.session_id)
    found = (read := command_in(text, languages)) and parted(read)
    turn = _SpokenCommand(command.session_id, state, given, at_once=found is not None and found.at_once)
    if is_withheld(found, question):
        return turn.withheld(text, found) if _is_kept_at_all(command, state) else None
    if answered := turn.said_of_the_one_before(text, found, question):
        return answered
    if found is not None and found.name is Name.TAKE_BACK:  # there is nothing
        found = None
    question = None if question is None or question.command in NO_QUESTIONS else question
    answer = _answer_in(text, languages) if question else None
    if question and answer and (answer.is_sure or answer.name in {Name.DECLINE, question.command}):
        return turn.answered(question, answer)
    found = found or switching_on(text, state.settings, languages)
    if found is None or found.name in {Name.CONFIRM, Name.DECLINE}:
        is_open = question is not None and not is_recorded(state, command.session_id)  # a recorded turn closes it by itself
        return Obeyed(Name(question.command), "declined", is_kept=False) if question and is_open else None
    if found.name in _KEEPING:
        if begins_incognito(command.session_id, state):
            return None
        require_memory(state, session_id=command.session_id)
    if found.name is Name.FORGET_ABOUT and _is_kept_at_all(command, state):
        turn.renewed = new_values(text, found)
    if is_in_doubt(text, found):
        found, turn.renewed = replace(found, confidence=FLOOR), ()
    found = replace(found, is_request=is_plain_order(text, found))
    obeyed = _RULES[found.name](turn, found)._replace(renewed=turn.renewed)
    is_talk = found.topic is not None and not found.is_sure and obeyed.outcome == "nothing_found"
    return None if is_talk else obeyed


def _is_kept_at_all(command: UserMessage, state: ScopeState) -> bool:
    """Whether turns of this session are recorded."""
    return is_recorded(state, command.session_id) and not begins_incognito(command.session_id, state)


def carry_out(obeyed: Obeyed, command: UserMessage, ruling: Ruling) -> None:
    """Add the changes, and the event that the turn was read as a command. A question names all memories that a yes takes."""
    memory_ids = list(obeyed.memory_ids)
    if obeyed.takes_its_turn:
        memory_ids += [data.memory_id for event in ruling.events if isinstance(data := event.data, EpisodeRecorded)]
    names_nobody = any(isinstance(data, UserForgotten) for data in obeyed.changes)
    if names_nobody:
        ruling.given = naming_nobody(ruling.given)
    ruling.add_all(obeyed.changes)
    from shared.language.statements.telling import about_the_speaker  # noqa: PLC0415 - patterns that nobody needs at the start

    if obeyed.fact:
        memory_ids.append(_keep(about_the_speaker(obeyed.fact, command.speaker), obeyed, command, ruling))
    for value in obeyed.renewed:
        _keep(value.written(command.speaker), obeyed, command, ruling)
    numbers = (event.number for event in ruling.events if isinstance(event.data, MemoryForgotten))
    forgetting = obeyed.forgetting or max(numbers, default=None)
    most = len(memory_ids) if obeyed.outcome == "asked_back" else MOST_NAMED
    for start in range(0, max(most, 1), MOST_NAMED):
        read = ChatCommandRead(
            session_id=SessionId("") if names_nobody else command.session_id,
            message_id=id_left(command.message_id, ruling.state, ruling.given, is_keyed=names_nobody),
            command=obeyed.name.value,
            outcome=obeyed.outcome,
            memory_ids=tuple(memory_ids[start : start + MOST_NAMED]),
            continues=start > 0,
            erase_at=obeyed.erase_at,
            forgetting=forgetting,
        )
        ruling.add(read)


def _keep(fact: str, obeyed: Obeyed, command: UserMessage, ruling: Ruling) -> MemoryId:
    """Save a fact of the command by hand, pinned if that was asked for; return the id of its memory."""
    told = ToldFact(
        text=fact,
        occurred_at=command.occurred_at or ruling.given.now,
        session_id=command.session_id,
        pinned=obeyed.name is Name.PIN_THAT,
        names=(ruling.given.user, command.speaker or ""),
    )
    ruling.add_all(lifted_by_hand(told.text, ruling.state, ruling.given))
    kept = tell(told, ruling)
    keep_to_the_cap(ruling)
    return kept


class _SpokenCommand:
    """One turn that is read as a command, on the state before it."""

    def __init__(self, session_id: SessionId, state: ScopeState, given: Circumstances, *, at_once: bool) -> None:
        self._session = session_id
        self._state = state
        self._given = given
        self.renewed: Sequence[NewValue] = ()  # new values of what is to be forgotten
        self._at_once = at_once

    def said_of_the_one_before(self, text: str, found: ChatCommand | None, question: Question | None) -> Obeyed | None:
        """What follows from words that mean the turn before: it is to be kept after all, or what it had forgotten is wanted."""
        languages = self._given.policy.languages
        if asked := answered_of_the_one_before(text, question, languages):
            return self.answered(*asked)
        kept = shall_be_kept(text, found, question, languages)
        if kept is not None:  # its words are nowhere: they are to be said again
            return Obeyed(*((Name.REMEMBER_THAT, "nothing_found") if kept else (Name.NOT_THIS, "declined")), is_kept=False)
        wish = wish_to_take_back(text, found, question, self._state, languages)
        return self.take_back(wish) if wish else None

    def withheld(self, text: str, found: ChatCommand | None) -> Obeyed:
        """Decide a wish that a turn is not kept. Ask about other memories that the wish may mean."""
        if found is not None and found.name is Name.NOT_NEXT:
            return Obeyed(Name.NOT_NEXT, "done", is_kept=False)
        named_there = [found.topic] if found and found.topic else said_beside_it(text, self._given.policy.languages)
        is_of_before = found is not None and found.may_mean_before and not found.topic
        before = self._that() if is_of_before else [m for each in named_there for m in matching(each, self._words)]
        named = list(going(before, self._words, self._given.digester, only=False).why)
        is_doubtful = found is not None and not found.is_sure
        return Obeyed(Name.NOT_THIS, "asked_back" if named or is_doubtful else "done", named, is_kept=False)

    def answered(self, question: Question, answer: ChatCommand) -> Obeyed:
        """Obey what was asked back, or leave it, as the person says. The answer itself is nothing to be remembered."""
        name = Name(question.command)
        if answer.name is Name.DECLINE:
            return Obeyed(name, "declined", question.memory_ids, is_kept=False)
        if name is Name.TAKE_BACK:
            return self.take_back(WishToTakeBack(last_waiting(self._state), is_sure=True))
        self._at_once = answer.at_once
        return self.confirmed(name, question.memory_ids)

    def confirmed(self, name: Name, memory_ids: Sequence[MemoryId]) -> Obeyed:
        """Obey a command that was asked back, after a yes."""
        match name:
            case Name.FORGET_ME:
                return Obeyed(name, "done", changes=all_forgotten(self._state, self._given), is_kept=False)
            case Name.MEMORY_OFF | Name.MEMORY_ON:
                return self._switch(name, PersonSettings(memory_enabled=name is Name.MEMORY_ON), is_kept=False)
            case Name.START_INCOGNITO:
                return self._start_incognito(ChatCommand(name, scope=CommandScope.CHAT))
            case Name.FORGET_CHAT:
                return self._forget_as_asked(name, [told.memory_id for told in self._words.of_session(self._session)])
            case Name.PIN_THAT | Name.UNPIN_THAT:
                return self._pin(name, [known for known in memory_ids if known in self._words.told])
            case _:
                return self._forget_as_asked(name, [known for known in memory_ids if known in self._words.told])

    def take_back(self, wish: WishToTakeBack) -> Obeyed:
        """Bring back what was forgotten last, or say that it is gone, or ask. A turn that is only this is not kept."""
        if wish.waiting is None:
            return Obeyed(Name.TAKE_BACK, "nothing_found", is_kept=False)
        number, memory_ids = wish.waiting.number, wish.waiting.memory_ids
        if not wish.is_sure:
            return Obeyed(Name.TAKE_BACK, "asked_back", memory_ids[:MOST_NAMED])
        changes = taken_back(wish.waiting, self._state)
        return Obeyed(Name.TAKE_BACK, "done", memory_ids, changes, is_kept=False, forgetting=number)

    def ask_about(self, found: ChatCommand) -> Obeyed:
        return Obeyed(found.name, "done")

    def forget(self, found: ChatCommand) -> Obeyed:
        if not (named := self._meant(found)):
            return Obeyed(found.name, "nothing_found", is_kept=not found.is_sure)
        if (found.is_sure or found.is_request) and self._names_itself(found, named):
            return self._forget(found.name, named, query=found.topic)
        if found.name is Name.FORGET_CHAT:  # a yes takes what the session holds then
            return Obeyed(found.name, "asked_back", named[:MOST_NAMED])
        taken = going(named, self._words, self._given.digester, only=False)
        return Obeyed(found.name, "asked_back", list(taken.why), takes_its_turn=True)

    def _names_itself(self, found: ChatCommand, named: Sequence[MemoryId]) -> bool:
        """True if it is beyond doubt what a command takes: `that`, a chat that is not long, or one memory of a topic."""
        if found.topic is None and found.is_sure:
            return len(named) <= _MOST_AT_ONCE
        if found.topic is None:
            return len(named) == 1 and is_one_statement(named[0], self._words, self._given.digester)
        return is_beyond_doubt(found.topic, named, self._words, self._given.digester)

    def forget_all(self, found: ChatCommand) -> Obeyed:
        return Obeyed(found.name, "asked_back", is_kept=False)

    def pin(self, found: ChatCommand) -> Obeyed:
        if found.fact:
            return self._remember(found.name, found.fact)
        if not (named := self._meant(found)):
            return Obeyed(found.name, "nothing_found")
        if len(named) > _MOST_PINNED:
            return Obeyed(found.name, "asked_back", named)
        return self._pin(found.name, named)

    def _pin(self, name: Name, named: Sequence[MemoryId]) -> Obeyed:
        self._state.require(Needs(memories=set(named)))
        is_pin = name is Name.PIN_THAT
        new = [each for each in named if self._state.memories[each].pinned is not is_pin]
        changes = [MemoryPinned(memory_id=each) if is_pin else MemoryUnpinned(memory_id=each) for each in new]
        return Obeyed(name, "done" if new else "unchanged", named, changes)

    def remember(self, found: ChatCommand) -> Obeyed:
        text = found.fact or next((self._words.told[each].texts[0] for each in self._that()), None)
        return self._remember(found.name, text) if text else Obeyed(found.name, "nothing_found")

    def _remember(self, name: Name, text: str) -> Obeyed:
        return Obeyed(name, "done", changes=lifted_by_hand(text, self._state, self._given), fact=text)

    def memory_on(self, found: ChatCommand) -> Obeyed:
        if not found.is_sure:  # `it` may be another thing
            return Obeyed(found.name, "asked_back", is_kept=False)
        return self._switch(found.name, PersonSettings(memory_enabled=True), is_kept=True)

    def memory_off(self, found: ChatCommand) -> Obeyed:
        if not found.is_sure:
            return Obeyed(found.name, "asked_back")
        return self._switch(found.name, PersonSettings(memory_enabled=False), is_kept=False)

    def start_incognito(self, found: ChatCommand) -> Obeyed:
        return self._start_incognito(found) if found.is_sure else Obeyed(found.name, "asked_back")

    def end_incognito(self, found: ChatCommand) -> Obeyed:
        is_for_all = found.scope is CommandScope.ALL
        changes = self._changed(PersonSettings(incognito_default=False)) if is_for_all else []
        is_by_default = not is_for_all and begins_incognito(self._session, self._state)
        if self._state.is_incognito(self._session) or is_by_default:
            changes.append(IncognitoEnded(session_id=self._session))
        return self._done(found.name, changes, is_kept=False)

    @property
    def _words(self) -> Recollection:
        """What there is to be named; with what waits to be erased, if something is to be gone at once."""
        return self._state.words().with_hidden() if self._at_once else self._state.words()

    def _meant(self, found: ChatCommand) -> list[MemoryId]:
        """The memories that a chat command is about."""
        if found.name is Name.FORGET_CHAT:
            return [told.memory_id for told in self._words.of_session(self._session)]
        if found.topic is None:
            return with_sources(self._that(), self._words) if found.name is Name.FORGET_THAT else self._that()
        secret = known_by(found.topic, self._given.scope, self._given.digester)  # what was said of it is masked
        named = matching(found.topic, self._words) or matching(secret, self._words)
        if not named and found.name is Name.FORGET_ABOUT:
            named = matching_loosely(found.topic, self._words)
            if not (named or found.is_sure):
                named = matching_a_word(found.topic, self._words)
        if found.name not in {Name.PIN_THAT, Name.UNPIN_THAT}:
            return named
        self._state.require(Needs(memories=set(named)))
        facts = [each for each in named if self._words.told[each].kind is Kind.FACT]
        return [each for each in facts if self._state.memories[each].status is Status.LIVE] or named

    def _that(self) -> list[MemoryId]:
        """What `that` means: the last memory of this session or, if the user had asked something, the first one recalled."""
        if not (told := [each for each in self._words.of_session(self._session) if each.role in {Role.USER, None}]):
            return self._recalled(after=0)
        last = max(told, key=lambda each: each.number)
        return (self._recalled(after=last.number) if last.is_question else []) or [last.memory_id]

    def _recalled(self, *, after: int) -> list[MemoryId]:
        number, memory_ids = self._words.handed_out.get(self._session, (0, ()))
        return [each for each in memory_ids[:1] if each in self._words.told] if number > after else []

    def _forget_as_asked(self, name: Name, named: Sequence[MemoryId]) -> Obeyed:
        """Forget what was asked about. The turn that asked is among it, with topic and new values."""
        turns = [told.texts[0] for each in named if (told := self._words.told[each]).role is Role.USER]
        read = [(text, found) for text in turns if (found := command_in(text, self._given.policy.languages))]
        self._at_once |= any(found.at_once for _, found in read)
        if name is Name.FORGET_CHAT:
            return self._forget(name, named)
        text, asked = next(((text, found) for text, found in read if found.topic), ("", None))
        self.renewed = new_values(text, asked) if asked else ()
        return self._forget(name, named, query=asked.topic if asked else None)

    def _forget(self, name: Name, named: Sequence[MemoryId], *, query: str | None = None) -> Obeyed:
        given, repeats = self._given, name is not Name.FORGET_CHAT
        taken = going(named, self._words, given.digester, only=False, repeats=repeats, query=query, is_sure=True)
        if not taken.why:
            return Obeyed(name, "nothing_found", is_kept=False)
        erase_at = given.now + given.policy.grace if given.policy.grace and not self._at_once else None
        named_by = HowNamed("chat", query, tuple(each.words for each in self.renewed))
        changes = forgotten(taken, self._words, self._state, given, named_by, erase_at=erase_at)
        return Obeyed(name, "done", list(taken.why), changes, erase_at=erase_at, is_kept=False)

    def _switch(self, name: Name, settings: PersonSettings, *, is_kept: bool) -> Obeyed:
        return self._done(name, self._changed(settings), is_kept=is_kept)

    def _changed(self, settings: PersonSettings) -> list[EventData]:
        before, after = self._state.settings, merge(self._state.settings, settings, ())
        return [SettingsChanged(settings=after, before=before, asked=settings)] if after != before else []

    def _start_incognito(self, found: ChatCommand) -> Obeyed:
        changes = self._changed(PersonSettings(incognito_default=True)) if found.scope is CommandScope.ALL else []
        if not self._state.is_incognito(self._session):
            changes.append(IncognitoStarted(session_id=self._session))
        return self._done(Name.START_INCOGNITO, changes, is_kept=False)

    def _done(self, name: Name, changes: Sequence[EventData], *, is_kept: bool) -> Obeyed:
        return Obeyed(name, "done" if changes else "unchanged", changes=changes, is_kept=is_kept)


_RULES: dict[Name, Callable[[_SpokenCommand, ChatCommand], Obeyed]] = {
    Name.ASK_ABOUT: _SpokenCommand.ask_about,
    Name.FORGET_THAT: _SpokenCommand.forget,
    Name.FORGET_ABOUT: _SpokenCommand.forget,
    Name.FORGET_CHAT: _SpokenCommand.forget,
    Name.FORGET_ME: _SpokenCommand.forget_all,
    Name.PIN_THAT: _SpokenCommand.pin,
    Name.UNPIN_THAT: _SpokenCommand.pin,
    Name.REMEMBER_THAT: _SpokenCommand.remember,
    Name.MEMORY_ON: _SpokenCommand.memory_on,
    Name.MEMORY_OFF: _SpokenCommand.memory_off,
    Name.START_INCOGNITO: _SpokenCommand.start_incognito,
    Name.END_INCOGNITO: _SpokenCommand.end_incognito,
}
