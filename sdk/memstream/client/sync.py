"""The client without await, for code that has no event loop, and for code under one that it does not own.

Every method of MemoryClient is here, with the same arguments and results. They are made from it below; sync.pyi, which
editors and type checkers read, is written from it by `make docs`.
"""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Iterator
from functools import partial, wraps
from types import TracebackType
from typing import Any, Self, TypeAlias

from memstream.client.connected import MemoryClient
from memstream.client.loop_thread import LoopThread
from memstream.client.memories import Memories

Run: TypeAlias = Callable[[Callable[[], Coroutine[Any, Any, Any]]], Any]
"""Makes a coroutine and returns its result."""


class SyncMemories:
    """One person's memories in one space, as `Memories`, without await. Safe to use from several threads."""

    def __init__(self, memories: Memories, run: Run) -> None:
        self._memories = memories
        self._run = run

    def run(self, work: Callable[[Memories], Coroutine[Any, Any, Any]]) -> Any:  # noqa: ANN401 - what the coroutine returns
        """The result of a coroutine that uses these memories, in the client's own event loop."""
        return self._run(partial(work, self._memories))

    @property
    def decided_up_to(self) -> int:
        """Position of the newest decision that this client has seen of the person."""
        return self._memories.decided_up_to

    @property
    def waiting(self) -> int:
        """How many messages wait in the outbox."""
        return self._memories.waiting

    def is_incognito(self, session_id: str | None) -> bool:
        """True if this client sends nothing of the session."""
        return self._memories.is_incognito(session_id)


class SyncMemoryClient(SyncMemories):
    """A connection, and the memories of one person, as MemoryClient, without await.

    It connects at the first call, or as a context manager. Any thread may use it, and code under a running event loop too: its
    own loop runs in a thread. Keep one for a process. After a fork, one that was only made works; one that was used says so.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - those of MemoryClient
        connection = MemoryClient(**options)
        super().__init__(connection, self._when_connected)
        self._connection = connection
        self._opening = asyncio.Lock()
        self._thread = LoopThread(connection.close)

    @classmethod
    def connect(cls, **options: Any) -> Self:  # noqa: ANN401 - the constructor's own
        """A client that is connected; close it with `close`. Raises Unavailable or Misconfigured."""
        return cls(**options).__enter__()

    def for_user(self, user: str, *, space: str | None = None, actor: str | None = None) -> SyncMemories:
        """Another person's memories, over this connection. `actor` is who acts, for the audit; by default the bot."""
        return SyncMemories(self._connection.for_user(user, space=space, actor=actor), self._run)

    def close(self) -> None:
        """Close the connection. Everything that has a receipt is durable."""
        self._thread.close()

    def __enter__(self) -> Self:
        self._run(partial(asyncio.sleep, 0))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def _when_connected(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:  # noqa: ANN401 - what the coroutine returns
        """The result of a coroutine in this client's event loop, once it is connected. Raises NotConnected with what to do."""

        async def connected() -> Any:  # noqa: ANN401 - what the coroutine returns
            async with self._opening:
                await self._connection.__aenter__()
            return await work()

        return self._thread.run(connected)


def _answering(method: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    """A method that waits for what the coroutine returns."""

    @wraps(method)
    def answered(self: SyncMemories, /, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - those of the method
        return self._run(partial(method, self._memories, *arguments, **named))

    return answered


def _blocking(method: Callable[..., Any]) -> Callable[..., Any] | None:
    if inspect.isasyncgenfunction(method):

        @wraps(method)
        def iterated(self: SyncMemories, /, *arguments: Any, **named: Any) -> Iterator[Any]:  # noqa: ANN401 - those of the method
            items, end = aiter(method(self._memories, *arguments, **named)), object()

            async def following() -> object:
                return await anext(items, end)

            while (item := self._run(following)) is not end:
                yield item

        return iterated
    return _answering(method) if inspect.iscoroutinefunction(method) else None


for _name, _method in inspect.getmembers(Memories, inspect.isfunction):
    if not _name.startswith("_") and (_made := _blocking(_method)):
        setattr(SyncMemories, _name, _made)
