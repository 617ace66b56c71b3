"""The memory in the OpenAI Agents SDK: context as dynamic instructions, turns recorded, tools."""

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from memstream.adapters.agent_memory import AgentMemory
from memstream.adapters.missing import missing
from memstream.adapters.spoken import new_words
from memstream.adapters.steps import as_text, calling, hearing, prompt, recalling, saying
from memstream.client import MemoryClient, SyncMemoryClient

try:
    from agents import Agent, FunctionTool, RunContextWrapper, RunHooks, Tool
    from agents.tool_context import ToolContext
except ImportError as error:
    raise missing("openai-agents") from error

Instructions: TypeAlias = Callable[[RunContextWrapper[Any], Agent[Any]], Awaitable[str]]


class OpenAIAgentsMemory(AgentMemory, RunHooks[Any]):
    """The memory of agents: give `instructions(...)` and `tools()` to the agent, the memory itself to the run as its hooks.

    The run's context is a MemoryScope, or has `user_id`, `session_id` and perhaps `speaker`. What the person says is recorded
    before the model is asked, once a run however many agents and steps it has; the answer when the run ends.
    """

    def __init__(self, client: MemoryClient | SyncMemoryClient, **options: Any) -> None:  # noqa: ANN401 - those of AgentMemory
        super().__init__(client, **options)
        self._blocks = WeakKeyDictionary[RunContextWrapper[Any], str]()

    def instructions(self, own: str | Callable[[RunContextWrapper[Any], Agent[Any]], Any] = "") -> Instructions:
        """Instructions of the agent: your own, which may be a function too, and what matters of the memory."""

        async def instructed(run: RunContextWrapper[Any], agent: Agent[Any]) -> str:
            told = own(run, agent) if callable(own) else own
            if run not in self._blocks:  # asked for once, so that the steps of a run have one prompt
                words = new_words(run.turn_input)
                # What an agent that serves as a tool is told was written by a model: nobody said it.
                step = recalling(words) if isinstance(run, ToolContext) else hearing(words)
                self._blocks[run] = await self.attempt(run.context, step)
            return prompt(await told if isawaitable(told) else told, self._blocks[run])

        return instructed

    def tools(self) -> list[Tool]:
        """The memory as tools. Whose memory it is follows from the run's context."""
        return [self._tool(**definition) for definition in self.definitions]

    async def on_agent_end(self, context: RunContextWrapper[Any], agent: Any, output: object) -> None:  # noqa: ANN401, ARG002
        """Record the answer."""
        await self.attempt(context.context, saying(as_text(output)))

    def _tool(self, name: str, description: str, parameters: dict[str, Any]) -> FunctionTool:
        async def invoked(run: ToolContext[Any], arguments: str) -> str:
            result = await self.attempt(run.context, calling(name, arguments))
            return as_text(result)

        return FunctionTool(name, description, parameters, invoked)
