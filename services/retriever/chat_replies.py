"""Replies that a bot may give after a turn that was a chat command."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import ceil
from typing import NamedTuple

from services.retriever.domain.excerpt import asked_words
from services.retriever.domain.repeats import says_no_more
from services.retriever.domain.summary import one_line
from services.retriever.search_request import SearchRequest
from shared.contracts.errors import MemstreamError
from shared.contracts.ids import MessageId
from shared.contracts.parts import Kind, Role
from shared.contracts.privacy import MOST_NAMED, ChatCommandRead
from shared.contracts.queries import (
    CommandAnswer,
    Memory,
    OutcomeAnswer,
    OutcomeQuery,
    Outdated,
    ScoredMemory,
)
from shared.contracts.subjects import ask_subject
from shared.language.commands.command import ChatCommand, ChatCommandName, CommandScope, usual_scope
from shared.language.commands.reading import read_answer, read_chat_command, read_taking_back
from shared.language.commands.replies import say, say_grace, say_what_goes, with_topic
from shared.runtime.asking import Asker, ask
from shared.runtime.connection import Client

_WAITED_OF_ALL = 0.5
"""Of the time that a query has, a turn that is not decided yet may take so much: one that was never sent never is."""
_MOST_SHOWN, _MOST_TOLD, _MOST_READ = 3, 10, 100
_LONGEST_SHOWN = 120
"""Characters."""


async def position_of_turn(client: Client, asker: Asker, message_id: MessageId, timeout_s: float) -> int:
    """The position, as the asker may know it, from which on a query knows the outcome of a turn; 0 if it stays unknown."""
    query = OutcomeQuery(what="user_message", message_id=message_id, timeout_s=timeout_s * _WAITED_OF_ALL)
    try:
        found = OutcomeAnswer.model_validate(await ask(client, ask_subject(asker.space, asker.user, "outcome"), query))
    except MemstreamError:  # not decided in time, or never sent: the answer does not wait for ever
        return 0
    return asker.position(number=found.number or 0, in_log=found.position)


class SpokenCommand(NamedTuple):
    """A chat command, read again from the words of its turn for topic and language, and its outcome."""

    command: ChatCommand
    read: ChatCommandRead
    now: datetime
    going: Sequence[Memory] = ()  # what a yes to the question would have forgotten, to be said with it

    @property
    def is_question(self) -> bool:
        """True for a question to the memory, which is answered with what is remembered."""
        return self.command.name is ChatCommandName.ASK_ABOUT and self.read.outcome == "done"

    def asked_for(self, request: SearchRequest) -> SearchRequest:
        """Return the request for what a question to the memory is answered with, this chat included."""
        topic, wanted = self.command.topic, replace(request.wanted, exclude_session_id=None)
        return request._replace(wanted=wanted, text=topic or request.text, is_broad=not topic, most=_MOST_READ)

    def answer(self, known: Sequence[ScoredMemory] = ()) -> CommandAnswer:
        """Return the outcome with a sentence that says so; a question to the memory is answered with what is `known`."""
        read, command, told = self.read, self.command, self._told(known)
        outcome = "nothing_found" if self.is_question and not told else read.outcome
        asked = _asked(command, read, self.going) if outcome == "asked_back" else None
        said = asked or with_topic(say(command, outcome), command)
        left = (read.erase_at - self.now).total_seconds() if read.erase_at else 0
        grace = say_grace(command, ceil(left / 60)) if left > 0 else None
        return CommandAnswer(
            name=read.command,
            outcome=outcome,
            say="\n- ".join([f"{said} {grace}" if grace else said, *(one_line(each.text) for each in told)]),
            memory_ids=tuple(each.memory_id for each in told) or read.memory_ids,
            erase_at=read.erase_at,
            forgetting=read.forgetting,
        )

    def _told(self, known: Sequence[ScoredMemory]) -> list[ScoredMemory]:
        """Return what the reply tells: of a topic what has a word of it, or the best few where nothing has any."""
        topic, chat = self.command.topic, self.read.session_id if self.command.scope is CommandScope.CHAT else None
        lasting = [
            each
            for each in known
            if each.role is not Role.ASSISTANT and each.outdated is not Outdated.WHOLLY and chat in {None, each.session_id}
        ]
        words = asked_words(topic or "", self.command.language)
        best = lasting[: _MOST_SHOWN if topic else _MOST_TOLD]
        return [each for each in lasting if words.count(each.text)][:_MOST_TOLD] or best


def spoken(
    read: ChatCommandRead, words: str, languages: tuple[str, ...], *, now: datetime, going: Sequence[Memory] = ()
) -> SpokenCommand:
    """Return the chat command of a turn's `words`; of other words, such as a yes, they tell the language only."""
    name = ChatCommandName(read.command)
    found = read_chat_command(words, languages=languages)
    answer = found or read_answer(words, languages=languages) or read_taking_back(words, languages=languages)
    language = answer.language if answer is not None else languages[0]
    command = (
        found if found is not None and found.name is name else ChatCommand(name, scope=usual_scope(name), language=language)
    )
    return SpokenCommand(command, read, now, going)


def _asked(command: ChatCommand, read: ChatCommandRead, going: Sequence[Memory]) -> str | None:
    """The question that says what would go: facts first, then what the person said.

    The turn that asks is not counted, nor is a fact that only says what the turns among them do from which it was learned.
    """
    told = [memory for memory in going if memory.message_id is None or memory.message_id != read.message_id]
    said = {memory.memory_id: memory.text for memory in told if memory.role is Role.USER}
    others = [memory for memory in told if not _is_said(memory, said)]
    count = f"{len(others)}+" if len(read.memory_ids) == MOST_NAMED else str(len(others))
    shown = sorted(others, key=lambda memory: (memory.kind is not Kind.FACT, memory.role is Role.ASSISTANT))
    return say_what_goes(command, count, [one_line(memory.text, _LONGEST_SHOWN) for memory in shown[:_MOST_SHOWN]])


def _is_said(memory: Memory, said: Mapping[str, str]) -> bool:
    """True if a fact says no more than some turns from which it was learned."""
    sources = [said[each] for each in memory.source_ids if each in said]
    return memory.kind is Kind.FACT and bool(sources) and says_no_more(memory.text, sources)
