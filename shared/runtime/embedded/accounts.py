"""Who may do what on the server: the one permission table, and the configuration made from it.

Two accounts. MEMORY holds the streams and the services. BOTS imports `send.>` and `ask.>` and nothing else: within one
account a bot could forge log events through the reply subject of a request, whatever its deny list.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shared.contracts.ids import Space
from shared.contracts.subjects import encode_token
from shared.runtime.credentials import Credentials

MAX_SERVER_PAYLOAD_BYTES = 2_097_152
"""Twice the largest command: a command that is refused for its size must fit into REJECTED with its reason."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a user may publish and subscribe to, beyond the inbox `_INBOX.<user>.>` that each has for itself."""

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


SERVICES: dict[str, Permissions] = {
    "ingest": Permissions(
        publish=(
            "memory.>",
            "rejected.>",
            *_reading("MEMORY"),
            *_reading("SEND"),
            "$JS.API.STREAM.PURGE.SEND",
            *_reading("REJECTED"),
            *(f"$JS.API.STREAM.MSG.DELETE.{stream}" for stream in ("MEMORY", "SEND", "REJECTED")),
        ),
        subscribe=("ask.*.*.outcome", "ask.*.*.forget_preview", "ask.*.*.receipt", "admin.ingest.>"),
        may_reply=True,
    ),
    "retriever": _service("work.*.*.record_recall", "ask.*.*.outcome", answers=("ask.*.*.*", "admin.retriever.>")),
    "consolidator": _service(
        *(f"work.*.*.{command}" for command in ("save_facts", "fail_consolidation", "retry_consolidation")),
        *(f"ask.*.*.{query}" for query in ("search", "list")),
        answers=("admin.consolidator.>",),
    ),
    "maintenance": _service(
        *(f"work.*.*.{command}" for command in ("attach_embedding", "attach_entities", "sweep_sessions")),
        "ask.*.*.similar",
        answers=("admin.maintenance.>",),
    ),
    "operator": Permissions(publish=("$JS.API.>", "admin.>", "send.>", "ask.>"), subscribe=()),
}
"""Users of the MEMORY account. `operator` is the command line: it makes streams and reads; it too cannot append to the log."""


def bot_permissions(spaces: tuple[Space, ...] = ()) -> Permissions:
    """The permissions of a bot: it may send and ask, in these spaces or, without any, in all."""
    tokens = tuple(encode_token(space) for space in spaces) or ("*",)
    return Permissions(publish=tuple(f"{verb}.{token}.*.*" for verb in ("send", "ask") for token in tokens))


def render_config(*, credentials: Credentials, listen: str, store: Path, log_file: Path) -> str:
    """The server's configuration file. JSON strings are valid values in it."""
    memory_users = [_user(name, credentials.services[name], permissions) for name, permissions in SERVICES.items()]
    bot_users = [_user(name, bot.password, bot_permissions(bot.spaces)) for name, bot in credentials.bots.items()]
    exports = ", ".join(f'{{ service: "{verb}.>", accounts: [BOTS] }}' for verb in ("send", "ask"))
    imports = ", ".join(f'{{ service: {{ account: MEMORY, subject: "{verb}.>" }} }}' for verb in ("send", "ask"))
    return f"""# Written by memstream at every start; edits are lost.
server_name: "memstream"
listen: {json.dumps(listen)}
max_payload: {MAX_SERVER_PAYLOAD_BYTES}
log_file: {json.dumps(str(log_file), ensure_ascii=False)}
logfile_size_limit: 1MB
logfile_max_num: 3
jetstream {{
  store_dir: {json.dumps(str(store), ensure_ascii=False)}
  sync_interval: always  # the default of two minutes would lose acknowledged writes with the power
}}
system_account: SYS
accounts {{
  SYS {{ users: [ {{ user: "system", password: {json.dumps(credentials.services["system"])} }} ] }}
  MEMORY {{
    jetstream: enabled
    exports: [ {exports} ]
    users: [
{_lines(memory_users)}
    ]
  }}
  BOTS {{
    imports: [ {imports} ]
    users: [
{_lines(bot_users)}
    ]
  }}
}}
"""


def permission_table(bots: Mapping[str, tuple[Space, ...]]) -> list[tuple[str, str, Permissions]]:
    """Account, name and permissions of every user, for documentation and tests."""
    services = [("MEMORY", name, permissions) for name, permissions in SERVICES.items()]
    return services + [("BOTS", name, bot_permissions(spaces)) for name, spaces in bots.items()]


def _user(name: str, password: str, permissions: Permissions) -> str:
    subscribe = [f"_INBOX.{name}.>", *permissions.subscribe]
    reply = ', allow_responses: { max: 1, expires: "2m" }' if permissions.may_reply else ""
    return (
        f"      {{ user: {json.dumps(name)}, password: {json.dumps(password)}, permissions: {{ "
        f"publish: {{ allow: {json.dumps(list(permissions.publish))} }}, "
        f"subscribe: {{ allow: {json.dumps(subscribe)} }}{reply} }} }}"
    )


def _lines(users: list[str]) -> str:
    return "\n".join(users)
