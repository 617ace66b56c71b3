"""The client for bots: `async with MemoryClient(space="shop", user="anna") as memory: ...`."""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memstream._contracts import (
    ImportedTurn,
    Kind,
    MemstreamError,
    NotFound,
    PersonSettings,
    Rejected,
    Role,
    Unavailable,
    Verdict,
)
from memstream.client.address import find_address
from memstream.client.exchange import Decision, Receipt
from memstream.client.exporting import ImportedExport
from memstream.client.memories import Memories
from memstream.client.wire import Wire

__all__ = [
    "Decision",
    "ImportedExport",
    "ImportedTurn",
    "Kind",
    "Memories",
    "MemoryClient",
    "MemstreamError",
    "NotFound",
    "PersonSettings",
    "Receipt",
    "Rejected",
    "Role",
    "Unavailable",
    "Verdict",
]

_CONNECT_TIMEOUT_S = 5.0


class MemoryClient(Memories):
    """A connection, and the memories of one person; `for_user` gives those of others over the same connection.

    What is not given of `url`, `name` (the bot's) and `password` comes from MEMSTREAM_URL, MEMSTREAM_BOT and
    MEMSTREAM_PASSWORD, else from the data folder of a memstream on this machine. Further `options` go to nats-py.
    A client that serves many people needs no `user` of its own.
    """

    def __init__(
        self,
        *,
        space: str = "default",
        user: str = "",
        url: str | None = None,
        name: str | None = None,
        password: str | None = None,
        data_dir: str | Path | None = None,
        connect_timeout_s: float = _CONNECT_TIMEOUT_S,
        **options: Any,  # noqa: ANN401 - nats-py's own
    ) -> None:
        folder = Path(data_dir).expanduser() if data_dir else None
        address = find_address(url=url, bot=name, password=password, data_dir=folder)
        super().__init__(Wire(address, options), space=space, user=user)
        self._connect_timeout_s = connect_timeout_s

    @classmethod
    async def connect(cls, **options: Any) -> Self:  # noqa: ANN401 - the constructor's own
        """A client that is connected; close it with `close`. Raises Unavailable or Misconfigured."""
        return await cls(**options).__aenter__()

    def for_user(self, user: str, *, space: str | None = None) -> Memories:
        """Another person's memories, over this connection."""
        return Memories(self._wire, space=space or self._space, user=user)

    async def close(self) -> None:
        """Close the connection. Everything that has a receipt is durable."""
        await self._wire.close()

    async def __aenter__(self) -> Self:
        await self._wire.open(self._connect_timeout_s)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
