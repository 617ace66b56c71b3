"""The log is sealed with a key for each person: whoever is forgotten is unreadable everywhere as soon as it is decided."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from memstream.cli.backing_up import back_up
from memstream.cli.restoring import restore
from memstream.cli.session import CliSession
from services.ingest import drain
from services.ingest.app import build as build_ingest
from services.ingest.rebuild import rebuild as rebuild_ingest
from services.retriever.app import build as build_retriever
from services.retriever.rebuild import rebuild as rebuild_retriever
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Misconfigured
from shared.contracts.ids import Space, User
from shared.contracts.privacy import ForgettingCompleted
from shared.runtime.connection import operator_connection
from shared.runtime.embedded.server import EmbeddedServer
from shared.runtime.eventlog import sealing
from shared.runtime.eventlog.read import StreamReader
from shared.runtime.person_keys import PersonKeys, number_of
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import MEMORY
from tests.acceptance.everywhere import found
from tests.support.installations import Bot, Installation, events_of, running, serving, texts_of, until

ANNA = "Grumblethorpe"
SAID = ("I met Quixeldra.", "She keeps zorbifers.")
WORDS = ["Quixeldra", "zorbifers", "Wuthermoor", "Pindlewick", ANNA]
SEALED, PLAIN = {"MEMSTREAM_INGEST_SEAL": "1"}, {"MEMSTREAM_INGEST_SEAL": "0"}


@pytest.fixture
async def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Installation]:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    monkeypatch.setenv("MEMSTREAM_INGEST_SEAL", "1")
    monkeypatch.setattr(drain, "_PERIOD_S", 0.01)
    made = await Installation.create(tmp_path / "memstream")
    yield made
    await made.server.stop()


async def _events(installation: Installation, user: str = ANNA) -> list[Envelope]:
    async with installation.connected("operator") as client:
        return await events_of(client, installation.keys.scope_of(Space("home"), User(user)), user)


async def _sealed_numbers(installation: Installation) -> list[int | None]:
    """Of each event of the log the entry of its key; None: it is not sealed."""
    async with installation.connected("operator") as client:
        return [number_of(each.data) async for batch in StreamReader(client, MEMORY).to_end() for each in batch]


async def _converse(bot: Bot) -> int | None:
    """Two people say something; up to which position it is in the log."""
    for number, text in enumerate(SAID):
        await bot.said(ANNA, text, "sess-Wuthermoor", message_id=f"msg-Pindlewick-{number}")
    return (await bot.said("ben", "I like tea.")).position


async def _forget(bot: Bot) -> None:
    await bot.outcome(ANNA, sequence=await bot.send(ANNA, "forget_user", {}))


async def _drained(installation: Installation) -> None:
    """What is in transit is not sealed."""
    async with installation.connected("operator") as client:

        async def is_empty() -> bool:
            return (await client.jetstream().stream_info("SEND")).state.messages == 0

        await until(is_empty, what="SEND is drained")


async def _receipt(installation: Installation) -> ForgettingCompleted:
    told: list[ForgettingCompleted] = []

    async def is_told() -> bool:
        told[:] = [each.data for each in await _events(installation) if isinstance(each.data, ForgettingCompleted)]
        return bool(told)

    await until(is_told, what="the receipt")
    return told[0]


async def test_a_person_is_readable_by_their_key_alone_and_gone_with_it(installation: Installation) -> None:
    settings = installation.settings
    files = settings.files
    async with (
        installation.connected("bot") as client,
        serving(*(build(settings) for build in (build_ingest, build_retriever))),
    ):
        bot = Bot(client, "home")
        asked = {"query": "zorbifers", "min_position": await _converse(bot)}
        assert "zorbifers" in str(await bot.ask(ANNA, "context", asked))
        await _drained(installation)
        await until(lambda: not found(files.nats_store, WORDS), what="the server has removed what it purged")
        assert texts_of(await _events(installation)) == [*SAID]
        await _forget(bot)
        assert {event.user for event in await _events(installation)} == {""}
        await bot.said(ANNA, "I met Blenkotter.", "s2")
        receipt = await _receipt(installation)
        assert (receipt.scan.found, receipt.scan.places) == (0, ())
        assert texts_of(await _events(installation)) == ["I met Blenkotter."]
        assert texts_of(await _events(installation, "ben")) == ["I like tea."]


async def test_a_backup_of_the_log_holds_nothing_of_who_is_forgotten_later(installation: Installation, tmp_path: Path) -> None:
    folder, copied, keys = tmp_path / "backup", tmp_path / "copied.keys", installation.settings.files.person_keys
    async with running(installation.settings), installation.connected("bot") as client:
        await _converse(Bot(client, "home"))
        await _drained(installation)
        await back_up(CliSession(installation.settings), folder)
        shutil.copy(keys, copied)
        await _forget(Bot(client, "home"))
    elsewhere = CliSession(RuntimeSettings(data_dir=tmp_path / "elsewhere"))
    await restore(elsewhere, folder)
    server = EmbeddedServer(elsewhere.files, port=0)
    await server.start()
    restored = Installation(elsewhere.settings.model_copy(update={"nats_url": server.url}), server)
    assert not elsewhere.files.person_keys.exists()
    with pytest.raises(Misconfigured, match="keys restore"):
        await _events(restored)
    shutil.copy(keys, elsewhere.files.person_keys)
    assert [await _events(restored), texts_of(await _events(restored, "ben"))] == [[], ["I like tea."]]
    shutil.copy(copied, elsewhere.files.person_keys)  # whoever has a copy from before can read it
    assert texts_of(await _events(restored)) == [*SAID]
    shutil.copy(keys, elsewhere.files.person_keys)
    async with running(restored.settings), restored.connected("bot") as client:
        await Bot(client, "home").said(ANNA, "I met Blenkotter.", "s2")
    assert [event.number for event in await _events(restored)] == [1, 2]
    await server.stop()


async def test_sealed_and_plain_events_are_one_log_and_rebuild_to_the_same(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = installation.settings
    async with installation.connected("bot") as client:
        bot = Bot(client, "home")
        for number, environment in enumerate((PLAIN, SEALED, PLAIN)):
            monkeypatch.setenv(*_only(environment))
            async with running(settings) as ingest:
                await bot.said(ANNA, f"I have {number} cats.")
                live = ingest.digest()
    assert [number is not None for number in await _sealed_numbers(installation)] == [False, False, True, False]
    assert len(texts_of(await _events(installation))) == 3
    assert await rebuild_ingest(installation.elsewhere(tmp_path / "again")) == live
    (tmp_path / "lost").mkdir()
    settings.files.person_keys.rename(tmp_path / "lost/people.keys")
    with pytest.raises(Misconfigured, match="keys restore"):
        await rebuild_retriever(settings)
    monkeypatch.setenv(*_only(SEALED))
    with pytest.raises(Misconfigured, match="keys restore"):
        async with running(settings):
            """It would make other keys beside those."""
    assert not settings.files.person_keys.exists()
    (tmp_path / "lost/people.keys").rename(settings.files.person_keys)
    assert await rebuild_retriever(settings)


async def test_a_key_that_a_crash_left_is_erased_with_the_events(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crashed(_: object) -> None:
        """It ended right after the append."""

    settings = installation.settings
    async with installation.connected("bot") as client:
        bot = Bot(client, "home")
        async with running(settings):
            await _converse(bot)
            with monkeypatch.context() as patched:
                patched.setattr(sealing.SealedAppend, "done", crashed)
                await _forget(bot)
        async with running(settings):
            await bot.said(ANNA, "I met Blenkotter.", "s2")
            assert (await _receipt(installation)).scan.found == 0
            assert texts_of(await _events(installation)) == ["I met Blenkotter."]
    assert PersonKeys(settings.files.person_keys).key(1) is None


async def test_events_whose_key_is_gone_are_erased_after_a_crash(installation: Installation) -> None:
    """Nothing can be read of them any more: they are found by where they lie."""
    settings = installation.settings
    async with installation.connected("bot") as client:
        bot = Bot(client, "home")
        async with running(settings) as ingest:
            await _converse(bot)
            ingest.service._traces.look = lambda _: (_ for _ in ()).throw(OSError)  # type: ignore[assignment,method-assign]
            await _forget(bot)
            ingest.task.cancel()
        async with running(settings):
            await _receipt(installation)
    async with operator_connection(settings) as operator:
        state = (await operator.jetstream().stream_info(MEMORY)).state
    assert state.messages == 4  # two of Ben, the forgetting and its receipt


def _only(environment: Mapping[str, str]) -> tuple[str, str]:
    [(name, value)] = environment.items()
    return name, value
