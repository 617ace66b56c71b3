"""Each alert fires by what it is for and by nothing else, and leads to a runbook whose every word exists."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
import yaml
from typer.main import get_command

from docs.deployed import ROWS
from memstream.cli import app
from tests.support.promql import Labels, Series, seconds, tokens
from tests.support.samples import samples

ROOT = Path(__file__).parents[2]
PROMETHEUS = ROOT / "deploy" / "prometheus"
RUNBOOKS = ROOT / "deploy" / "runbooks"
_STEP_S = 60
_FROM_ELSEWHERE = {"up", "ALERTS"}
"""What Prometheus itself measures."""
_PROGRAMS = {"curl", "docker", "journalctl", "memstream"}


class Rule(NamedTuple):
    """An alert of the rules' file."""

    name: str
    expression: str
    for_s: float
    severity: str
    annotations: dict[str, str]


@cache
def rules() -> list[Rule]:
    document = yaml.safe_load((PROMETHEUS / "rules" / "memstream.yml").read_text("utf-8"))
    return [
        Rule(each["alert"], each["expr"], seconds(each["for"]), each["labels"]["severity"], each["annotations"])
        for group in document["groups"]
        for each in group["rules"]
    ]


@cache
def cases() -> list[dict[str, Any]]:
    return list(yaml.safe_load((PROMETHEUS / "memstream_test.yml").read_text("utf-8"))["tests"])


def labels_of(series: str) -> Labels:
    """The labels of a series as promtool's tests write it, its name among them."""
    name, _, rest = series.partition("{")
    return frozenset({("__name__", name), *re.findall(r'(\w+)="([^"]*)"', rest)})


def values_of(notation: str) -> list[float]:
    """Values as promtool's tests write them: `5`, `5x3` is that and three more, `0+2x3` counts up."""
    found: list[float] = []
    for part in notation.split():
        match = re.fullmatch(r"(\d+)(?:\+(\d+))?(?:x(\d+))?", part)
        assert match, part
        first, step, times = (int(group or 0) for group in match.groups())
        found += [float(first + step * n) for n in range(times + 1)]
    return found


def firing(case: dict[str, Any], until_s: int) -> dict[str, int]:
    """How many alerts of each name fire at the moment, after the rules were evaluated every minute."""
    series = Series()
    for each in case["input_series"]:
        for index, value in enumerate(values_of(each["values"])):
            series.add(labels_of(each["series"]), index * _STEP_S, value)
    given = {dict(labels)["__name__"] for labels in series.samples}
    found = {rule.name: _firing(rule, series, until_s) for rule in rules() if given & metrics_in(rule.expression)}
    return {name: count for name, count in found.items() if count}


def _firing(rule: Rule, series: Series, until_s: int) -> int:
    since: dict[Labels, float] = {}
    for at_s in range(0, until_s + 1, _STEP_S):
        value = series.evaluate(rule.expression, float(at_s))
        assert isinstance(value, dict)
        since = {labels: since.get(labels, at_s) for labels in value}
    return sum(until_s - began >= rule.for_s for began in since.values())


def metrics_in(expression: str) -> set[str]:
    """The metrics that an expression names."""
    return {
        token.text for token in tokens(expression) if token.kind == "name" and (token.text in {*samples(), *_FROM_ELSEWHERE})
    }


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case["name"]))
def test_an_alert_fires_where_it_should_and_no_other_does(case: dict[str, Any]) -> None:
    (asked,) = case["promql_expr_test"]
    expected = {labels_of(each["labels"]): each["value"] for each in asked["exp_samples"]}
    told = firing(case, int(seconds(asked["eval_time"])))
    assert {frozenset({("__name__", ""), ("alertname", name)}): count for name, count in told.items()} == expected


def test_each_alert_has_series_by_which_it_fires_and_others_by_which_it_rests() -> None:
    assert [case["name"] for case in cases()] == [f"{rule.name} {does}" for rule in rules() for does in ("fires", "rests")]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule.name))
