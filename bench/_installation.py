"""A memstream to measure: its data folder, its processes as an operator would start them, and bots that connect."""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from bench._machine import cpu_s, family
from memstream.cli.installation import make_streams, prepare
from memstream.cli.server import any_server
from memstream.cli.services import SERVICES
from memstream.client import MemoryClient
from shared.contracts.errors import MemstreamError
from shared.contracts.ids import Space, User
from shared.runtime.credentials import DEFAULT_BOT, load_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.ending_with_parent import end_with_parent
from shared.runtime.ports import free_port
from shared.runtime.settings import RuntimeSettings, child_environment

SPACE = Space("bench")
IN_ONE_PROCESS = ("up",)
"""Commands that run the server and all services in one process, as memstream does by default."""

A_PROCESS_EACH = ("run server", *(f"run {name}" for name in SERVICES))
"""Commands that run the server and each service as a process of its own."""

_START_S = 120.0
_STOP_S = 60.0
_AT_REST_S = 2.0
_IDLE_SHARE = 0.15
_LOGGED = 2_000


@dataclass
class Installation:
    """A memstream in a data folder of its own, with the embedder that its services use."""

    root: Path
    embedder: str = "minilm"
    before: Mapping[str, Sequence[str]] = field(default_factory=dict)  # Python's own arguments, by command: a profiler
    pids: dict[str, int] = field(default_factory=dict)
    _http: dict[str, int] = field(default_factory=dict)

    @property
    def settings(self) -> RuntimeSettings:
        """The runtime settings of its services."""
        return RuntimeSettings(data_dir=self.root, nats_url=None, log_level="warning")

    @property
    def files(self) -> DataDir:
        """The paths in its data folder."""
        return self.settings.files

    async def create(self) -> None:
        """Make the data folder, keys, passwords and streams, as `memstream init` does."""
        prepare(self.files)
        async with any_server(self.settings):
            await make_streams(self.settings)

    @asynccontextmanager
    async def running(self, commands: Sequence[str] = IN_ONE_PROCESS) -> AsyncIterator[None]:
        """Run these commands of memstream. The block begins when all are ready; at its end they stop in the opposite order."""
        started: list[asyncio.subprocess.Process] = []
        try:
            for command in commands:  # services wait for the server by themselves
                started.append(await self._start(command))  # noqa: PERF401 - what was started must be known if the next fails
            await asyncio.gather(*map(self._until_ready, commands, started))
            server = json.loads(self.files.running.read_text(encoding="utf-8"))["pid"]
            self.pids["nats-server"] = int(server)
            yield
        finally:
            for process in reversed(started):
                with suppress(ProcessLookupError):
                    process.terminate()
                await asyncio.wait_for(process.wait(), _STOP_S)
            self.pids.clear()
            self._http.clear()

    async def until_at_rest(self) -> None:
        """Wait until the processes are idle: services work through a fabricated log once, when they first see it."""
        while True:
            before = sum(self.cpu_s().values())
            await asyncio.sleep(_AT_REST_S)
            if sum(self.cpu_s().values()) - before < _AT_REST_S * _IDLE_SHARE:
                return

    def cpu_s(self) -> dict[str, float]:
        """Processor time of the running processes so far, by command; what a process started counts as its own."""
        named = self.pids.values()
        return {name: sum(map(cpu_s, family(pid, but=named))) for name, pid in self.pids.items()}

    @asynccontextmanager
    async def bot(self, user: str = "nobody") -> AsyncIterator[MemoryClient]:
        """Connect as a bot, through the SDK, for this user."""
        url = json.loads(self.files.running.read_text(encoding="utf-8"))["url"]
        password = load_credentials(self.files.credentials).bots[DEFAULT_BOT].password
        async with MemoryClient(space=SPACE, user=User(user), url=url, name=DEFAULT_BOT, password=password) as client:
            yield client

    async def command(self, *arguments: str) -> None:
        """Run a command of memstream to its end. Raises RuntimeError with the end of the log if it fails."""
        if code := await (await self._spawn(*arguments)).wait():
            raise RuntimeError(f"`memstream {' '.join(arguments)}` failed with {code}:\n{self.logged()}")

    async def begin(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start a command of memstream; wait for its end."""
        return await self._spawn(*arguments)

    def logged(self) -> str:
        """The end of what the processes have logged."""
        return (self.root / "bench.log").read_text(encoding="utf-8")[-_LOGGED:]

    async def metrics(self) -> dict[tuple[str, str], float]:
        """The `_sum` and `_count` of every histogram of the running services, by (sample, its one label)."""
        found: dict[tuple[str, str], float] = {}
        for port in self._http.values():
            text = await asyncio.to_thread(_get, f"http://127.0.0.1:{port}/metrics")
            for metric in text_string_to_metric_families(text):
                for sample in metric.samples:
                    if sample.name.endswith(("_sum", "_count")):
                        key = (sample.name, next(iter(sample.labels.values()), ""))
                        found[key] = found.get(key, 0.0) + sample.value
        return found

    async def _start(self, command: str) -> asyncio.subprocess.Process:
        arguments = command.split()
        if command != "run server":
            self._http[command] = free_port()
            arguments += ["--http-port", str(self._http[command])]
        if command in {"up", "run server"}:
            arguments += ["--port", "0"]
        process = await self._spawn(*arguments, before=self.before.get(command, ()))
        self.pids[command] = process.pid
        return process

    async def _spawn(self, *arguments: str, before: Sequence[str] = ()) -> asyncio.subprocess.Process:
        environment = {"MEMSTREAM_EMBEDDER_KIND": self.embedder, "MEMSTREAM_NATS_URL": "", "MEMSTREAM_LOG_LEVEL": "warning"}
        environment["MEMSTREAM_GATEWAY_PORT"] = "0"  # another memstream of this machine may have the usual one
        with (self.root / "bench.log").open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, *before, "-m", "memstream", "--data-dir", str(self.root), *arguments),
                cwd=Path(__file__).parents[1],
                env=child_environment(environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=log,
                preexec_fn=end_with_parent if sys.platform == "linux" else None,
            )

    async def _until_ready(self, command: str, process: asyncio.subprocess.Process) -> None:
        async with asyncio.timeout(_START_S):
            while not await self._is_ready(command):
                if process.returncode is not None:
                    raise RuntimeError(f"`memstream {command}` ended by itself:\n{self.logged()}")
                await asyncio.sleep(0.02)

    async def _is_ready(self, command: str) -> bool:
        if command == "run server":
            with suppress(OSError, ValueError, MemstreamError):
                async with self.bot():
                    return True
            return False
        with suppress(OSError):
            return await asyncio.to_thread(_get, f"http://127.0.0.1:{self._http[command]}/ready") == "ready"
        return False


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return str(answer.read().decode())
