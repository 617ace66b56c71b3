"""The memory around chat completions: of an OpenAI client, of LiteLLM, of anything that is called as they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from memstream.adapters.agent_memory import AgentMemory
from memstream.adapters.spoken import last_words, new_words, role_of
from memstream.adapters.steps import MemoryStep, as_text, calling, hearing, recalling, saying
from memstream.adapters.streams import AwaitedStream, BlockingStream, answered
from memstream.client import SyncMemoryClient

_Completing = TypeVar("_Completing")
_PROMPTS = ("system", "developer")


class ChatCompletionsMemory(AgentMemory):
    """The memory around a function that completes a chat: `create(messages=..., memory=MemoryScope("anna", "monday"))`.

    Instead of `memory`, which is not sent, OpenAI's own arguments may tell who speaks: `user` or `safety_identifier`, and in
    `metadata` `session_id` and perhaps `speaker`. New words of the person are recorded before the model is asked, its answer
    afterwards, a streamed one when it ends. A function that is awaited needs a MemoryClient, another one a SyncMemoryClient.
    """

    def client(self, client: _Completing) -> _Completing:
        """A copy of an OpenAI client, with the memory in `chat.completions.create`."""
        copied: Any = getattr(client, "with_options")()  # noqa: B009 - of a type that is not imported
        copied.chat.completions.create = self.wrap(copied.chat.completions.create)
        remembering: _Completing = copied
        return remembering

    def wrap(self, create: Callable[..., Any]) -> Callable[..., Any]:
        """A function as `create`, such as `litellm.acompletion`, with the memory."""
        return self._blocking(create) if isinstance(self._client, SyncMemoryClient) else self._awaited(create)

    def tools(self) -> list[dict[str, Any]]:
        """The memory as the `tools` of a completion; `call` or `call_now` runs them."""
        return [{"type": "function", "function": definition} for definition in self.definitions]

    async def call(self, context: object, asked: Any) -> dict[str, Any]:  # noqa: ANN401 - of a type that is not imported
        """Run a tool call of the model for whom the context names; the message to go on with."""
        result = await self.attempt(context, calling(asked.function.name, asked.function.arguments))
        return _told(asked, result)

    def call_now(self, context: object, asked: Any) -> dict[str, Any]:  # noqa: ANN401 - of a type that is not imported
        """Run a tool call as `call` does, without await."""
        result = self.attempt_now(context, calling(asked.function.name, asked.function.arguments))
        return _told(asked, result)

    def _awaited(self, create: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(create)
        async def completed(*own: Any, messages: Iterable[Any], memory: object = None, **options: Any) -> Any:  # noqa: ANN401
            context, messages = memory or _context(options), list(messages)
            block = await self.attempt(context, _step(messages))
            answer = await create(*own, messages=_with(block, messages), **options)
            if options.get("stream"):
                return AwaitedStream(answer, lambda words: self.attempt(context, saying(words)))
            await self.attempt(context, saying(answered(answer)))
            return answer

        return completed

    def _blocking(self, create: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(create)
        def completed(*own: Any, messages: Iterable[Any], memory: object = None, **options: Any) -> Any:  # noqa: ANN401
            context, messages = memory or _context(options), list(messages)
            block = self.attempt_now(context, _step(messages))
            answer = create(*own, messages=_with(block, messages), **options)
            if options.get("stream"):
                return BlockingStream(answer, lambda words: self.attempt_now(context, saying(words)))
            self.attempt_now(context, saying(answered(answer)))
            return answer

        return completed


def _context(options: Mapping[str, Any]) -> dict[str, Any]:
    metadata = options.get("metadata") or {}
    return {**metadata, "user_id": options.get("user") or options.get("safety_identifier") or metadata.get("user_id")}


def _step(messages: Sequence[Any]) -> MemoryStep[str]:
    """New words are heard; where the model goes on with the results of tools, what was said last is only recalled about."""
    return hearing(words) if (words := new_words(messages)) else recalling(last_words(messages))


def _with(block: str, messages: Sequence[Any]) -> list[Any]:
    """The messages with the block below the prompts that they begin with."""
    prompts = next((place for place, message in enumerate(messages) if role_of(message) not in _PROMPTS), len(messages))
    return [*messages[:prompts], *([{"role": "system", "content": block}] if block else []), *messages[prompts:]]


def _told(asked: Any, result: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - a tool call
    return {"role": "tool", "tool_call_id": asked.id, "content": as_text(result)}
