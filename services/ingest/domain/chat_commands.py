"""Obeys chat commands: "forget that", "pin this", "turn memory off". A doubtful command is asked back.

`that` is the last thing that was learned or recalled in the session. A turn that has something forgotten, or memory turned off,
is not recorded itself: it may name what is to be forgotten.
Source: ../reference/memory-upgrade-spec.md, "User Controls & Privacy".
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.cascade import going, matching
from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.facts import tell
from services.ingest.domain.forgetting import all_forgotten, forgotten
from services.ingest.domain.lacks import Needs
from services.ingest.domain.memories import Status
from services.ingest.domain.preferences import merge
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.withholding import begins_incognito, is_recorded, lifted_by_hand, require_memory
from shared.chat.command import ChatCommand, ChatCommandName, CommandScope
from shared.chat.reading import read_answer, read_chat_command
from shared.contracts.commands import UserMessage
from shared.contracts.event import EventData
from shared.contracts.events import EpisodeRecorded, MemoryPinned, MemoryUnpinned
from shared.contracts.ids import MemoryId, SessionId, User
from shared.contracts.parts import ChatOutcome, Kind, Role
from shared.contracts.preferences import PersonSettings, SettingsChanged
from shared.contracts.privacy import ChatCommandRead, IncognitoEnded, IncognitoStarted, UserForgotten

Name = ChatCommandName

_MOST_AT_ONCE = 20
"""Most memories that are forgotten without asking back."""
_MOST_PINNED = 3
_OF_AN_EVENT = 200
_ASKED_BACK = {Name.FORGET_THAT, Name.FORGET_ABOUT, Name.FORGET_CHAT, Name.FORGET_ME, Name.MEMORY_OFF, Name.START_INCOGNITO}
"""Commands that are asked back if doubtful; other doubtful commands are taken for talk."""

_KEEPING = {Name.ASK_ABOUT, Name.PIN_THAT, Name.UNPIN_THAT, Name.REMEMBER_THAT}


class Obeyed(NamedTuple):
    """What a turn leads to as a command. The turn is recorded first, if it is kept, then the changes, then the outcome."""

    name: Name
    outcome: ChatOutcome
    memory_ids: Sequence[MemoryId] = ()
    changes: Sequence[EventData] = ()
    is_kept: bool = True  # whether the turn itself is recorded
    takes_its_turn: bool = False  # a yes to what is asked back takes the turn that asks as well: it says the words too
    fact: str | None = None  # to be kept, as told by hand


@lru_cache(maxsize=512)
def command_in(text: str, languages: tuple[str, ...]) -> ChatCommand | None:
    """The chat command in a turn's text; None if it is talk."""
    found = read_chat_command(text, languages=languages)
    if found is None or found.is_sure:
        return found
    return found if found.name in _ASKED_BACK else None


@lru_cache(maxsize=512)
def _answer_in(text: str, languages: tuple[str, ...]) -> ChatCommand | None:
    return read_answer(text, languages=languages)


def obey(command: UserMessage, state: ScopeState, given: Circumstances) -> Obeyed | None:
    """What a turn leads to as a chat command; None if it is talk.

    Raises Lacks, and MemoryOff or Incognito if it asks for something to be kept.
    """
    turn, languages = _SpokenCommand(command.session_id, state, given), given.policy.languages
    question = state.privacy.questions.get(command.session_id)
    if question is not None and (answer := _answer_in(command.text, languages)):
        if answer.name is Name.DECLINE:
            return Obeyed(Name(question.command), "declined", question.memory_ids)
        if answer.is_sure:
            return turn.confirmed(Name(question.command), question.memory_ids)
    found = command_in(command.text, languages)
    if found is None or found.name in {Name.CONFIRM, Name.DECLINE}:
        if question is None or is_recorded(state, command.session_id):  # a recorded turn closes the question by itself
            return None
        return Obeyed(Name(question.command), "declined", is_kept=False)
    if found.name in _KEEPING:
        if begins_incognito(command.session_id, state):
            return None
        require_memory(state, session_id=command.session_id)
    return _RULES[found.name](turn, found)


def carry_out(obeyed: Obeyed, command: UserMessage, ruling: Ruling) -> None:
    """Add the changes, and the event that the turn was read as a command. A question names all memories that a yes takes."""
    memory_ids = list(obeyed.memory_ids)
    if obeyed.takes_its_turn:
        memory_ids += [data.memory_id for event in ruling.events if isinstance(data := event.data, EpisodeRecorded)]
    names_nobody = any(isinstance(data, UserForgotten) for data in obeyed.changes)
    if names_nobody:
        ruling.given = ruling.given._replace(user=User(""))
    ruling.add_all(obeyed.changes)
    if obeyed.fact:
        memory_ids += _keep(obeyed, command, ruling)
    most = len(memory_ids) if obeyed.outcome == "asked_back" else _OF_AN_EVENT
    for start in range(0, max(most, 1), _OF_AN_EVENT):
        read = ChatCommandRead(
            session_id=SessionId("") if names_nobody else command.session_id,
            message_id=command.message_id,
            command=obeyed.name.value,
            outcome=obeyed.outcome,
            memory_ids=tuple(memory_ids[start : start + _OF_AN_EVENT]),
            continues=start > 0,
        )
        ruling.add(read)


