"""What all adapters do: give the block for the prompt, record turns, run tools, and never break the bot's answer."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Literal

from memstream._contracts import MemstreamError, Misconfigured
from memstream.adapters.scope import MemoryScope, scope_of
from memstream.adapters.steps import Gained, MemoryStep
from memstream.client import Memories, MemoryClient, SyncMemories, SyncMemoryClient
from memstream.tools import TOOLS, definitions

_log = logging.getLogger("memstream.adapters")


class AgentMemory:
    """The memories of all people that a bot talks with. Whose are meant is told by a run's context, never by the model.

    `scope_of` reads that context, and `tools` names the tools that the model gets, else all. Whatever fails, the bot answers
    without memory: the log `memstream.adapters` gets a warning, unless `on_error` is "raise". Nothing takes longer than
    `timeout_s`. With a SyncMemoryClient a framework's synchronous calls work as well.
    """

    def __init__(
        self,
        client: MemoryClient | SyncMemoryClient,
        *,
        scope_of: Callable[[Any], MemoryScope] = scope_of,
        tools: tuple[str, ...] | None = None,
        on_error: Literal["warn", "raise"] = "warn",
        timeout_s: float = 5.0,
    ) -> None:
        if unknown := sorted(set(tools or ()) - set(TOOLS)):
            raise Misconfigured(f"there is no tool {', '.join(unknown)}; there are {', '.join(TOOLS)}")
        self._client = client
        self._scope_of = scope_of
        self._tool_names = tools
        self._on_error = on_error
        self._timeout_s = timeout_s

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """The tools that the model gets, by name, description and parameters."""
        return [each for each in definitions() if self._tool_names is None or each["name"] in self._tool_names]

    async def attempt(self, context: object, step: MemoryStep[Gained]) -> Gained:
        """Take a step for whom the context names. What it gives if it fails is the step's affair."""
        try:
            memories, work = self._bound(context, step)
            if isinstance(memories, Memories):
                return await work(memories)
            given: Gained = await asyncio.get_running_loop().run_in_executor(None, memories.run, work)
        except Exception as error:  # noqa: BLE001 - the bot must answer, whatever is wrong with its memory
            return self._failed(step, error)
        return given

    def attempt_now(self, context: object, step: MemoryStep[Gained]) -> Gained:
        """Take a step without await, which needs a SyncMemoryClient."""
        try:
            memories, work = self._bound(context, step)
            given: Gained = _blocking(memories).run(work)
        except Exception as error:  # noqa: BLE001 - the bot must answer, whatever is wrong with its memory
            return self._failed(step, error)
        return given

    def _bound(
        self, context: object, step: MemoryStep[Gained]
    ) -> tuple[Memories | SyncMemories, Callable[[Memories], Coroutine[Any, Any, Gained]]]:
        scope = context if isinstance(context, MemoryScope) else self._scope(context)
        return self._client.for_user(scope.user, space=scope.space), partial(self._in_time, step, scope)

    def _scope(self, context: Any) -> MemoryScope:  # noqa: ANN401 - the framework's own
        return self._scope_of(context)

    async def _in_time(self, step: MemoryStep[Gained], scope: MemoryScope, memories: Memories) -> Gained:
        async with asyncio.timeout(self._timeout_s):
            return await step.work(memories, scope)

    def _failed(self, step: MemoryStep[Gained], error: Exception) -> Gained:
        if self._on_error == "raise":
            raise error
        # A stranger's error may quote what was said, so that of it only the type is told.
        reason = error.message if isinstance(error, MemstreamError) else type(error).__name__
        _log.warning("memory.skipped: could not %s: %s", step.name, reason)
        return step.otherwise


def _blocking(memories: Memories | SyncMemories) -> SyncMemories:
    if isinstance(memories, SyncMemories):
        return memories
    raise Misconfigured("a MemoryClient is used with await only; give the adapter a SyncMemoryClient")
