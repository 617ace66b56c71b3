"""A real nats-server with its data folder, and services that run against it in this process."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nats
from nats.aio.client import Client
from nats.errors import NoRespondersError

from services.ingest.app import Ingest
from services.ingest.settings import IngestSettings
from shared.contracts.envelope import Envelope
from shared.contracts.events import decode
from shared.contracts.ids import Scope, Space, User
from shared.contracts.queries import ErrorAnswer, OutcomeAnswer
from shared.contracts.subjects import ask_subject, inbox_prefix, scope_filter, send_subject, slot_of
from shared.runtime.credentials import Credentials, create_credentials, load_credentials, save_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.server import EmbeddedServer
from shared.runtime.eventlog.read import LogReader
from shared.runtime.keys import Keys, create_keys, load_keys
from shared.runtime.person_keys import PersonKeys, lend
from shared.runtime.service import Service, run_services
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import MEMORY, create_streams

ErrorCallback = Callable[[Exception], Awaitable[None]]
PATIENCE_S = 50.0
"""How long a test waits before it fails: below the time limit of a test, and more than a busy machine needs."""
STOPPING_S = 20.0
FAILING_S = 30.0


async def until(condition: Callable[[], bool | Awaitable[bool]], *, what: str = "it", within_s: float = PATIENCE_S) -> None:
    """Give way until the condition holds; fails loudly when it takes too long."""
    try:
        async with asyncio.timeout(within_s):
            while True:
                holds = condition()
                if holds if isinstance(holds, bool) else await holds:
                    return
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise AssertionError(f"not within {within_s:g} s: {what}") from None


async def no_word(_: Exception) -> None:
    """Connection errors that a test provokes on purpose."""


@dataclass
class Installation:
    """A data folder with keys and credentials, and the server that runs on it."""

    settings: RuntimeSettings
    server: EmbeddedServer

    @classmethod
    async def create(cls, root: Path, *, credentials: Credentials | None = None, streams: bool = True) -> Installation:
        """What `memstream init` does, and a started server on a free port."""
        files = DataDir(root)
        files.create()
        keys = create_keys(files.keys)
        save_credentials(files.credentials, credentials or create_credentials())
        server = EmbeddedServer(files, port=0)
        await server.start()
        installation = cls(RuntimeSettings(data_dir=root, nats_url=server.url), server)
        if streams:
            async with installation.connected("operator") as client:
                await create_streams(client, keys)
        return installation

    @classmethod
    async def opened(cls, root: Path) -> Installation:
        """One that is there already, with a started server on a free port."""
        server = EmbeddedServer(DataDir(root), port=0)
        await server.start()
        return cls(RuntimeSettings(data_dir=root, nats_url=server.url), server)

    @property
    def keys(self) -> Keys:
        """Its keys."""
        return load_keys(self.settings.files.keys)

    def elsewhere(self, folder: Path) -> RuntimeSettings:
        """Another data folder with the same keys on the same server: projections are built anew there."""
        folder.mkdir(parents=True)
        files = DataDir(folder)
        for ours, theirs in ((self.settings.files.keys, files.keys), (self.settings.files.credentials, files.credentials)):
            shutil.copy(ours, theirs)
        files.person_keys.symlink_to(self.settings.files.person_keys)
        return RuntimeSettings(data_dir=folder, nats_url=self.server.url)

    @asynccontextmanager
    async def connected(self, user: str, *, on_error: ErrorCallback = no_word, reconnect: bool = True) -> AsyncIterator[Client]:
        """A connection as a service user, a bot or a reader."""
        credentials = load_credentials(self.settings.files.credentials)
        passwords = {name: bot.password for name, bot in credentials.bots.items()}
        passwords |= {name: reader.password for name, reader in credentials.readers.items()}
        password = passwords.get(user) or credentials.services[user]
        soon: Any = 0.05  # nats-py says int, and sleeps for it
        client = await nats.connect(
            self.server.url,
            user=user,
            password=password,
            inbox_prefix=inbox_prefix(user, password),
            error_cb=on_error,
            allow_reconnect=reconnect,
            reconnect_time_wait=soon,
            max_reconnect_attempts=-1,
        )
        lend(client, PersonKeys(self.settings.files.person_keys))
        try:
            yield client
        finally:
            await client.close()


class Bot:
    """A bot as its author would write it: a NATS connection and JSON."""

    def __init__(self, client: Client, space: str) -> None:
        self.client = client
        self.space = Space(space)

    async def send(
        self, user: str, what: str, payload: Mapping[str, object] | bytes, headers: dict[str, str] | None = None
    ) -> int:
        """Publish; the sequence of the acknowledgement."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        subject = send_subject(self.space, User(user), what)
        return (await self.client.jetstream().publish(subject, data, headers=headers)).seq

    async def say(self, user: str, text: str, session: str = "s1", **more: object) -> int:
        """Publish what the user said."""
        return await self.send(user, "user_message", {"session_id": session, "text": text, **more})

    async def ask(self, user: str, query: str, payload: Mapping[str, object] | bytes) -> dict[str, Any]:
        """Request; the answer, or the error that it carries."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        answer: dict[str, Any] = json.loads(await self._request(ask_subject(self.space, User(user), query), data))
        if "error" in answer:
            raise ErrorAnswer.model_validate(answer).raised()
        return answer

    async def _request(self, subject: str, data: bytes) -> bytes:
        """Asks again while nobody listens: after a restart of the server the services come back a moment later."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    return (await self.client.request(subject, data, timeout=PATIENCE_S)).data
                except NoRespondersError:
                    await asyncio.sleep(0.02)

    async def outcome(self, user: str, **query: object) -> OutcomeAnswer:
        """What became of something that was sent."""
        return OutcomeAnswer.model_validate(await self.ask(user, "outcome", {"timeout_s": 30.0, **query}))

    async def said(self, user: str, text: str, session: str = "s1", **more: object) -> OutcomeAnswer:
        """Say it and wait for what becomes of it."""
        return await self.outcome(user, sequence=await self.say(user, text, session, **more))


