"""Fixtures of all tests; tests/conftest.py makes them known."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from nats.aio.client import Client

from services.ingest.app import build as build_ingest
from services.ingest.store import Store
from services.retriever.app import build as build_retriever
from services.retriever.store.memory_folder import MemoryFolder
from shared.runtime.logs import configure_logs
from shared.runtime.service import Service
from tests.support import forks
from tests.support.installations import Bot, Installation, Running, running, serving
from tests.support.lateness import late_as_told
from tests.support.scopes import KEYS, FixedClock

_numbers = itertools.count(1)


@pytest.fixture(scope="session", autouse=True)
def no_settings_of_this_machine() -> None:
    """A developer's own MEMSTREAM_ variables must not reach the tests."""
    for name in [name for name in os.environ if name.startswith("MEMSTREAM_")]:
        del os.environ[name]


@pytest.fixture(scope="session", autouse=True)
def logs_as_of_a_service() -> None:
    """What structlog does by itself with an exception takes seconds where its traceback is deep."""
    configure_logs()


@pytest.fixture(scope="session", autouse=True)
def services_are_late() -> Iterator[None]:
    """Where somebody looks for what does not wait."""
    with late_as_told():
        yield


@pytest.fixture(scope="session", autouse=True)
def no_forks_are_left() -> Iterator[None]:
    """Nothing that a test forked outlives the session."""
    yield
    forks.stop()


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands still."""
    return FixedClock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty ingest.db."""
    store = Store(tmp_path / "ingest", KEYS.digester)
    yield store
    store.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def nats_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One real server for the whole session, with its streams; tests keep apart by their spaces."""
    installation = await Installation.create(tmp_path_factory.mktemp("memstream"))
    yield installation
    await installation.server.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scratch_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """Another one, for tests that write what is no event into the log: ingest would rightly halt on it."""
    installation = await Installation.create(tmp_path_factory.mktemp("scratch"))
    yield installation
    await installation.server.stop()


@pytest_asyncio.fixture
async def own_server(tmp_path: Path) -> AsyncIterator[Installation]:
    """A server of one's own, for tests that disturb it."""
    installation = await Installation.create(tmp_path / "own")
    yield installation
    await installation.server.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_memstream(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """ingest and the retriever in this process, for all tests of a module that keep apart by their spaces."""
    installation = await Installation.create(tmp_path_factory.mktemp("memstream"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMSTREAM_EMBEDDER_KIND", "none")  # words alone are searched
        services: list[Service] = [build_ingest(installation.settings), build_retriever(installation.settings)]
    async with serving(*services):
        yield installation
    await installation.server.stop()


@pytest.fixture
def space() -> str:
    """A space that no other test uses."""
    return f"space-{next(_numbers)}"


@pytest_asyncio.fixture
async def operator(nats_server: Installation) -> AsyncIterator[Client]:
    """The command line's connection."""
    async with nats_server.connected("operator") as client:
        yield client


@pytest_asyncio.fixture
async def writer(nats_server: Installation) -> AsyncIterator[Client]:
    """The connection of ingest, the only one that may append."""
    async with nats_server.connected("ingest") as client:
        yield client


@pytest_asyncio.fixture
async def ingest(nats_server: Installation, tmp_path: Path) -> AsyncIterator[Running]:
    """ingest with an empty ingest.db on the shared server, ready."""
    async with running(nats_server.elsewhere(tmp_path / "ingest-1")) as service:
        yield service


@pytest_asyncio.fixture
async def bot(nats_server: Installation, space: str) -> AsyncIterator[Bot]:
    """A bot in a space of its own."""
    async with nats_server.connected("bot") as client:
        yield Bot(client, space)


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[MemoryFolder]:
    """The folder of a retriever that knows nobody yet; closed at the end."""
    memories = MemoryFolder(tmp_path / "retriever", open_files=4)
    yield memories
    memories.close()
