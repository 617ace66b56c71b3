"""Streams as files, and files as streams: JetStream's own snapshots, while everything goes on.

A snapshot is a folder of `backup.json` and `stream.tar.s2`, as `nats stream backup` writes and `nats stream restore` reads it.
Source: NATS ADR-22 and nats-server 2.15 `server/jetstream_api.go`; nats-py has no call for either.
"""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

from nats.aio.subscription import Subscription
from nats.errors import NoRespondersError
from nats.js.errors import NotFoundError

from shared.contracts.errors import Misconfigured, Unavailable
from shared.runtime.connection import Client, answering
from shared.runtime.datadir import write_private
from shared.runtime.eventlog.leader import is_clustered
from shared.runtime.private_files import FILE, private_folder
from shared.runtime.tasks import end
from shared.runtime.topology import AS_IT_IS, MEMORY, SEND, Kept

INFO = "backup.json"
CONTENTS = "stream.tar.s2"

_CHUNK_BYTES = 131_072
_TIMEOUT_S = 30.0
_WELL = "204"
"""Status of the message that ends a snapshot; without one all is well, too."""

_NAME_IN_USE = 10130
_HELD_S, _AGAIN_S = 30.0, 5.0
_BATCH, _COMMIT = "Nats-Batch-Id", "Nats-Batch-Commit"


async def take_snapshot(client: Client, stream: str, folder: Path) -> dict[str, Any]:
    """Write a stream into a new folder; return what the server said of it: its `config`, and its `state` at the beginning.

    What was erased before is not in it; what comes meanwhile may be. Raises Unavailable.
    """
    private_folder(folder)
    inbox = client.new_inbox()
    subscription = await client.subscribe(inbox)
    try:
        asked = {"deliver_subject": inbox, "no_consumers": True, "chunk_size": _CHUNK_BYTES}
        told = await _api(client, f"STREAM.SNAPSHOT.{stream}", asked)
        with os.fdopen(os.open(folder / CONTENTS, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE), "wb") as file:
            async with aclosing(_chunks(subscription, stream)) as chunks:
                async for chunk in chunks:
                    file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    finally:
        await subscription.unsubscribe()
    write_private(folder / INFO, json.dumps(told, indent=2) + "\n")
    return told


async def restore_snapshot(client: Client, stream: str, folder: Path, kept: Kept = AS_IT_IS) -> None:
    """Make the stream anew from a folder. Raises Misconfigured where one of this name is there, which stays as it is.

    `kept`: on which servers of a cluster; as it was, where nothing is said. A server that is in no cluster has it alone.
    """
    info = json.loads((folder / INFO).read_text(encoding="utf-8"))
    config: dict[str, Any] = info["config"]
    if is_clustered(client):
        config |= kept.restored
    else:
        config["num_replicas"] = 1
        config.pop("placement", None)
    told = await _api(client, f"STREAM.RESTORE.{stream}", {"config": config, "state": info["state"]})
    with (folder / CONTENTS).open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            await _request(client, told["deliver_subject"], chunk)
    await _request(client, told["deliver_subject"], b"")


async def drop_half_batch(client: Client) -> int:
    """Delete the events of an append at the end of the log of which the snapshot has a part only; return how many there were.

    The command that they follow from is in SEND still, and is decided again.
    """
    js = client.jetstream()
    position = last = (await js.stream_info(MEMORY)).state.last_seq
    batch = None
    with answering("the end of the log could not be read"):
        while position:
            try:
                headers = (await js.get_msg(MEMORY, position)).headers or {}
            except NotFoundError:
                break
            if _COMMIT in headers or _BATCH not in headers or batch not in {None, headers[_BATCH]}:
                break
            batch = headers[_BATCH]
            await js.delete_msg(MEMORY, position)
            position -= 1
    return last - position


@asynccontextmanager
async def nothing_purged(client: Client) -> AsyncIterator[None]:
    """Within the block ingest purges nothing from SEND. Raises Unavailable at its end if it may have, as after a restart."""
    before = await _hold(client, _HELD_S)
    holding = asyncio.create_task(_keep_holding(client))
    try:
        yield
    finally:
        await end([holding])
    if await _hold(client, 0) != before:
        raise Unavailable(f"ingest started or ended while {SEND} was copied; try again")


async def _keep_holding(client: Client) -> None:
    while True:
        await asyncio.sleep(_AGAIN_S)
        await _hold(client, _HELD_S)


async def _hold(client: Client, seconds: float) -> dict[str, Any] | None:
    """What ingest says of its purges; None where there is no ingest, which purges nothing."""
    with answering("ingest does not answer"):
        try:
            reply = await client.request("admin.ingest.hold", json.dumps({"seconds": seconds}).encode(), timeout=_TIMEOUT_S)
        except NoRespondersError:
            return None
    told: dict[str, Any] = json.loads(reply.data)
    return told


async def _chunks(subscription: Subscription, stream: str) -> AsyncGenerator[bytes]:
    while True:
        with answering(f"the server sent no more of {stream}"):
            message = await subscription.next_msg(timeout=_TIMEOUT_S)
        if not message.data:
            status = (message.headers or {}).get("Status", _WELL)
            if status != _WELL:
                reason = (message.headers or {}).get("Description", "no reason given")
                raise Unavailable(f"the server stopped while {stream} was copied: {status} {reason}; try again")
            return
        yield message.data
        if message.reply:
            await message.respond(b"")


async def _api(client: Client, what: str, asked: dict[str, Any]) -> dict[str, Any]:
    return await _request(client, f"$JS.API.{what}", json.dumps(asked).encode())


async def _request(client: Client, subject: str, payload: bytes) -> dict[str, Any]:
    """What JetStream answers; nothing for a part of a snapshot that it took. Raises its error."""
    with answering("JetStream does not answer"):
        reply = await client.request(subject, payload, timeout=_TIMEOUT_S)
    if not reply.data:
        return {}
    if not reply.data.startswith(b"{"):
        raise Unavailable(f"the server did not take it: {reply.data.decode(errors='replace')}")
    answer: dict[str, Any] = json.loads(reply.data)
    if error := answer.get("error"):
        if error.get("err_code") == _NAME_IN_USE:
            raise Misconfigured("this server has such a stream already, and nothing is overwritten")
        raise Unavailable(f"JetStream answered: {error.get('description')}")
    return answer
