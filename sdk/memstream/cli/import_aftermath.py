"""What is still to do after an import: sessions to learn from and memories to embed, and how long that takes."""

import asyncio
from contextlib import suppress
from typing import NamedTuple

from memstream.cli.admin import ask_service
from memstream.cli.progress import progress_bar
from memstream.cli.text import age, counted, memories
from shared.contracts.errors import MemstreamError
from shared.runtime.connection import Client, operator_connection
from shared.runtime.settings import RuntimeSettings

_ASK_TIMEOUT_S = 2.0
_LOOK_S = 2.0
_LOOK_AGAIN_S = 1.0


class Aftermath(NamedTuple):
    """What waits, of everybody; None where nobody could say."""

    sessions: int | None = None
    memories: int | None = None
    seconds_left: float | None = None

    @property
    def told(self) -> str:
        """One line about it; empty if nothing waits."""
        waiting = [counted(self.sessions, "session") + " to learn from"] if self.sessions else []
        waiting += [memories(self.memories) + " to embed"] if self.memories else []
        if not waiting:
            return ""
        how_long = f", about {age(self.seconds_left)}" if self.seconds_left else ""
        return f"still to do: {' and '.join(waiting)}{how_long}; what is said live comes first. `memstream status` shows it"


NOTHING_WAITS = Aftermath(0, 0)


async def look_after(settings: RuntimeSettings) -> Aftermath:
    """What waits now, and by how fast it gets less for a moment how long it takes."""
    with suppress(MemstreamError, OSError, TimeoutError):
        async with operator_connection(settings) as client:
            clock = asyncio.get_running_loop().time
            before, began = await _waiting(client), clock()
            if not any(before[:2]):
                return before
            await asyncio.sleep(_LOOK_S)
            return _expected(before, await _waiting(client), clock() - began)
    return Aftermath()


async def wait_for_it(settings: RuntimeSettings) -> Aftermath:
    """Wait until nothing waits any more, and show how it gets less. Raises Unavailable."""
    async with operator_connection(settings) as client:
        with progress_bar() as progress:
            tasks = {"learning": progress.add_task("learning"), "embedding": progress.add_task("embedding")}
            most = {"learning": 0, "embedding": 0}
            while any((now := await _waiting(client))[:2]):
                for name, left in (("learning", now.sessions or 0), ("embedding", now.memories or 0)):
                    most[name] = max(most[name], left)
                    progress.update(tasks[name], total=most[name], completed=most[name] - left)
                await asyncio.sleep(_LOOK_AGAIN_S)
        return now


def _expected(before: Aftermath, now: Aftermath, passed_s: float) -> Aftermath:
    """What waits now, with the longer of the times that both take at this pace."""
    times = [
        passed_s * left / (earlier - left)
        for earlier, left in zip(before[:2], now[:2], strict=True)
        if earlier and left and earlier > left
    ]
    return now._replace(seconds_left=max(times, default=None))


async def _waiting(client: Client) -> Aftermath:
    learning = await ask_service(client, "consolidator", "status", timeout_s=_ASK_TIMEOUT_S)
    embedding = await ask_service(client, "maintenance", "status", timeout_s=_ASK_TIMEOUT_S)
    return Aftermath(learning["pending"], embedding["backlog"])