def _keep(obeyed: Obeyed, command: UserMessage, ruling: Ruling) -> list[MemoryId]:
    """Save the fact of the command by hand, about the speaker, pinned if that was asked for; return the id of its memory."""
    from shared.statements.telling import about_the_speaker  # noqa: PLC0415 - patterns that nobody needs at the start

    told = ToldFact(
        text=about_the_speaker(obeyed.fact or "", command.speaker),
        occurred_at=command.occurred_at or ruling.given.now,
        session_id=command.session_id,
        pinned=obeyed.name is Name.PIN_THAT,
        names=(ruling.given.user, command.speaker or ""),
    )
    ruling.add_all(lifted_by_hand(told.text, ruling.state, ruling.given))
    kept = tell(told, ruling)
    keep_to_the_cap(ruling)
    return [kept]


class _SpokenCommand:
    """One turn that is read as a command, on the state before it."""

    def __init__(self, session_id: SessionId, state: ScopeState, given: Circumstances) -> None:
        self._session = session_id
        self._state = state
        self._given = given

    def confirmed(self, name: Name, memory_ids: Sequence[MemoryId]) -> Obeyed:
        """Obey a command that was asked back, after a yes."""
        match name:
            case Name.FORGET_ME:
                return Obeyed(name, "done", changes=all_forgotten(self._state, self._given), is_kept=False)
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

    def ask_about(self, found: ChatCommand) -> Obeyed:
        return Obeyed(found.name, "done")

    def forget(self, found: ChatCommand) -> Obeyed:
        named = self._meant(found)
        if not named:
            return Obeyed(found.name, "nothing_found", is_kept=not found.is_sure)
        if found.is_sure and len(named) <= _MOST_AT_ONCE:
            return self._forget(found.name, named)
        if found.name is Name.FORGET_CHAT:  # a yes takes what the session holds then
            return Obeyed(found.name, "asked_back", named[:_OF_AN_EVENT])
        return Obeyed(found.name, "asked_back", named, takes_its_turn=True)

    def forget_all(self, found: ChatCommand) -> Obeyed:
        return Obeyed(found.name, "asked_back", is_kept=False)

    def pin(self, found: ChatCommand) -> Obeyed:
        if found.fact:
            return self._remember(found.name, found.fact)
        named = self._meant(found)
        if not named:
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
        if self._session in self._state.privacy.incognito or is_by_default:
            changes.append(IncognitoEnded(session_id=self._session))
        return self._done(found.name, changes, is_kept=False)

    @property
    def _words(self) -> Recollection:
        return self._state.words()

    def _meant(self, found: ChatCommand) -> list[MemoryId]:
        """The memories that a chat command is about."""
        if found.name is Name.FORGET_CHAT:
            return [told.memory_id for told in self._words.of_session(self._session)]
        if found.topic is None:
            return self._that()
        named = matching(found.topic, self._words)
        if found.name not in {Name.PIN_THAT, Name.UNPIN_THAT}:
            return named
        self._state.require(Needs(memories=set(named)))
        facts = [each for each in named if self._words.told[each].kind is Kind.FACT]
        return [each for each in facts if self._state.memories[each].status is Status.LIVE] or named

    def _that(self) -> list[MemoryId]:
        """What `that` means: the last memory of this session or, if the user had asked something, the first one recalled."""
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
        if not taken.why:
            return Obeyed(name, "nothing_found", is_kept=False)
        changes = forgotten(taken, self._state, self._given, by="chat")
        return Obeyed(name, "done", list(taken.why), changes, is_kept=False)

    def _switch(self, name: Name, settings: PersonSettings, *, is_kept: bool) -> Obeyed:
        return self._done(name, self._changed(settings), is_kept=is_kept)

    def _changed(self, settings: PersonSettings) -> list[EventData]:
        before = self._state.settings
        after = merge(before, settings, ())
        return [SettingsChanged(settings=after, before=before, asked=settings)] if after != before else []

    def _start_incognito(self, found: ChatCommand) -> Obeyed:
        changes = self._changed(PersonSettings(incognito_default=True)) if found.scope is CommandScope.ALL else []
        if self._session not in self._state.privacy.incognito:
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
