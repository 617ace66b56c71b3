"""The streams: created only by `memstream init`, or `memstream up` on an empty folder; checked at every start.

A service that created a missing stream would start an empty log in place of the lost one.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nats.js import JetStreamContext, api
from nats.js.errors import APIError, NotFoundError

from shared.contracts.errors import KeysMismatch, LogDiverged, Misconfigured, NotInitialised, Unavailable
from shared.contracts.subjects import SLOTS
from shared.runtime.connection import Client, answering
from shared.runtime.eventlog.leader import is_clustered
from shared.runtime.ids import new_token
from shared.runtime.keys import Keys

MEMORY = "MEMORY"
SEND = "SEND"
REJECTED = "REJECTED"
SCHEDULES = "SCHEDULES"
STREAMS = (MEMORY, SEND, REJECTED, SCHEDULES)

MAX_EVENTS_OF_A_SUBJECT = 10**12
"""More than any person will ever have. The limit makes the server keep the log in files of 4 MB instead of 8: to erase an
event it writes the whole file anew (docs/adr/0039)."""
MAX_SEND_BYTES = 1_073_741_824
MAX_SEND_MESSAGE_BYTES = 1_572_864
"""Largest message that the server takes. A command that is too large still fits, and with its reason into REJECTED."""
MAX_REJECTED_BYTES = 268_435_456
"""Beyond it the oldest dead letters go."""
FULL_REJECTED_BYTES = MAX_REJECTED_BYTES * 49 // 50
"""From here on there may be no room for another one."""
MAX_REJECTED_OF_A_PERSON = 1_000
"""Dead letters of a person in a space by one command; beyond it their oldest go."""
MAX_REJECTED_OF_A_BOT = MAX_REJECTED_BYTES // 8
"""Bytes of dead letters that may come at once of a bot that is limited to spaces, and of all other bots together. As much again
is kept within the days after which letters go by themselves."""
REJECTED_DAYS = 14
_DAY_S = 86_400.0
_SHORTEST_DUPLICATE_WINDOW_S = 0.1
_LIMITS = ("max_age", "max_bytes", "max_msg_size", "max_msgs_per_subject", "allow_msg_schedules")
_LOOKS, _LOOKS_EVERY_S = 24, 0.5
_SILENT_NS = 5_000_000_000
_ID = "memstream.id"
_NO_ROOM = 10_047
"""The server's code where it has less room than the most bytes of a stream."""
_FINGERPRINT = "memstream.keys"


@dataclass(frozen=True, slots=True)
class LogIdentity:
    """The random id of a log, and its last position when it was asked."""

    log_id: str
    last_position: int
    is_replicated: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """On which servers of a cluster streams lie. None, or no tags: new ones on one, and others as they are."""

    replicas: int | None = None
    cluster: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def placement(self) -> api.Placement | None:
        """Where to place a stream, as the server takes it; None: anywhere."""
        return api.Placement(self.cluster, list(self.tags)) if self.cluster or self.tags else None

    @property
    def restored(self) -> dict[str, Any]:
        """What of a stream's configuration is to be another where it is restored."""
        told = {"num_replicas": self.replicas, "placement": self.placement.as_dict() if self.placement else None}
        return {name: value for name, value in told.items() if value is not None}

    def changed(self, known: api.StreamConfig) -> dict[str, Any]:
        """What is to be changed of a stream that lies elsewhere."""
        wanted = {"num_replicas": self.replicas, "placement": self.placement}
        return {name: value for name, value in wanted.items() if value is not None and value != getattr(known, name)}


AS_IT_IS = Kept()
OF_THE_LOG = (MEMORY, SEND, REJECTED)


