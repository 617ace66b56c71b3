"""What deploy/ holds is valid, pinned, closed to others, and agrees with the code; the tools' own programs say so, offline."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from docs.deployed import ROWS, Panel
from memstream.cli.services import SERVICES
from shared.runtime.embedded.server import find_binary
from shared.runtime.embedded.settings import ServerSettings
from tests.support.samples import samples

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TOOLS = Path(sys.executable).parent
UNITS = sorted(path.name for path in (DEPLOY / "systemd").glob("*.service"))
_DONE = "service_completed_successfully"
SERVED_BY_SYSTEMD = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")


def program(name: str) -> str:
    """A program of the dev group, where there are wheels of it."""
    if not (TOOLS / name).exists():
        pytest.skip(f"there is no {name} for this machine")
    return str(TOOLS / name)


def ran(*command: str, cwd: Path = ROOT) -> str:
    result = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    """The Compose file as Docker Compose itself understands it."""
    compose = (program("docker-compose"), "--file", "deploy/compose.yaml", "--profile", "monitoring")
    return dict(json.loads(ran(*compose, "config", "--format", "json")))


@pytest.fixture(scope="module")
def clustered() -> dict[str, Any]:
    """The Compose file of a cluster, likewise."""
    compose = (program("docker-compose"), "--file", "deploy/compose.cluster.yaml")
    return dict(json.loads(ran(*compose, "config", "--format", "json"))["services"])


def test_the_servers_of_a_cluster_know_one_another_and_every_service_knows_all(clustered: dict[str, Any]) -> None:
    servers = {name: service["environment"] for name, service in clustered.items() if name.startswith("server-")}
    assert len(servers) == 3
    assert len({told["MEMSTREAM_SERVER_NAME"] for told in servers.values()}) == 3
    routes, urls = (",".join(f"{before}{name}:{port}" for name in servers) for before, port in (("", 6222), ("nats://", 4222)))
    for told in servers.values():
        assert (
            ServerSettings(**{key.removeprefix("MEMSTREAM_SERVER_").lower(): said for key, said in told.items()}).routes
            == routes
        )
    services = {name: service for name, service in clustered.items() if name not in {*servers, "streams"}}
    assert {name.rstrip("-12") for name in services} == {*SERVICES}
    for service in (*services.values(), clustered["streams"]):
        assert service["environment"]["MEMSTREAM_NATS_URL"] == urls
    assert {service["depends_on"]["streams"]["condition"] for service in services.values()} == {
        "service_completed_successfully"
    }
    assert clustered["streams"]["environment"]["MEMSTREAM_STREAMS_REPLICAS"] == "3"
    parts = {service["environment"].get("MEMSTREAM_INGEST_PART") for service in services.values()}
    assert parts == {None, "1/2", "2/2"}
    for service in clustered.values():
        assert service["read_only"]
        assert {port["host_ip"] for port in service.get("ports", ())} <= {"127.0.0.1"}


def test_the_dockerfile_has_no_fault_that_hadolint_knows() -> None:
    ran(program("hadolint"), "--failure-threshold", "style", "deploy/Dockerfile")


def test_the_image_has_stages_a_health_check_a_user_and_nothing_secret() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text("utf-8")
    assert len(re.findall(r"^FROM ", dockerfile, re.MULTILINE)) == 2
    assert re.findall(r"^USER (\d+):\d+$", dockerfile, re.MULTILINE) == ["10001"]
    assert "HEALTHCHECK" in dockerfile
    assert dockerfile.count("--require-hashes") == 2
    assert not re.search(r"https?://(?!127\.0\.0\.1)", dockerfile)
    assert re.findall(r"^ARG (\w+)$", dockerfile, re.MULTILINE) == ["PIP_INDEX_URL", "PIP_TRUSTED_HOST"]


def test_what_the_image_copies_is_let_into_the_build() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text("utf-8")
    copied = {word for line in re.findall(r"^COPY (?!--)(.*) \S+$", dockerfile, re.MULTILINE) for word in line.split()}
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert copied == let_in
    assert [name for name in copied if not (ROOT / name).exists()] == []


def locked(path: Path) -> dict[str, str]:
    """Each locked package with its version, marker and hashes."""
    text = re.sub(r"^#.*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
    blocks = re.findall(r"^([a-z0-9-]+)==((?:.*\\\n)*.*)", text, re.MULTILINE)
    return {name: re.sub(r" ;[^\\]*|\s", "", rest) for name, rest in blocks}


@pytest.mark.parametrize("name", ["server.lock", "build.lock"])
def test_what_the_image_holds_is_a_part_of_the_one_lock(name: str) -> None:
    whole, part = locked(ROOT / "requirements.lock"), locked(DEPLOY / name)
    assert part
    assert {package: pin for package, pin in part.items() if whole.get(package) != pin} == {}


def test_the_images_lock_holds_all_that_the_server_needs_and_no_developers_tool() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    needed = [*project["project"]["dependencies"], *extras["server"], *extras["openai"]]
    part = locked(DEPLOY / "server.lock")
    assert {canonicalize_name(Requirement(each).name) for each in needed} <= part.keys(), "run `make lock`"
    assert not {"pytest", "ruff", "mypy"} & part.keys()


def test_each_service_is_a_container_that_waits_for_the_server(composed: dict[str, Any]) -> None:
    for name in SERVICES:
        service = composed["services"][name]
        assert service["command"][:2] == ["run", name]
        assert service["depends_on"]["server"]["condition"] == "service_healthy"
    assert composed["services"].keys() == {"server", *SERVICES, "prometheus", "grafana"}


def test_nothing_is_published_beyond_this_machine(composed: dict[str, Any]) -> None:
    published = [port for service in composed["services"].values() for port in service.get("ports", ())]
    assert len(published) == 4
    assert {port["host_ip"] for port in published} == {"127.0.0.1"}


def test_our_containers_may_do_little_and_are_asked_whether_they_are_well(composed: dict[str, Any]) -> None:
    for name in ("server", *SERVICES):
        service = composed["services"][name]
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["healthcheck"]["test"][0] == "CMD", name
        assert service["restart"] == "unless-stopped", name


def test_monitoring_is_only_on_request(composed: dict[str, Any]) -> None:
    profiles = {name: service.get("profiles") for name, service in composed["services"].items()}
    assert {name for name, profile in profiles.items() if profile} == {"prometheus", "grafana"}


def test_prometheus_asks_every_service_where_it_listens(composed: dict[str, Any]) -> None:
    scraped = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8"))
    targets = {target for job in scraped["scrape_configs"] for each in job["static_configs"] for target in each["targets"]}
    assert targets == {f"{name}:{composed['services'][name]['command'][-1]}" for name in SERVICES}
    if promtool := shutil.which("promtool"):
        ran(promtool, "check", "config", "deploy/prometheus/prometheus.yml")


def test_prometheus_finds_its_rules(composed: dict[str, Any]) -> None:
    told = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8"))["rule_files"]
    mounted = {volume["target"]: Path(volume["source"]) for volume in composed["services"]["prometheus"]["volumes"]}
    assert told == ["rules/memstream.yml"]
    assert mounted["/etc/prometheus/rules"] == DEPLOY / "prometheus" / "rules"


def test_grafana_finds_prometheus_and_the_dashboard(composed: dict[str, Any]) -> None:
    provisioning = DEPLOY / "grafana" / "provisioning"
    sources = yaml.safe_load((provisioning / "datasources" / "prometheus.yml").read_text("utf-8"))["datasources"]
    providers = yaml.safe_load((provisioning / "dashboards" / "memstream.yml").read_text("utf-8"))["providers"]
    mounted = {volume["target"] for volume in composed["services"]["grafana"]["volumes"]}
    assert [source["url"] for source in sources] == ["http://prometheus:9090"]
    assert providers[0]["options"]["path"] in mounted
    document = json.loads((DEPLOY / "grafana" / "dashboards" / "memstream.json").read_text("utf-8"))
    used = {target["datasource"]["uid"] for panel in document["panels"] for target in panel.get("targets", ())}
    assert used == {source["uid"] for source in sources}


QUERIES = [(panel, query) for row in ROWS.values() for panel in row for query in panel.lines.items()]


@pytest.mark.parametrize(("panel", "line"), QUERIES, ids=lambda value: getattr(value, "title", None) or str(value[0]))
def test_a_chart_asks_for_metrics_and_labels_that_there_are(panel: Panel, line: tuple[str, str]) -> None:
    legend, query = line
    known, named = samples(), re.findall(r"memstream_\w+", query)
    assert named, panel.title
    assert [name for name in named if name not in known] == []
    by = {label for labels in re.findall(r" by \(([^)]*)\)", query) for label in labels.split(", ")}
    assert by <= known[named[0]]
    assert set(re.findall(r"{{(\w+)}}", legend)) <= by


def test_what_the_operator_is_told_to_watch_is_on_the_dashboard() -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8").partition("## Metrics to watch")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(memstream_\w+)", page))
    shown = " ".join(query for _, (_, query) in QUERIES)
    assert told
    assert [name for name in told if name not in shown] == []


def test_the_example_of_a_servers_configuration_is_one() -> None:
    ran(str(find_binary()), "-t", "-c", "deploy/nats.conf")


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The units, with the program where this machine has one."""
    folder = tmp_path_factory.mktemp("units")
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text("utf-8").replace("/opt/memstream/bin/memstream", str(TOOLS / "memstream"))
        (folder / path.name).write_text(text)
    return folder


