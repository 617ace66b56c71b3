"""The SEND stream from ingest's side, and publishing into any stream: nats-py stays behind these functions.

All of them raise Unavailable where the server does not answer.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from nats.js.errors import APIError, NotFoundError

from shared.contracts.command import Command
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Slot, Space, User
from shared.contracts.problems import not_stored
from shared.contracts.subjects import installation_subject, work_subject
from shared.runtime.connection import Client, answering
from shared.runtime.eventlog.leader import is_clustered, last_of_leader
from shared.runtime.topology import MAX_SEND_BYTES, SEND

_PUBLISH_TIMEOUT_S = 5.0
_WITHOUT_SLOT = ["*.*.*.*"]
"""Subjects with a wildcard, which the server stores without a slot; the lane of slot 0 must refuse them."""


async def publish(client: Client, subject: str, data: bytes, headers: Mapping[str, str] | None = None) -> int:
    """Publish a message into a stream; return its sequence."""
    with answering("a stream did not take a message"):
        try:
            ack = await client.jetstream().publish(subject, data, headers=dict(headers or {}), timeout=_PUBLISH_TIMEOUT_S)
        except APIError as error:
            raise not_stored(str(error.description)) from error
    return ack.seq


async def send_work(client: Client, event: Envelope, command: Command) -> None:
    """Send a service's command to ingest, about the person whom an event of the log names."""
    subject = work_subject(Space(event.space), User(event.user), command.what)
    await publish(client, subject, command.model_dump_json(exclude_defaults=True).encode())


async def tell_of_installation(client: Client, command: Command) -> None:
    """Send a service's command to ingest that is about nobody."""
    await publish(client, installation_subject(command.what), command.model_dump_json().encode())


_WORDED = ("save_facts", "save_reflection", "save_rollup")


def lane_subjects(slots: Sequence[Slot]) -> list[str]:
    """The subjects of SEND that a lane with these slots reads."""
    return [f"*.{slot}.*.*.*" for slot in slots] + (_WITHOUT_SLOT if 0 in slots else [])


def worded_subjects(slots: Sequence[Slot]) -> list[str]:
    """The subjects of the lane whose messages may hold a person's words."""
    return [f"send.{slot}.*.*.*" for slot in slots] + [f"work.{slot}.*.*.{what}" for slot in slots for what in _WORDED]


async def size_of(client: Client, stream: str) -> int:
    """Bytes of a stream."""
    with answering(f"{stream} did not tell its size"):
        return (await client.jetstream().stream_info(stream)).state.bytes


async def first_sequence(client: Client) -> int:
    """The first sequence in SEND; if it is empty, the next one."""
    with answering("SEND did not tell where it begins"):
        return (await client.jetstream().stream_info(SEND)).state.first_seq


async def last_sequence(client: Client, slot: Slot) -> int:
    """The last sequence in SEND of what people of a slot sent; 0 if there is none."""
    with answering("SEND did not tell where it ends"):
        try:
            return (await client.jetstream().get_last_msg(SEND, f"send.{slot}.*.*.*")).seq or 0
        except NotFoundError:
            return 0


class LaneProgress(NamedTuple):
    """How far a lane has read and decided SEND."""

    consumer: str | None  # None: it is just beginning anew
    messages: int  # of this consumer that it decided
    last: int  # the last sequence that it decided
    slots: Sequence[Slot] = ()


Floors = Callable[[int], Awaitable[Sequence[int]]]
"""Up to where other processes have decided everything that concerns their lanes, of what SEND had up to a sequence."""


async def purge_decided(client: Client, lanes: Sequence[LaneProgress], *, purged: int = 0, others: Floors | None = None) -> int:
    """Purge what every lane has decided: at once when nothing is left, else when SEND is half full.

    Returns the last sequence purged, 0 for none. It also purges if everything after `purged`, the last one, was erased: else
    the server's index would still name the users.
    """
    js = client.jetstream()
    with answering("SEND could not be purged"):
        state = (await js.stream_info(SEND)).state  # before the lanes are asked: what comes later is not purged
        floors = [*await floors_of(client, lanes, state.last_seq), *(await others(state.last_seq) if others else ())]
        done = min(floors, default=0)
        is_drained = done >= state.last_seq
        is_due = done > purged if is_drained else done >= state.first_seq and state.bytes > MAX_SEND_BYTES // 2
        if not is_due:
            return 0
        await js.purge_stream(SEND, seq=done + 1)
    return done


async def floors_of(client: Client, lanes: Sequence[LaneProgress], last_sequence: int) -> list[int]:
    """Up to where each lane has decided everything that concerns it, of what SEND had up to a sequence. Raises Unavailable."""
    with answering("SEND did not tell how far it is decided"):
        return [await _floor(client, lane, last_sequence) for lane in lanes]


async def _floor(client: Client, lane: LaneProgress, last_sequence: int) -> int:
    """The sequence up to which a lane has decided everything that concerns it.

    In a cluster its consumer may lie on a server that lacks the latest messages, so the leader is asked for them.
    """
    if lane.consumer is None:
        return lane.last
    if await _undecided(client, lane.consumer, lane.messages) > 0:
        return lane.last
    if is_clustered(client) and await last_of_leader(client, SEND, lane_subjects(lane.slots)) > lane.last:
        return lane.last
    return last_sequence


async def backlog_of(client: Client, lanes: Mapping[str, LaneProgress]) -> dict[str, int]:
    """How many messages of SEND each lane has not decided, by its name. Raises Unavailable while one begins anew."""
    found = {}
    with answering("SEND did not tell how much is not decided"):
        for name, lane in lanes.items():
            if lane.consumer is None:
                raise Unavailable("ingest has not read yet what was sent")
            found[name] = max(0, await _undecided(client, lane.consumer, lane.messages))
    return found


async def _undecided(client: Client, consumer: str, decided: int) -> int:
    info = await client.jetstream().consumer_info(SEND, consumer)
    return (info.num_pending or 0) + (info.delivered.consumer_seq if info.delivered else 0) - decided