def stream_configs(kept: Kept = AS_IT_IS) -> list[api.StreamConfig]:
    """The streams of an installation, without their metadata."""
    by_slot = f"{{{{wildcard(1)}}}}.{{{{partition({SLOTS},3)}}}}.{{{{wildcard(2)}}}}.{{{{wildcard(3)}}}}.{{{{wildcard(4)}}}}"
    common: dict[str, Any] = {
        "retention": api.RetentionPolicy.LIMITS,
        "storage": api.StorageType.FILE,
        "num_replicas": kept.replicas or 1,
        "placement": kept.placement,
        "allow_direct": True,
    }
    return [
        api.StreamConfig(
            name=MEMORY,
            description="The log. Only ingest appends; everything else is a projection of it.",
            subjects=["memory.*.*.*"],
            max_msgs_per_subject=MAX_EVENTS_OF_A_SUBJECT,
            allow_atomic=True,
            deny_purge=True,
            **common,
        ),
        api.StreamConfig(
            name=SEND,
            description="In transit: what bots and services sent and ingest has not decided yet.",
            subjects=["send.*.*.*", "work.*.*.*"],
            subject_transform=api.SubjectTransform(src="*.*.*.*", dest=by_slot),
            max_bytes=MAX_SEND_BYTES,
            max_msg_size=MAX_SEND_MESSAGE_BYTES,
            discard=api.DiscardPolicy.NEW,
            duplicate_window=_SHORTEST_DUPLICATE_WINDOW_S,
            **common,
        ),
        api.StreamConfig(
            name=REJECTED,
            description="What ingest refused, with the reason in headers.",
            subjects=["rejected.*.*.*.*"],
            max_age=REJECTED_DAYS * _DAY_S,
            max_bytes=MAX_REJECTED_BYTES,
            max_msgs_per_subject=MAX_REJECTED_OF_A_PERSON,
            discard=api.DiscardPolicy.OLD,
            **common,
        ),
        api.StreamConfig(
            name=SCHEDULES,
            description="When maintenance does what, and what is due: one message of each at a time.",
            subjects=["schedule.*", "job.*"],
            max_msgs_per_subject=1,
            discard=api.DiscardPolicy.OLD,
            allow_msg_schedules=True,
            **common | {"retention": api.RetentionPolicy.WORK_QUEUE},
        ),
    ]


async def create_streams(client: Client, keys: Keys, kept: Kept = AS_IT_IS) -> None:
    """Make the streams that are missing. Raises KeysMismatch if the log belongs to other keys, else Unavailable."""
    js = client.jetstream()
    for config in stream_configs(kept):
        name = str(config.name)
        if await _metadata(js, name) is None:
            await _make(js, config, keys)
    await check_streams(client, keys, OF_THE_LOG)


async def limit_streams(client: Client, keys: Keys, kept: Kept | None = None) -> list[str]:
    """Give streams of an earlier version the limits of this one; return the names of those that were changed or made.

    `kept`: also move those that lie elsewhere. Only SCHEDULES is made where it is missing: there is nothing in it that could be
    lost. Raises NotInitialised or KeysMismatch, with nothing changed, if the others are not ours, else Unavailable.
    """
    await check_streams(client, keys, OF_THE_LOG)
    js, changed = client.jetstream(), []
    replicas = (await js.stream_info(MEMORY)).config.num_replicas
    for wanted in stream_configs(kept or Kept(replicas)):
        if wanted.name == SCHEDULES and await _metadata(js, SCHEDULES) is None:
            await _make(js, wanted, keys)
            changed.append(SCHEDULES)
            continue
        known = (await js.stream_info(str(wanted.name))).config
        limits = {name: getattr(wanted, name) for name in _LIMITS if getattr(wanted, name) is not None}
        new = {name: limit for name, limit in limits.items() if getattr(known, name) != limit}
        new |= kept.changed(known) if kept else {}
        if new:
            with answering(f"the stream {wanted.name} was not changed"):
                await js.update_stream(replace(known, **new))
            changed.append(str(wanted.name))
    return changed


