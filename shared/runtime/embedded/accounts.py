"""Who may do what on the server: the one permission table, and the configuration made from it.

MEMORY holds the streams and the services. BOTS imports `send.>` and `ask.>` and nothing else: within one
account a bot could forge log events through the reply subject of a request, whatever its deny list. LIMITED is for bots that
are limited to spaces. What they send goes to ingest's gate instead of into the stream: by a header of a publish the server
tells about any subject of the stream, so a bot could watch who does what in spaces that it may not reach. What they ask comes
on subjects of its own, so that the services know to whom they must not tell how long the log is. READERS stands for one account
for each service of others that reads the events of some spaces: it imports the requests for them, and what is told live. In one
account a reader could, by a reply subject, have an answer come where another hears live events. GATEWAY is for the HTTP gateway
alone, which stands towards strangers: it may do what such a bot and such a reader may, in all spaces, and no more.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.contracts.ids import Space
from shared.contracts.subjects import GATE, INGEST_PART, NOBODY, PART, encode_token, inbox_prefix
from shared.runtime.credentials import Credentials
from shared.runtime.embedded.settings import ALONE, ServerSettings

MAX_SERVER_PAYLOAD_BYTES = 2_097_152
"""Twice the largest command: a command that is refused for its size must fit into REJECTED with its reason."""


BOTS = "BOTS"
LIMITED = "LIMITED"
READERS = "READERS"
GATEWAY = "GATEWAY"
_THROUGH_THE_GATE = (f"{GATE}.send.>", f"{GATE}.ask.>")
_MEASURED = tuple(f"admin.{service}.measured" for service in ("ingest", "retriever", "maintenance", "consolidator", "feed"))
_REPORTS = ("admin.maintenance.jobs", "admin.maintenance.job_runs", *_MEASURED)
"""What the gateway may ask for an operator: none of it holds anybody's text."""
_TO = {
    BOTS: ("send.>", "ask.>"),
    LIMITED: _THROUGH_THE_GATE,
    READERS: ("read.>",),
    GATEWAY: (*_THROUGH_THE_GATE, "read.>", *_REPORTS),
}
"""What accounts import from MEMORY to publish there, each under the subject without `gate`."""
_LIVE = "events.>"
"""What those who read import to subscribe to."""
_LISTENERS = (READERS, GATEWAY)
_OF_READER = "READER_"
_SHARED = (f"{GATE}.send", "read.")
"""Where the server tells who sends: for the gate, and so that readers of one space wait only for themselves."""
_GATEWAY_USER = "gateway"
_CLUSTER = "memstream"
_ROUTE = "route"


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a user may publish and subscribe to, beyond the inbox that each has for itself."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...] = ()
    may_reply: bool = False


def _reading(stream: str) -> tuple[str, ...]:
    return (
        f"$JS.API.STREAM.INFO.{stream}",
        f"$JS.API.CONSUMER.CREATE.{stream}.>",
        f"$JS.API.CONSUMER.INFO.{stream}.>",
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.>",
        f"$JS.API.CONSUMER.DELETE.{stream}.>",
        f"$JS.API.STREAM.MSG.GET.{stream}",
        f"$JS.API.DIRECT.GET.{stream}",
        f"$JS.API.DIRECT.GET.{stream}.>",
    )


def _service(*publish: str, answers: tuple[str, ...]) -> Permissions:
    """The permissions of a service: reading the log, looking at SEND, publishing, and answering requests."""
    return Permissions((*publish, "$JS.API.STREAM.INFO.SEND", *_reading("MEMORY")), answers, may_reply=True)


_OF_MAINTENANCE = (
    *("attach_embedding", "attach_entities", "sweep_sessions", "retire_memories"),
    *("save_reflection", "save_rollup", "erase_rolled_up"),
)

