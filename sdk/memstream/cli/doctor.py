"""`doctor`: is this machine fit, and is the data folder whole? Each check says what to do."""

import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from memstream.cli import doctor_server
from memstream.cli.admin import ask_once
from memstream.cli.known_settings import every_settings, unknown_settings
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import counted
from shared.contracts.errors import MemstreamError, Misconfigured, NotInitialised, Unavailable, outcome_of
from shared.runtime.chat_models.factory import make_chat_model
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.connection import operator_connection, server_url
from shared.runtime.credentials import load_credentials
from shared.runtime.embedded.server import find_binary
from shared.runtime.embedders.factory import EmbedderSettings, make_query_embedder
from shared.runtime.job_queue import Schedules
from shared.runtime.keys import load_keys
from shared.runtime.ner.factory import NerSettings, told_of
from shared.runtime.private_files import open_to_others
from shared.runtime.sqlite import has_vec0, open_database
from shared.runtime.topology import check_streams

_OLDEST, _TOO_NEW = (3, 11), (3, 15)
_PRIVATE = 0o600
_ASK_TIMEOUT_S = 5.0
_GB = 1_000_000_000
_LEAST_ROOM = _GB // 2
_ANSWER = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class CheckUp:
    """The result of one check of the machine or the data folder."""

    name: str
    ok: bool
    detail: str


def doctor(ctx: typer.Context) -> None:
    """Check the machine and the data folder. Exit code 7 if something is wrong."""
    session = session_of(ctx)
    checks = [_checked(name, check, session) for name, check in _CHECKS.items()]
    document = {"ok": all(check.ok for check in checks), "checks": [asdict(check) for check in checks]}
    session.show(document, lambda console: _print(console, checks))
    if not document["ok"]:
        raise typer.Exit(outcome_of(NotInitialised()).exit_code)


def _checked(name: str, check: Callable[[CliSession], str], session: CliSession) -> CheckUp:
    try:
        return CheckUp(name, ok=True, detail=check(session))
    except MemstreamError as error:
        return CheckUp(name, ok=False, detail=error.message)
    except Exception as error:  # noqa: BLE001 - whatever breaks a check is its finding
        return CheckUp(name, ok=False, detail=f"{type(error).__name__}: {error}")


def _python(_: CliSession) -> str:
    if not _OLDEST <= sys.version_info[:2] < _TOO_NEW:
        raise Misconfigured(f"Python {platform.python_version()}; use 3.11 to 3.14")
    return f"{platform.python_version()} on {platform.system()} {platform.machine()}"


def _settings(_: CliSession) -> str:
    for settings in every_settings():
        settings()
    if unknown := unknown_settings():
        raise Misconfigured("; ".join(unknown))
    return "all that are set are known and allowed"


_NO_VECTORS = "without sqlite-vec: vectors are compared one by one, which takes longer from 10,000 memories on"


def _full_text_search(_: CliSession) -> str:
    with tempfile.TemporaryDirectory() as folder, open_database(Path(folder) / "fts.db").begin() as db:
        db.exec_driver_sql("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter')")
        vectors = "with sqlite-vec" if has_vec0() else _NO_VECTORS
        return f"SQLite {db.exec_driver_sql('SELECT sqlite_version()').scalar()} with FTS5, {vectors}"


def _server_program(_: CliSession) -> str:
    return str(find_binary())


def _keys(session: CliSession) -> str:
    return f"{_require_private(session.files.keys)}, fingerprint {load_keys(session.files.keys).fingerprint}"


def _credentials(session: CliSession) -> str:
    bots = load_credentials(session.files.credentials).bots
    return f"{_require_private(session.files.credentials)}, bots: {', '.join(bots)}"


def _server(session: CliSession) -> str:
    async def reach() -> None:
        async with operator_connection(session.settings):
            pass

    run(reach())
    return server_url(session.settings)


def _streams(session: CliSession) -> str:
    keys = load_keys(session.files.keys)

    async def check() -> None:
        async with operator_connection(session.settings) as client:
            await check_streams(client, keys)

    run(check())
    return "exist, and belong to these keys"


def _sync(session: CliSession) -> str:
    if session.settings.nats_url:
        return doctor_server.synced(session)
    if not session.files.nats_conf.exists():
        raise Misconfigured("the server was never started; start it with `memstream up`")
    if "sync_interval: always" not in session.files.nats_conf.read_text(encoding="utf-8"):
        raise Misconfigured("nats.conf was changed: an acknowledged write could be lost with the power; restart memstream")
    return "every write is on disk before it is acknowledged (asked of the server at every start)"


