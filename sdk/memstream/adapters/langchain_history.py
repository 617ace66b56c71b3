"""The turns of a session as LangChain's chat history."""

from collections.abc import Sequence

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from memstream._contracts import Memory, Role
from memstream.adapters.agent_memory import AgentMemory
from memstream.adapters.scope import MemoryScope
from memstream.adapters.spoken import BOT, PERSON, words_of
from memstream.adapters.steps import clearing, reading, telling

MOST_TURNS = 50


class MemoryChatHistory(BaseChatMessageHistory):
    """The turns of one session: what is added is remembered, what is forgotten is gone, and `clear` forgets the session."""

    def __init__(self, memory: AgentMemory, scope: MemoryScope, *, most: int = MOST_TURNS) -> None:
        self._memory = memory
        self._scope = scope
        self._most = most

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # LangChain's own histories have a property, too
        """The last turns."""
        return [_message(turn) for turn in self._memory.attempt_now(self._scope, reading(self._most))]

    async def aget_messages(self) -> list[BaseMessage]:
        """Give the last turns."""
        return [_message(turn) for turn in await self._memory.attempt(self._scope, reading(self._most))]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Record what the person and the bot said; what the system and the tools say is nobody's memory."""
        self._memory.attempt_now(self._scope, telling(_turns(messages)))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Record what the person and the bot said; what the system and the tools say is nobody's memory."""
        await self._memory.attempt(self._scope, telling(_turns(messages)))

    def clear(self) -> None:
        """Forget the session, for good."""
        self._memory.attempt_now(self._scope, clearing())

    async def aclear(self) -> None:
        """Forget the session, for good."""
        await self._memory.attempt(self._scope, clearing())


def _turns(messages: Sequence[BaseMessage]) -> list[tuple[Role, str, str | None]]:
    roles = {**dict.fromkeys(PERSON, Role.USER), **dict.fromkeys(BOT, Role.ASSISTANT)}
    said = [(roles[message.type], words_of(message), message.id) for message in messages if message.type in roles]
    return [turn for turn in said if turn[1].strip()]


def _message(turn: Memory) -> BaseMessage:
    kind = HumanMessage if turn.role is Role.USER else AIMessage
    return kind(turn.text, id=turn.message_id or turn.memory_id)
