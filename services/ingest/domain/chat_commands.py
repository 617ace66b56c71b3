"""What a user's turn asks of the memory: "forget that", "pin this", "turn memory off". A doubtful one is asked back.

`that` is the last thing that was learned or recalled in the session. A turn that has something forgotten, or memory turned off,
is not recorded itself: it may name what is to be gone.
Source: ../reference/memory-upgrade-spec.md, "User Controls & Privacy".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.cascade import going, matching
from services.ingest.domain.drafts import Circumstances, Draft, Pending
from services.ingest.domain.facts import tell
from services.ingest.domain.forgetting import drafts as forgetting
from services.ingest.domain.forgetting import forget_user
from services.ingest.domain.memories import Status
from services.ingest.domain.preferences import merge
from services.ingest.domain.private import Question
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told import Told as Fact
from services.ingest.domain.withholding import begins_incognito, is_recorded, lifted_by_hand, require_memory
from shared.chat.command import ChatCommand, ChatCommandName, CommandScope
from shared.chat.reading import read_answer, read_chat_command
from shared.contracts.commands import UserMessage
from shared.contracts.events import MemoryPinned, MemoryUnpinned, SettingsChanged
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import ChatOutcome, Kind, Role
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import ChatCommandRead, ForgetUser, IncognitoEnded, IncognitoStarted, UserForgotten

Name = ChatCommandName

_MOST_AT_ONCE = 20
"""More than that is asked back, however sure the command."""
_MOST_PINNED = 3
_OF_AN_EVENT = 200
_ABOUT_THAT = {Name.FORGET_THAT, Name.FORGET_ABOUT, Name.FORGET_CHAT, Name.PIN_THAT, Name.UNPIN_THAT}
_ASKED_BACK = {Name.FORGET_THAT, Name.FORGET_ABOUT, Name.FORGET_CHAT, Name.FORGET_ME, Name.MEMORY_OFF, Name.START_INCOGNITO}
"""A doubtful one of these is asked back; another doubtful one is taken for talk."""

_KEEPING = {Name.ASK_ABOUT, Name.PIN_THAT, Name.UNPIN_THAT, Name.REMEMBER_THAT}


class Obeyed(NamedTuple):
    """What a turn came to as a command."""

    drafts: list[Draft]
    is_kept: bool  # whether the turn itself is recorded
    names_nobody: bool = False  # everything about the person is forgotten


@lru_cache(maxsize=512)
def command_in(text: str, languages: tuple[str, ...]) -> ChatCommand | None:
    """The command of a turn; None where it is talk."""
    found = read_chat_command(text, languages=languages)
    if found is None or found.is_sure:
        return found
    return found if found.name in _ASKED_BACK else None


@lru_cache(maxsize=512)
def _answer_in(text: str, languages: tuple[str, ...]) -> ChatCommand | None:
    return read_answer(text, languages=languages)


def keeps(command: UserMessage, languages: tuple[str, ...]) -> bool:
    """Whether the turn asks for a fact to be kept: then the number of facts may grow."""
    found = command_in(command.text, languages)
    return found is not None and (found.name is Name.REMEMBER_THAT or (found.name is Name.PIN_THAT and bool(found.fact)))


def fact_in(command: UserMessage, languages: tuple[str, ...]) -> str | None:
    """The fact that the turn itself asks to be kept."""
    found = command_in(command.text, languages)
    return found.fact if found is not None and found.name in {Name.REMEMBER_THAT, Name.PIN_THAT} else None


def may_need_words(command: UserMessage, languages: tuple[str, ...]) -> bool:
    """Whether obeying the turn may take the words of what is remembered."""
    found = command_in(command.text, languages)
    if found is not None and not found.fact and (found.name in _ABOUT_THAT or found.name is Name.REMEMBER_THAT):
        return True
    answer = _answer_in(command.text, languages)
    return answer is not None and answer.name is Name.CONFIRM


def needs_words(command: UserMessage, state: ScopeState, languages: tuple[str, ...]) -> bool:
    """Whether it does, given what was asked back."""
    found = command_in(command.text, languages)
    is_answer = found is None or found.name in {Name.CONFIRM, Name.DECLINE}
    return may_need_words(command, languages) and (not is_answer or command.session_id in state.privacy.questions)


def may_forget_all(command: UserMessage, languages: tuple[str, ...]) -> bool:
    """Whether obeying the turn may forget everything: it asks for it, which is asked back, or confirms something."""
    found, answer = command_in(command.text, languages), _answer_in(command.text, languages)
    return (found is not None and found.name is Name.FORGET_ME) or (answer is not None and answer.name is Name.CONFIRM)


def forgets_all(command: UserMessage, state: ScopeState, languages: tuple[str, ...]) -> bool:
    """Whether it does, if it is obeyed, given what was asked back."""
    question = state.privacy.questions.get(command.session_id)
    return may_forget_all(command, languages) and question is not None and question.command == Name.FORGET_ME.value


def may_be_command(command: UserMessage, state: ScopeState, languages: tuple[str, ...]) -> bool:
    """Whether the turn is a command, or answers what was asked back."""
    if command_in(command.text, languages) is not None:
        return True
    is_asked = command.session_id in state.privacy.questions
    return is_asked and (_answer_in(command.text, languages) is not None or not is_recorded(state, command.session_id))


def obey(command: UserMessage, own_id: MemoryId, state: ScopeState, given: Circumstances) -> Obeyed | None:
    """What is decided of the turn as a command; None where it is talk. `own_id` is the turn's, if it is recorded.

    Raises MemoryOff or Incognito where it asks for something to be kept.
    """
    turn, languages = _Turn(command, own_id, state, given), given.policy.languages
    question = state.privacy.questions.get(command.session_id)
    if question is not None and (answer := _answer_in(command.text, languages)):
        if answer.name is Name.DECLINE:
            return turn.read(Name(question.command), "declined", question.memory_ids)
        if answer.is_sure:
            return turn.confirmed(Name(question.command), question.memory_ids)
    found = command_in(command.text, languages)
    if found is None or found.name in {Name.CONFIRM, Name.DECLINE}:
        return turn.let_go(question) if question is not None and not is_recorded(state, command.session_id) else None
    if found.name in _KEEPING:
        if begins_incognito(command.session_id, state):
            return None
        require_memory(state, session_id=command.session_id)
    return _RULES[found.name](turn, found)


class _Turn:
    """One turn that is read as a command."""

    def __init__(self, command: UserMessage, own_id: MemoryId, state: ScopeState, given: Circumstances) -> None:
        self._command = command
        self._own_id = own_id
        self._state = state
        self._given = given
        self._pending = Pending(state, given)

    def read(self, name: Name, outcome: ChatOutcome, memory_ids: Sequence[MemoryId] = (), *, is_kept: bool = True) -> Obeyed:
        """That it was read, and what came of it, after the events so far. A question names all that a yes will take."""
        names_nobody = any(isinstance(event.data, UserForgotten) for event in self._pending.events)
        most = len(memory_ids) if outcome == "asked_back" else _OF_AN_EVENT
        for start in range(0, max(most, 1), _OF_AN_EVENT):
            self._pending.add(
                ChatCommandRead(
                    session_id=SessionId("") if names_nobody else self._command.session_id,
                    message_id=self._command.message_id,
                    command=name.value,
                    outcome=outcome,
                    memory_ids=tuple(memory_ids[start : start + _OF_AN_EVENT]),
                    continues=start > 0,
                )
            )
        drafts = [Draft(event.data, event.occurred_at) for event in self._pending.events]
        return Obeyed(drafts, is_kept, names_nobody)

    def confirmed(self, name: Name, memory_ids: Sequence[MemoryId]) -> Obeyed:
        """Do what was asked back."""
        match name:
            case Name.FORGET_ME:
                return self._forget_all()
            case Name.MEMORY_OFF:
                return self._switch(name, PersonSettings(memory_enabled=False), is_kept=False)
            case Name.START_INCOGNITO:
                return self._start_incognito(ChatCommand(name, scope=CommandScope.CHAT))
            case Name.FORGET_CHAT:
                return self._forget(name, [told.memory_id for told in self._words.of_session(self._session)])
            case Name.PIN_THAT | Name.UNPIN_THAT:
                return self._pin(name, [known for known in memory_ids if known in self._words.told])
            case _:
                return self._forget(name, [known for known in memory_ids if known in self._words.told])

    def let_go(self, question: Question) -> Obeyed:
        """Another turn instead of an answer. Where turns are not recorded, this is what closes the question."""
        return self.read(Name(question.command), "declined", is_kept=False)

    def ask_about(self, found: ChatCommand) -> Obeyed:
        return self.read(found.name, "done")

    def forget(self, found: ChatCommand) -> Obeyed:
        named = self._meant(found)
        if not named:
            return self.read(found.name, "nothing_found", is_kept=not found.is_sure)
        if found.is_sure and len(named) <= _MOST_AT_ONCE:
            return self._forget(found.name, named)
        if found.name is Name.FORGET_CHAT:  # a yes takes what the session holds then
            return self.read(found.name, "asked_back", named[:_OF_AN_EVENT])
        # The turn that asks says the words too: it goes with them.
        return self.read(found.name, "asked_back", [*named, self._own_id])

    def forget_all(self, found: ChatCommand) -> Obeyed:
        return self.read(found.name, "asked_back", is_kept=False)

    def pin(self, found: ChatCommand) -> Obeyed:
        if found.fact:
            return self._keep(found.name, found.fact)
        named = self._meant(found)
        if not named:
            return self.read(found.name, "nothing_found")
        if len(named) > _MOST_PINNED:
            return self.read(found.name, "asked_back", named)
        return self._pin(found.name, named)

    def _pin(self, name: Name, named: Sequence[MemoryId]) -> Obeyed:
        is_pin = name is Name.PIN_THAT
        new = [each for each in named if (known := self._state.memories.get(each)) is None or known.pinned is not is_pin]
        for memory_id in new:
            self._pending.add(MemoryPinned(memory_id=memory_id) if is_pin else MemoryUnpinned(memory_id=memory_id))
        return self.read(name, "done" if new else "unchanged", named)

    def remember(self, found: ChatCommand) -> Obeyed:
        text = found.fact or next((self._words.told[each].texts[0] for each in self._that()), None)
        if text is None:
            return self.read(found.name, "nothing_found")
        return self._keep(found.name, text)

    def _keep(self, name: Name, text: str) -> Obeyed:
        """The fact, as saved by hand; pinned where that was asked for."""
        occurred_at, is_pinned = self._command.occurred_at or self._given.now, name is Name.PIN_THAT
        told = Fact(text=text, occurred_at=occurred_at, session_id=self._session, pinned=is_pinned)
        for lifted in lifted_by_hand(text, self._state, self._given):
            self._pending.add(lifted)
        tell(told, self._pending)
        made = [getattr(event.data, "memory_id", None) for event in self._pending.events]
        keep_to_the_cap(self._pending)
        return self.read(name, "done", [each for each in made if each])

    def memory_on(self, found: ChatCommand) -> Obeyed:
        return self._switch(found.name, PersonSettings(memory_enabled=True), is_kept=True)

    def memory_off(self, found: ChatCommand) -> Obeyed:
        if not found.is_sure:
            return self.read(found.name, "asked_back")
        return self._switch(found.name, PersonSettings(memory_enabled=False), is_kept=False)

    def start_incognito(self, found: ChatCommand) -> Obeyed:
        return self._start_incognito(found) if found.is_sure else self.read(found.name, "asked_back")

    def end_incognito(self, found: ChatCommand) -> Obeyed:
        if found.scope is CommandScope.ALL:
            self._change(PersonSettings(incognito_default=False))
        if self._session in self._state.privacy.incognito or begins_incognito(self._session, self._pending.state):
            self._pending.add(IncognitoEnded(session_id=self._session))
        return self.read(found.name, "done" if self._pending.events else "unchanged", is_kept=False)

    @property
    def _session(self) -> SessionId:
        return self._command.session_id

    @property
    def _words(self) -> Recollection:
        return self._given.recollected()

    def _meant(self, found: ChatCommand) -> list[MemoryId]:
        """The memories that a command names."""
        if found.name is Name.FORGET_CHAT:
            return [told.memory_id for told in self._words.of_session(self._session)]
        if found.topic is None:
            return self._that()
        named = matching(found.topic, self._words)
        facts = [each for each in named if self._words.told[each].kind is Kind.FACT and self._is_live(each)]
        return (facts or named) if found.name in {Name.PIN_THAT, Name.UNPIN_THAT} else named

    def _is_live(self, memory_id: MemoryId) -> bool:
        known = self._state.memories.get(memory_id)
        return known is None or known.status is Status.LIVE

    def _that(self) -> list[MemoryId]:
        """The last thing that was learned in this session, or recalled where the user had asked."""
        told = [each for each in self._words.of_session(self._session) if each.role in {Role.USER, None}]
        if not told:
            return self._recalled(after=0)
        last = max(told, key=lambda each: each.number)
        return (self._recalled(after=last.number) if last.is_question else []) or [last.memory_id]

    def _recalled(self, *, after: int) -> list[MemoryId]:
        number, memory_ids = self._words.handed_out.get(self._session, (0, ()))
        return [each for each in memory_ids[:1] if each in self._words.told] if number > after else []

    def _forget(self, name: Name, named: Sequence[MemoryId]) -> Obeyed:
        taken = going(named, self._words, self._given.digester, only=False)
        for draft in forgetting(taken, self._words, self._given, by="chat") if taken.why else ():
            self._pending.add(draft.data)
        return self.read(name, "done" if taken.why else "nothing_found", list(taken.why), is_kept=False)

    def _forget_all(self) -> Obeyed:
        for event in forget_user(ForgetUser(), self._state, self._given):
            self._pending.add(event.data)
        return self.read(Name.FORGET_ME, "done", is_kept=False)

    def _switch(self, name: Name, settings: PersonSettings, *, is_kept: bool) -> Obeyed:
        self._change(settings)
        return self.read(name, "done" if self._pending.events else "unchanged", is_kept=is_kept)

    def _change(self, settings: PersonSettings) -> None:
        before = self._state.settings
        after = merge(before, settings, ())
        if after != before:
            self._pending.add(SettingsChanged(settings=after, before=before, asked=settings))

    def _start_incognito(self, found: ChatCommand) -> Obeyed:
        if found.scope is CommandScope.ALL:
            self._change(PersonSettings(incognito_default=True))
        if self._session not in self._state.privacy.incognito:
            self._pending.add(IncognitoStarted(session_id=self._session))
        return self.read(Name.START_INCOGNITO, "done" if self._pending.events else "unchanged", is_kept=False)


_Rule = Callable[[_Turn, ChatCommand], Obeyed]

_RULES: dict[Name, _Rule] = {
    Name.ASK_ABOUT: _Turn.ask_about,
    Name.FORGET_THAT: _Turn.forget,
    Name.FORGET_ABOUT: _Turn.forget,
    Name.FORGET_CHAT: _Turn.forget,
    Name.FORGET_ME: _Turn.forget_all,
    Name.PIN_THAT: _Turn.pin,
    Name.UNPIN_THAT: _Turn.pin,
    Name.REMEMBER_THAT: _Turn.remember,
    Name.MEMORY_ON: _Turn.memory_on,
    Name.MEMORY_OFF: _Turn.memory_off,
    Name.START_INCOGNITO: _Turn.start_incognito,
    Name.END_INCOGNITO: _Turn.end_incognito,
}
