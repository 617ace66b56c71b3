"""The memory in Pydantic AI: a capability that gives instructions and tools, and records turns."""

from copy import copy
from typing import Any

from memstream.adapters.agent_memory import AgentMemory
from memstream.adapters.missing import missing
from memstream.adapters.spoken import text_of
from memstream.adapters.steps import as_text, calling, hearing, saying
from memstream.client import MemoryClient, SyncMemoryClient

try:
    from pydantic_ai import AgentRunResult, FunctionToolset, RunContext, Tool
    from pydantic_ai.capabilities import AbstractCapability
except ImportError as error:
    raise missing("pydantic-ai") from error


class PydanticAIMemory(AgentMemory, AbstractCapability[Any]):
    """The memory of agents: `Agent(..., capabilities=[PydanticAIMemory(client)])`.

    The run's `deps` are a MemoryScope, or have `user_id`, `session_id` and perhaps `speaker`. What the person says is recorded
    before the model is asked, the answer when the run ends.
    """

    def __init__(self, client: MemoryClient | SyncMemoryClient, **options: Any) -> None:  # noqa: ANN401 - those of AgentMemory
        super().__init__(client, **options)
        self._block = ""

    async def for_run(self, ctx: RunContext[Any]) -> "PydanticAIMemory":
        """This memory with what it gives to one run; asked for once, so that the steps of a run have one prompt."""
        block = await self.attempt(ctx.deps, hearing(text_of(ctx.prompt), ctx.run_id))
        given = copy(self)
        given._block = block  # noqa: SLF001 - of the same class
        return given

    def get_instructions(self) -> str:
        """Give the block, which the agent puts below its own instructions."""
        return self._block

    def get_toolset(self) -> FunctionToolset[Any]:
        """The memory as tools. Whose memory it is follows from the run's deps."""
        return FunctionToolset([self._tool(**definition) for definition in self.definitions])

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Record the answer."""
        await self.attempt(ctx.deps, saying(as_text(result.output), ctx.run_id))
        return result

    def _tool(self, name: str, description: str, parameters: dict[str, Any]) -> Tool[Any]:
        async def called(ctx: RunContext[Any], **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - the model's
            return await self.attempt(ctx.deps, calling(name, arguments))

        return Tool.from_schema(called, name, description, parameters, takes_ctx=True)
