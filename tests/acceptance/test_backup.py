"""A backup that is made while bots send holds all that was acknowledged, nothing forgotten, and restores to the same memory."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from shared.contracts.ids import Space, User
from shared.runtime.connection import operator_connection
from shared.runtime.datadir import DataDir
from shared.runtime.eventlog.read import LogReader
from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation
from tests.acceptance.settling import rebuilt_digests, stopped_at_rest
from tests.support.forks import Printed, printed
from tests.support.installations import until

PEOPLE = ("anna", "ben", "carla")
FORGOTTEN = "Quixeldra"
_AT_ONCE, _PAUSE_S = 200, 0.02
"""A burst, of which much is not decided yet when the backup begins; then at a pace that a busy machine can follow."""


async def cli(root: Path, *arguments: str | Path, **environment: str) -> Printed:
    words = [*map(str, arguments), "--data-dir", str(root)]
    return await asyncio.to_thread(printed, "memstream", *words, environment={**os.environ, **environment, "COLUMNS": "200"})


async def backed_up(installation: Installation, folder: Path) -> dict[str, Any]:
    made = await cli(installation.files.root, "backup", "create", folder, "--json", MEMSTREAM_NATS_URL=installation.server.url)
    assert made.code == 0, made.err
    return made.document


async def say(bot: Bot, user: str, text: str, session: str = "s1") -> int:
    return await bot.send(f"send.home.{user}.user_message", {"session_id": session, "text": text})


async def log_of(installation: Installation) -> list[tuple[int, bytes]]:
    """Positions and bytes of all events."""
    async with operator_connection(installation.settings) as client:
        return [(each.position, each.data) async for batch in LogReader(client).to_end() for each in batch]


def said_in(log: Sequence[tuple[int, bytes]], user: str) -> list[str]:
    events = [json.loads(data) for _, data in log]
    return [event["data"]["text"] for event in events if event["type"] == "episode_recorded" and event["user"] == user]


@asynccontextmanager
async def chatter(bot: Bot, acknowledged: list[tuple[str, str]]) -> AsyncIterator[None]:
    """People who talk without a pause."""

    async def talk() -> None:
        number = 0
        while True:
            user, text = PEOPLE[number % len(PEOPLE)], f"This is remark {number}."
            await say(bot, user, text)
            acknowledged.append((user, text))
            number += 1
            await asyncio.sleep(_PAUSE_S if number > _AT_ONCE else 0)

    talking = asyncio.create_task(talk())
    try:
        yield
    finally:
        talking.cancel()
        with suppress(asyncio.CancelledError):
            await talking


async def forgets(installation: Installation, bot: Bot) -> None:
    await say(bot, "anna", f"My sister {FORGOTTEN} lives in Leeds.", "s0")
    sequence = await bot.send("send.home.anna.forget", {"session_id": "s0"})
    await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 10})
    await installation.erased()


@pytest.mark.timeout(240)
async def test_what_was_acknowledged_before_a_backup_is_in_it_once_and_what_was_forgotten_is_not(
    installation: Installation, tmp_path: Path
) -> None:
    acknowledged: list[tuple[str, str]] = []
    async with installation.bot() as bot:
        await forgets(installation, bot)
        async with chatter(bot, acknowledged):
            await until(lambda: len(acknowledged) > _AT_ONCE, what="they talk")
            before = list(acknowledged)
            made = await backed_up(installation, tmp_path / "backup")
            await until(lambda: len(acknowledged) > len(before) + 20, what="they go on talking")
    await installation.at_rest()
    known = await log_of(installation)

    elsewhere = tmp_path / "elsewhere"
    result = await cli(elsewhere, "backup", "restore", tmp_path / "backup", "--json")
    assert result.code == 0, result.err
    assert result.document["last_positions"] == made["last_positions"]
    assert found(elsewhere, [FORGOTTEN]) == []
    assert found(elsewhere, [before[0][1]]), "what was not forgotten is found in this way"
    restored = Installation(elsewhere, restored=True)
    await restored.server.start()
    copied = await log_of(restored)
    assert copied
    assert copied == known[: len(copied)]
    await restored.server.stop()

    await restored.start()
    await restored.at_rest()
    log = await log_of(restored)
    for user in PEOPLE:
        said = said_in(log, user)
        assert len(said) == len(set(said)), "nothing is recorded twice"
        assert {text for who, text in before if who == user} <= set(said), "nothing acknowledged is lost"
    await restored.stop()


@pytest.mark.timeout(240)
async def test_a_backup_restores_to_equal_digests_and_new_messages_are_taken(
    installation: Installation, tmp_path: Path
) -> None:
    async with installation.bot() as bot:
        await forgets(installation, bot)
        for user in PEOPLE:
            await say(bot, user, "I live in York. My dog is called Rex.")
            await say(bot, user, "I am allergic to walnuts.", "s2")
        await bot.send("send.home.ben.remember_fact", {"text": "Ben likes tea."})
    digests = await stopped_at_rest(installation)
    await backed_up(installation, tmp_path / "backup")

    elsewhere = tmp_path / "elsewhere"
    assert (await cli(elsewhere, "backup", "restore", tmp_path / "backup")).code == 0
    restored = Installation(elsewhere, restored=True)
    await restored.server.start()
    assert await rebuilt_digests(restored) == digests
    assert await log_of(restored) == await log_of(installation)
    await restored.server.stop()

    await restored.start()
    async with restored.bot() as bot:
        sequence = await say(bot, "anna", "I moved to Hull.", "s3")
        outcome = await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 20})
        assert outcome["verdict"] == "recorded"
    await restored.stop()


def state_of(root: Path) -> dict[str, bytes]:
    """Every file but locks, and what is in it."""
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an installation is of which nothing is known but a few events, `original`, and its backup."""
    folder = tmp_path_factory.mktemp("made")
    original = Installation(folder / "original")
    await original.start()
    async with original.bot() as bot:
        sequence = await say(bot, "anna", "I live in York.")
        await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 20})
    await backed_up(original, folder / "backup")
    await original.stop()
    return folder


