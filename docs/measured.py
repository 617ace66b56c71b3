"""The page of what is measured: every metric, where it is counted, what bounds its labels; every alert with its runbook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from docs.tables import codes, grid
from shared.runtime import metrics

ROOT = Path(__file__).parent.parent
RULES = "deploy/prometheus/rules/memstream.yml"
_ROOMS = ("services", "shared")
_ALL_BUT = {"test_alerts.py", "test_deploy.py", "test_telemetry.py"}
"""Tests that name metrics and see none move."""
_SUFFIXES = {"counter": "_total"}

LABELS: dict[str, str] = {
    "action": "What a person can do: the names in `services/ingest/measuring.py`.",
    "bot": "Bots as `memstream bot list` names them, and `*`.",
    "code": "The codes of [the table of outcomes](queries.md#errors).",
    "direction": "`read`, `written`.",
    "end": "`sent`, `failed`.",
    "ended": "`done`, `limit`, `failed`.",
    "influence": "`quoted`, `used`, `unused`, `unrecalled`.",
    "job": "The jobs that `memstream jobs list` names.",
    "lane": "Lanes of ingest: `MEMSTREAM_INGEST_LANES`, at most 16.",
    "leg": "The legs of a search, and `names`.",
    "match": "How a repetition was recognised.",
    "method": "Methods of HTTP, and `other`.",
    "model": "Models in `MEMSTREAM_MODEL_PRICES`.",
    "outcome": "`filled`, `empty`, `abstained`, `withheld`.",
    "person": "Empty; where `MEMSTREAM_LLM_METRICS_BY_PERSON` asks for it, a keyed hash of the first 1,000, else `other`.",
    "projection": "The services' projections.",
    "purpose": "What models are asked for: `learning`, `embedding`, `question`, `names`.",
    "query": "The queries of [queries.md](queries.md).",
    "reason": "Codes of memstream's own.",
    "route": "Routes as they are declared, never as they were asked for; `none`.",
    "service": "The services.",
    "space": "The first `MEMSTREAM_METRICS_SPACES` spaces whose names are plain; all others are `other`.",
    "stage": "The stages that the help names.",
    "status": "`2xx` to `5xx`.",
    "stream": "`MEMORY`, `SEND`, `REJECTED`.",
    "type": "The events of [events.md](events.md).",
    "verdict": "`recorded`, `unchanged`, `rejected`, `not_recorded`; of feedback `helped`, `useless`.",
    "what": "The commands of [commands.md](commands.md), and `unknown`.",
    "work": "What is done: `deciding`, `erasing`, `consolidation`, `embedding` and the like.",
}
"""The values that each label can have. No value holds words that somebody said, or the name of a person."""


class Metric(NamedTuple):
    """A metric of memstream's."""

    constant: str
    name: str
    kind: str
    about: str
    labels: tuple[str, ...]

    @property
    def sample(self) -> str:
        """Its name in Prometheus; of a histogram the one without suffix."""
        return self.name + _SUFFIXES.get(self.kind, "")


@cache
def declared() -> tuple[Metric, ...]:
    """Every metric, by name."""
    found = [
        Metric(constant, each._name, each._type, each._documentation, tuple(each._labelnames))  # noqa: SLF001 - no other way
        for constant, each in vars(metrics).items()
        if hasattr(each, "_labelnames")
    ]
    return tuple(sorted(found, key=lambda metric: metric.name))


@cache
def _sources(*rooms: str) -> dict[str, str]:
    paths = [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


def counted_in(metric: Metric) -> list[str]:
    """The modules that count it."""
    use = re.compile(rf"\b{metric.constant}\b\s*[.(]")
    return [path for path, text in _sources(*_ROOMS).items() if path != "shared/runtime/metrics.py" and use.search(text)]


def seen_by(metric: Metric) -> list[str]:
    """The tests that see it move."""
    named = re.compile(rf"\b{metric.constant}\b|\b{metric.name}(?:_total|_count|_sum|_bucket)?\b")
    tests = {path: text for path, text in _sources("tests").items() if Path(path).name not in _ALL_BUT}
    return [path for path, text in tests.items() if named.search(text)]


def alerts() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every alert, with the name of its group."""
    for group in yaml.safe_load((ROOT / RULES).read_text("utf-8"))["groups"]:
        for rule in group["rules"]:
            yield group["name"], rule


def telemetry_blocks() -> Iterator[str]:
    """The blocks of the page."""
    yield "# Telemetry"
    yield (
        "What is counted, and what calls an operator. Nothing of it holds a word of what people said, or names a person."
        " `/metrics` of every service has it in Prometheus' format ([operations](operations.md#ports)); `deploy/` has"
        " [Prometheus, rules and a dashboard](deploy.md#metrics). Who has the right `operate` sees plots of the last hours in a"
        " browser, at `/operator` of the gateway ([HTTP](http.md)). Nothing is sent anywhere."
    )
    yield "## Hit rate"
    yield (
        "How often recalled memory influenced an answer: `memstream_replies_total` counts each reply of a bot that was sent to"
        " memstream. It is `quoted` where it has a passage of what was recalled, `used` where it has words of a memory that its"
        " person had not just said, `unused` otherwise, and `unrecalled` where no context was handed out before it. The hit"
        " rate is quoted and used of all but the last. Beside it stands what people and bots say themselves: `memory.feedback`."
    )
    yield "## Metrics"
    yield grid(("Metric", "Kind", "Labels", "Meaning", "Counted in"), map(_row, declared()))
    yield "## Labels"
    yield "Each label takes few values, whoever sends whatever:"
    yield grid(("Label", "Its values"), [(f"`{label}`", said) for label, said in LABELS.items()])
    yield "## Alerts"
    yield (
        f"`{RULES}` has them for Prometheus. *critical*: a promise is at stake, or nobody is answered; *warning*: something"
        " fails and does not mend itself; *info*: good to know. Each has a runbook: what it means, what to look at, what to do."
    )
    yield grid(("Alert", "Severity", "When, and for how long", "Runbook"), map(_alert_row, (rule for _, rule in alerts())))
    yield "## Traces"
    yield (
        "`MEMSTREAM_OTEL_ENDPOINT` has every service send traces by OTLP, such as to http://127.0.0.1:4318; without it nothing"
        " is traced. One trace then spans what a bot sent (`decide`), what each service applied of what ingest appended"
        " (`apply`), and what the bot asked under the same `traceparent` (`ask`). A span has a name, times and a verdict; no"
        " text, no subject, no id of a person. The log keeps the `traceparent` beside an event as long as the event itself"
        " ([decision 59](adr/0059-what-is-measured.md))."
    )


def _row(metric: Metric) -> tuple[str, ...]:
    places = [path.removesuffix(".py") for path in counted_in(metric)]
    return f"`{metric.sample}`", metric.kind, codes(metric.labels), metric.about, codes(places)


def _alert_row(rule: dict[str, Any]) -> tuple[str, ...]:
    name, expression = rule["alert"], " ".join(rule["expr"].split())
    place = f"[{name}](../{rule['annotations']['runbook']})"
    return f"`{name}`", rule["labels"]["severity"], f"`{expression}`, {rule['for']}", place
