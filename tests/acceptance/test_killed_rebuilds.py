"""Killed before or after any one step of building files anew: every question is answered, and nothing half built answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memstream.cli.projections import rebuild_live
from shared.runtime.tasks import end
from tests.acceptance.die_at import Step
from tests.acceptance.processes import Bot, Installation
from tests.support.files import change_by_hand
from tests.support.installations import until

_PEOPLE = ("anna", "bert", "carla")
_SERVICES = ("ingest", "retriever")
_FOLDER, _FILES = "services.retriever.store.memory_folder:MemoryFolder", "services.retriever.store.open_files"
_STEPS = (
    Step("retriever", f"{_FOLDER}.beside", "before", call=2),
    Step("retriever", f"{_FOLDER}.beside", "after", call=2),
    Step("retriever", f"{_FOLDER}.replace", "before", call=2),
    Step("retriever", f"{_FILES}:OpenFiles._delete", "after", call=2),
    Step("retriever", f"{_FOLDER}.replace", "after", call=2),
    Step("retriever", f"{_FOLDER}.take_up_recipients", "before", call=2),
)
_OF_REQUESTS = (
    Step("retriever", "services.retriever.store.index:ScopeIndex._request_todays_files", "before"),
    Step("retriever", "services.retriever.store.index:ScopeIndex._request_todays_files", "after"),
    Step("retriever", "services.retriever.store.index:ScopeIndex.scope_rebuilt", "before", call=2),
    Step("retriever", "services.retriever.store.index:ScopeIndex.scope_rebuilt", "after", call=2),
)
_OFTEN = {1, 3, 8}
"""These in every run; all of them nightly."""


def _cases(*steps: Step) -> list[Any]:
    return [
        pytest.param(step, id=str(step), marks=() if index in _OFTEN else (pytest.mark.nightly,))
        for index, step in enumerate(steps)
    ]


@pytest.fixture
async def lived(tmp_path: Path) -> AsyncIterator[Installation]:
    """Three people have said something; the services are stopped, and the server runs."""
    installation = Installation(tmp_path / "data")
    await installation._start_server()
    try:
        for service in _SERVICES:
            await installation.start_service(service)
        async with installation.bot() as bot:
            for user in _PEOPLE:
                said = {"session_id": "s1", "text": f"My name is {user}, and I keep herons.", "message_id": "m1"}
                sequence = await bot.send(f"send.home.{user}.user_message", said)
                outcome = await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequence, "timeout_s": 20})
            await _answers(bot, outcome["position"])
        yield installation
    finally:
        await installation.stop()


async def _answers(bot: Bot, position: int = 0) -> None:
    """Everybody is answered with what they said."""
    for user in _PEOPLE:
        query = {"query": f"herons of {user}", "timeout_s": 20, "min_position": position}
        answer = await bot.ask(f"ask.home.{user}.search", query)
        assert [item["text"] for item in answer["items"]] == [f"My name is {user}, and I keep herons."]


async def _digests(installation: Installation) -> dict[str, Any]:
    """Once nothing is to be built anew."""
    await installation.rebuilt()
    return await installation.admin("admin.retriever.digests")


def _drafts(installation: Installation) -> list[Path]:
    return list((installation.files.root / "retriever" / "memories").glob("*/*.new*"))


@pytest.mark.timeout(180)
@pytest.mark.parametrize("step", _cases(*_STEPS))
async def test_a_live_rebuild_that_is_killed_there_harms_nothing(lived: Installation, step: Step) -> None:
    before = await _digests(lived)
    await _stop(lived)
    await lived.start_service("retriever", step.arguments())
    await until(lambda: _is_there(lived), what="the retriever answers")
    command = asyncio.create_task(rebuild_live(lived.settings, in_any_case=False, on_progress=lambda *_: None))
    await lived.until_dead("retriever")
    await end([command])  # nobody answers it any more
    async with lived.bot() as bot:
        await _answers(bot)
    assert not _drafts(lived)
    found = await rebuild_live(lived.settings, in_any_case=False, on_progress=lambda *_: None)
    assert found == {"compared": len(_PEOPLE), "differing": [], "untold": 0, "rebuilt": len(_PEOPLE)}
    assert await _digests(lived) == before


@pytest.mark.timeout(180)
@pytest.mark.parametrize("step", _cases(*_STEPS, *_OF_REQUESTS))
async def test_an_upgrade_that_is_killed_there_answers_everybody_and_completes(lived: Installation, step: Step) -> None:
    before = await _digests(lived)
    await _stop(lived)
    folder = lived.files.root / "retriever"
    change_by_hand(folder / "index.db", "UPDATE meta SET value = '1' WHERE key = 'files_version'")
    for file in folder.glob("memories/*/*.db"):
        change_by_hand(file, "DROP TABLE shared_tags", "PRAGMA user_version = 1")
    await lived.start_service("retriever", step.arguments())
    await lived.until_dead("retriever")
    async with lived.bot() as bot:
        await _answers(bot)
    assert await _digests(lived) == before
    assert not _drafts(lived)


async def _stop(installation: Installation) -> None:
    await installation.stop_services()
    await installation.start_service("ingest")


async def _is_there(installation: Installation) -> bool:
    with suppress(Exception):
        return "workers" in await installation.admin("admin.retriever.status")
    return False