@pytest.fixture
def backup(made_once: Path, tmp_path: Path) -> Path:
    """A copy of the backup for one test, and of the installation beside it."""
    shutil.copytree(made_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "backup"


async def test_a_restore_overwrites_nothing(backup: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    assert (await cli(there, "init")).code == 0
    before = state_of(there)
    refused = await cli(there, "backup", "restore", backup)
    assert refused.code == 7
    assert "keys.toml exists already, and nothing is overwritten" in refused.err
    assert state_of(there) == before


@pytest.mark.parametrize("which", ["ranking.toml", "retriever/index.db", "nats/jetstream/x"])
async def test_a_part_of_an_installation_is_enough_to_refuse_a_restore(which: str, backup: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    (there / which).parent.mkdir(parents=True)
    (there / which).write_text("mine")
    refused = await cli(there, "backup", "restore", backup)
    assert refused.code == 7, refused.out
    assert state_of(there) == {which: b"mine"}


async def test_after_a_restore_that_was_killed_the_next_one_says_what_to_do(backup: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    (there / ".restoring").mkdir(parents=True)
    (there / "nats").mkdir()
    refused = await cli(there, "backup", "restore", backup)
    assert refused.code == 7
    assert f"a restore was interrupted here; delete {there} and what is in it" in refused.err


async def test_a_backup_that_was_changed_is_refused_and_leaves_nothing(backup: Path, tmp_path: Path) -> None:
    contents = backup / "MEMORY" / "stream.tar.s2"
    contents.write_bytes(contents.read_bytes()[:-1] + b"x")
    refused = await cli(tmp_path / "there", "backup", "restore", backup)
    assert refused.code == 7
    assert "stream.tar.s2 is not what was backed up" in refused.err
    assert state_of(tmp_path / "there") == {}


async def test_a_backup_never_takes_the_place_of_another(backup: Path, tmp_path: Path) -> None:
    before = state_of(backup)
    refused = await cli(tmp_path / "original", "backup", "create", backup)
    assert refused.code == 7
    assert state_of(backup) == before


async def test_a_restore_onto_a_server_of_ones_own_takes_files_that_are_the_same_and_no_stream(
    backup: Path, tmp_path: Path
) -> None:
    there = DataDir(tmp_path / "there")
    there.create()
    for name in ("keys.toml", "credentials.toml"):
        shutil.copy(backup / name, there.root / name)
    server = Installation(tmp_path / "server", restored=True)
    for name in ("keys.toml", "credentials.toml"):
        shutil.copy(backup / name, server.files.root / name)
    await server.server.start()
    result = await cli(there.root, "backup", "restore", backup, MEMSTREAM_NATS_URL=server.server.url)
    assert result.code == 0, result.err
    log = await log_of(server)
    scope = server.keys.scope_of(Space("home"), User("anna"))
    assert said_in(log, "anna") == ["I live in York."]
    assert scope in (await _subjects(server))[0]
    again = await cli(there.root, "backup", "restore", backup, MEMSTREAM_NATS_URL=server.server.url)
    assert again.code == 7
    assert "this server has such a stream already" in again.err
    assert await log_of(server) == log
    await server.server.stop()


async def _subjects(installation: Installation) -> list[str]:
    async with operator_connection(installation.settings) as client:
        return [str(each.scope) async for batch in LogReader(client).to_end() for each in batch]


async def test_only_the_newest_backups_of_this_log_are_kept(tmp_path: Path) -> None:
    root = tmp_path / "data"
    assert (await cli(root, "init")).code == 0
    folder = tmp_path / "backups"
    (folder / "mine").mkdir(parents=True)
    for name in ("one", "two", "three"):
        await asyncio.sleep(1.1)  # a backup bears the second in which it was made
        made = await cli(root, "backup", "create", folder / name, "--keep", "2", "--json")
        assert made.code == 0, made.err
    assert made.document["removed"] == [str(folder / "one")]
    assert sorted(path.name for path in folder.iterdir()) == ["mine", "three", "two"]
    listed = await cli(root, "backup", "list", folder, "--json")
    assert [Path(each["path"]).name for each in json.loads(listed.out)] == ["two", "three"]
