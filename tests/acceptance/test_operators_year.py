"""A year and a week in the life of an operator, as one story: every command, its exit code and its last line.

The wheel is installed into an environment of its own, and `memstream` is called as a shell calls it. A village of people talks.
The year is lived by the services in this process, on a clock that is moved: every job runs at each of its times. The week is
lived by processes: bots, forgetting, every job by hand, backup, restore, rebuild, restart, and a log of an earlier version.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.ids import Scope, Space, User
from shared.runtime.credentials import create_credentials, save_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.topology import create_streams
from tests.support.environments import environment_with, needed
from tests.support.golden_log import LOGS, records_of
from tests.support.installations import Installation
from tests.support.lifetime import Life, living
from tests.support.pages import ROOT
from tests.support.scopes import KEYS

SPACE = "village"
DAYS_OF_A_MONTH = 30
NAMES = (
    *("Anna", "Ben", "Cleo", "Dana", "Erik", "Finn", "Greta", "Hugo", "Ines", "Jonas", "Karin", "Liam", "Mona", "Nils"),
    *("Olga", "Paul", "Quentin", "Rosa", "Sven", "Tilda", "Ursula", "Viktor", "Wanda", "Xaver", "Yvonne", "Zoe"),
)
HOBBIES = (
    "archery",
    "baking",
    "canoeing",
    "darts",
    "embroidery",
    "fencing",
    "gardening",
    "hiking",
    "judo",
    "karate",
    "mosaics",
)
SERVICES = ("ingest", "retriever", "maintenance", "consolidator")
WHOLE = "the log is whole"


def turns_of(number: int, month: int) -> list[str]:
    """What a villager says in a conversation of a month, of themselves and of many others."""
    name, others = NAMES[number], [each for each in NAMES if each != NAMES[number]]
    hobby = HOBBIES[(number + month) % len(HOBBIES)]
    guests = ", ".join(others[month : month + 12])
    return [
        f"Hi, I'm {name} and I work at bakery {number}.",
        f"I took up {hobby} this month, with my friend {others[month]}.",
        f"At my party were {guests} and {others[-1]}.",
        *(f"My friend {each} likes {HOBBIES[month % len(HOBBIES)]} and tea." for each in others[: 11 if month == 0 else 2]),
        f"I have an appointment with Dr {others[-2]} on the {1 + month}th.",
    ]


@dataclass
class Operator:
    """A person at a shell that finds `memstream`, and the data folder they work on."""

    environment: Path
    root: Path
    called: list[str] = field(default_factory=list)

    @property
    def variables(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSTREAM_", "PYTHON"))}
        path = f"{self.environment / 'bin'}:{os.environ['PATH']}"
        told = {"MEMSTREAM_DATA_DIR": str(self.root), "MEMSTREAM_EMBEDDER_KIND": "hashing", "COLUMNS": "200"}
        return own | told | {"PATH": path, "HOME": str(self.environment)}

    def runs(self, *command: str, code: int = 0, last: str = "", within_s: float = 300) -> str:
        """What a command prints, that ends with this code, and whose last line matches this."""
        self.called.append(" ".join(command))
        done = subprocess.run(
            ["memstream", *command], env=self.variables, cwd=self.environment, check=False, capture_output=True, text=True,
            timeout=within_s,
        )  # fmt: skip
        said = f"{self.called[-1]} -> {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == code, said
        line = (done.stdout.strip() or done.stderr.strip()).rpartition("\n")[2]
        assert re.search(last, line), said
        assert "Traceback" not in done.stderr, said
        return done.stdout

    def told(self, *command: str) -> Any:  # noqa: ANN401 - each command has its own document
        """The document that a command prints with --json."""
        return json.loads(self.runs(*command, "--json"))

    @contextmanager
    def up(self) -> Iterator[None]:
        """`memstream up` in another terminal, until the block ends; it ends in order."""
        command = ["memstream", "up", "--port", "0", "--http-port", "0", "--gateway-port", "0"]
        with (self.environment / "up.log").open("a") as log:
            process = subprocess.Popen(command, env=self.variables, stdout=subprocess.PIPE, stderr=log, text=True)
            try:
                assert process.stdout is not None
                assert any(line.startswith("memstream runs") for line in process.stdout), self.log
                yield
                assert process.poll() is None, self.log
            finally:
                process.send_signal(signal.SIGTERM)
                assert process.wait(60) == 0, self.log
                process.stdout.close()  # type: ignore[union-attr]

    @property
    def log(self) -> str:
        return (self.environment / "up.log").read_text("utf-8")[-3_000:]

    def waits(self) -> None:
        """Wait, by `status`, until nothing waits to be decided, learned, embedded or erased any more."""
        for _ in range(600):
            told = self.told("status")
            backlog, learning, embedding = (told[each] or {} for each in ("backlog", "learning", "embedding"))
            left = sum(backlog.values()) + learning.get("pending", 1) + embedding.get("backlog", 1)
            if not left + (told["forgetting"] or {"erasing": 1})["erasing"] and backlog:
                return
        raise AssertionError(told)

    def verifies(self) -> None:
        """Everything holds what the log says."""
        assert "differ" not in self.runs("verify", "--all", last=f"^{WHOLE}$")


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    """The wheel, installed beside what it needs, and nothing else of this machine."""
    wheels, environment = tmp_path / "wheels", tmp_path / "server"
    build = [sys.executable, "-P", "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels), str(ROOT)]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True)
    environment_with(needed("memstream", "server"), environment, has_pip=True)
    (wheel,) = wheels.glob("*.whl")
    install = [str(environment / "bin" / "python"), "-m", "pip", "install", "--no-index", "--no-deps", "-q", str(wheel)]
    subprocess.run(install, cwd=tmp_path, check=True, capture_output=True)
    return Operator(environment, tmp_path / "data")


@pytest.mark.nightly  # minutes
@pytest.mark.timeout(1800)
async def test_a_year_and_a_week_in_the_life_of_an_operator(operator: Operator, tmp_path: Path) -> None:
    operator.runs("init", last="^Start it with `memstream up")
    operator.runs("init", last="^Start it with")
    operator.verifies()
    await the_year(operator)
    await asyncio.to_thread(the_week, operator, tmp_path)
    await an_earlier_version(Operator(operator.environment, tmp_path / "earlier"))


async def the_year(operator: Operator) -> None:
    """Every job at each of its times for a year, while the village talks; then everything holds what the log says."""
    start = datetime.now(UTC) - timedelta(days=12 * DAYS_OF_A_MONTH + 6)
    runs: Counter[str] = Counter()
    async with living(operator.root, start=start, space=SPACE, is_there=True) as life:
        every = set(life.maintenance.timetable.crons)
        for month in range(12):
            await the_village_talks(life, month)
            for _ in range(DAYS_OF_A_MONTH):
                for run in await life.nights.through(days=1):
                    assert run.ended == "done", run
                    runs[run.job] += 1
                    if runs[run.job] == 1:
                        await everything_holds(life, month)
            await everything_holds(life, month)
            if month == 5:
                await life.bot.outcome("Ben", sequence=await life.bot.send("Ben", "forget", {"query": "party"}))
                await life.restarted()
        await everything_holds(life, 12)
    assert set(runs) == every
    assert runs["decay"] == 12 * DAYS_OF_A_MONTH
    operator.verifies()


async def the_village_talks(life: Life, month: int) -> None:
    for number in range(month % 2, len(NAMES), 2):
        for text in turns_of(number, month):
            await life.bot.say(NAMES[number], text, session=f"m{month}")
    await life.at_rest()


async def everything_holds(life: Life, month: int) -> None:
    """What each service holds of everybody, and of the installation itself, is what it would build from the log now."""
    scope_of = life.installation.keys.scope_of
    spoken = NAMES if month else NAMES[::2]
    scopes = [*(scope_of(Space(SPACE), User(name)) for name in spoken), scope_of(Space(""), User(""))]
    await life.at_rest()
    for service in SERVICES:
        compared = await life.admin(f"admin.{service}.compare", {"scopes": scopes})
        assert compared == {"compared": len(scopes), "differing": [], "untold": 0}, service


BOT = f"""
from memstream import SyncMemoryClient
import sys
with SyncMemoryClient(space="{SPACE}", user=sys.argv[1], name="concierge") as memory:
    for text in sys.argv[2:]:
        said = memory.add(text, session_id="today")
    print(memory.context("Where do I work, and what do I do?", session_id="tomorrow", after=said).markdown)