SERVICES: dict[str, Permissions] = {
    "ingest": Permissions(
        publish=(
            "memory.>",
            "rejected.>",
            "send.*.*.*",
            f"{INGEST_PART}.>",
            *_reading("MEMORY"),
            *_reading("SEND"),
            "$JS.API.STREAM.PURGE.SEND",
            *_reading("REJECTED"),
            *(f"$JS.API.STREAM.MSG.DELETE.{stream}" for stream in ("MEMORY", "SEND", "REJECTED")),
        ),
        subscribe=(
            f"{GATE}.send.*.*.*",
            *(f"{asked}.*.*.{query}" for asked in ("ask", f"{GATE}.ask") for query in ("outcome", "forget_preview", "receipt")),
            f"{INGEST_PART}.>",
            "admin.ingest.>",
        ),
        may_reply=True,
    ),
    "retriever": _service(
        *("work.*.*.record_recall", "ask.*.*.outcome", f"{PART}.>", "admin.retriever.part.>"),
        answers=("ask.*.*.*", f"{GATE}.ask.*.*.*", f"{PART}.>", "admin.retriever.>"),
    ),
    "consolidator": _service(
        *(f"work.*.*.{command}" for command in ("save_facts", "fail_consolidation", "retry_consolidation")),
        *(*(f"ask.*.*.{query}" for query in ("search", "list", "outcome")), "admin.ingest.preview"),
        answers=("admin.consolidator.>",),
    ),
    "maintenance": _service(
        *(f"work.*.*.{command}" for command in _OF_MAINTENANCE),
        f"work.{NOBODY}.{NOBODY}.finish_job",
        *("ask.*.*.similar", "admin.consolidator.retry_by_itself"),
        *("schedule.*", "job.*", "$JS.ACK.SCHEDULES.>", "$JS.API.STREAM.MSG.DELETE.SCHEDULES", *_reading("SCHEDULES")),
        answers=("admin.maintenance.>",),
    ),
    "feed": _service(_LIVE, answers=("read.*.events", "admin.feed.>")),
    "operator": Permissions(
        publish=("$JS.API.>", "$JS.SNAPSHOT.>", "admin.>", "send.>", "work.*.*.forget_again", "ask.>", "job.*"), subscribe=()
    ),
}
"""Users of the MEMORY account. `operator` is the command line: it makes streams, reads, and backs up; it too cannot append to
the log."""


def bot_permissions(spaces: tuple[Space, ...] = ()) -> Permissions:
    """The permissions of a bot: it may send and ask, in these spaces or, without any, in all."""
    tokens = tuple(encode_token(space) for space in spaces) or ("*",)
    return Permissions(publish=tuple(f"{verb}.{token}.*.*" for verb in ("send", "ask") for token in tokens))


def reader_permissions(spaces: tuple[Space, ...]) -> Permissions:
    """The permissions of a reader: it may request the events of these spaces, and hear them."""
    tokens = [encode_token(space) for space in spaces]
    return Permissions(
        publish=tuple(f"read.{token}.events" for token in tokens), subscribe=tuple(f"events.{token}.>" for token in tokens)
    )


def gateway_permissions() -> Permissions:
    """The permissions of the gateway: those of a bot and a reader, in all spaces, through the gate."""
    publish = ("send.*.*.*", "ask.*.*.*", "read.*.events", *_REPORTS)
    return Permissions(publish=publish, subscribe=("events.*.*.*",))


def render_config(*, credentials: Credentials, listen: str, store: Path, log_file: Path, server: ServerSettings = ALONE) -> str:
    """The configuration file of memstream's own server. JSON strings are valid values in it."""
    return f"""# Written by memstream at every start; edits are lost.
log_file: {_text(log_file)}
logfile_size_limit: 1MB
logfile_max_num: 3
{_server(credentials, listen, store, server)}"""


def render_own_config(*, credentials: Credentials, listen: str, store: Path, server: ServerSettings = ALONE) -> str:
    """The configuration file of a server that is run by its owner, with all that memstream relies on."""
    return f"""# Made by `memstream nats-conf`. It holds all passwords: nobody else may read it.
# The inbox of each user follows from its password: edit neither, but make the file anew after a change of bots, and reload.
{_server(credentials, listen, store, server)}"""


def _server(credentials: Credentials, listen: str, store: Path, server: ServerSettings) -> str:
    return f"""server_name: {json.dumps(server.name or _CLUSTER)}
listen: {json.dumps(listen)}
max_payload: {MAX_SERVER_PAYLOAD_BYTES}
jetstream {{
  store_dir: {_text(store)}
  sync_interval: {server.sync_interval}  # the default of two minutes would lose acknowledged writes with the power
}}
{_cluster(credentials, server)}system_account: SYS
accounts {{
{render_accounts(credentials)}}}
"""


