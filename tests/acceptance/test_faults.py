"""A part of the fault matrix, which `make chaos` runs whole: docs/faults.md."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shared.runtime.keys import create_keys
from tests.faults.cells import Cell, Patience
from tests.faults.trial import tried, undisturbed

_BEYOND_HEARTBEATS = Patience(stop_s=11, cut_s=11)


@pytest.mark.timeout(300)
async def test_a_cut_wire_and_a_stopped_service_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    keys, cell, also = tmp_path / "keys.toml", Cell("ingest", "cut", "import"), Cell("retriever", "stop", "import")
    create_keys(keys)
    calm = asyncio.create_task(undisturbed(tmp_path / "calm", "import", keys))
    found = await tried(tmp_path / "cut", cell, calm, keys, _BEYOND_HEARTBEATS, also=[also])
    assert found.ok, found
