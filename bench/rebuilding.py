"""How fast each projection is rebuilt from the log."""

from __future__ import annotations

import time
from collections.abc import Sequence

from bench._installation import Installation
from bench._log import Plan, installation_of
from bench._options import Findings, Options, run
from bench._result import amount
from memstream.cli.projections import rebuild
from memstream.cli.server import any_server
from memstream.cli.services import PROJECTIONS

_AIMS_EVENTS_S = {"ingest": 20_000, "retriever": 15_000}


async def measure(options: Options) -> Findings:
    """Rebuild the projection of each service, as `memstream rebuild` does."""
    plan = Plan(options.size(1_000, 4), options.size(60, 30), options.embedder)
    installation = await installation_of(plan, options.data)
    rates: dict[str, list[float]] = {name: [] for name in PROJECTIONS}
    events = 0
    async with any_server(installation.settings):
        for _ in range(options.runs):
            for name in PROJECTIONS:
                events, seconds = await _rebuild(name, installation)
                rates[name].append(events / seconds)
    return Findings(
        rows=[
            amount(name, "events/s", each, samples=events, at_least=_AIMS_EVENTS_S.get(name)) for name, each in rates.items()
        ],
        notes=[
            (
                f"A fabricated log of {events:,} events: {plan.users:,} users of {plan.memories_each} memories each, every one"
                " with its vector, sessions of 30 memories, users taking turns."
            ),
            "The time of the whole rebuild: starting processes, reading the log, writing the files, and their digest.",
        ],
    )


async def _rebuild(name: str, installation: Installation) -> tuple[int, float]:
    """Rebuild one projection; return the events applied, and the seconds."""
    applied = 0

    def count(events: int, _left: int) -> None:
        nonlocal applied
        applied = events

    began = time.perf_counter()
    await rebuild(name, installation.settings, count)
    return applied, time.perf_counter() - began


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("rebuilding", "How fast is each projection built anew from the log?", measure, arguments)
