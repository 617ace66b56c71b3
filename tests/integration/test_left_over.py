"""A crash between what is recorded and what is erased from SEND: the next start erases it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from nats.aio.client import Client
from nats.js.errors import NotFoundError

from services.ingest.settings import IngestSettings
from shared.runtime.settings import RuntimeSettings
from shared.runtime.sqlite import open_database
from tests.support.installations import Bot, Installation, running

SECRET = "My sister Quixeldra keeps zorbifers."
TURN = {"session_id": "new", "text": SECRET}
FORGETTING = "a turn that has something forgotten"
CRASHES: dict[str, tuple[str, Mapping[str, object]]] = {
    "the first turn of a session that is incognito by default": ("user_message", TURN),
    FORGETTING: ("user_message", {"session_id": "s1", "text": "Forget what I said about Quixeldra"}),
    "a turn that is recorded with a mask": ("user_message", {"session_id": "s1", "text": "My PIN is 739164."}),
    "a refused message": ("user_message", {**TURN, "typo": 1}),
}


@pytest_asyncio.fixture
async def bot(own_server: Installation) -> AsyncIterator[Bot]:
    async with own_server.connected("bot") as client:
        yield Bot(client, "home")


async def is_there(client: Client, sequence: int) -> bool:
    try:
        await client.jetstream().get_msg("SEND", sequence)
    except NotFoundError:
        return False
    return True


@pytest.mark.parametrize("case", CRASHES)
@pytest.mark.parametrize("is_rebuilt", [False, True])
async def test_it_is_erased_at_the_next_start(
    case: str, own_server: Installation, bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_rebuilt: bool
) -> None:
    monkeypatch.setattr("services.ingest.drain._PERIOD_S", 3_600.0)  # a purge of all would hide it
    settings = own_server.elsewhere(tmp_path / "1")
    what, payload = CRASHES[case]
    async with own_server.connected("operator") as operator:
        async with running(settings) as ingest:
            kept = await bot.say("anna", "Quixeldra is a rare name.")
            await bot.outcome("anna", sequence=kept)
            default = await bot.send("anna", "change_settings", {"settings": {"incognito_default": True}})
            await bot.outcome("anna", sequence=default)
            with monkeypatch.context() as crash:
                crash.setattr("services.ingest.lane.erase", _crash)
                sequence = await bot.send("anna", what, payload)
                assert "the power went" in str(await ingest.failure())
        assert await is_there(operator, sequence)
        again = own_server.elsewhere(tmp_path / "2") if is_rebuilt else settings
        async with running(again):
            await bot.outcome("anna", sequence=sequence)  # what is refused is decided once more
            assert not await is_there(operator, sequence)
            if case != FORGETTING:  # the eraser takes that one, too
                assert await is_there(operator, kept)


async def test_a_start_erases_no_more_than_what_was_decided_last(
    own_server: Installation, bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.ingest.drain._PERIOD_S", 3_600.0)
    settings = own_server.elsewhere(tmp_path / "1")
    async with running(settings):
        sent = [await bot.send("anna", "user_message", {**TURN, "typo": 1}) for _ in range(200)]
        await bot.outcome("anna", sequence=sent[-1])
    erased: list[int] = []

    async def count(_: Client, __: str, sequences: list[int]) -> None:
        erased.extend(sequences)

    monkeypatch.setattr("services.ingest.lane.erase", count)
    async with running(settings):
        assert len(erased) <= IngestSettings().fetch
        assert set(erased) <= set(sent)


class PowerCut(BaseException):
    """Ends a process wherever it is: no error, which ingest would live through."""


async def _crash(_: Client, __: str, sequences: list[int]) -> None:
    raise PowerCut(f"the power went before {len(sequences)} were erased")


async def test_of_a_flood_that_was_refused_a_start_erases_nothing(
    own_server: Installation, bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.ingest.drain._PERIOD_S", 3_600.0)
    settings = own_server.elsewhere(tmp_path / "1")
    erased: list[int] = []

    async def note(_: Client, __: str, sequences: Sequence[int]) -> None:
        erased.extend(sequences)

    monkeypatch.setattr("services.ingest.lane.erase", note)
    async with running(settings):
        sequences = [await bot.send("ben", "user_message", {**TURN, "typo": number}) for number in range(20)]
        assert (await bot.outcome("ben", sequence=sequences[-1])).code == "malformed"
    _begin_again(settings)
    async with running(settings):
        assert (await bot.outcome("ben", sequence=await bot.say("ben", "hello"))).verdict == "recorded"
    assert erased == []


def _begin_again(settings: RuntimeSettings) -> None:
    """Leave the floor where a neighbour's flood keeps it: before everything."""
    engine = open_database(settings.files.projection("ingest") / "ingest.db")
    with engine.begin() as db:
        db.exec_driver_sql("UPDATE slot SET decided = 0")
    engine.dispose()
