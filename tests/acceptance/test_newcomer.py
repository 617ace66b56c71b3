"""A newcomer's first five minutes: a checkout, the wheel, and README.md's commands as they stand; only the loopback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.environments import environment_with, needed
from tests.support.no_network import has_namespaces
from tests.support.pages import ROOT, blocks

AT_MOST_S = 300
ALLERGY = "I am allergic to shrimp."
PAGE = "README.md"
JAVASCRIPT = ROOT / "examples" / "javascript"
pytestmark = [
    pytest.mark.timeout(AT_MOST_S),
    pytest.mark.skipif(not has_namespaces(), reason="the server's usual port may be taken: it wants a network of its own"),
]


@dataclass(frozen=True)
class Newcomer:
    """A person with an empty home, whose shell finds what one environment has installed."""

    home: Path
    checkout: Path
    network: int  # the process whose network it is

    def runs(self, command: str, environment: Path, *, folder: Path | None = None) -> str:
        """What a command says that does what it should, as it stands; in the empty home, or in another folder."""
        done = subprocess.run(
            ["nsenter", "--preserve-credentials", "-U", "-n", "-t", str(self.network), "bash", "-euc", command],
            cwd=folder or self.home, env=self.variables(environment), check=False, capture_output=True, text=True,
            timeout=AT_MOST_S,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def variables(self, environment: Path) -> dict[str, str]:
        """A bare environment, but that pip asks no index, not even for what builds a wheel."""
        return {
            "HOME": str(self.home),
            "PATH": f"{environment / 'bin'}:{os.environ['PATH']}",
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # pip's way to say that there is none
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }

    @contextmanager
    def stays_running(self, command: str, environment: Path) -> Iterator[subprocess.Popen[str]]:
        """A command in a terminal of its own, until the block ends."""
        entered = ["nsenter", "--preserve-credentials", "-U", "-n", "-t", str(self.network), *command.split()]
        with (self.home / "up.log").open("w") as log:
            process = subprocess.Popen(
                entered, cwd=self.home, env=self.variables(environment), stdout=log, stderr=log, text=True
            )
            try:
                yield process
            finally:
                process.terminate()
                process.wait(60)


@contextmanager
def own_network() -> Iterator[int]:
    """A network with the loopback only; the process that holds it."""
    holder = subprocess.Popen(
        ["unshare", "-rn", "sh", "-c", "ip link set lo up && echo ready && exec sleep 600"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        yield holder.pid
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()  # type: ignore[union-attr]


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Newcomer]:
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    home.mkdir()
    for folder in ("sdk", "services", "shared", "examples"):
        shutil.copytree(ROOT / folder, checkout / folder, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout / name)
    with own_network() as network:
        yield Newcomer(home, checkout, network)


def test_from_an_empty_folder_to_an_answer_in_three_languages(newcomer: Newcomer, tmp_path: Path) -> None:
    began = time.monotonic()
    builder, server, client = tmp_path / "builder", tmp_path / "server", tmp_path / "client"
    builds = needed("hatchling") | needed("hatch-fancy-pypi-readme") | {"hatchling", "hatch-fancy-pypi-readme", "editables"}
    environment_with(needed("memstream", "server") | builds, builder, has_pip=True)
    environment_with(needed("memstream", "server"), server, has_pip=True)
    environment_with(needed("memstream"), client, has_pip=True)
    _, of_a_checkout, of_a_wheel, for_javascript, replay, _ = blocks(PAGE, "sh")
    install, up = of_a_checkout.splitlines()
    newcomer.runs(install, builder, folder=newcomer.checkout)
    assert newcomer.runs("memstream --version", builder)
    for line, environment in zip(of_a_wheel.splitlines(), (builder, server, client), strict=True):
        newcomer.runs(line, environment, folder=newcomer.checkout)

    with newcomer.stays_running(up, server) as memstream:
        newcomer.runs("for _ in {1..50}; do memstream status > /dev/null && exit; sleep 0.2; done; cat up.log; false", server)
        for program in blocks(PAGE, "python"):
            (newcomer.home / "bot.py").write_text(program, "utf-8")
            assert ALLERGY in newcomer.runs("python bot.py", client)
        if shutil.which("node") and (JAVASCRIPT / "node_modules").exists():
            assert ALLERGY in _in_javascript(newcomer, for_javascript, client)
        assert memstream.poll() is None
    for line in replay.splitlines():
        newcomer.runs(line, server)
    assert time.monotonic() - began < AT_MOST_S


def _in_javascript(newcomer: Newcomer, commands: str, environment: Path) -> str:
    """What README.md's bot says, whose package is not fetched: it is that of the example, which `make examples` installed."""
    install, run = commands.splitlines()
    wanted = json.loads((JAVASCRIPT / "package.json").read_text("utf-8"))["dependencies"]
    assert install.removeprefix("npm install ") in wanted
    (newcomer.home / "node_modules").symlink_to(JAVASCRIPT / "node_modules")
    (newcomer.home / "bot.mjs").write_text(blocks(PAGE, "javascript")[0], "utf-8")
    return newcomer.runs(run, environment)
