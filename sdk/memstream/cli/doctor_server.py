"""What `doctor` asks of a server that its owner runs, or of each server of a cluster."""

from collections.abc import Callable, Mapping

from memstream.cli.session import CliSession, run
from memstream.cli.text import counted
from shared.contracts.addresses import addresses
from shared.contracts.errors import Misconfigured
from shared.runtime.clock import SystemClock
from shared.runtime.connection import operator_connection
from shared.runtime.embedded.accounts import MAX_SERVER_PAYLOAD_BYTES
from shared.runtime.server_state import ServerState, refused_users, server_states, unable_to_write, wrong_permissions
from shared.runtime.topology import STREAMS, Replicas, replicas_of

_MOST_APART_S = 2.0
_OWN = "memstream's own server, which memstream sets up at every start"


def _asked(session: CliSession) -> list[ServerState]:
    return run(server_states(session.settings, SystemClock()))


def replicas(session: CliSession) -> str:
    """On how many servers each stream lies, and whether all of them are there."""

    async def ask() -> dict[str, Replicas]:
        async with operator_connection(session.settings) as client:
            return {stream: await replicas_of(client, stream) for stream in STREAMS}

    return replicas_found(run(ask()), servers=len(addresses(session.settings.nats_url or "")))


def replicas_found(found: Mapping[str, Replicas], *, servers: int) -> str:
    """What there is to say of the servers that have a stream. Raises Misconfigured where one is away, or one could be lost."""
    for stream, where in found.items():
        if where.away:
            raise Misconfigured(f"of {stream} the servers {', '.join(where.away)} are away; what they miss they get when back")
        if servers > 1 and len(where.names) < min(servers, 3):
            raise Misconfigured(
                f"{stream} lies on {counted(max(len(where.names), 1), 'server')} of {servers}; run:"
                " MEMSTREAM_STREAMS_REPLICAS=3 memstream init"
            )
    fewest = min(len(where.names) for where in found.values())
    return "one server has every stream" if fewest <= 1 else f"each stream lies on {fewest} servers, and all are there"


def accounts(session: CliSession) -> str:
    """Whether the server lets every user in."""
    if not session.settings.nats_url:
        return _OWN
    if refused := run(refused_users(session.settings)):
        raise Misconfigured(f"the server lets {', '.join(refused)} not in; make its accounts anew with `memstream nats-conf`")
    return "every service, bot and reader is let in"


def permissions(session: CliSession) -> str:
    """Whether services may do what they must, and nobody else appends to the log."""
    if not session.settings.nats_url:
        return _OWN
    if wrong := run(wrong_permissions(session.settings)):
        raise Misconfigured(f"{'; '.join(wrong)}; make the accounts anew with `memstream nats-conf`")
    return "services may do what they must, and only ingest may append to the log"


def payload(session: CliSession) -> str:
    """Whether the largest message fits."""
    small = [state.name for state in _asked(session) if state.max_payload < MAX_SERVER_PAYLOAD_BYTES]
    if small:
        raise Misconfigured(f"{', '.join(small)}: set max_payload: {MAX_SERVER_PAYLOAD_BYTES}")
    return f"messages of {MAX_SERVER_PAYLOAD_BYTES} bytes fit"


def clocks(session: CliSession) -> str:
    """Whether the clocks of the servers and of this machine agree: jobs, grace times and receipts rely on it."""
    return clocks_found(_asked(session))


def clocks_found(states: list[ServerState]) -> str:
    """What there is to say of the servers' clocks. Raises Misconfigured where they are too far from this machine's."""
    worst = max(states, key=lambda state: abs(state.clock_ahead_s))
    where = "ahead of" if worst.clock_ahead_s > 0 else "behind"
    told = f"the clock of {worst.name} is {abs(worst.clock_ahead_s):.1f} s {where} this machine's"
    if abs(worst.clock_ahead_s) > _MOST_APART_S:
        raise Misconfigured(f"{told}; let NTP set both clocks")
    return f"{counted(len(states), 'server')}: at most {abs(worst.clock_ahead_s):.1f} s from this machine's"


def synced(session: CliSession) -> str:
    """Whether the server says that every write is on disk before it is acknowledged."""
    states = _asked(session)
    if lazy := [state.name for state in states if not state.syncs_always]:
        raise Misconfigured(f"{', '.join(lazy)}: set sync_interval: always in the jetstream block, or a power cut loses writes")
    return f"{counted(len(states), 'server')}: every write is on disk before it is acknowledged"


def writing(session: CliSession) -> str:
    """Whether every server can still store what comes."""
    for name, why in run(unable_to_write(session.settings)).items():
        raise Misconfigured(f"{name} stores nothing more ({why}); make room on its disk, and start nats-server again")
    return "every server stores what comes"


CHECKS: dict[str, Callable[[CliSession], str]] = {
    "replicas": replicas,
    "accounts": accounts,
    "permissions": permissions,
    "payload": payload,
    "clocks": clocks,
    "server writes": writing,
}
