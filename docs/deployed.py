"""The files of deploy/ that follow from the code: an example of a NATS server's configuration, and Grafana's dashboard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shared.contracts.ids import Space
from shared.runtime.credentials import SERVICE_USERS, BotAccess, Credentials
from shared.runtime.embedded.accounts import render_own_config

_WIDTH, _HEIGHT, _COLUMNS = 8, 8, 3
_SOURCE = {"type": "prometheus", "uid": "prometheus"}
_RATE = "$__rate_interval"


def nats_conf_example() -> str:
    """The configuration of a server of one's own, with passwords that nobody has."""
    services = {name: f"the-password-of-{name}" for name in SERVICE_USERS}
    bots = {"bot": BotAccess("the-password-of-bot"), "shop-bot": BotAccess("the-password-of-shop-bot", (Space("shop"),))}
    made = render_own_config(
        credentials=Credentials(services, bots), listen="127.0.0.1:4222", store=Path("/var/lib/memstream/nats")
    )
    return f"# An example, to be read and not to be used: `memstream nats-conf` makes yours, with your passwords.\n{made}"


class Panel(NamedTuple):
    """A chart: its title, unit, and queries by the legend of their lines."""

    title: str
    unit: str
    lines: dict[str, str]


def _rate(metric: str, by: str) -> str:
    return f"sum by ({by}) (rate({metric}[{_RATE}]))"


def _quantile(share: float, metric: str, by: str) -> str:
    return f"histogram_quantile({share}, sum by (le, {by}) (rate({metric}_bucket[{_RATE}])))"