def _cluster(credentials: Credentials, server: ServerSettings) -> str:
    """The cluster to which a server belongs. Clients are told none of its addresses: they know those that reach it."""
    if not server.route_addresses:
        return ""
    password = credentials.of_service(_ROUTE)
    routes = ", ".join(json.dumps(f"nats://{_ROUTE}:{password}@{each}") for each in server.route_addresses)
    return f"""ping_interval: "2s"  # a machine without power says nothing: after six seconds its clients and routes are gone
ping_max: 2
server_tags: {json.dumps(server.tag_list)}
cluster {{
  name: "{_CLUSTER}"
  listen: {json.dumps(server.cluster_listen)}
  no_advertise: true
  authorization {{ user: "{_ROUTE}", password: {json.dumps(password)} }}
  routes: [ {routes} ]
}}
"""


def render_accounts(credentials: Credentials) -> str:
    """The accounts alone, as they stand in `accounts { }`."""
    memory_users = [_user(name, credentials.of_service(name), permissions) for name, permissions in SERVICES.items()]
    users: dict[str, list[str]] = {account: [] for account in _TO if account != READERS}
    users[GATEWAY] = [_user(_GATEWAY_USER, credentials.of_service(_GATEWAY_USER), gateway_permissions())]
    for name, bot in credentials.bots.items():
        users[account_of(bot.spaces)].append(_user(name, bot.password, bot_permissions(bot.spaces)))
    for number, (name, reader) in enumerate(credentials.readers.items(), 1):
        users[f"{_OF_READER}{number}"] = [_user(name, reader.password, reader_permissions(reader.spaces))]
    # One to spare: what an account imports is only there from the reload after the one that makes the account.
    users[f"{_OF_READER}{len(credentials.readers) + 1}"] = []
    return f"""  SYS {{ users: [ {{ user: "system", password: {json.dumps(credentials.services["system"])} }} ] }}
  MEMORY {{
    jetstream: enabled
    exports: [ {_exports(list(users))} ]
    users: [
{_lines(memory_users)}
    ]
  }}
{"".join(map(_account, users, users.values()))}"""


def account_of(spaces: tuple[Space, ...]) -> str:
    """The account of a bot that is limited to these spaces or, without any, may use all."""
    return LIMITED if spaces else BOTS


def _kind(account: str) -> str:
    """Return the key of an account in the table of imports."""
    return READERS if account.startswith(_OF_READER) else account


def _exports(accounts: Sequence[str]) -> str:
    """What MEMORY lets these accounts import."""
    to = {each: ", ".join(a for a in accounts if each in _TO[_kind(a)]) for some in _TO.values() for each in some}
    services = [f'{{ service: "{subject}", accounts: [{to[subject]}] }}' for subject in to]
    listeners = ", ".join(account for account in accounts if _kind(account) in _LISTENERS)
    return ", ".join([*services, f'{{ stream: "{_LIVE}", accounts: [{listeners}] }}'])


def _account(name: str, users: list[str]) -> str:
    """An account other than MEMORY, with what it imports."""
    imports = [
        f'{{ service: {{ account: MEMORY, subject: "{subject}" }}, to: "{subject.removeprefix(f"{GATE}.")}"'
        f"{', share: true' if subject.startswith(_SHARED) else ''} }}"
        for subject in _TO[_kind(name)]
    ]
    if _kind(name) in _LISTENERS:
        imports.append(f'{{ stream: {{ account: MEMORY, subject: "{_LIVE}" }} }}')
    return f"""  {name} {{
    imports: [ {", ".join(imports)} ]
    users: [
{_lines(users)}
    ]
  }}
"""


def _user(name: str, password: str, permissions: Permissions) -> str:
    subscribe = [f"{inbox_prefix(name, password)}.>", *permissions.subscribe]
    reply = ', allow_responses: { max: 1, expires: "2m" }' if permissions.may_reply else ""
    return (
        f"      {{ user: {json.dumps(name)}, password: {json.dumps(password)}, permissions: {{ "
        f"publish: {{ allow: {json.dumps(list(permissions.publish))} }}, "
        f"subscribe: {{ allow: {json.dumps(subscribe)} }}{reply} }} }}"
    )


def _lines(users: list[str]) -> str:
    return "\n".join(users)


def _text(path: Path) -> str:
    return json.dumps(str(path), ensure_ascii=False)
