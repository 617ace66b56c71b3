"""A newcomer's first five minutes: a checkout, the wheel, and README.md's commands as they stand; only the loopback."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.environments import environment_with, needed
from tests.support.no_network import has_namespaces
from tests.support.pages import ROOT, blocks
from tests.support.terminals import ANSWERING, AT_MOST_S, Terminals, own_network

ALLERGY = "I am allergic to shrimp."
PAGE = "README.md"
JAVASCRIPT = ROOT / "examples" / "javascript"
pytestmark = [
    pytest.mark.timeout(AT_MOST_S),
    pytest.mark.skipif(not has_namespaces(), reason="the server's usual port may be taken: it wants a network of its own"),
]


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Terminals]:
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    home.mkdir()
    for folder in ("sdk", "services", "shared", "examples"):
        shutil.copytree(ROOT / folder, checkout / folder, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout / name)
    with own_network() as network:
        yield Terminals(home, network)


def test_from_an_empty_folder_to_an_answer_in_three_languages(newcomer: Terminals, tmp_path: Path) -> None:
    began = time.monotonic()
    checkout, builder, server, client = tmp_path / "checkout", tmp_path / "builder", tmp_path / "server", tmp_path / "client"
    builds = needed("hatchling") | needed("hatch-fancy-pypi-readme") | {"hatchling", "hatch-fancy-pypi-readme", "editables"}
    environment_with(needed("memstream", "server") | builds, builder, has_pip=True)
    environment_with(needed("memstream", "server"), server, has_pip=True)
    environment_with(needed("memstream"), client, has_pip=True)
    _, of_a_checkout, of_a_wheel, for_javascript, replay, _ = blocks(PAGE, "sh")
    install, up = of_a_checkout.splitlines()
    newcomer.runs(install, builder, folder=checkout)
    assert newcomer.runs("memstream --version", builder)
    for line, environment in zip(of_a_wheel.splitlines(), (builder, server, client), strict=True):
        newcomer.runs(line, environment, folder=checkout)

    with newcomer.stays_running(up, server) as memstream:
        newcomer.runs(ANSWERING, server)
        for program in blocks(PAGE, "python"):
            (newcomer.home / "bot.py").write_text(program, "utf-8")
            assert ALLERGY in newcomer.runs("python bot.py", client)
        if shutil.which("node") and (JAVASCRIPT / "node_modules").exists():
            assert ALLERGY in _in_javascript(newcomer, for_javascript, client)
        assert memstream.poll() is None
    for line in replay.splitlines():
        newcomer.runs(line, server)
    assert time.monotonic() - began < AT_MOST_S


def _in_javascript(newcomer: Terminals, commands: str, environment: Path) -> str:
    """What README.md's bot says, whose package is not fetched: it is that of the example, which `make examples` installed."""
    install, run = commands.splitlines()
    wanted = json.loads((JAVASCRIPT / "package.json").read_text("utf-8"))["dependencies"]
    assert install.removeprefix("npm install ") in wanted
    (newcomer.home / "node_modules").symlink_to(JAVASCRIPT / "node_modules")
    (newcomer.home / "bot.mjs").write_text(blocks(PAGE, "javascript")[0], "utf-8")
    return newcomer.runs(run, environment)
