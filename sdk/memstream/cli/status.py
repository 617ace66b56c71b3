"""`status`: what runs, what waits, and how far everything has come."""

from contextlib import suppress
from datetime import datetime
from typing import Any

import typer
from rich.console import Console

from memstream.cli.admin import ask_service
from memstream.cli.locks import SERVER, is_held
from memstream.cli.root import version
from memstream.cli.services import SERVICES
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import age, counted, memories, size
from shared.domain.moments import moment
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Client, operator_connection, server_url
from shared.runtime.topology import FULL_REJECTED_BYTES, MEMORY, REJECTED, SEND

_ASK_TIMEOUT_S = 2.0
_ALL_SPACES = "*"


def status(ctx: typer.Context) -> None:
    """Show the server, the streams, what waits to be decided, learned or embedded, and how far the projections are."""
    session = session_of(ctx)
    document = run(_status(session))
    session.show(document, lambda console: _print(console, document))


async def _status(session: CliSession) -> dict[str, Any]:
    async with operator_connection(session.settings) as client:
        streams = {name: await _stream(client, name) for name in (MEMORY, SEND, REJECTED)}
        end = streams[MEMORY]["last_position"]
        workers = (await _of_service(client, "retriever") or {}).get("workers", [])
        services: dict[str, dict[str, Any]] = {name: {"runs_here": is_held(session.files, name)} for name in SERVICES}
        if workers:
            position = min(worker["position"] for worker in workers)
            each = [worker | {"lag": max(0, end - worker["position"])} for worker in workers]
            services["retriever"] |= {"position": position, "lag": end - position, "workers": each}
        return {
            "server": {
                "url": server_url(session.settings),
                "version": _server_version(client),
                "embedded": is_held(session.files, SERVER),
            },
            "streams": streams,
            "backlog": await _of_service(client, "ingest", "backlog"),
            "learning": await _of_service(client, "consolidator"),
            "embedding": _aged(await _of_service(client, "maintenance"), SystemClock().now()),
            "dead_letters": streams[REJECTED]["messages"],
            "dead_letters_full": streams[REJECTED]["bytes"] > FULL_REJECTED_BYTES,
            "dead_letters_lost": await _of_service(client, "ingest", "lost_letters"),
            "forgetting": await _of_service(client, "ingest"),
            "services": services,
            "versions": {"memstream": version()},
            "data_dir": str(session.files.root),
        }


def _server_version(client: Client) -> str:
    version = client.connected_server_version
    return f"{version.major}.{version.minor}.{version.patch}"


async def _stream(client: Client, name: str) -> dict[str, int]:
    state = (await client.jetstream().stream_info(name)).state
    return {"messages": state.messages, "bytes": state.bytes, "last_position": state.last_seq}


async def _of_service(client: Client, name: str, what: str = "status") -> dict[str, Any] | None:
    """The status that a service gives of its work, or another of its counts; None if it does not answer."""
    with suppress(Exception):
        return await ask_service(client, name, what, timeout_s=_ASK_TIMEOUT_S)
    return None


def _aged(embedding: dict[str, Any] | None, now: datetime) -> dict[str, Any] | None:
    """The status of embedding with `oldest_age_s`, the age of the oldest waiting memory, for its moment `oldest`."""
    if embedding is None:
        return None
    oldest = embedding.pop("oldest")
    return embedding | {"oldest_age_s": None if oldest is None else max(0.0, (now - moment(oldest)).total_seconds())}


def _print(console: Console, document: dict[str, Any]) -> None:
    server = document["server"]
    console.print(f"server        {server['url']} (nats-server {server['version']})")
    console.print(f"data          {document['data_dir']}")
    for name, stream in document["streams"].items():
        console.print(
            f"{name:13} {counted(stream['messages'], 'message')}, {size(stream['bytes'])}, last {stream['last_position']}"
        )
    for name, service in document["services"].items():
        lag = f", at {service['position']}, {service['lag']} behind" if "lag" in service else ""
        console.print(f"{name:13} {'runs' if service['runs_here'] or lag else '[yellow]stopped[/]'}{lag}")
        for worker in service.get("workers", ()):
            console.print(f"  {_worker(worker)}")
    console.print(f"backlog       {_backlog(document['backlog'])}")
    console.print(f"learning      {_learning(document['learning'])}")
    console.print(f"embedding     {_embedding(document['embedding'])}")
    console.print(f"forgetting    {_forgetting(document['forgetting'])}")
    console.print(f"rejected      {_letters(document)}")


