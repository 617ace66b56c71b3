"""Commands as a person types them: in a shell, with a home, and in a network that has the loopback only."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

AT_MOST_S = 300
ANSWERING = "for _ in {1..100}; do memstream status > /dev/null && exit; sleep 0.2; done; cat up.log; false"
"""Ends when memstream runs."""


@dataclass(frozen=True)
class Terminals:
    """Terminals of a person with a home, whose shell finds what one environment has installed, in a network of its own."""

    home: Path
    network: int  # the process whose network it is

    def runs(self, command: str, environment: Path, *, folder: Path | None = None) -> str:
        """What a command says that does what it should, as it stands; in the home, or in another folder."""
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