def _schedules(session: CliSession) -> str:
    async def ask() -> bool:
        async with operator_connection(session.settings) as client:
            return await Schedules(client).can_be_followed()

    if run(ask()):
        return "the server tells maintenance when a job is due"
    return "this server is too old to follow schedules (2.14 or later can): maintenance goes by a timer of its own"


def _names(_: CliSession) -> str:
    return told_of(NerSettings(), has_model=LlmSettings().model is not None)


def _embedder(session: CliSession) -> str:
    models = session.files.models if session.files.root.exists() else None
    embedder = make_query_embedder(EmbedderSettings(), models=models)
    if embedder is None:
        return "switched off: memories are found by their words alone"
    _reach(embedder.embed(["Are you there?"]), "MEMSTREAM_EMBEDDER")
    return f"{embedder.model.id} makes vectors"


def _model(_: CliSession) -> str:
    settings = LlmSettings()
    if settings.model is None:
        return "none is named: rules learn"
    model = make_chat_model(settings.model_copy(update={"max_retries": 0}))
    _reach(model.ask("Answer in JSON.", '{"turns": []}', name="answer", schema=_ANSWER), "MEMSTREAM_LLM")
    return f"{settings.model} answers"


def _reach(work: Coroutine[Any, Any, object], settings: str) -> None:
    """Ask an endpoint. Raises Misconfigured where it does not answer, or refuses."""
    try:
        run(work)
    except (Misconfigured, Unavailable) as error:
        what = error.message.partition(";")[0].rstrip(".")
        told = f"{what}; start what answers there, or mend {settings}_BASE_URL, _MODEL or _API_KEY"
        raise Misconfigured(told) from error


def _workers(session: CliSession) -> str:
    told = run(ask_once(session.settings, "retriever", "status", timeout_s=_ASK_TIMEOUT_S))
    return workers_found(told["workers"])


def workers_found(workers: Sequence[Mapping[str, Any]]) -> str:
    """What there is to say of the retriever's workers. Raises Misconfigured where others stand in for some of them."""
    if missing := [each["slots"] for each in workers if each["stands_in"]]:
        which = ", ".join(f"{first} to {last}" for first, last in missing)
        told = f"{len(missing)} of {counted(len(workers), 'worker')} {'is' if len(missing) == 1 else 'are'} not there"
        raise Misconfigured(f"{told}, and another process answers for the slots {which}; the log says why (worker.died)")
    return f"{counted(len(workers), 'process', 'processes')}, {sum(each['memory_mb'] for each in workers)} MB"


def _private_files(session: CliSession) -> str:
    if not session.files.root.exists():
        raise NotInitialised
    root = session.files.root
    if found := list(open_to_others(root)):
        raise Misconfigured(f"others may look into {counted(len(found), 'place')}, as {found[0]}; run: chmod -R go-rwx {root}")
    return "folders and files are their owner's only"


def _room(session: CliSession) -> str:
    return room_found(shutil.disk_usage(session.files.root).free, at=session.files.root)


def room_found(free_bytes: int, *, at: Path) -> str:
    """What there is to say of the room on a disk. Raises Misconfigured where it will soon be full."""
    told = f"{free_bytes / _GB:.1f} GB are free where {at} lies"
    if free_bytes < _LEAST_ROOM:
        raise Misconfigured(f"{told}; make room: a full disk stops what is sent and learned, and loses nothing")
    return told


def _require_private(path: Path) -> str:
    if not path.exists():
        raise NotInitialised
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode != _PRIVATE:
        raise Misconfigured(f"{path} has mode {mode:o}; run: chmod 600 {path}")
    return "readable by its owner only"


_CHECKS: dict[str, Callable[[CliSession], str]] = {
    "python": _python,
    "settings": _settings,
    "full-text search": _full_text_search,
    "nats-server": _server_program,
    "keys.toml": _keys,
    "credentials.toml": _credentials,
    "private files": _private_files,
    "room": _room,
    "server runs": _server,
    "streams": _streams,
    "schedules": _schedules,
    "embedder": _embedder,
    "model": _model,
    "names": _names,
    "workers": _workers,
    "synced writes": _sync,
    **doctor_server.CHECKS,
}


def _print(console: Console, checks: list[CheckUp]) -> None:
    for check in checks:
        console.print(f"{'[green]ok  [/]' if check.ok else '[red]FAIL[/]'} {check.name:17} {check.detail}")
