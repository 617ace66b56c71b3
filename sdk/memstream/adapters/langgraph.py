"""The memory in LangGraph: nodes before and after the model, and tools."""

from collections.abc import Mapping, Sequence
from typing import Any

from memstream.adapters.missing import missing
from memstream.adapters.scope import SCOPE_FIELDS, MemoryScope, scope_of
from memstream.adapters.spoken import BOT, last_words, new_words, role_of
from memstream.adapters.steps import MemoryStep, hearing, recalling, saying

try:
    from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
    from langgraph.runtime import get_runtime

    from memstream.adapters.langchain import LangChainMemory
except ImportError as error:
    raise missing("langgraph") from error


class LangGraphMemory(LangChainMemory):
    """The memory of graphs: `add_node("recall", memory.recall)` before the model, `add_node("record", memory.record)` after it.

    Who speaks is told by the run's `context`, a MemoryScope or an object with `user_id`, `session_id` and perhaps `speaker`, or
    by `config={"configurable": {"user_id": ..., "thread_id": ...}}`; the thread is the session. A `scope_of` of your own reads
    the one or the other. The messages' ids make a node
    that runs again record nothing twice.
    """

    @property
    def recall(self) -> Runnable[Any, dict[str, str]]:
        """A node: records what the person said, and puts the block for the prompt into the state, as `memory`."""

        def recalled_now(state: Any, config: RunnableConfig) -> dict[str, str]:  # noqa: ANN401 - the graph's own
            return {"memory": self.attempt_now(config, _heard(_messages(state)))}

        async def recalled(state: Any, config: RunnableConfig) -> dict[str, str]:  # noqa: ANN401 - the graph's own
            return {"memory": await self.attempt(config, _heard(_messages(state)))}

        return RunnableLambda(recalled_now, afunc=recalled, name="recall")

    @property
    def record(self) -> Runnable[Any, dict[str, str]]:
        """A node: records what the bot said last."""

        def recorded_now(state: Any, config: RunnableConfig) -> dict[str, str]:  # noqa: ANN401 - the graph's own
            self.attempt_now(config, _said(_messages(state)))
            return {}

        async def recorded(state: Any, config: RunnableConfig) -> dict[str, str]:  # noqa: ANN401 - the graph's own
            await self.attempt(config, _said(_messages(state)))
            return {}

        return RunnableLambda(recorded_now, afunc=recorded, name="record")

    def _scope(self, context: RunnableConfig) -> MemoryScope:
        own: object = get_runtime().context
        configurable = context.get("configurable", {})
        if isinstance(own, MemoryScope):
            return own
        if self._scope_of is not scope_of:
            return self._scope_of(configurable if own is None else own)
        told = own if isinstance(own, Mapping) else {name: getattr(own, name, None) for name in SCOPE_FIELDS}
        return scope_of({**configurable, **{name: each for name, each in told.items() if each is not None}})


def _messages(state: Any) -> Sequence[Any]:  # noqa: ANN401 - the graph's own
    messages: Sequence[Any] = state["messages"] if isinstance(state, Mapping) else state.messages
    return messages


def _heard(messages: Sequence[Any]) -> MemoryStep[str]:
    words = new_words(messages)
    return hearing(words, messages[-1].id) if words else recalling(last_words(messages))


def _said(messages: Sequence[Any]) -> MemoryStep[None]:
    """What the bot said last, if it said anything since the person did."""
    last = messages[-1] if messages and role_of(messages[-1]) in BOT else None
    return saying(last_words(messages[-1:], of=BOT), last.id if last else None)
