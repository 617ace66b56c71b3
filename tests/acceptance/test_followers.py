"""A service of one's own that follows a space: killed and told to forget, its tables are those that are made at the end."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memstream import EventReader
from shared.contracts.ids import Space
from shared.contracts.subjects import inbox_prefix
from shared.runtime.connection import operator_connection
from shared.runtime.credentials import load_credentials, save_credentials
from shared.runtime.topology import create_streams
from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation
from tests.support.forks import Fork, Printed, printed
from tests.support.installations import until

ROOT = Path(__file__).parents[2]
FOLLOWERS = ROOT / "examples" / "followers"
PEOPLE = [f"person-{index}" for index in range(20)]
SESSIONS, TURNS, FACTS = 44, 10, 8
FEW_SESSIONS = 6
"""In every run; nightly all."""

RARE = ["Quixeldra", "Zorbifers"]
TABLES = ("fact", "conversation")
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
async def followed(tmp_path: Path) -> AsyncIterator[Installation]:
    """A server, ingest and the feed, with a reader of `shop` and one of `clinic`."""
    installation = Installation(tmp_path / "data")
    credentials = load_credentials(installation.files.credentials)
    readers = credentials.with_reader("crm", (Space("shop"),)).with_reader("ward", (Space("clinic"),))
    save_credentials(installation.files.credentials, readers)
    await installation.server.start()
    async with operator_connection(installation.settings) as client:
        await create_streams(client, installation.keys)
    for service in ("ingest", "feed"):
        await installation.start_service(service)
    yield installation
    await installation.stop()


class Follower:
    """`python examples/followers/...`, with a table of its own."""

    def __init__(self, installation: Installation, table: Path, *command: str, reader: str = "crm") -> None:
        self.table = table
        self._command = command or (str(FOLLOWERS / "follow.py"), "shop", str(table))
        password = load_credentials(installation.files.credentials).readers[reader].password
        self._environment = {
            "PATH": str(Path(sys.executable).parent),
            "PYTHONPATH": f"{ROOT}:{ROOT / 'sdk'}",
            "MEMSTREAM_URL": installation.server.url,
            "MEMSTREAM_READER": reader,
            "MEMSTREAM_READER_PASSWORD": password,
            "MEMSTREAM_READER_INBOX_PREFIX": inbox_prefix(reader, password),
            "MEMSTREAM_SPACE": "shop",
            "KNOWLEDGE_DB": str(table),
        }
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *self._command, env=self._environment, cwd=FOLLOWERS
        )

    async def kill(self) -> None:
        """SIGKILL. It must not have ended before."""
        assert self._process
        assert self._process.returncode is None
        self._process.kill()
        await self._process.wait()

    @property
    def position(self) -> int:
        """How far its tables are made."""
        with closing(sqlite3.connect(self.table)) as db:
            row = db.execute("SELECT value FROM position").fetchone() if _has_tables(db) else None
        return int(row[0]) if row else 0


@asynccontextmanager
async def running(follower: Follower) -> AsyncIterator[Follower]:
    await follower.start()
    try:
        yield follower
    finally:
        await follower.kill()


def _has_tables(db: sqlite3.Connection) -> bool:
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = 'position'").fetchone())


def rows(table: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(table)) as db:
        return {name: db.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in TABLES}


def holds(folder: Path, word: bytes) -> bool:
    return any(word in path.read_bytes() for path in folder.glob("app.db*"))


def reader(installation: Installation, space: str = "shop") -> EventReader:
    return EventReader(space=space, url=installation.server.url, data_dir=installation.files.root)


async def live(bot: Bot, user: str, sessions: int = FEW_SESSIONS) -> None:
    """A life of talks and facts: with 44 sessions 536 events."""
    turns = [
        {"session_id": f"s{session}", "role": "user", "text": f"Turn {turn} of talk {session} with {user}."}
        for session in range(sessions)
        for turn in range(TURNS)
    ]
    await bot.send(f"send.shop.{user}.import_turns", {"turns": turns, "message_id": "talks"})
    for index in range(FACTS):
        await bot.send(f"send.shop.{user}.remember_fact", {"text": f"{RARE[index % 2]} number {index} is dear to {user}"})


async def decided(bot: Bot, user: str, what: str, payload: dict[str, Any]) -> dict[str, Any]:
    sequence = await bot.send(f"send.shop.{user}.{what}", payload)
    outcome = await bot.ask(f"ask.shop.{user}.outcome", {"sequence": sequence, "timeout_s": 30})
    assert outcome["verdict"] == "recorded", outcome
    return outcome


async def forget(bot: Bot, user: str, index: int) -> None:
    """The kinds of forgetting in turn: a talk, facts by their words, and once a whole person."""
    if index == len(PEOPLE) - 1:
        await decided(bot, user, "forget_user", {})
    elif index % 2:
        await decided(bot, user, "forget", {"query": "Quixeldra"})
    else:
        await decided(bot, user, "forget", {"session_id": "s3"})


async def is_erased(installation: Installation) -> bool:
    return not (await installation.admin("admin.ingest.status"))["erasing"]


@pytest.mark.parametrize("sessions", [FEW_SESSIONS, pytest.param(SESSIONS, marks=pytest.mark.nightly)])
async def test_three_kills_and_twenty_forgettings_leave_the_tables_that_are_made_at_the_end(
    followed: Installation, tmp_path: Path, sessions: int
) -> None:
    follower = Follower(followed, tmp_path / "live.db")
    async with followed.bot() as bot, running(follower):
        for index, user in enumerate(PEOPLE):
            await live(bot, user, sessions)
            if index in {6, 13}:
                await until(lambda: follower.position > 0, what="it has begun")
                await follower.kill()
                await follower.start()
            if index == 10:
                await followed.kill("feed")
        for index, user in enumerate(PEOPLE):
            await forget(bot, user, index)
            if index == 10:
                await follower.kill()
                await followed.kill("server")
                await follower.start()
        await until(partial(is_erased, followed), what="what was forgotten is erased", within_s=240)
        async with operator_connection(followed.settings) as client:
            assert (await client.jetstream().stream_info("MEMORY")).state.last_seq > (sessions * (TURNS + 2) + FACTS) * len(
                PEOPLE
            ) * 0.9
        async with reader(followed) as log:
            end = (await log.read(limit=1_000, types=["user_forgotten"])).position
            while not (page := await log.read(end)).is_end or page.position != end:
                end = page.position
            await until(lambda: follower.position == end, what="the follower has read all", within_s=120)
    at_the_end = Follower(followed, tmp_path / "end.db")
    async with running(at_the_end):
        await until(lambda: at_the_end.position == end, what="the other has read all", within_s=120)
    made = rows(follower.table)
    assert made == rows(at_the_end.table)
    assert len({row[2] for row in made["fact"]}) == len(PEOPLE) - 1
    assert not [row for row in made["fact"] if row[2] in PEOPLE[1:19:2] and "Quixeldra" in row[3]]
    assert len(made["conversation"]) >= (len(PEOPLE) - 1) * sessions - 2 * len(PEOPLE)
    assert PEOPLE[-1] not in json.dumps(made)
    assert found(followed.files.root, [PEOPLE[-1]]) == []


async def test_a_reader_of_another_space_gets_nothing_of_all_that(followed: Installation) -> None:
    async with followed.bot() as bot:
        await live(bot, PEOPLE[0])
        await decided(bot, PEOPLE[0], "forget_user", {})
        async with reader(followed, "clinic") as log:
            page = await log.read()
        assert (page.events, page.position, page.is_end) == ((), 0, True)


async def test_the_faststream_example_fills_the_same_tables(followed: Installation, tmp_path: Path) -> None:
    app = Follower(followed, tmp_path / "app.db", "-m", "faststream", "run", "faststream_app:app")
    async with followed.bot() as bot:
        await decided(bot, "anna", "remember_fact", {"text": "Quixeldra is dear to Anna"})
        async with running(app):
            await until(lambda: bool(app.position and rows(app.table)["fact"]), what="it reads what was before")
            await decided(bot, "anna", "remember_fact", {"text": "Anna likes tea"})
            await until(lambda: len(rows(app.table)["fact"]) == 2, what="it reads what comes")
            await decided(bot, "anna", "forget", {"query": "Quixeldra"})
            await until(lambda: len(rows(app.table)["fact"]) == 1, what="it drops what is forgotten")
            await until(lambda: not holds(tmp_path, b"Quixeldra"), what="no byte of it is left")


@pytest.fixture
async def up(tmp_path: Path) -> AsyncIterator[list[str]]:
    """`memstream up` on an empty folder; the options that find it."""
    options, out = ["--data-dir", str(tmp_path / "up")], tmp_path / "up.log"
    environment = {**os.environ, "MEMSTREAM_EMBEDDER_KIND": "hashing"}
    process = Fork("memstream", *options, "up", "--port", "0", "--http-port", "0", environment=environment, out=out, err=out)
    await until(lambda: "memstream runs" in out.read_text("utf-8"), what="memstream is up")
    yield options
    process.terminate()
    await process.wait()


async def memstream(options: list[str], *command: str) -> Printed:
    return await asyncio.to_thread(printed, "memstream", *options, *command, environment=dict(os.environ))


async def test_a_reader_made_while_memstream_runs_follows_at_once_as_the_page_says(up: list[str], tmp_path: Path) -> None:
    created = await memstream(up, "reader", "create", "--space", "shop", "--json")
    assert (created.document["user"], created.document["spaces"]) == ("shop-reader", ["shop"])
    assert (await memstream(up, "reader", "list")).out.split() == ["shop-reader", "shop"]
    assert "export MEMSTREAM_READER=shop-reader" in (await memstream(up, "reader", "show", "shop-reader", "--env")).out
    code = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/followers.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)[0]
    environment = {"MEMSTREAM_DATA_DIR": up[1], "PYTHONPATH": f"{ROOT}:{ROOT / 'sdk'}", "PYTHONUNBUFFERED": "1"}
    told = tmp_path / "told.txt"
    with told.open("wb") as out:
        follower = await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=environment, stdout=out, stderr=out)
    await memstream(up, "remember", "Anna likes tea", "--space", "shop", "--user", "anna")
    await until(lambda: "anna fact_remembered Anna likes tea" in told.read_text("utf-8"), what="the page's follower hears it")
    assert (await memstream(up, "reader", "remove", "shop-reader")).code == 0
    assert (await memstream(up, "reader", "show", "shop-reader")).code == 4
    await memstream(up, "remember", "Anna plays chess", "--space", "shop", "--user", "anna")
    follower.kill()
    await follower.wait()
    assert "chess" not in told.read_text("utf-8")
