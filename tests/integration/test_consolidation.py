"""A session that goes on while it is learned from: through the real log, the real ingest and the real job."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from services.consolidator.app import Consolidator
from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.rules import RuleExtractor
from services.consolidator.settings import ConsolidatorSettings
from shared.contracts.commands import ExtractedFact
from shared.contracts.events import FactRemembered, MemoryRepeated, SessionConsolidated
from shared.contracts.ids import Space, User
from shared.runtime.tasks import end
from tests.support.installations import Bot, Installation, events_of, running, until

ANNA = "anna"


class Overlapped(RuleExtractor):
    """The rules, but before the first page comes back the conversation has gone on, and ended again."""

    def __init__(self, meanwhile: Callable[[], Awaitable[None]]) -> None:
        self.read: list[list[str]] = []
        self._meanwhile = meanwhile

    async def extract(self, turns: Sequence[SaidTurn], **_: object) -> list[ExtractedFact]:
        self.read.append([turn.text for turn in turns])
        if len(self.read) == 1:
            await self._meanwhile()
        return await super().extract(turns)


@pytest_asyncio.fixture
async def bot(own_server: Installation) -> AsyncIterator[Bot]:
    async with running(own_server.settings), own_server.connected("bot") as client:
        yield Bot(client, "home")


@pytest.mark.parametrize("page", [1, 30])
async def test_a_run_that_overlaps_a_resume_learns_every_turn_once(
    own_server: Installation, bot: Bot, page: int, tmp_path: Path
) -> None:
    async def resume() -> None:
        await bot.said(ANNA, "I moved to Bergen.", speaker="Anna")
        await bot.outcome(ANNA, sequence=await bot.send(ANNA, "end_session", {"session_id": "s1"}))

    await bot.said(ANNA, "I am allergic to hazelnuts.", speaker="Anna")
    await bot.said(ANNA, "I work as a baker in Leeds.", speaker="Anna")
    await bot.outcome(ANNA, sequence=await bot.send(ANNA, "end_session", {"session_id": "s1"}))

    extractor = Overlapped(resume)
    settings = own_server.elsewhere(tmp_path / "consolidator")
    consolidator = Consolidator(settings, ConsolidatorSettings(page=page), extractor)
    await consolidator.broker.connect()
    task = asyncio.create_task(consolidator.run())
    scope = own_server.keys.scope_of(Space("home"), User(ANNA))
    async with own_server.connected("operator") as operator:

        async def both_are_learned_from() -> bool:
            events = await events_of(operator, scope, ANNA)
            return sum(isinstance(event.data, SessionConsolidated) for event in events) >= 2 or task.done()

        await until(both_are_learned_from, what="both completions are learned from")
        events = await events_of(operator, scope, ANNA)
    await end([task])
    await consolidator.broker.stop()
    assert [text for texts in extractor.read for text in texts] == [
        "I am allergic to hazelnuts.",
        "I work as a baker in Leeds.",
        "I moved to Bergen.",
    ]
    facts = [event.data.text for event in events if isinstance(event.data, FactRemembered)]
    assert facts == ["Anna is allergic to hazelnuts.", "Anna works as a baker in Leeds.", "Anna moved to Bergen."]
    assert not any(isinstance(event.data, MemoryRepeated) for event in events)
