"""An answer that is streamed: handed on as it comes, and recorded when it ends or is left."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from inspect import isawaitable
from typing import Any, Self


class AwaitedStream:
    """A stream of chunks for `async for`. What is not about the chunks is the framework's own."""

    def __init__(self, stream: Any, record: Callable[[str], Awaitable[None]]) -> None:  # noqa: ANN401 - the framework's own
        self._stream = stream
        self._record = record
        self._chunks = self._heard()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the stream's own
        return getattr(self._stream, name)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._chunks

    async def __anext__(self) -> Any:  # noqa: ANN401 - a chunk
        return await anext(self._chunks)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End it, wherever it is."""
        await self._chunks.aclose()
        closed = self._stream.close() if hasattr(self._stream, "close") else None
        if isawaitable(closed):
            await closed

    async def _heard(self) -> AsyncGenerator[Any, None]:
        words: list[str] = []
        try:
            async for chunk in self._stream:
                words.append(answered(chunk))
                yield chunk
        finally:
            await self._record("".join(words))


class BlockingStream:
    """A stream of chunks for `for`. What is not about the chunks is the framework's own."""

    def __init__(self, stream: Any, record: Callable[[str], None]) -> None:  # noqa: ANN401 - the framework's own
        self._stream = stream
        self._record = record
        self._chunks = self._heard()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the stream's own
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[Any]:
        return self._chunks

    def __next__(self) -> Any:  # noqa: ANN401 - a chunk
        return next(self._chunks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End it, wherever it is."""
        self._chunks.close()
        if hasattr(self._stream, "close"):
            self._stream.close()

    def _heard(self) -> Generator[Any, None, None]:
        words: list[str] = []
        try:
            for chunk in self._stream:
                words.append(answered(chunk))
                yield chunk
        finally:
            self._record("".join(words))


def answered(answer: Any) -> str:  # noqa: ANN401 - the framework's own
    """What the first of the answers says, or a chunk adds to it; one that only calls tools says nothing."""
    first = next(iter(getattr(answer, "choices", None) or ()), None)
    message = getattr(first, "message", None) or getattr(first, "delta", None)
    return getattr(message, "content", None) or getattr(message, "refusal", None) or ""
