"""A backup from before a forgetting is restored, and no byte of what was forgotten comes back: the kept list says what goes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memstream.cli.backing_up import back_up
from memstream.cli.keeping_forgettings import keep
from memstream.cli.kept_forgettings import read_forgettings
from memstream.cli.restoring import Restored, restore
from memstream.cli.session import CliSession
from services.ingest import drain
from shared.contracts.errors import KeysMismatch, Misconfigured
from shared.contracts.ids import Space, User
from shared.contracts.queries import Verdict
from shared.runtime.embedded.server import EmbeddedServer
from shared.runtime.keys import create_keys
from shared.runtime.settings import RuntimeSettings
from tests.acceptance.everywhere import found
from tests.support.installations import Bot, Installation, events_of, running, texts_of, until

FRIEND, LAMP, CARL, LATER, NEVER = "Quixeldra", "Zorbiferlamp", "Wuthermoor", "Grumblethorpe", "Blenkotter"
GONE = [FRIEND, LAMP, CARL, LATER, NEVER]


@pytest.fixture
async def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Installation]:
    monkeypatch.setattr(drain, "_PERIOD_S", 0.01)
    made = await Installation.create(tmp_path / "memstream")
    yield made
    await made.server.stop()


async def forgotten(bot: Bot, user: str, what: str = "forget", **named: object) -> None:
    """Forget it, and wait for the receipt, which names the backup that cannot be changed."""
    told = await bot.outcome(user, sequence=await bot.send(user, what, dict(named)))

    async def has_receipt() -> bool:
        receipt = await bot.ask(user, "receipt", {"number": told.number})
        return bool(receipt["state"] == "done" and receipt["backups"] == ["before"])

    await until(has_receipt, what="the receipt")


@pytest.fixture
async def backup(installation: Installation, tmp_path: Path) -> Path:
    """A backup, after which everything rare is forgotten; beside it the kept list."""
    session, folder = CliSession(installation.settings), installation.settings.files.backups / "before"
    async with running(installation.settings), installation.connected("bot") as client:
        bot = Bot(client, "home")
        await bot.said("anna", f"I met {FRIEND}.", "s1", message_id="m1")
        await bot.said("anna", "I like tea.", "s2")
        lamp = await bot.outcome("ben", sequence=await bot.send("ben", "remember_fact", {"text": f"I own a {LAMP}."}))
        await bot.said("carl", f"I live in {CARL}.")
        await back_up(session, folder)
        await forgotten(bot, "anna", session_id="s1")
        await forgotten(bot, "ben", memory_ids=[lamp.memory_id])
        await forgotten(bot, "carl", "forget_user")
        await bot.said("ben", f"I moved to {LATER}.", "s3", message_id="m3")
        await forgotten(bot, "ben", deleted_message_id="m3")
        await bot.said("dora", f"I know {NEVER}.", "s4")
        await forgotten(bot, "dora", session_id="s4")
    assert await keep(session, tmp_path / "forgotten") == 5
    return folder


async def restored(backup: Path, folder: Path, kept: Path | None) -> tuple[Restored, RuntimeSettings]:
    settings = RuntimeSettings(data_dir=folder)
    return await restore(CliSession(settings), backup, kept), settings


async def test_what_was_forgotten_after_a_backup_is_in_no_byte_of_what_is_restored(backup: Path, tmp_path: Path) -> None:
    kept = tmp_path / "forgotten"
    assert [word for word in GONE if word.encode() in kept.read_bytes()] == []
    told, without = await restored(backup, tmp_path / "without", None)
    assert told.again is None
    assert found(without.files.root, [FRIEND]), "what was forgotten is found in this way, and comes back without the list"
    told, settings = await restored(backup, tmp_path / "elsewhere", kept)
    assert told.again is not None
    assert told.again._asdict() == {"forgotten": 4, "unknown": 1}
    assert found(settings.files.root, GONE) == []
    server = EmbeddedServer(settings.files, port=0)
    await server.start()
    there = Installation(settings.model_copy(update={"nats_url": server.url}), server)
    async with running(there.settings), there.connected("bot") as client:
        bot = Bot(client, "home")
        again = await bot.said("ben", f"I moved to {LATER}.", "s3", message_id="m3")
        assert (again.verdict, again.code) == (Verdict.NOT_RECORDED, "forgotten")
        turn = {"session_id": "s9", "role": "user", "text": f"I met {FRIEND}.", "occurred_at": "2026-01-01T00:00:00Z"}
        await bot.outcome("anna", sequence=await bot.send("anna", "import_turns", {"turns": [turn]}))
        assert (await bot.said("anna", "I like soup.", "s2")).verdict is Verdict.RECORDED
    async with there.connected("operator") as client:
        assert texts_of(await events_of(client, there.keys.scope_of(Space("home"), User("anna")), "anna")) == [
            "I like tea.",
            "I like soup.",
        ]
    await server.stop()


def test_a_list_of_others_and_what_is_no_list_are_refused(tmp_path: Path) -> None:
    file, keys = tmp_path / "forgotten", create_keys(tmp_path / "keys.toml")
    file.write_text('{"memstream_forgettings":1,"keys":"of others"}\n', encoding="utf-8")
    with pytest.raises(KeysMismatch):
        read_forgettings(file, keys.fingerprint)
    file.write_text("what anna said\n", encoding="utf-8")
    with pytest.raises(Misconfigured, match="is no list of forgettings"):
        read_forgettings(file, keys.fingerprint)