@SERVED_BY_SYSTEMD
@pytest.mark.parametrize(
    "unit", [*(name.replace("@.", "@ingest.") for name in UNITS), "memstream.target", "memstream-backup.timer"]
)
def test_a_unit_is_valid(unit: str, units: Path) -> None:
    result = subprocess.run(["systemd-analyze", "verify", f"./{unit}"], cwd=units, check=False, capture_output=True, text=True)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


@SERVED_BY_SYSTEMD
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_as_closed_as_can_be(unit: str, units: Path) -> None:
    """systemd's own score: 0 is closed, 100 open; a unit without any such setting has 96."""
    ran("systemd-analyze", "security", "--offline=true", "--threshold=20", f"./{unit}", cwd=units)


def test_a_server_makes_streams_only_where_nothing_is_yet(composed: dict[str, Any]) -> None:
    """A start that made them whenever they are missing would put an empty log in place of a lost one."""
    (command,) = composed["services"]["server"]["command"]
    unit = (DEPLOY / "systemd" / "memstream-server.service").read_text("utf-8")
    assert command.startswith("test -e keys.toml || memstream init; ")
    assert re.findall(r"^ExecStartPre=.*$", unit, re.MULTILINE) == re.findall(
        r"^ExecStartPre=/bin/sh -c 'test -e .*", unit, re.MULTILINE
    )


def test_the_target_starts_every_service() -> None:
    target = (DEPLOY / "systemd" / "memstream.target").read_text("utf-8")
    assert set(re.findall(r"memstream@(\w+)\.service", target)) == set(SERVICES)


@pytest.mark.parametrize("script", ["backup.sh", "restore.sh"])
def test_a_script_can_be_read_by_every_shell_and_says_how_it_is_used(script: str) -> None:
    ran("sh", "-n", f"deploy/{script}")
    result = subprocess.run([f"deploy/{script}"], cwd=ROOT, check=False, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith("usage: ")


def test_every_file_that_the_page_names_is_there_and_every_file_is_named() -> None:
    page = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    named = set(re.findall(r"deploy/[\w./@-]*\w", page))
    assert [name for name in named - {"deploy/memstream.env"} if not (ROOT / name).exists()] == []
    assert {"deploy/compose.yaml", "deploy/Dockerfile", "deploy/nats.conf", "deploy/backup.sh", "deploy/restore.sh"} <= named