"""


def the_week(operator: Operator, tmp_path: Path) -> None:
    """Each day a piece of what an operator does, by commands alone."""
    of_anna = ("--space", SPACE, "--user", "Anna")
    with operator.up():
        operator.runs("bot", "create", "concierge", "--space", SPACE)
        operator.runs("bot", "list", last="concierge +village")
        operator.runs("bot", "show", "concierge", "--env", last="MEMSTREAM_INBOX_PREFIX")
        operator.runs("doctor", last="^ok ")
        for number, name in enumerate(NAMES):  # Monday: a bot, and everybody
            command = [str(operator.environment / "bin" / "python"), "-c", BOT, name, *turns_of(number, 12)]
            said = subprocess.run(command, env=operator.variables, check=False, capture_output=True, text=True)
            assert f"bakery {number}" in said.stdout, said.stderr
        operator.waits()
        operator.runs("status", last="^rejected +none")
        operator.verifies()

        operator.runs("remember", "I keep a parrot called Quixeldra.", *of_anna, last="^remembered as fact_")  # Tuesday
        assert "Quixeldra" in operator.runs("search", "parrot", *of_anna)
        assert "Quixeldra" in operator.runs("forget", "--query", "Quixeldra", "--dry-run", *of_anna, last=" of the log")
        operator.runs("forget", "--query", "Quixeldra", "--yes", *of_anna, last="^not looked at: names shorter")
        assert "Quixeldra" not in operator.runs("search", "parrot", *of_anna)
        operator.runs("forget-user", "Zoe", "--space", SPACE, "--yes", last="^not looked at: names shorter")
        operator.runs("list", "--space", SPACE, "--user", "Zoe", last="nothing")
        operator.verifies()

        for job in [each["job"] for each in operator.told("jobs", "list")["jobs"]]:  # Wednesday
            operator.runs("jobs", "run", job, last=f"{job} +done")
            operator.verifies()
        operator.runs("jobs", "history", last="done in")

        operator.runs("backup", "create", str(tmp_path / "backup"), last="backup")  # Thursday
        operator.runs("rebuild", "--live", last="compared, 0 differ")
        operator.verifies()
        operator.runs("rebuild", "--all", code=7, last="runs in another process; stop it first$")
        before = {name: operator.told("verify")["digests"][name] for name in SERVICES}
    operator.verifies()
    operator.runs("rebuild", "--all", last="^feed +rebuilt, digest")  # Friday
    operator.verifies()
    assert {name: operator.told("verify")["digests"][name]["projection"] for name in SERVICES} == {
        name: each["projection"] for name, each in before.items()
    }
    assert not_on_disk(operator.root, "Quixeldra")
    with operator.up():  # Saturday
        assert "bakery 0" in operator.runs("context", "Where do I work?", *of_anna)
        operator.runs("status", last="^rejected +none")
        operator.verifies()

    restored = Operator(operator.environment, tmp_path / "restored")  # Sunday
    restored.runs("backup", "restore", str(tmp_path / "backup"))
    restored.runs("backup", "restore", str(tmp_path / "backup"), code=7, last="nothing is overwritten")
    with restored.up():
        restored.waits()
        assert "bakery 0" in restored.runs("context", "Where do I work?", *of_anna)
        restored.verifies()
    restored.verifies()
    content = operator.told("verify")["digests"]["retriever"]["content"]
    assert restored.told("verify")["digests"]["retriever"]["content"] == content


async def an_earlier_version(operator: Operator) -> None:
    """The log of an earlier version, as it lies in a folder: this version starts on it, and knows what that one knew."""
    expected = json.loads((LOGS / "0.1.0.expected.json").read_text("utf-8"))["people"]
    files = DataDir(operator.root)
    files.create()
    files.keys.touch(mode=0o600)
    files.keys.write_text(f'salt = "{KEYS.salt.hex()}"\ndigest_key = "{KEYS.digest_key.hex()}"\n', "utf-8")
    save_credentials(files.credentials, create_credentials())
    installation = await Installation.opened(operator.root)
    async with installation.connected("operator") as client, installation.connected("ingest") as ingest:
        await create_streams(client, KEYS)
        for record in records_of(LOGS / "0.1.0.jsonl"):
            subject = f"memory.{record.slot}.{record.scope}.{json.loads(record.data)['type']}"
            await ingest.jetstream().publish(subject, record.data, headers=dict(record.headers))
    await installation.server.stop()
    with operator.up():
        operator.waits()
        operator.verifies()
        for user in ("anna", "ben"):
            known = {each["id"] for each in expected[Scope(KEYS.scope_of(Space("home"), User(user)))]["memories"]}
            listed = operator.told("list", "--space", "home", "--user", user, "--all", "--limit", "100")["items"]
            assert known <= {each["memory_id"] for each in listed}
    operator.verifies()


def not_on_disk(root: Path, word: str) -> bool:
    return not any(word.encode() in path.read_bytes() for path in root.rglob("*") if path.is_file())
