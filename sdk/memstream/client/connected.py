"""The client for bots that run in an event loop."""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memstream.client.address import find_address
from memstream.client.courier import Courier
from memstream.client.memories import Memories
from memstream.client.outbox import OutboxFile
from memstream.client.wire import Wire

_RECONNECT_TIMEOUT_S = 0.7


class MemoryClient(Memories):
    """A connection, and the memories of one person; `for_user` gives those of others over the same connection.

    What is not given of `url`, `name` (the bot's) and `password` comes from MEMSTREAM_URL, MEMSTREAM_BOT and
    MEMSTREAM_PASSWORD, else from the data folder of a memstream on this machine. Further `options` go to nats-py.
    A client that serves many people needs no `user` of its own. `outbox` names a file that keeps what is sent while the server
    is away; then the client may be connected while it is.
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
        outbox: str | Path | None = None,
        connect_timeout_s: float | None = None,
        reconnect_timeout_s: float = _RECONNECT_TIMEOUT_S,
        **options: Any,  # noqa: ANN401 - nats-py's own
    ) -> None:
        folder = Path(data_dir).expanduser() if data_dir else None
        address = find_address(url=url, bot=name, password=password, data_dir=folder)
        wire = Wire(address, options, reconnect_timeout_s=reconnect_timeout_s)
        kept = OutboxFile(Path(outbox).expanduser()) if outbox else None
        courier = Courier(wire, kept, connect_timeout_s=connect_timeout_s) if kept is not None else None
        super().__init__(wire, space=space, user=user, courier=courier)
        self._connect_timeout_s = connect_timeout_s

    @classmethod
    async def connect(cls, **options: Any) -> Self:  # noqa: ANN401 - the constructor's own
        """A client that is connected; close it with `close`. Raises Unavailable or Misconfigured."""
        return await cls(**options).__aenter__()

    def for_user(self, user: str, *, space: str | None = None, actor: str | None = None) -> Memories:
        """Another person's memories, over this connection. `actor` is who acts, for the audit; by default the bot."""
        return Memories(self._wire, space=space or self._space, user=user, courier=self._courier, actor=actor)

    async def close(self) -> None:
        """Close the connection. Everything that has a receipt is durable; what waits in the outbox stays there."""
        if self._courier:
            await self._courier.close()
        await self._wire.close()

    async def __aenter__(self) -> Self:
        if self._courier:
            await self._courier.open()
        else:
            await self._wire.open(self._connect_timeout_s)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