ROWS: dict[str, Sequence[Panel]] = {
    "Is it well?": (
        Panel(
            "Raise an alarm above 0",
            "short",
            {
                "quarantined by {{projection}}": "sum by (projection) (memstream_events_quarantined_total)",
                "missing to {{projection}}": "max by (projection) (memstream_events_missing)",
                "not written: {{code}}": "sum by (code) (increase(memstream_writes_refused_total[$__rate_interval]))",
                "search leg {{leg}} failed": f"sum by (leg) (increase(memstream_leg_failures_total[{_RATE}]))",
                "recalls lost": f"sum(increase(memstream_recalls_lost_total[{_RATE}]))",
                "capacity exceeded": f"sum(increase(memstream_capacity_exceeded_total[{_RATE}]))",
                "pinned facts trimmed": f"sum(increase(memstream_pinned_trimmed_total[{_RATE}]))",
                "dead letters lost of {{bot}}": f"sum by (bot) (increase(memstream_dead_letters_lost_total[{_RATE}]))",
            },
        ),
        Panel("Events not applied yet", "short", {"{{projection}}": "max by (projection) (memstream_projection_lag_events)"}),
        Panel("Commands not decided yet", "short", {"{{lane}}": "max by (lane) (memstream_command_backlog)"}),
    ),
    "Does it help?": (
        Panel(
            "Replies that recalled memory influenced",
            "percentunit",
            {
                "hit rate": 'sum(increase(memstream_replies_total{influence=~"quoted|used"}[6h])) / '
                'sum(increase(memstream_replies_total{influence!="unrecalled"}[6h]))',
                "said to have helped": 'sum(increase(memstream_feedback_total{verdict="helped"}[6h])) / '
                "sum(increase(memstream_feedback_total[6h]))",
            },
        ),
        Panel("Contexts a second", "ops", {"{{outcome}}": _rate("memstream_contexts_total", "outcome")}),
        Panel(
            "What people do, an hour",
            "short",
            {"{{action}}": "sum by (action) (increase(memstream_user_actions_total[1h]))"},
        ),
    ),
    "Questions": (
        Panel("Questions a second", "reqps", {"{{query}}": _rate("memstream_query_seconds_count", "query")}),
        Panel("Slowest of twenty", "s", {"{{query}}": _quantile(0.95, "memstream_query_seconds", "query")}),
        Panel(
            "Stages of a context, slowest of twenty",
            "s",
            {"{{stage}}": _quantile(0.95, "memstream_context_stage_seconds", "stage")},
        ),
        Panel("Errors of queries", "ops", {"{{query}}: {{code}}": _rate("memstream_query_errors_total", "query, code")}),
        Panel("Requests over HTTP", "reqps", {"{{status}}": _rate("memstream_gateway_seconds_count", "status")}),
        Panel("Slowest of twenty over HTTP", "s", {"{{route}}": _quantile(0.95, "memstream_gateway_seconds", "route")}),
    ),
    "What is sent": (
        Panel(
            "Commands decided a second",
            "ops",
            {"{{what}}: {{verdict}}": _rate("memstream_commands_decided_total", "what, verdict")},
        ),
        Panel("Events appended a second", "ops", {"{{type}}": _rate("memstream_events_appended_total", "type")}),
        Panel("Events applied a second", "ops", {"{{projection}}": _rate("memstream_events_applied_total", "projection")}),
        Panel("Events by space", "ops", {"{{space}}": _rate("memstream_space_events_total", "space")}),
        Panel("Dead letters by their reason", "ops", {"{{code}}": _rate("memstream_dead_letters_total", "code")}),
        Panel("Size of the streams", "bytes", {"{{stream}}": "max by (stream) (memstream_stream_bytes)"}),
    ),
    "What is kept": (
        Panel(
            "Told again, and kept apart",
            "ops",
            {
                "saved: {{match}}": _rate("memstream_dedupe_saves_total", "match"),
                "merges refused": f"sum(rate(memstream_merges_refused_total[{_RATE}]))",
            },
        ),
        Panel("Trimmed by space", "ops", {"{{space}}": _rate("memstream_facts_trimmed_total", "space")}),
        Panel(
            "Superseded and questioned",
            "ops",
            {
                "superseded: {{reason}}": _rate("memstream_facts_superseded_total", "reason"),
                "questioned: {{reason}}": _rate("memstream_facts_questioned_total", "reason"),
            },
        ),
    ),
    "Forgetting and the jobs": (
        Panel(
            "Still to be erased",
            "short",
            {"people": "max(memstream_erasures_pending)", "for seconds": "max(memstream_erasures_oldest_seconds)"},
        ),
        Panel(
            "Since a job ended well",
            "s",
            {"{{job}}": "time() - max by (job) (memstream_job_success_timestamp_seconds)"},
        ),
        Panel(
            "Runs of jobs a day",
            "short",
            {"{{job}}: {{ended}}": "sum by (job, ended) (increase(memstream_job_runs_total[1d]))"},
        ),
        Panel("Last run of a job", "s", {"{{job}}": "max by (job) (memstream_job_seconds)"}),
        Panel("Ready", "short", {"{{service}}": "min by (service) (memstream_ready)"}),
        Panel("Silent sessions completed", "ops", {"{{reason}}": _rate("memstream_sessions_swept_total", "reason")}),
    ),
    "Vectors": (
        Panel("Memories without a vector", "short", {"waiting": "max(memstream_embedding_backlog)"}),
        Panel("The oldest of them", "s", {"age": "max(memstream_embedding_oldest_seconds)"}),
        Panel(
            "From recording to vector",
            "s",
            {
                "slowest of twenty": "histogram_quantile(0.95, sum by (le) "
                f"(rate(memstream_embedding_seconds_bucket[{_RATE}])))",
                "failures": f"sum(increase(memstream_embedding_failures_total[{_RATE}]))",
            },
        ),
    ),
    "Learning": (
        Panel(
            "Sessions to learn from",
            "short",
            {"waiting": "max(memstream_sessions_pending)", "set aside": "max(memstream_sessions_set_aside)"},
        ),
        Panel(
            "Runs and refused facts a second",
            "ops",
            {
                "{{end}}": _rate("memstream_consolidations_total", "end"),
                "refused: {{reason}}": _rate("memstream_facts_refused_total", "reason"),
            },
        ),
        Panel(
            "Tokens today",
            "short",
            {
                "{{purpose}}": "max by (purpose) (memstream_model_tokens_today)",
                "budget of {{purpose}}": "max by (purpose) (memstream_model_tokens_budget)",
            },
        ),
        Panel(
            "Tokens a second",
            "short",
            {"{{purpose}} {{direction}}": _rate("memstream_model_tokens_total", "purpose, direction")},
        ),
        Panel(
            "Cost of a day",
            "short",
            {"{{purpose}} {{model}}": "sum by (purpose, model) (increase(memstream_model_cost_total[1d]))"},
        ),
    ),
}
"""The dashboard: rows of charts, from what needs a person to what is only good to know."""


def dashboard() -> str:
    """Grafana's dashboard, as it is provisioned."""
    panels: list[dict[str, Any]] = []
    top = 0
    for title, row in ROWS.items():
        panels.append({"id": len(panels) + 1, "type": "row", "title": title, "gridPos": _place(0, top, 24, 1), "panels": []})
        for column, panel in enumerate(row):
            line, place = divmod(column, _COLUMNS)
            where = _place(place * _WIDTH, top + 1 + line * _HEIGHT, _WIDTH, _HEIGHT)
            panels.append(_chart(panel, len(panels) + 1, where))
        top += 1 + -(-len(row) // _COLUMNS) * _HEIGHT
    document = {
        "uid": "memstream",
        "title": "memstream",
        "tags": ["memstream"],
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "panels": panels,
    }
    return json.dumps(document, indent=2) + "\n"


def _place(x: int, y: int, width: int, height: int) -> dict[str, int]:
    return {"x": x, "y": y, "w": width, "h": height}


def _chart(panel: Panel, number: int, place: dict[str, int]) -> dict[str, Any]:
    targets = [
        {"refId": chr(ord("A") + index), "datasource": _SOURCE, "expr": query, "legendFormat": legend}
        for index, (legend, query) in enumerate(panel.lines.items())
    ]
    return {
        "id": number,
        "type": "timeseries",
        "title": panel.title,
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": targets,
    }
