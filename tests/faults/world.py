"""An installation to be disturbed: whoever ends is started again, as a supervisor would, and what it said is kept."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import httpx
import nats

from memstream.cli.locks import SERVER as LOCK_OF_SERVER
from memstream.cli.locks import hold
from memstream.cli.server import keep_running
from shared.contracts.errors import Unavailable
from shared.runtime.connection import operator_connection
from shared.runtime.links import running_gateway
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.tasks import end
from shared.runtime.topology import MEMORY, create_streams
from tests.acceptance.processes import SERVICES, Installation
from tests.faults.disks import Disk
from tests.faults.wire import Wire
from tests.support.forks import Fork

SERVER = "server"
FOLLOWERS = ("feed", "gateway")
"""Services that nobody's memory depends on; a world has those that are asked for."""

SETTINGS = {
    "MEMSTREAM_MAINTENANCE_SESSION_IDLE_MINUTES": "0",
    "MEMSTREAM_MAINTENANCE_CLOCK": "off",
    "MEMSTREAM_INGEST_GRACE_MINUTES": "0",
    "MEMSTREAM_GATEWAY_PORT": "0",
}
"""What the clock would do depends on how long a run takes; the disturbed one takes longer."""

_OF_SERVER = re.compile(r" \[(WRN|ERR|FTL)\] (?!Plaintext)")
_RESTART_S = 0.5
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_TOLD = re.compile(r"\[(?:warning|error|critical)\s*\]\s+([a-z_]+\.[a-z_]+)(.*)")


