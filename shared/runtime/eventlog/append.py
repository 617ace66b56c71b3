"""Appends events to the log in atomic batches, each event with an id and each scope with its expected version.

Outcomes are three: all appended; VersionConflict (someone appended to the scope, perhaps an earlier try of ours); or
Unavailable (nobody knows). After the last two the caller reads the scope's newest events and decides again: what landed
is then known, and its commands are not decided twice.
"""

import json
from collections.abc import Sequence

from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js.errors import APIError, NoStreamResponseError

from shared.contracts.errors import Unavailable, VersionConflict
from shared.contracts.ids import Position
from shared.contracts.problems import not_stored
from shared.runtime.eventlog.frames import OutgoingMessage, write
from shared.runtime.eventlog.new_event import Expected, NewEvent
from shared.runtime.eventlog.sealing import SealedAppend
from shared.runtime.ids import new_token
from shared.runtime.person_keys import keys_of

__all__ = ["MAX_BATCH", "SENT_HEADER", "Expected", "NewEvent", "append"]

MAX_BATCH = 1000
"""Most events that the server takes in one atomic batch."""

SENT_HEADER = "Memstream-Sent"
"""Header of the last event of a command: `<SEND stream id>.<sequence>`. It tells how far SEND was decided."""

_TIMEOUT_S = 5.0
_WRONG_LAST_SEQUENCE = 10071
_DUPLICATE_IN_BATCH = 10201


async def append(client: Client, events: Sequence[NewEvent]) -> list[Position]:
    """Append all or none (1 to 1,000 events); return their positions in order.

    Raises VersionConflict or Unavailable.
    """
    if not 0 < len(events) <= MAX_BATCH:
        msg = f"append takes 1 to {MAX_BATCH} events, got {len(events)}"
        raise ValueError(msg)
    sealing = await SealedAppend.of(keys_of(client), events)
    try:
        last, duplicate = await _sent(client, sealing.events)
    except APIError as error:
        if error.err_code in {_WRONG_LAST_SEQUENCE, _DUPLICATE_IN_BATCH}:
            raise VersionConflict from error
        raise not_stored(str(error.description)) from error
    except (NoStreamResponseError, NatsError, TimeoutError, OSError) as error:
        raise Unavailable("the log did not answer; whether the events were appended is not known") from error
    if duplicate:
        raise VersionConflict("the event is in the log already")
    await sealing.done()
    return [Position(last - len(events) + index + 1) for index in range(len(events))]


async def _sent(client: Client, events: Sequence[NewEvent]) -> tuple[int, bool]:
    """The sequence of the last event, and whether the log had it already. Raises APIError.

    Several events are an atomic batch, written at once: only the last message, which commits, is answered, and for all of them.
    Source: NATS ADR-50 (JetStream batch publishing); nats-py has no call for it.
    """
    messages = [OutgoingMessage(event.subject, event.all_headers(), event.data) for event in events]
    subject, last_headers, data = messages[-1]
    if len(messages) > 1:
        batch_id = new_token()
        for index, message in enumerate(messages, start=1):
            message.headers.update({"Nats-Batch-Id": batch_id, "Nats-Batch-Sequence": str(index)})
        await write(client, messages[:-1])
        last_headers["Nats-Batch-Commit"] = "1"
    reply = await client.request(subject, data, timeout=_TIMEOUT_S, headers=last_headers)
    answer = json.loads(reply.data)
    if "error" in answer:
        raise APIError.from_error(answer["error"])
    return int(answer["seq"]), bool(answer.get("duplicate"))