def _backlog(backlog: dict[str, int] | None) -> str:
    if backlog is None:
        return "[yellow]unknown: ingest has not told yet how much of SEND is not decided[/]"
    return f"{counted(sum(backlog.values()), 'command')} in {counted(len(backlog), 'lane')}"


def _worker(worker: dict[str, Any]) -> str:
    first, last = worker["slots"]
    stands_in = ", [yellow]stands in for a worker that is not there[/]" if worker["stands_in"] else ""
    return f"slots {first} to {last}: process {worker['pid']}, {worker['memory_mb']} MB, {worker['lag']} behind{stands_in}"


def _forgetting(forgetting: dict[str, Any] | None) -> str:
    if forgetting is None:
        return "[yellow]ingest does not answer[/]"
    erasing, waiting = forgetting["erasing"], forgetting.get("waiting", 0)
    told = [f"what {counted(erasing, 'person', 'people')} had forgotten is being erased"] if erasing else []
    told += [f"what {counted(waiting, 'person', 'people')} had forgotten in chat can be taken back still"] if waiting else []
    return "; ".join(told) or "nothing waits to be erased"


def _letters(document: dict[str, Any]) -> str:
    """How many dead letters there are, and whether some were lost for want of room."""
    letters, lost = document["dead_letters"], document["dead_letters_lost"] or {}
    said = f"[yellow]{letters}[/]" if letters else "none"
    if document["dead_letters_full"]:
        said += "; [yellow]there is no room for more: the oldest go[/]"
    for bot, count in lost.items():
        who = "bots of all spaces" if bot == _ALL_SPACES else f"the bot {bot}"
        said += f"; [yellow]{count} of {who} not kept, as the share is used up[/]"
    return said


def _learning(learning: dict[str, Any] | None) -> str:
    if learning is None:
        return "[yellow]the consolidator does not answer[/]"
    failed = f", [yellow]{learning['failed']} of them failed before[/]" if learning["failed"] else ""
    waiting = f"{_waiting(counted(learning['pending'], 'session'))}{failed}"
    return f"{waiting}{_set_aside(learning)}{_trouble(learning)}{_tokens(learning)}"


def _set_aside(learning: dict[str, Any]) -> str:
    """How many sessions are set aside and why, and how to try them again."""
    if not learning["set_aside"]:
        return ""
    codes = ", ".join(f"{code} ({count})" for code, count in sorted(learning["set_aside_for"].items()))
    told = f"{counted(learning['set_aside'], 'session')} set aside after too many failures: {codes}"
    return f"; [yellow]{told}[/] - try again with `memstream sessions retry`"


def _tokens(learning: dict[str, Any]) -> str:
    """The tokens of today, where a model learns or a budget is set."""
    today, budget = learning["tokens_today"], learning["tokens_per_day"]
    if not today and budget is None:
        return ""
    of_budget = "" if budget is None else f" of {budget:,}"
    waits = "; [yellow]the budget is spent: learning waits until midnight, UTC[/]" if budget and today >= budget else ""
    return f"; {today:,}{of_budget} tokens today{waits}"


def _embedding(embedding: dict[str, Any] | None) -> str:
    if embedding is None:
        return "[yellow]maintenance does not answer[/]"
    if embedding["model"] is None:
        return "switched off"
    oldest = "" if embedding["oldest_age_s"] is None else f", the oldest for {age(embedding['oldest_age_s'])}"
    aside = f", [yellow]{embedding['set_aside']} are refused by the model[/]" if embedding["set_aside"] else ""
    waiting = f"{_waiting(memories(embedding['backlog']))}{oldest} ({embedding['model']})"
    return f"{waiting}{_progress(embedding)}{aside}{_trouble(embedding)}"


def _progress(embedding: dict[str, Any]) -> str:
    """While something waits: how much is done, how fast it goes, and how long it will take."""
    if not embedding["backlog"]:
        return ""
    why = "; embedding anew" if embedding["is_switching"] else ""
    left = "" if not embedding["left_s"] else f", {embedding['per_s']:g}/s, {age(embedding['left_s'])} left"
    return f"{why}: {embedding['done']:,} of {embedding['total']:,} done{left}"


def _waiting(what: str) -> str:
    return f"{what} {'waits' if what.startswith('1 ') else 'wait'}"


def _trouble(work: dict[str, Any]) -> str:
    return f"; [yellow]{counted(work['failures'], 'failure')} in a row: {work['last_error']}[/]" if work["failures"] else ""
