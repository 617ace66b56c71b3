"""Replies that a bot may give after a turn that was a chat command."""

from shared.chat.command import ChatCommand, ChatCommandName, usual_scope
from shared.chat.reading import read_answer, read_chat_command
from shared.chat.replies import say, with_topic
from shared.contracts.errors import MemstreamError
from shared.contracts.ids import MessageId, Space, User
from shared.contracts.privacy import ChatCommandRead
from shared.contracts.queries import CommandAnswer, OutcomeAnswer, OutcomeQuery
from shared.contracts.subjects import ask_subject
from shared.runtime.asking import ask
from shared.runtime.connection import Client

_LONGEST_WAIT_S = 1.0


async def position_of_turn(client: Client, space: Space, user: User, message_id: MessageId, timeout_s: float) -> int:
    """The position up to which the log must be applied for a query to know the outcome of a turn; 0 if it stays unknown."""
    query = OutcomeQuery(what="user_message", message_id=message_id, timeout_s=min(timeout_s, _LONGEST_WAIT_S))
    try:
        return OutcomeAnswer.model_validate(await ask(client, ask_subject(space, user, "outcome"), query)).position
    except MemstreamError:  # not decided in time, or never sent: the answer does not wait for ever
        return 0


def reply_to(read: ChatCommandRead, words: str, languages: tuple[str, ...]) -> CommandAnswer:
    """A chat command with its outcome and a sentence that says so; topic and language are read from the turn's `words`."""
    name = ChatCommandName(read.command)
    found = read_chat_command(words, languages=languages)
    answer = found or read_answer(words, languages=languages)
    spoken = answer.language if answer is not None else languages[0]
    command = found if found is not None and found.name is name else ChatCommand(name, scope=usual_scope(name), language=spoken)
    said = with_topic(say(command, read.outcome), command)
    return CommandAnswer(name=name.value, outcome=read.outcome, say=said, memory_ids=read.memory_ids)
