"""The SEND stream from ingest's side, and publishing into any stream: nats-py stays behind these functions.

All of them raise Unavailable where the server does not answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nats.js import api
from nats.js.errors import NotFoundError

from shared.contracts.ids import Slot
from shared.runtime.connection import Client, answering
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.topology import MAX_SEND_BYTES, SEND

_ACK_WAIT_S = 30.0
_MAX_ACK_PENDING = 4096
_PUBLISH_TIMEOUT_S = 5.0


async def publish(client: Client, subject: str, data: bytes, headers: Mapping[str, str] | None = None) -> int:
    """Publish into the stream of this subject; the acknowledged sequence."""
    with answering("a stream did not take a message"):
        ack = await client.jetstream().publish(subject, data, headers=dict(headers or {}), timeout=_PUBLISH_TIMEOUT_S)
    return ack.seq


async def open_lane(client: Client, name: str, *, slots: Sequence[Slot], start: int) -> None:
    """The lane's durable consumer, set back to what is not acknowledged: that is delivered again first, in order.

    Made at sequence `start` if it is missing.
    """
    js = client.jetstream()
    with answering("SEND did not open a lane"):
        try:
            await js.consumer_info(SEND, name)
            await js.reset_consumer(SEND, name)
        except NotFoundError:
            config = api.ConsumerConfig(
                name=name,
                durable_name=name,
                ack_policy=api.AckPolicy.ALL,
                ack_wait=_ACK_WAIT_S,
                max_ack_pending=_MAX_ACK_PENDING,
                deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=start,
                filter_subjects=[f"*.{slot}.*.*.*" for slot in slots],
            )
            await js.add_consumer(SEND, config)


async def remove_other_lanes(client: Client, names: Sequence[str]) -> None:
    """Delete the consumers of lanes that are no more; where new ones begin stands in ingest.db and in the log."""
    js = client.jetstream()
    with answering("SEND did not list its lanes"):
        for info in await js.consumers_info(SEND):
            if info.name.startswith("lane-") and info.name not in names:
                await js.delete_consumer(SEND, info.name)


async def acknowledge(client: Client, delivery: Delivery) -> None:
    """Everything up to this delivery is decided."""
    with answering("SEND did not take an acknowledgement"):
        await client.publish(delivery.reply, b"+ACK")


async def purge_decided(client: Client, lanes: Sequence[str]) -> int:
    """Purge what every lane has decided: at once when nothing is left, else when SEND is half full.

    Returns the last sequence purged, 0 for none. The stream's end is read before the lanes: what they have not is younger.
    """
    js = client.jetstream()
    with answering("SEND could not be purged"):
        state = (await js.stream_info(SEND)).state
        if not state.messages:
            return 0
        done = min([await _floor(client, lane, state.last_seq) for lane in lanes], default=0)
        is_drained = done >= state.last_seq
        if done < state.first_seq or not (is_drained or state.bytes > MAX_SEND_BYTES // 2):
            return 0
        await js.purge_stream(SEND, seq=done + 1)
    return done


async def _floor(client: Client, lane: str, last_sequence: int) -> int:
    """Up to where a lane has acknowledged everything that concerns it."""
    info = await client.jetstream().consumer_info(SEND, lane)
    if not info.num_pending and not info.num_ack_pending:
        return last_sequence
    return info.ack_floor.stream_seq if info.ack_floor else 0
