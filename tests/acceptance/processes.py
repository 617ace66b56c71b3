"""Runs memstream as an operator would, one process a service, and kills it as a power cut would."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import nats
from nats.aio.client import Client

from shared.contracts.errors import Unavailable
from shared.contracts.subjects import inbox_prefix
from shared.runtime.connection import operator_connection
from shared.runtime.credentials import create_credentials, load_credentials, save_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.server import EmbeddedServer
from shared.runtime.keys import Keys, create_keys, load_keys
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import create_streams
from tests.support.forks import Fork
from tests.support.installations import until

SERVICES = ("ingest", "retriever", "maintenance", "consolidator")
_ASKED_AGAIN = {"unavailable", "not_caught_up", "too_many", "disk_full"}
_ROUND_S = 0.1
_QUIET_ROUNDS = 2


class Process(Protocol):
    """A running `python -m MODULE ARGUMENTS...`."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...

    async def wait(self) -> int: ...


Starter = Callable[[Sequence[str], Mapping[str, str], Path], Awaitable[Process]]
"""Starts `python -m` with these arguments and this environment; what it prints goes to the end of the file."""


async def forked(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Process:
    return Fork(*arguments, environment=environment, out=log, err=log)


class Installation:
    """One data folder, its server and its services."""

    def __init__(
        self,
        root: Path,
        keys_from: Path | None = None,
        environment: dict[str, str] | None = None,
        starter: Starter = forked,
        *,
        restored: bool = False,
    ) -> None:
        """`restored`: the folder holds keys and passwords already."""
        self._starter = starter
        self._environment = {"MEMSTREAM_EMBEDDER_KIND": "hashing"} | (environment or {})  # quick; the real one is tested alone
        self.files = DataDir(root)
        self.files.create()
        if not restored:
            self._make_secrets(keys_from)
        self.settings = RuntimeSettings(data_dir=root)
        self.server = EmbeddedServer(self.files, port=0)
        self._processes: dict[str, Process] = {}

    def _make_secrets(self, keys_from: Path | None) -> None:
        if keys_from is None:
            create_keys(self.files.keys)
        else:
            self.files.keys.write_bytes(keys_from.read_bytes())
        save_credentials(self.files.credentials, create_credentials())

    @property
    def keys(self) -> Keys:
        return load_keys(self.files.keys)

    async def learned(self) -> None:
        """Wait until nothing waits any more: no recall, session or memory without a vector, nothing in transit or unread."""
        await self._until_quiet(self._unlearned)

    async def rebuilt(self) -> None:
        """Wait until the retriever has replaced the files of whom something was erased."""

        async def is_rebuilt() -> bool:
            return not (await self.admin("admin.retriever.status"))["to_replay"]

        await until(is_rebuilt, what="the scopes are rebuilt")

    async def erased(self) -> None:
        """Wait until everything is erased that was forgotten and may not be taken back any more."""

        async def is_erased() -> bool:
            return not (await self.admin("admin.ingest.status"))["erasing"]

        await until(is_erased, what="what was forgotten is erased")

    async def at_rest(self) -> None:
        """Wait until nothing is in transit, to be learned, erased or made anew, and everybody has read the log to its end."""

        async def waiting(end: int) -> int:
            return await self._unlearned(end) or await self._unsettled()

        await self._until_quiet(waiting)

    async def _until_quiet(self, waiting: Callable[[int], Awaitable[int]]) -> None:
        """Wait until twice in a row nothing waits, and the log has the same end. `waiting` is told the end."""
        quiet, end = 0, -1
        async with operator_connection(self.settings) as client:
            js = client.jetstream()
            while quiet < _QUIET_ROUNDS:
                await asyncio.sleep(_ROUND_S)
                before, end = end, (await js.stream_info("MEMORY")).state.last_seq
                left = (await js.stream_info("SEND")).state.messages + await waiting(end)
                quiet = quiet + 1 if before == end and not left else 0

    async def _unlearned(self, end: int) -> int:
        waiting = (await self.admin("admin.retriever.status"))["to_record"]
        waiting += (await self.admin("admin.maintenance.status"))["backlog"]
        waiting += (await self.admin("admin.consolidator.status"))["pending"]
        return int(waiting + end - (await self.admin("ask.nobody.nobody.list", {"limit": 1}))["position"])

    async def _unsettled(self) -> int:
        """What is to be erased or made anew."""
        ingest, retriever = await self.admin("admin.ingest.status"), await self.admin("admin.retriever.status")
        waiting = ingest["erasing"] + ingest["to_rebuild"] + retriever["to_replay"]
        return int(waiting)

    async def start(self, instead: Mapping[str, Sequence[str]] | None = None) -> None:
        """`instead`: modules, with their arguments, for services that are to be run in another way."""
        instead = instead or {}
        await self._start_server()
        for service in SERVICES:
            await self.start_service(service, instead.get(service))

    async def _start_server(self) -> None:
        await self.server.start()
        async with operator_connection(self.settings) as client:
            await create_streams(client, self.keys)

    async def start_service(self, name: str, instead: Sequence[str] | None = None) -> None:
        self._processes[name] = await self._starter(
            instead or (f"services.{name}",), self.environment_of(name), self.files.root / f"{name}.log"
        )

    def environment_of(self, name: str) -> dict[str, str]:  # noqa: ARG002 - whoever tells services apart overrides it
        """What the process of a service gets to know."""
        return {**os.environ, "MEMSTREAM_DATA_DIR": str(self.files.root), **self._environment}

    async def kill(self, victim: str) -> None:
        """SIGKILL, then start it again as a supervisor would."""
        if victim == "server":
            assert self.server.pid is not None
            os.kill(self.server.pid, signal.SIGKILL)
            await self.server.wait()
            await self.server.start()
            return
        process = self._processes[victim]
        assert process.returncode is None, f"{victim} ended by itself:\n{self.log_of(victim)[-3000:]}"
        process.kill()
        await process.wait()
        await self.start_service(victim)

    @contextmanager
    def standing_still(self, victim: str) -> Iterator[None]:
        """SIGSTOP, until the block ends."""
        pid = self._processes[victim].pid
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    async def ended(self, name: str) -> int:
        """Wait until it has ended by itself; its exit code."""
        return await self._processes[name].wait()

    async def until_dead(self, victim: str) -> None:
        """Wait until it has killed itself, then start it again."""
        code = await asyncio.wait_for(self._processes[victim].wait(), 60)
        assert code == -signal.SIGKILL, f"{victim} ended with {code}:\n{self.log_of(victim)[-3000:]}"
        await self.start_service(victim)

    async def stop_services(self) -> None:
        for process in self._processes.values():
            if process.returncode is None:
                process.terminate()
        for process in self._processes.values():
            await process.wait()

    async def stop(self) -> None:
        await self.stop_services()
        await self.server.stop()

    def exit_codes(self) -> dict[str, int | None]:
        return {name: process.returncode for name, process in self._processes.items()}

    def log_of(self, service: str) -> str:
        return (self.files.root / f"{service}.log").read_text(encoding="utf-8")

    @property
    def url_of_bots(self) -> str:
        """Where bots reach the server."""
        return self.server.url

    @asynccontextmanager
    async def bot(self, on_error: Callable[[str], None] | None = None) -> AsyncIterator[Bot]:
        async def noted(error: Exception) -> None:
            if on_error:  # else: lost connections are the point of these tests
                on_error(str(error))

        password = load_credentials(self.files.credentials).bots["bot"].password
        client = await nats.connect(
            self.url_of_bots,
            user="bot",
            password=password,
            inbox_prefix=inbox_prefix("bot", password),
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.05,
            error_cb=noted,
        )
        try:
            yield Bot(client)
        finally:
            await client.close()

    async def admin(self, subject: str, payload: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask a service until it answers: it may just be starting again."""
        request = b"" if payload is None else json.dumps(payload).encode()
        while True:
            try:
                async with operator_connection(self.settings) as client:
                    reply = await client.request(subject, request, timeout=30)
            except (nats.errors.Error, Unavailable):
                await asyncio.sleep(0.1)
                continue
            answer: dict[str, Any] = json.loads(reply.data)
            if answer.get("error", {}).get("code") not in _ASKED_AGAIN:
                assert "error" not in answer, answer
                return answer


class Bot:
    """A bot as an author would write it: publishes until it is acknowledged, asks until it is answered."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def send(self, subject: str, payload: dict[str, Any]) -> int:
        js = self.client.jetstream()
        while True:
            try:
                return (await js.publish(subject, json.dumps(payload).encode(), timeout=5)).seq
            except (nats.errors.Error, TimeoutError, OSError):
                await asyncio.sleep(0.05)

    async def ask(self, subject: str, payload: dict[str, Any]) -> dict[str, Any]:
        while True:
            try:
                reply = await self.client.request(subject, json.dumps(payload).encode(), timeout=5)
            except (nats.errors.Error, TimeoutError, OSError):
                await asyncio.sleep(0.05)
                continue
            answer: dict[str, Any] = json.loads(reply.data)
            if answer.get("error", {}).get("code") not in _ASKED_AGAIN:
                return answer

    async def receipt(self, user: str, number: int) -> dict[str, Any]:
        """Of a forgetting of this user in `home`, when it is done."""
        found: dict[str, Any] = {}

        async def is_done() -> bool:
            found.update(await self.ask(f"ask.home.{user}.receipt", {"number": number}))
            return bool(found.get("state") == "done")

        await until(is_done, what="a receipt comes")
        return found
