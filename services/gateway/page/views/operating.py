"""What an operator sees: numbers of the last hours, and what wants them. Nobody's text, nobody's id."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from services.gateway.page.views.plots import Curve, Plot, readable
from services.gateway.page.words import PageWords
from services.gateway.samples import Sample, quantile

HOURS = 6
BINS = 72
_WINDOW = 12
"""Bins that a hit rate looks back: an hour."""
_MOST_LINES = 4
_MINUTES = HOURS * 60 / BINS
_OLD_VECTOR_S, _OLD_ERASURE_S, _LATE_S = 3_600, 900, 6 * 3_600
_REPLIES = "memstream_replies_total"
_CONTEXT = {"query": "context"}

Bins = Sequence[Sample | None]


@dataclass(frozen=True, slots=True)
class Tile:
    """A number that an operator looks at first."""

    name: str
    value: str
    wants: bool = False
    """Whether it wants attention."""


@dataclass(frozen=True, slots=True)
class JobView:
    """A job, and how its last run went."""

    name: str
    schedule: str
    ended: str
    code: str
    began_at: datetime | None
    lasted: str
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class OperatingView:
    """The page."""

    wants: Sequence[str]
    tiles: Sequence[Tile]
    groups: Mapping[str, Sequence[Plot]]
    jobs: Sequence[JobView]
    services: Mapping[str, bool]
    at: datetime | None


def operating_view(
    bins: Bins, jobs: Sequence[Mapping[str, Any]], services: Mapping[str, bool], say: PageWords, *, spaces: int = 0
) -> OperatingView:
    """The page of these samples, in time, the newest last; of the jobs as maintenance lists them, and who answers."""
    newest = next((sample for sample in reversed(bins) if sample), None)
    views = [_job(each) for each in jobs]
    return OperatingView(
        wants=list(_wants(newest, views, services, say)),
        tiles=_tiles(bins, newest, spaces, say) if newest else [],
        groups=_groups(bins, say),
        jobs=views,
        services=services,
        at=newest.at if newest else None,
    )


def _wants(newest: Sample | None, jobs: Sequence[JobView], services: Mapping[str, bool], say: PageWords) -> Iterable[str]:
    """What is not as it should be, in sentences."""
    if silent := [name for name, answers in services.items() if not answers]:
        yield say("operator.wants.silent", services=", ".join(silent))
    if newest:
        for key, metric, most in _LIMITS:
            if (value := newest.most(metric)) is not None and value > most:
                yield say(f"operator.wants.{key}", count=round(value), lasts=say.length(timedelta(seconds=value)))
    if failed := [job.name for job in jobs if job.ended == "failed"]:
        yield say("operator.wants.job", jobs=", ".join(failed))


_LIMITS = (
    ("missing", "memstream_events_missing", 0),
    ("lag", "memstream_projection_lag_events", 10_000),
    ("erasure", "memstream_erasures_oldest_seconds", _OLD_ERASURE_S),
    ("vectors", "memstream_embedding_oldest_seconds", _OLD_VECTOR_S),
    ("aside", "memstream_sessions_set_aside", 0),
)


def _tiles(bins: Bins, newest: Sample, spaces: int, say: PageWords) -> list[Tile]:
    stands = (
        ("spaces", float(spaces), ""),
        ("backlog", newest.sum("memstream_command_backlog"), ""),
        ("lag", newest.most("memstream_projection_lag_events"), ""),
        ("vectors", newest.most("memstream_embedding_backlog"), ""),
        ("sessions", newest.most("memstream_sessions_pending"), ""),
        ("erasures", newest.most("memstream_erasures_pending"), ""),
        ("hits", _hit_rate(bins), "%"),
        ("log", newest.most("memstream_stream_bytes", stream="MEMORY"), "B"),
    )
    return [Tile(say(f"operator.tile.{key}"), "–" if value is None else readable(value, unit)) for key, value, unit in stands]


def _groups(bins: Bins, say: PageWords) -> dict[str, Sequence[Plot]]:
    def plot(key: str, lines: Mapping[str, Curve], unit: str = "") -> Plot:
        return Plot(say(f"operator.plot.{key}"), lines, unit, say(f"operator.hint.{key}"))

    def named(names: Mapping[str, Curve]) -> dict[str, Curve]:
        return {say(f"operator.line.{name}"): line for name, line in names.items()}

    return {
        "flow": (
            plot("backlog", named({"commands": _each(bins, lambda s: s.sum("memstream_command_backlog"))})),
            plot("lag", named({"events": _each(bins, lambda s: s.most("memstream_projection_lag_events"))})),
            plot("events", _by(bins, "memstream_space_events_total", "space", say)),
            plot("errors", named(_errors(bins))),
        ),
        "answers": (
            plot("contexts", _by(bins, "memstream_contexts_total", "outcome", say)),
            plot("latency", named(_latency(bins, "memstream_query_seconds", **_CONTEXT)), "s"),
            plot("hits", named({"hits": _hits(bins)}), "%"),
            plot("http", named(_latency(bins, "memstream_gateway_seconds", method="GET")), "s"),
        ),
        "learning": (
            plot("sessions", named(_gauges(bins, pending="memstream_sessions_pending", aside="memstream_sessions_set_aside"))),
            plot("vectors", named(_gauges(bins, waiting="memstream_embedding_backlog"))),
            plot("tokens", _by(bins, "memstream_model_tokens_total", "purpose", say)),
            plot("cost", _by(bins, "memstream_model_cost_total", "purpose", say, per_minute=False)),
        ),
        "keeping": (
            plot("actions", _within_an_hour(_by(bins, "memstream_user_actions_total", "action", say, per_minute=False))),
            plot("erasures", named(_gauges(bins, waiting="memstream_erasures_pending"))),
        ),
    }


def _each(bins: Bins, of: Callable[[Sample], float | None]) -> Curve:
    return [None if sample is None else of(sample) for sample in bins]


def _gauges(bins: Bins, **metrics: str) -> dict[str, Curve]:
    return {name: [None if sample is None else sample.most(metric) for sample in bins] for name, metric in metrics.items()}


def _by(bins: Bins, metric: str, label: str, say: PageWords, *, per_minute: bool = True) -> dict[str, Curve]:
    """A line for each of the greatest of a label's values, and one for all others."""
    totals: dict[str, float] = {}
    for sample in filter(None, bins):
        for value, count in sample.by(metric, label).items():
            totals[value] = totals.get(value, 0.0) + count
    greatest = sorted(totals, key=lambda value: (-totals[value], value))
    shown, others = greatest[:_MOST_LINES], greatest[_MOST_LINES:]
    divisor = _MINUTES if per_minute else 1.0
    lines = {_named(value, say): _share(bins, metric, label, [value], divisor) for value in shown}
    if others:
        lines[say("operator.line.others")] = _share(bins, metric, label, others, divisor)
    return lines


