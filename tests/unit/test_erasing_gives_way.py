"""What no person asked to be erased rests while somebody asks, and never while a person waits for a forgetting."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import pytest
from nats.aio.client import Client

from services.ingest.eraser import Eraser
from services.ingest.store import Store
from shared.runtime import erasing
from shared.runtime.background import BACKGROUND
from tests.support.scopes import KEYS

NOBODY: Any = None


async def test_a_pause_is_awaited_after_each_erasure(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    async def erase_one(_: object, __: str, sequence: int) -> bool:
        done.append(f"erased {sequence}")
        return True

    async def pause(_: float) -> None:
        done.append("rested")

    monkeypatch.setattr(erasing, "_erase_one", erase_one)
    assert await erasing.erase(NOBODY, "MEMORY", [1, 2], pause=pause) == 2
    assert done == ["erased 1", "rested", "erased 2", "rested"]


@pytest.mark.parametrize(("is_asked", "waiting", "rests"), [(True, 1, True), (True, 2, False), (False, 1, False)])
async def test_retention_rests_where_only_those_wait_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_asked: bool, waiting: int, rests: bool
) -> None:
    store = Store(tmp_path, KEYS.digester)
    eraser = Eraser(client=create_autospec(Client), store=store, lanes={}, backups=list, traces=NOBODY)
    rested: list[float] = []

    async def give_way(worked_s: float) -> None:
        rested.append(worked_s)

    monkeypatch.setattr(BACKGROUND, "give_way", give_way)
    monkeypatch.setattr(type(BACKGROUND), "is_asked", property(lambda _: is_asked))
    monkeypatch.setattr(store, "to_erase", lambda: [(f"scope {index}", 0) for index in range(waiting)])
    await eraser._give_way(0.01)
    assert rested == ([0.03] if rests else [])
    store.close()
