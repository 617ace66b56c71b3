"""One running installation for the tests that only use it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.processes import Installation


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    running = Installation(tmp_path / "data")
    await running.start()
    yield running
    await running.stop()