async def check_streams(client: Client, keys: Keys, streams: Sequence[str] = (MEMORY, SEND)) -> None:
    """Raises NotInitialised if one of the streams is missing, KeysMismatch if it belongs to other keys."""
    for name in streams:
        metadata = await _metadata(client.jetstream(), name)
        if metadata is None:
            raise NotInitialised(f"the stream {name} is gone or damaged; `memstream restore` a backup into an empty folder")
        if metadata.get(_FINGERPRINT) != keys.fingerprint:
            raise KeysMismatch


async def identify_log(client: Client, stream: str = MEMORY, *, at_least: int = 0) -> LogIdentity:
    """The id of the log and its present last position.

    `at_least`: what is known of it. A server that led a replicated stream and was stopped for a while may not know yet that
    another does; whoever knows more asks again for some seconds.
    """
    identity = await _identity(client, stream)
    for _ in range(_LOOKS if identity.is_replicated else 0):
        if identity.last_position >= at_least:
            break
        await asyncio.sleep(_LOOKS_EVERY_S)
        identity = await _identity(client, stream)
    return identity


async def _identity(client: Client, stream: str) -> LogIdentity:
    with answering(f"the stream {stream} did not answer"):
        info = await client.jetstream().stream_info(stream)
    stream_id = (info.config.metadata or {}).get(_ID)
    if not stream_id:
        raise Misconfigured(f"the stream {stream} was not made by memstream; run `memstream init` on a server of its own")
    return LogIdentity(stream_id, info.state.last_seq, is_replicated=(info.config.num_replicas or 1) > 1)


@dataclass(frozen=True, slots=True)
class Replicas:
    """The servers of a cluster that have a stream, the leader first, and those of them that its leader hears nothing of."""

    names: tuple[str, ...] = ()
    away: tuple[str, ...] = ()


ALONE = Replicas()
"""Of a server that is in no cluster."""


async def replicas_of(client: Client, stream: str) -> Replicas:
    """Where a stream lies. Raises Unavailable."""
    if not is_clustered(client):  # a lone server names itself as who leads its streams
        return ALONE
    with answering(f"the stream {stream} did not answer"):
        cluster = (await client.jetstream().stream_info(stream)).cluster
    if cluster is None or not cluster.leader:
        raise Unavailable(f"nobody leads the stream {stream} now; try again")
    peers = cluster.replicas or []
    away = [str(peer.name) for peer in peers if peer.offline or (peer.active or 0) > _SILENT_NS]
    return Replicas((str(cluster.leader), *sorted(str(peer.name) for peer in peers)), tuple(sorted(away)))


def guard(identity: LogIdentity, *, log_id: str | None, position: int) -> None:
    """Raises LogDiverged if a projection at `position` of `log_id` cannot have been built from this log."""
    if log_id is not None and log_id != identity.log_id:
        raise LogDiverged("this is another log than the one that the projection was built from; run `memstream rebuild`")
    if position > identity.last_position:
        raise LogDiverged(
            f"the log ends at {identity.last_position}, the projection knows {position}: an older copy "
            "was restored. Restore the newer one, or go on with this one by `memstream rebuild`"
        )


async def _make(js: JetStreamContext, config: api.StreamConfig, keys: Keys) -> None:
    with answering(f"the stream {config.name} was not made"):
        try:
            await js.add_stream(replace(config, metadata={_ID: new_token(), _FINGERPRINT: keys.fingerprint}))
        except APIError as error:
            if error.err_code != _NO_ROOM:
                raise
            needed = f"{(config.max_bytes or 0) / 1e9:.1f} GB"
            raise Misconfigured(
                f"the stream {config.name} needs {needed} of room on the server's disk; make room there"
            ) from error


async def _metadata(js: JetStreamContext, name: str) -> dict[str, Any] | None:
    with answering(f"the stream {name} did not answer"):
        try:
            info = await js.stream_info(name)
        except NotFoundError:
            return None
    return dict(info.config.metadata or {})