@dataclass
class Running:
    """ingest, running."""

    service: Ingest
    task: asyncio.Task[None]
    settings: RuntimeSettings
    stack: AsyncExitStack = field(repr=False)

    async def failure(self) -> BaseException:
        """Wait until it ends by itself, and why."""
        await until(self.task.done, what="ingest ended by itself", within_s=FAILING_S)
        error = self.task.exception()
        assert error is not None, "it ended without an error"
        return error

    def digest(self) -> str:
        """The projection digest of its ingest.db."""
        return self.service._store.digest()


@asynccontextmanager
async def running(settings: RuntimeSettings, *, lanes: int = 2, ready: bool = True) -> AsyncIterator[Running]:
    """ingest in this process, as shared.runtime.service runs it, but for the signals."""
    service = Ingest(settings, IngestSettings(lanes=lanes))
    async with AsyncExitStack() as stack:
        await service.broker.connect()
        stack.push_async_callback(service.broker.stop)
        task = asyncio.create_task(service.run(), name="ingest")
        stack.push_async_callback(_cancelled, task)
        await service.broker.start()
        started = Running(service, task, settings, stack)
        if ready:
            await until(lambda: service.is_ready or task.done(), what="ingest is ready")
            if task.done():
                task.result()
        yield started


@asynccontextmanager
async def serving(*services: Service) -> AsyncIterator[asyncio.Task[None]]:
    """What `memstream up` runs: these services in one process, ready; their task, which ends only if one of them fails."""
    task = asyncio.create_task(run_services(services, version="test", http_port=None))
    try:
        try:
            await until(lambda: all(service.is_ready for service in services) or task.done(), what="the services are ready")
        except AssertionError as error:
            late = ", ".join(service.name for service in services if not service.is_ready)
            raise AssertionError(f"{error}; not yet: {late}") from None
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task], timeout=STOPPING_S)
    stopped = task.done()
    while not task.done():  # a task group cancels its lanes once only: end them by hand, so that only this test fails
        for lane in [other for other in asyncio.all_tasks() if other.get_name().startswith("lane-")]:
            lane.cancel()
        await asyncio.wait([task], timeout=STOPPING_S)
    assert stopped, "ingest went on although it was cancelled"


async def events_of(client: Client, scope: Scope, user: str) -> list[Envelope]:
    """Everything that the log holds of a scope."""
    subjects = [scope_filter(slot_of(User(user)), scope)]
    return [decode(record.data) async for batch in LogReader(client, subjects=subjects).to_end() for record in batch]


def texts_of(events: Sequence[Envelope]) -> list[str]:
    """The words of the episodes and facts."""
    return [text for event in events if (text := getattr(event.data, "text", None))]


async def last_position(client: Client, stream: str = MEMORY) -> int:
    """The last sequence of a stream."""
    return int((await client.jetstream().stream_info(stream)).state.last_seq)


async def raw_request(client: Client, subject: str, data: bytes, block: bytes) -> bytes:
    """A request with a block of headers as it stands."""
    inbox = client.new_inbox()
    subscription = await client.subscribe(inbox)
    line = f"HPUB {subject} {inbox} {len(block)} {len(block) + len(data)}\r\n".encode()
    await client._send_command(line + block + data + b"\r\n")
    await client.flush()
    return (await subscription.next_msg(timeout=5)).data
