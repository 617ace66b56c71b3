"""Erases single messages from a stream so that their bytes are gone from the disk.

Of all ways to remove a message only `delete_msg` overwrites it (nats-server 2.15). A purge of a whole stream drops its files; a
purge of a part leaves bytes that nothing can address afterwards.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing

from nats.errors import Error as NatsError
from nats.js.errors import APIError, NotFoundError

from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope, Slot
from shared.contracts.subjects import scope_filter
from shared.runtime.connection import Client, answering
from shared.runtime.eventlog.read import LogReader, StreamReader
from shared.runtime.person_keys import number_of
from shared.runtime.topology import MEMORY

_TIMEOUT_S = 10.0
_SUBJECTS_OF_A_PAGE = 100_000
"""The server's own limit."""
_NOT_THERE = {10043, 10057}
"""Error codes of a message that was erased before: `sequence not found`, `stream store EOF`."""


async def erase(
    client: Client,
    stream: str,
    sequences: Sequence[int],
    *,
    on_erased: Callable[[int], None] | None = None,
    pause: Callable[[float], Awaitable[None]] | None = None,
) -> int:
    """Erase these messages; return how many there were still to erase. Erasing twice is no error. Raises Unavailable.

    `pause` is awaited after each, with the seconds that it took.

    One after the other, as the server does it: for each it writes a file of up to 4 MB anew (2.15). With more requests at once
    it is no faster, and all else that is asked of it waits behind them: measured, to open a consumer 11 ms, and 180 with eight.
    """
    erased, clock = 0, asyncio.get_running_loop().time
    for sequence in sequences:
        began = clock()
        erased += await _erase_one(client, stream, sequence)
        if pause is not None:
            await pause(clock() - began)
        if on_erased:
            on_erased(sequence)
    return erased


async def sequences_of(
    client: Client, stream: str, subjects: Sequence[str], *, after: int = 0, through: int | None = None
) -> list[int]:
    """The sequences, in order, of the messages on these subjects after one sequence and through another. Raises Unavailable."""
    found: list[int] = []
    reader = StreamReader(client, stream, after=after, subjects=subjects, name="erasing", headers_only=True)
    async with aclosing(reader.to_end()) as batches:
        async for batch in batches:
            found += [delivery.sequence for delivery in batch if through is None or delivery.sequence <= through]
            if through is not None and batch[-1].sequence > through:
                break
    return found


async def erase_unreadable(client: Client, scope: Scope, *, slot: Slot, after: int) -> int:
    """Erase the events of a person after a position whose key is erased; return how many there were. Raises Unavailable.

    A log that was restored from before a forgetting has them, and nothing that says so.
    """
    reader = LogReader(client, after=after, subjects=[scope_filter(slot, scope)])
    async with aclosing(reader.to_end()) as batches:
        async for _ in batches:
            pass
    return await erase(client, MEMORY, reader.unreadable)


async def keys_used(client: Client, scope: Scope, *, slot: Slot, through: int) -> list[int]:
    """The entries of the keys that seal the events of a person, through a position. Raises Unavailable."""
    found: dict[int, None] = {}
    reader = StreamReader(client, MEMORY, subjects=[scope_filter(slot, scope)], name="erasing")
    async with aclosing(reader.to_end()) as batches:
        async for batch in batches:
            numbers = (number_of(delivery.data) for delivery in batch if delivery.sequence <= through)
            found |= dict.fromkeys(number for number in numbers if number is not None)
    return list(found)


async def subjects_of(client: Client, stream: str) -> list[str]:
    """The subjects of all messages in a stream, each once. Raises Unavailable."""
    found: list[str] = []
    with answering(f"{stream} did not tell its subjects"):
        while True:
            asked = json.dumps({"subjects_filter": ">", "offset": len(found)}).encode()
            reply = await client.request(f"$JS.API.STREAM.INFO.{stream}", asked, timeout=_TIMEOUT_S)
            page = json.loads(reply.data).get("state", {}).get("subjects") or {}
            found += page
            if len(page) < _SUBJECTS_OF_A_PAGE:
                return found


async def _erase_one(client: Client, stream: str, sequence: int) -> bool:
    try:
        return await client.jetstream(timeout=_TIMEOUT_S).delete_msg(stream, sequence)
    except NotFoundError:
        return False
    except APIError as error:
        if error.err_code in _NOT_THERE:
            return False
        raise Unavailable(f"a message of {stream} could not be erased: {error.description}") from error
    except (NatsError, TimeoutError, OSError) as error:
        raise Unavailable(f"a message of {stream} could not be erased; it is tried again") from error
