"""Killed before or after any one step of a forgetting: every word goes all the same, the receipt comes, nothing is doubled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.envelope import Envelope
from shared.contracts.events import decode
from shared.contracts.privacy import ForgettingCompleted, MemoryForgotten, UserForgotten
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.read import LogReader
from tests.acceptance.die_at import Step
from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation
from tests.acceptance.settling import rebuilt_digests, stopped_at_rest
from tests.support.installations import until

_USER = "Grumblethorpe"
_WORDS = ["Quixeldra", "zorbifers"]
_SAID = (
    ("user_message", "Hello, how are you today?"),
    ("user_message", "My sister Quixeldra keeps zorbifers in the barn."),
    ("agent_response", "Zorbifers! Your sister Quixeldra must love them."),
    ("user_message", "I work as a pastry chef in Leeds."),
)
_LANE, _ERASER, _ERASE = "services.ingest.lane", "services.ingest.eraser", "services.ingest.eraser:erase"
_APPEND = "services.ingest.appending:append"
_MEMORIES, _OPEN_FILES = "services.retriever.store.memory_folder:MemoryFolder", "services.retriever.store.open_files"
_WORKLIST = "shared.runtime.worklist:Worklist"
_DECIDED, _DONE = "_forgotten", "forgetting_completed"
_ASKS_FOR_REBUILD = "'to_rebuild': {"  # of a scope: `set()` is of none

_STEPS = (
    Step("ingest", _APPEND, "after", about=_DECIDED),
    Step("ingest", "shared.runtime.erasing:_erase_one", "after", about="MEMORY", call=2),
    Step("ingest", f"{_LANE}:append", "after", about=_DONE),
    Step("retriever", f"{_OPEN_FILES}:delete_file", "after", about=".db')"),
    Step("ingest", _APPEND, "before", about=_DECIDED),
    Step("ingest", "services.ingest.projection:IngestProjection.apply", "after", about=_DECIDED),
    Step("ingest", _ERASE, "before", about="SEND"),
    Step("ingest", _ERASE, "after", about="SEND"),
    Step("ingest", _ERASE, "after", about="REJECTED"),
    Step("ingest", _ERASE, "after", about="MEMORY"),
    Step("ingest", f"{_LANE}:Lane.record", "before"),
    Step("ingest", f"{_LANE}:append", "before", about=_DONE),
    Step("ingest", "services.ingest.projection:IngestProjection.apply", "after", about=_DONE),
    Step("ingest", "services.ingest.store:Store.wipe", "after"),
    Step("ingest", "services.ingest.store:Store.scope_rebuilt", "before"),
    Step("ingest", f"{_LANE}:Lane.record", "after"),
    Step("retriever", f"{_MEMORIES}.add", "before", about=_DECIDED),
    Step("retriever", f"{_MEMORIES}.add", "after", about=_DECIDED),
    Step("retriever", "services.retriever.store.index:ScopeIndex.save", "after", about=_ASKS_FOR_REBUILD),
    Step("retriever", "services.retriever.scope_rebuild:ScopeRebuilds.rebuild_requested", "before"),
    Step("retriever", f"{_MEMORIES}.beside", "after"),
    Step("retriever", f"{_MEMORIES}.replace", "before"),
    Step("retriever", f"{_OPEN_FILES}:OpenFiles.replace", "after"),
    Step("retriever", f"{_MEMORIES}.replace", "after"),
    *(
        step
        for service in ("consolidator", "maintenance")
        for step in (
            Step(service, f"{_WORKLIST}.apply", "before", _DECIDED),
            Step(service, f"{_WORKLIST}.apply", "after", _DECIDED),
            Step(service, f"{_WORKLIST}.apply", "after", _DONE),
            Step(service, f"{_WORKLIST}.begin_scope_rebuild", "after"),
        )
    ),
    Step("maintenance", f"{_WORKLIST}.rebuild_scope", "before"),
    Step("maintenance", f"{_WORKLIST}.rebuild_scope", "after"),
)


_OFTEN = {(0, "forget_user"), (1, "forget"), (2, "forget_user"), (3, "forget")}
"""These in every run; all of them nightly."""


def _cases() -> Iterator[Any]:
    for index, step in enumerate(_STEPS):
        for command in ("forget", "forget_user"):
            marks = () if (index, command) in _OFTEN else (pytest.mark.nightly,)
            yield pytest.param(step, command, id=f"{command}: {step}", marks=marks)


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("step", "command"), list(_cases()))
async def test_a_forgetting_that_is_killed_there_completes(step: Step, command: str, tmp_path: Path) -> None:
    installation = Installation(tmp_path / "data")
    await installation.start({step.service: step.arguments()})
    try:
        async with installation.bot() as bot:
            await _converse(bot)
            await installation.learned()
            assert found(installation.files.root, _WORDS)
            fields = {"query": "Quixeldra"} if command == "forget" else {}
            sequence = await bot.send(f"send.home.{_USER}.{command}", fields)
            await installation.until_dead(step.service)
            await _is_forgotten(bot, sequence)
        gone = [*_WORDS, _USER] if command == "forget_user" else _WORDS
        await until(lambda: not found(installation.files.root, gone), what="every byte is gone")
        _is_told_once(await _events(installation))
        live = await stopped_at_rest(installation)
        assert await rebuilt_digests(installation) == live
    finally:
        await installation.stop()


async def _converse(bot: Bot) -> None:
    for number, (what, text) in enumerate(_SAID):
        await bot.send(f"send.home.{_USER}.{what}", {"session_id": "s1", "text": text, "message_id": f"m{number}"})
    # The same id with other words is refused, and kept with its body.
    await bot.send(f"send.home.{_USER}.user_message", {"session_id": "s1", "text": "Quixeldra again", "message_id": "m0"})
    sequence = await bot.send(f"send.home.{_USER}.end_session", {"session_id": "s1"})
    await bot.ask(f"ask.home.{_USER}.outcome", {"sequence": sequence, "timeout_s": 10})


async def _is_forgotten(bot: Bot, sequence: int) -> None:
    """By its outcome, its receipt, and every answer after it."""
    outcome = await bot.ask(f"ask.home.{_USER}.outcome", {"sequence": sequence, "timeout_s": 20})
    assert outcome["verdict"] == "recorded", outcome
    receipt = await bot.receipt(_USER, outcome["number"])
    assert receipt["scan"]["found"] == 0
    for query in ("search", "context"):
        answer = await bot.ask(
            f"ask.home.{_USER}.{query}", {"query": "Quixeldra zorbifers", "min_position": outcome["position"]}
        )
        assert not [item["text"] for item in answer["items"] for word in _WORDS if word.lower() in item["text"].lower()]


async def _events(installation: Installation) -> list[Envelope]:
    async with operator_connection(installation.settings) as client:
        return [decode(record.data) async for batch in LogReader(client).to_end() for record in batch]


def _is_told_once(events: list[Envelope]) -> None:
    assert not [name for name, count in Counter(event.event_id for event in events).items() if count > 1]
    assert not [number for number, count in Counter(event.number for event in events).items() if count > 1]
    forgotten = {event.data.forget_id for event in events if isinstance(event.data, MemoryForgotten | UserForgotten)}
    receipts = [event.data.forget_id for event in events if isinstance(event.data, ForgettingCompleted)]
    assert len(forgotten) == 1
    assert receipts == list(forgotten)
