"""The memory in LangChain: a chat history, the block for a prompt, tools."""

from collections.abc import Mapping
from typing import Any

from memstream.adapters.agent_memory import AgentMemory
from memstream.adapters.missing import missing
from memstream.adapters.scope import MemoryScope
from memstream.adapters.spoken import last_words, words_of
from memstream.adapters.steps import as_text, calling, recalling

try:
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import ConfigurableFieldSpec, Runnable, RunnableConfig, RunnableLambda
    from langchain_core.tools import BaseTool, StructuredTool

    from memstream.adapters.langchain_history import MOST_TURNS, MemoryChatHistory
except ImportError as error:
    raise missing("langchain") from error


class LangChainMemory(AgentMemory):
    """The memory of chains. Who speaks is told by `config={"configurable": {"user_id": ..., "session_id": ...}}`."""

    def history(self, user_id: str, session_id: str) -> MemoryChatHistory:
        """The turns of a session, as RunnableWithMessageHistory asks for them."""
        return self.history_of(MemoryScope(user_id, session_id))

    def history_of(self, scope: MemoryScope, *, most: int = MOST_TURNS) -> MemoryChatHistory:
        """The turns of a session, at most the last `most`; what is added was said by the scope's speaker."""
        return MemoryChatHistory(self, scope, most=most)

    @staticmethod
    def history_config(*also: str) -> list[ConfigurableFieldSpec]:
        """What RunnableWithMessageHistory must know to make a `history`, as its `history_factory_config`.

        More keys, such as "speaker", are for a function of your own in the place of `history`, which calls `history_of`.
        """
        return [ConfigurableFieldSpec(id=name, annotation=str, is_shared=True) for name in ("user_id", "session_id", *also)]

    @property
    def context(self) -> Runnable[Any, str]:
        """The block for the prompt, as a part of a chain: of a text, of messages, or of an input that has one of them."""

        def recalled_now(asked: Any, config: RunnableConfig) -> str:  # noqa: ANN401 - what the chain is given
            return self.attempt_now(config, recalling(_asked(asked)))

        async def recalled(asked: Any, config: RunnableConfig) -> str:  # noqa: ANN401 - what the chain is given
            return await self.attempt(config, recalling(_asked(asked)))

        return RunnableLambda(recalled_now, afunc=recalled)

    def tools(self) -> list[BaseTool]:
        """The memory as tools. Whose memory it is follows from the run's config."""
        return [self._tool(**definition) for definition in self.definitions]

    def _scope(self, context: RunnableConfig) -> MemoryScope:
        return self._scope_of(context.get("configurable") or {})

    def _tool(self, name: str, description: str, parameters: dict[str, Any]) -> BaseTool:
        def called_now(config: RunnableConfig, **arguments: Any) -> str:  # noqa: ANN401 - the model's
            result = self.attempt_now(config, calling(name, arguments))
            return as_text(result)

        async def called(config: RunnableConfig, **arguments: Any) -> str:  # noqa: ANN401 - the model's
            result = await self.attempt(config, calling(name, arguments))
            return as_text(result)

        return StructuredTool.from_function(called_now, called, name, description, args_schema=parameters)


def _asked(asked: Any) -> str:  # noqa: ANN401 - what a chain is given
    """The words to recall about: a text, a message, or messages, or what stands under a usual name of one."""
    if isinstance(asked, Mapping):
        return next((_asked(asked[name]) for name in ("input", "question", "query", "messages") if asked.get(name)), "")
    if isinstance(asked, BaseMessage):
        return words_of(asked)
    return asked if isinstance(asked, str) else last_words(asked)