def _named(value: str, say: PageWords) -> str:
    """A label's value in the page's language, where it is a word of memstream's own."""
    return say(f"operator.value.{value}") if say.has(f"operator.value.{value}") else value or "–"


def _share(bins: Bins, metric: str, label: str, values: Collection[str], divisor: float) -> Curve:
    return _each(bins, lambda sample: sum(sample.by(metric, label).get(value, 0.0) for value in values) / divisor)


def _errors(bins: Bins) -> dict[str, Curve]:
    return {
        "refused": _each(bins, lambda s: s.total("memstream_commands_decided_total", verdict="rejected")),
        "queries": _each(bins, lambda s: s.total("memstream_query_errors_total")),
        "requests": _each(bins, lambda s: s.total("memstream_gateway_seconds_count", status="5xx")),
        "vectors": _each(bins, lambda s: s.total("memstream_embedding_failures_total")),
        "learning": _each(bins, lambda s: s.total("memstream_consolidations_total", end="failed")),
    }


def _latency(bins: Bins, metric: str, **labels: str) -> dict[str, Curve]:
    return {
        name: [None if sample is None else quantile(share, sample.buckets(metric, **labels)) for sample in bins]
        for name, share in (("most", 0.95), ("half", 0.5))
    }


def _hits(bins: Bins) -> Curve:
    return [_hit_rate(bins[max(0, end - _WINDOW) : end]) if bins[end - 1] else None for end in range(1, len(bins) + 1)]


def _within_an_hour(lines: Mapping[str, Curve]) -> dict[str, Curve]:
    """How much there was in the hour before each moment, for what is seldom."""
    return {
        name: [None if now is None else sum(filter(None, line[max(0, end - _WINDOW) : end])) for end, now in enumerate(line, 1)]
        for name, line in lines.items()
    }


def _hit_rate(bins: Bins) -> float | None:
    """The share of the replies after a recall that it influenced; None where there was none."""
    counts: dict[str, float] = {}
    for sample in filter(None, bins):
        for influence, count in sample.by(_REPLIES, "influence").items():
            counts[influence] = counts.get(influence, 0.0) + count
    after = sum(count for influence, count in counts.items() if influence != "unrecalled")
    return (counts.get("quoted", 0.0) + counts.get("used", 0.0)) / after if after else None


def _job(told: Mapping[str, Any]) -> JobView:
    last, following = told.get("last") or {}, told.get("next_at")
    return JobView(
        name=told["job"],
        schedule=told["schedule"],
        ended=last.get("ended", ""),
        code=last.get("code") or "",
        began_at=datetime.fromisoformat(last["began_at"]) if last else None,
        lasted=readable(last["duration_ms"] / 1_000, "s") if last else "",
        next_at=datetime.fromisoformat(following) if following else None,
    )


def span() -> timedelta:
    """How far back the page looks."""
    return timedelta(hours=HOURS)
