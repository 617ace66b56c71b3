"""How fast imported conversations become durable events, how much memory that takes, and where the time goes."""

from __future__ import annotations

import pstats
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench._installation import A_PROCESS_EACH, IN_ONE_PROCESS, SPACE, Installation
from bench._machine import cpu_s, peak_mb
from bench._options import Findings, Options, run
from bench._result import amount
from bench._text import Writer
from memstream.cli.sending import ImportReport, import_all
from memstream.importers.turns import Owner
from shared.contracts.commands import ImportedTurn
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.parts import Role

_SESSION = 30
_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
_ONLY_INGEST = ("run server", "run ingest")
_INGEST = "run ingest"
_WAITING = "waiting for the server and for commands"
_AREAS = {
    "pydantic": "JSON and contracts (pydantic)",
    "json": "JSON and contracts (pydantic)",
    "sqlalchemy": "ingest.db (SQLite, SQLAlchemy)",
    "sqlite": "ingest.db (SQLite, SQLAlchemy)",
    "ingest/store/": "ingest.db (SQLite, SQLAlchemy)",
    "nats": "the connection (nats-py)",
    "eventlog": "the connection (nats-py)",
    "socket": "the connection (nats-py)",
    "asyncio": "the event loop",
    "poll": _WAITING,
    "entities.py": "finding entities",
    "re.Pattern": "finding entities",
    "blake2b": "ids and digests",
    "digests.py": "ids and digests",
    "hashlib": "ids and digests",
    "services/ingest": "deciding and folding (ingest's own code)",
}
"""The area of a profiled function: the first whose key is part of its path and name."""


async def measure(options: Options) -> Findings:
    """Import into empty installations, from this process, as `memstream import` does."""
    users, each = options.size(100, 3), options.size(1_000, 60)
    turns = _conversations(users, each)
    alone = [await _import(turns, options, _ONLY_INGEST) for _ in range(options.runs)]
    everything = [await _import(turns, options, A_PROCESS_EACH) for _ in range(options.runs)]
    in_one = [await _import(turns, options, IN_ONE_PROCESS) for _ in range(options.runs)]
    count = users * each
    return Findings(
        rows=[
            amount("durable, server and ingest alone", "turns/s", [one.rate for one in alone], samples=count, at_least=5_000),
            amount("durable, all services running", "turns/s", [one.rate for one in everything], samples=count, at_least=4_000),
            amount(
                "durable, all services in one process", "turns/s", [one.rate for one in in_one], samples=count, at_least=4_000
            ),
            amount("peak memory of ingest", "MB", [one.peak_mb for one in alone], samples=count),
            amount("peak memory of ingest, all services running", "MB", [one.peak_mb for one in everything], samples=count),
        ],
        shares={
            "Processor time, server and ingest alone: ms a turn": _mean([one.cpu_ms for one in alone]),
            "Processor time, all services in one process, until durable: ms a turn": _mean([one.cpu_ms for one in in_one]),
            "Where ingest's time goes, under a profiler that slows it down: s": await _profiled(turns, options),
        },
        notes=[
            f"{users} users of {each:,} turns of synthetic text, in messages of up to 500 turns; every write synced to disk.",
            "Durable means decided: the events are in the log. The time runs from the first message to the last outcome.",
            "With all services running the retriever follows, and maintenance embeds as fast as it can: they share the cores.",
        ],
    )


class _ImportRun:
    """The figures of one import: turns a second, peak memory of ingest, and processor time a turn by process."""

    def __init__(self, report: ImportReport, seconds: float, *, peak: float, cpu: dict[str, float]) -> None:
        assert not report.rejected_turns, report.codes
        self.rate = report.turns / seconds
        self.peak_mb = peak
        self.cpu_ms = {process: 1000 * spent / max(1, report.turns) for process, spent in cpu.items()}


async def _import(
    turns: dict[Owner, list[ImportedTurn]], options: Options, commands: Sequence[str], profile: Path | None = None
) -> _ImportRun:
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        before = {_INGEST: ("-m", "cProfile", "-o", str(profile))} if profile else {}
        installation = Installation(Path(folder), options.embedder, before=before)
        await installation.create()
        async with installation.running(commands), installation.bot() as bot:
            spent = {name: cpu_s(pid) for name, pid in installation.pids.items()}
            ours, began = time.process_time(), time.perf_counter()
            report = await import_all(bot, turns, lambda _: None)
            seconds = time.perf_counter() - began
            cpu = {name: cpu_s(pid) - spent[name] for name, pid in installation.pids.items()}
            cpu["the client"] = time.process_time() - ours
            with_ingest = next(installation.pids[name] for name in (_INGEST, *IN_ONE_PROCESS) if name in installation.pids)
            return _ImportRun(report, seconds, peak=peak_mb(with_ingest), cpu=cpu)


async def _profiled(turns: dict[Owner, list[ImportedTurn]], options: Options) -> dict[str, float]:
    """Seconds of ingest by area, from a profiled import of a fifth of the turns, less those of a start without an import."""
    some = dict(list(turns.items())[: max(1, len(turns) // 5)])
    busy = await _areas(some, options)
    idle = {} if options.is_quick else await _areas({}, options)
    spent = {area: round(seconds - idle.get(area, 0.0), 2) for area, seconds in busy.items()}
    return {area: seconds for area, seconds in sorted(spent.items(), key=lambda item: -item[1]) if seconds > 0}


async def _areas(turns: dict[Owner, list[ImportedTurn]], options: Options) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        path = Path(folder) / "ingest.prof"
        await _import(turns, options, _ONLY_INGEST, profile=path)
        profile: Any = pstats.Stats(str(path))  # typeshed knows no `stats`
    areas: defaultdict[str, float] = defaultdict(float)
    for (file, _line, function), (_calls, _primitive, own_s, *_) in profile.stats.items():
        areas[_area(f"{file} {function}")] += own_s
    areas.pop(_WAITING, None)
    return areas


def _area(function: str) -> str:
    return next((area for part, area in _AREAS.items() if part in function), "everything else")


def _mean(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(sum(each[name] for each in runs) / len(runs), 3) for name in runs[0]}


def _conversations(users: int, each: int) -> dict[Owner, list[ImportedTurn]]:
    return {Owner(SPACE, f"importer-{index}"): list(_turns(index, each)) for index in range(users)}


def _turns(user: int, count: int) -> Iterable[ImportedTurn]:
    write = Writer(f"import {user}")
    for index in range(count):
        session, turn = divmod(index, _SESSION)
        yield ImportedTurn(
            role=(Role.USER, Role.ASSISTANT)[turn % 2],
            session_id=SessionId(f"session-{session}"),
            text=write.turn(),
            message_id=MessageId(f"turn-{index}"),
            occurred_at=_BEGIN + timedelta(days=session, minutes=turn),
            speaker="Ada" if turn % 2 == 0 else "Assistant",
        )


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("importing", "How fast do conversations of the past become durable, and with which memory?", measure, arguments)
