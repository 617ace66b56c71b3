"""The two threads of a chat: one waits for the keyboard, and one runs all that is asynchronous."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from typing import Any, Self, TypeVar

from rich.console import Console

from memstream.client.loop_thread import LoopThread

_Done = TypeVar("_Done")
_Opened = TypeVar("_Opened")
_YES = {"y", "yes"}


class Stage:
    """Reads lines from the person, and runs coroutines for whoever has no event loop; at its end it ends what it opened.

    Whatever interrupts a wait, Ctrl-C or SIGTERM, cancels what was waited for.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._thread = LoopThread(partial(asyncio.sleep, 0))
        self._opened = AsyncExitStack()
        self._opening = asyncio.Lock()

    def run(self, work: Callable[[], Coroutine[Any, Any, _Done]]) -> _Done:
        """The result of a coroutine."""
        return self._thread.run(work)

    def open(self, make: Callable[[], AbstractAsyncContextManager[_Opened]]) -> _Opened:
        """Enter a context, which is left at the end."""

        async def entered() -> _Opened:
            async with self._opening:
                return await self._opened.enter_async_context(make())

        return self.run(entered)

    def read(self, prompt: str) -> str | None:
        """The next line that the person types; None at the end. In a pipe it is shown, so that the output can be read."""
        if sys.stdin.isatty():
            try:
                return input(prompt)
            except EOFError:
                self.console.print()
                return None
        line = sys.stdin.readline()
        if not line:
            return None
        self.console.print(f"{prompt}{line.rstrip()}", markup=False, soft_wrap=True)
        return line

    def agrees(self, question: str) -> bool:
        """Whether the person says yes."""
        return (self.read(question) or "").strip().lower() in _YES

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        async def left() -> None:
            async with self._opening:  # what was interrupted while it was entered cleans up first
                await self._opened.aclose()

        self.run(left)
        self._thread.close()