class World(Installation):
    """One data folder with its processes. A wire leads to who is in `wired`; disks of their own hold the folders `disks`."""

    def __init__(
        self,
        root: Path,
        *,
        keys_from: Path | None = None,
        wired: Collection[str] = (),
        skewed: Collection[str] = (),
        disks: Sequence[str] = (),
        followers: Collection[str] = (),
    ) -> None:
        """`skewed`: whose clocks `set_clock` sets. A disk named "" holds the whole folder but what has a disk of its own."""
        self.disks = [Disk(root / name if name else root) for name in disks]
        super().__init__(root, keys_from=keys_from, environment=SETTINGS)
        self._wired = wired
        self._followers = followers
        self._skewed = skewed
        self.clock = root / "clock"
        self._wire: Wire | None = None
        self._supervised: set[str] = set()
        self._keepers: list[asyncio.Task[None]] = []
        self._held = ExitStack()
        self._marks: dict[str, int] = {}
        self.died: list[tuple[str, int]] = []
        """Who ended by itself, and with which code."""

    def set_clock(self, *, hours: float) -> None:
        """Set the clocks by so many hours, from what is right."""
        self.clock.write_text(str(hours), encoding="utf-8")

    @property
    def wire(self) -> Wire:
        assert self._wire is not None
        return self._wire

    async def start(self, instead: Mapping[str, Sequence[str]] | None = None) -> None:
        self.set_clock(hours=0)
        self._held.enter_context(hold(self.files, [LOCK_OF_SERVER]))
        await super().start(instead)
        for follower in self._followers:
            await self.start_service(follower)
        if "feed" in self._followers:
            await self.admin("admin.feed.begin")
        self._keepers = [asyncio.create_task(self._keep()), asyncio.create_task(keep_running(self.server))]

    async def _start_server(self) -> None:
        await self.server.start()
        self._wire = Wire(int(self.server.url.rpartition(":")[2]))
        await self._wire.open()
        async with operator_connection(self.settings) as client:
            await retry_while_unavailable(partial(create_streams, client, self.keys))

    async def start_service(self, name: str, instead: Sequence[str] | None = None) -> None:
        usual = ("memstream", "--data-dir", str(self.files.root), "run", name)
        skewed = ("tests.faults.skewed", str(self.clock), *usual) if name in self._skewed else usual
        await super().start_service(name, instead or skewed)
        self._supervised.add(name)

    async def _until_quiet(self, waiting: Callable[[int], Awaitable[int]]) -> None:
        while True:
            try:
                return await super()._until_quiet(waiting)
            except (nats.errors.Error, Unavailable, TimeoutError):  # the server was started again meanwhile
                await asyncio.sleep(_RESTART_S)

    async def stop_service(self, name: str) -> None:
        """Stop it with SIGTERM, for good."""
        self._supervised.discard(name)
        self._processes[name].terminate()
        await self._processes[name].wait()

    async def stop(self) -> None:
        await end(self._keepers)
        for name in [*SERVICES, *self._followers, SERVER]:
            with suppress(KeyError, ProcessLookupError, AssertionError):
                os.kill(self.pid_of(name), signal.SIGCONT)
        await super().stop()
        if self._wire is not None:
            await self._wire.close()
        self._held.close()
        for disk in reversed(self.disks):
            disk.unmount()

    async def followed(self) -> None:
        """Wait until the feed has read the log to its end, and the gateway answers."""
        if "feed" in self._followers:
            async with operator_connection(self.settings) as client:
                end = (await client.jetstream().stream_info(MEMORY)).state.last_seq
            while (await self.admin("admin.feed.digests"))["position"] < end:
                await asyncio.sleep(_RESTART_S)
        while "gateway" in self._followers:
            with suppress(httpx.HTTPError):
                async with httpx.AsyncClient() as client:
                    if (await client.get(f"{running_gateway(self.files)}/")).status_code == httpx.codes.UNAUTHORIZED:
                        return
            await asyncio.sleep(_RESTART_S)

    def environment_of(self, name: str) -> dict[str, str]:
        """What a process of a service gets to know."""
        wire = {"MEMSTREAM_NATS_URL": self.wire.url} if name in self._wired else {}
        return super().environment_of(name) | wire

    def pid_of(self, name: str) -> int:
        """The process of a service, or of the server."""
        pid = self.server.pid if name == SERVER else self._fork(name).pid
        assert pid is not None
        return pid

    def _fork(self, name: str) -> Fork:
        process = self._processes[name]
        assert isinstance(process, Fork)
        return process

    async def kill_now(self, name: str) -> None:
        """SIGKILL; whoever supervises it starts it again."""
        with suppress(ProcessLookupError, AssertionError):
            os.kill(self.pid_of(name), signal.SIGKILL)

    async def command(self, name: str, *arguments: str) -> Fork:
        """Start `memstream` with these arguments, as if it were the process of this service."""
        log = self.printed_by(name)
        return Fork(
            "memstream", "--data-dir", str(self.files.root), *arguments, environment=self.environment_of(name), out=log, err=log
        )

    def printed_by(self, name: str) -> Path:
        """What commands print that stand for this service; on no disk that is filled."""
        return self.files.root.with_name(f"{self.files.root.name}-{name}.log")

    @property
    def url_of_bots(self) -> str:
        """Beyond the wire, where that leads to bots."""
        return self.wire.url if "bot" in self._wired else self.server.url

    def mark(self) -> None:
        """What is logged from now on is `told`."""
        self._marks = {path.name: path.stat().st_size for path in self.files.root.glob("*.log")}

    def told(self, name: str) -> list[str]:
        """The warnings and errors that a process logged, in order, each once; and what a rebuild of it printed."""
        path = self.files.root / (f"{name}.log" if name != SERVER else "nats-server.log")
        raw = path.read_bytes()[self._marks.get(path.name, 0) :] if path.exists() else b""
        text = _ANSI.sub("", raw.decode(errors="replace"))
        if name == SERVER:
            lines = [line.split(" ", 3)[3] for line in text.splitlines() if _OF_SERVER.search(line)]
            return list(dict.fromkeys(lines))
        command = self.printed_by(name)
        printed = command.read_text(encoding="utf-8", errors="replace").splitlines() if command.exists() else []
        return list(
            dict.fromkeys([*(f"{event}{more.rstrip()}" for event, more in _TOLD.findall(text)), *filter(None, printed)])
        )

    async def _keep(self) -> None:
        """Start again whoever ended."""
        while True:
            await asyncio.sleep(_RESTART_S)
            for name in list(self._supervised):
                if (code := self._processes[name].returncode) is not None:
                    if code != -signal.SIGKILL:
                        self.died.append((name, code))
                    await self.start_service(name)
