"""`python -m ...` in milliseconds: forked from a process that has imported memstream and rehearsed, once for the whole session.

What runs is what an operator runs, in a process of its own, with its own environment and streams; only importing is done, and
what a service rehearses at every start.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import runpy
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_STREAMS = (sys.__stdout__.fileno(), sys.__stderr__.fileno()) if sys.__stdout__ and sys.__stderr__ else (1, 2)
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.support.everything"])


class Fork:
    """A running `python -m MODULE ARGUMENTS...`, like a process of asyncio's."""

    def __init__(self, module: str, *arguments: str, environment: Mapping[str, str], out: Path, err: Path) -> None:
        # A daemon ends with this process, whatever a test forgets.
        self._process: ForkServerProcess = _CONTEXT.Process(
            target=_run, args=(module, arguments, dict(environment), (out, err)), daemon=True
        )
        for path in (out, err):
            path.touch()
        self._process.start()

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs; of a signal its negative number."""
        return self._process.exitcode

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.terminate()

    def kill(self) -> None:
        """Send SIGKILL."""
        self._process.kill()

    async def wait(self) -> int:
        """Its return code, when it has ended."""
        loop, has_ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process.sentinel, has_ended.set)
        try:
            await has_ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        return self.join(within_s=0)

    def join(self, within_s: float) -> int:
        """Wait in this thread; its return code. What takes longer is killed."""
        self._process.join(within_s)
        self._process.kill()
        self._process.join()
        assert self.returncode is not None
        return self.returncode


@dataclass(frozen=True)
class Printed:
    """How a process ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """What was printed as JSON."""
        return dict(json.loads(self.out))


def printed(module: str, *arguments: str, environment: Mapping[str, str], within_s: float = 110.0) -> Printed:
    """Run it to its end."""
    with tempfile.TemporaryDirectory(prefix="memstream-test-") as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        process = Fork(module, *arguments, environment=environment, out=out, err=err)
        code = process.join(within_s)
        return Printed(code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))


def _run(module: str, arguments: Sequence[str], environment: Mapping[str, str], streams: tuple[Path, Path]) -> None:
    """In the new process: become what `python -m` would have started."""
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined] # it may have children
    os.chdir(_ROOT)
    os.environ.clear()
    os.environ.update(environment)
    for stream, path in zip(_STREAMS, streams, strict=True):
        with path.open("ab") as file:
            os.dup2(file.fileno(), stream)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def stop() -> None:
    """End what is forked from, so that its time is counted as this process's."""
    for process in multiprocessing.active_children():
        process.kill()
        process.join()
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
