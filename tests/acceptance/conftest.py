"""One running installation for the tests that only use it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.acceptance.processes import Installation


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    running = Installation(tmp_path / "data")
    await running.start()
    yield running
    await running.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_installation(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """One for all tests of a module that keep apart by their spaces."""
    running = Installation(tmp_path_factory.mktemp("shared") / "data")
    await running.start()
    yield running
    await running.stop()


@pytest.fixture
async def without_grace(tmp_path: Path) -> AsyncIterator[Installation]:
    """One in which what is forgotten in chat is erased at once."""
    running = Installation(tmp_path / "data", environment={"MEMSTREAM_INGEST_GRACE_MINUTES": "0"})
    await running.start()
    yield running
    await running.stop()