def test_an_alert_asks_for_metrics_and_labels_that_there_are_and_says_what_to_do(rule: Rule) -> None:
    known = samples()
    named = {token.text for token in tokens(rule.expression) if token.text.startswith("memstream_")}
    assert named <= known.keys()
    assert named or "up" in metrics_in(rule.expression)
    pieces = [*re.findall(r"by \(([^)]*)\)", rule.expression), *re.findall(r"[{,](\w+)(?:=~|!~|!=|=)", rule.expression)]
    labels = {label for piece in pieces for label in piece.split(", ")} - {"job", "le"}
    assert labels <= set().union(*(known[name] for name in named)) | ({"instance"} if not named else set())
    assert rule.severity in {"critical", "warning", "info"}
    assert rule.annotations.keys() == {"summary", "runbook"}
    assert (ROOT / rule.annotations["runbook"]).name == f"{rule.name}.md"


def test_each_alert_has_its_runbook_and_each_runbook_its_alert() -> None:
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == {rule.name for rule in rules()}


@pytest.mark.parametrize("path", sorted(RUNBOOKS.glob("*.md")), ids=lambda path: str(path.stem))
def test_a_runbook_says_what_it_means_what_to_look_at_and_what_to_do_in_words_that_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    assert re.findall(r"^#+ (.*)$", text, re.MULTILINE) == [path.stem, "Look", "Do"]
    for command in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for line in command.strip().splitlines():
            require_valid(line)
    assert [link for link in re.findall(r"\]\(([^)]+)\)", text) if not (RUNBOOKS / link).exists()] == []
    settings, code = (ROOT / "docs" / "settings.md").read_text("utf-8"), source()
    assert [name for name in re.findall(r"`(MEMSTREAM_\w+)`", text) if f"`{name}`" not in settings] == []
    assert [event for event in re.findall(r"`([a-z_]+\.[a-z_]+)`", text) if f'"{event}"' not in code] == []
    assert [page for page in re.findall(r"docs/\w+\.md", text) if not (ROOT / page).exists()] == []
    assert [metric for metric in re.findall(r"memstream_[a-z_]+[a-z]", text) if metric not in samples()] == []


@cache
def source() -> str:
    return "".join(path.read_text("utf-8") for room in ("services", "shared") for path in (ROOT / room).rglob("*.py"))


def require_valid(line: str) -> None:
    """Fail unless each program of a line is known and, where it is ours, takes these arguments."""
    subprocess.run(["sh", "-n", "-c", line], check=True)
    for command in line.split(" | "):
        program, *arguments = shlex.split(command)
        assert program in _PROGRAMS | {"grep"}, line
        if program == "memstream":
            parse(arguments)
        if program == "docker":
            assert arguments[:3] == ["compose", "--file", "deploy/compose.yaml"]


def parse(arguments: list[str]) -> None:
    """Read the arguments of `memstream` as it does itself, without running anything. Raises what Typer raises."""
    if "--help" in arguments:
        return
    arguments = [each for at, each in enumerate(arguments) if "--data-dir" not in arguments[max(0, at - 1) : at + 1]]
    command: Any = get_command(app)
    while hasattr(command, "resolve_command"):
        _, command, arguments = command.resolve_command(typer.Context(command), arguments)
    command.make_context("memstream", list(arguments))


def test_a_wrong_command_is_noticed() -> None:
    for arguments in (["jobs", "history", "--most", "3"], ["jobs", "walk"], ["receipt"]):
        with pytest.raises(Exception, match=r"No such|Missing"):
            parse(arguments)


def test_whatever_dashboards_show_is_shown_of_metrics_that_there_are() -> None:
    queries = [query for row in ROWS.values() for panel in row for query in panel.lines.values()]
    assert [name for query in queries for name in re.findall(r"memstream_\w+", query) if name not in samples()] == []
    document = json.loads((ROOT / "deploy" / "grafana" / "dashboards" / "memstream.json").read_text("utf-8"))
    assert [panel["title"] for panel in document["panels"] if panel["type"] in {"text", "news", "logs"}] == []


def test_promtool_can_read_the_rules() -> None:
    if not (promtool := shutil.which("promtool")):
        pytest.skip("there is no promtool here")
    subprocess.run([promtool, "check", "rules", "--lint-fatal", "deploy/prometheus/rules/memstream.yml"], cwd=ROOT, check=True)


@pytest.mark.nightly
def test_promtool_agrees_with_what_is_evaluated_here() -> None:
    if not (promtool := shutil.which("promtool")):
        pytest.skip("there is no promtool here")
    subprocess.run([promtool, "test", "rules", "deploy/prometheus/memstream_test.yml"], cwd=ROOT, check=True)
