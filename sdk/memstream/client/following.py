"""Follows the events of a space: from any position, into a projection of one's own."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import ValidationError
from pydantic_core import from_json

from memstream._contracts import (
    ErrorAnswer,
    EventsAnswer,
    EventsQuery,
    FollowedEvent,
    NotConnected,
    Space,
    Unavailable,
    read_subject,
    unfit_query,
)
from memstream.client.address import find_readers_address
from memstream.client.wire import Wire

_CONNECT_TIMEOUT_S = 5.0
_RECONNECT_TIMEOUT_S = 0.7
_PATIENCE_S = 15.0
_WAIT_S = 5.0
_MARGIN_S = 3.0
"""Seconds beyond the wait after which a request counts as lost: a service that was killed answers nothing."""
_AGAIN_S = 0.1
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0


class EventReader:
    """Reads what is recorded in a space, event by event, in the order of the log.

    `async with EventReader(space="shop") as log: async for event in log.follow(after=position): ...`

    Store `event.position` in the transaction that stores what the event changes: then each counts exactly once, however often
    the follower is killed. What is not given of `url`, `name` (the reader's) and `password` comes from MEMSTREAM_URL,
    MEMSTREAM_READER and MEMSTREAM_READER_PASSWORD, else from the data folder of a memstream on this machine. Further `options`
    go to nats-py.
    """

    def __init__(
        self,
        *,
        space: str,
        url: str | None = None,
        name: str | None = None,
        password: str | None = None,
        data_dir: str | Path | None = None,
        connect_timeout_s: float = _CONNECT_TIMEOUT_S,
        **options: Any,  # noqa: ANN401 - nats-py's own
    ) -> None:
        folder = Path(data_dir).expanduser() if data_dir else None
        address = find_readers_address(space=space, url=url, name=name, password=password, data_dir=folder)
        self._wire = Wire(address, options, reconnect_timeout_s=_RECONNECT_TIMEOUT_S)
        self._subject = read_subject(Space(space))
        self._connect_timeout_s = connect_timeout_s

    async def follow(
        self, after: int = 0, *, user: str | None = None, types: Iterable[str] = ()
    ) -> AsyncIterator[FollowedEvent]:
        """The events after a position, and then every new one as it comes, for ever; also across restarts of the server.

        `user`: only of this person. `types`: only these events, and always those that say what to drop. Raises LogDiverged
        where the log is not the one that the position is of; Misconfigured where this reader may not read the space.
        """
        wanted, failures = tuple(types), 0
        while True:
            query = _query(after=after, user=user, types=wanted, wait_s=0 if failures else _WAIT_S)
            try:
                page = await self._answered(query, _PATIENCE_S if failures else _WAIT_S + _MARGIN_S)
            except NotConnected:
                raise
            except Unavailable:
                await asyncio.sleep(min(_FIRST_PAUSE_S * 2**failures, _LONGEST_PAUSE_S))
                failures += 1
                continue
            failures = 0
            for event in page.events:
                yield event
            after = page.position

    async def replay(
        self, after: int = 0, *, through: int | None = None, user: str | None = None, types: Iterable[str] = ()
    ) -> AsyncIterator[FollowedEvent]:
        """The events after a position that are there now, none beyond `through`. Raises Unavailable, and as `follow`."""
        wanted, is_end = tuple(types), False
        while not is_end:
            page = await self.read(after, through=through, user=user, types=wanted)
            for event in page.events:
                yield event
            after, is_end = page.position, page.is_end

    async def read(
        self,
        after: int = 0,
        *,
        through: int | None = None,
        user: str | None = None,
        types: Iterable[str] = (),
        limit: int = 500,
        wait_s: float = 0.0,
    ) -> EventsAnswer:
        """One page; the next begins after its `position`. Where nothing is new it waits for `wait_s`.

        Raises Unavailable after 15 s more, Malformed, LogDiverged or Misconfigured.
        """
        query = _query(after=after, through=through, user=user, types=tuple(types), limit=limit, wait_s=wait_s)
        return await self._answered(query, wait_s + _PATIENCE_S)

    async def _answered(self, query: EventsQuery, timeout_s: float) -> EventsAnswer:
        """The answer, asked for again while the feed is still reading the log."""
        clock = asyncio.get_running_loop().time
        deadline, payload = clock() + timeout_s, query.model_dump_json().encode()
        while True:
            reply = from_json(await self._wire.request(self._subject, payload, timeout_s=max(deadline - clock(), _AGAIN_S)))
            if "error" not in reply:
                return EventsAnswer.model_validate(reply, extra="ignore")  # a newer memstream may say more
            error = ErrorAnswer.model_validate(reply).raised()
            if not isinstance(error, Unavailable) or clock() + _AGAIN_S >= deadline:
                raise error
            await asyncio.sleep(_AGAIN_S)

    @classmethod
    async def connect(cls, **options: Any) -> Self:  # noqa: ANN401 - the constructor's own
        """A reader that is connected; close it with `close`. Raises Unavailable or Misconfigured."""
        return await cls(**options).__aenter__()

    async def close(self) -> None:
        """Close the connection."""
        await self._wire.close()

    async def __aenter__(self) -> Self:
        await self._wire.open(self._connect_timeout_s)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


def _query(**fields: object) -> EventsQuery:
    try:
        return EventsQuery.model_validate(fields)
    except ValidationError as error:
        raise unfit_query("events", error) from error
