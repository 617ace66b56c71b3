"""Several workers answer beside `up`: one that is killed is missed by nobody, and all of them are one retriever."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from nats.errors import Error as NatsError

from memstream.cli.children import Child, connected, memstream_up, running
from memstream.cli.projections import live_digests, rebuild
from memstream.cli.server import any_server
from memstream.cli.session import CliSession
from memstream.client import Memories, MemoryClient, Receipt
from shared.contracts.errors import MemstreamError
from shared.contracts.ids import User
from shared.contracts.parts import Kind
from shared.contracts.subjects import SLOTS, slot_of
from shared.runtime.connection import operator_connection
from shared.runtime.settings import RuntimeSettings
from tests.support.forks import printed
from tests.support.installations import until

_PEOPLE = 8
_TURNS = 30
_KILLS = 3
_PATIENCE_S = 3.0
_ATTEMPTS = 12
"""At a question: what was lost with the worker that took it is asked again, and a busy machine starts a worker slowly."""
_HASHING = {"MEMSTREAM_EMBEDDER_KIND": "hashing"}
_ANY_PORTS = ("--port", "0", "--http-port", "0", "--gateway-port", "0")


@pytest.fixture
def session(tmp_path: Path) -> CliSession:
    """A data folder with an empty log."""
    session = CliSession(RuntimeSettings(data_dir=tmp_path / "data", nats_url=None, log_level="warning"))
    session.files.create()
    return session


async def admin(session: CliSession, what: str) -> dict[str, Any]:
    async with operator_connection(session.settings) as client:
        answer: dict[str, Any] = json.loads((await client.request(f"admin.retriever.{what}", b"", timeout=20)).data)
        return answer


async def workers(session: CliSession) -> dict[int, int]:
    """The process of each part that has its own worker, by its first slot."""
    try:
        found = (await admin(session, "status")).get("workers", ())
        return {each["slots"][0]: each["pid"] for each in found if not each["stands_in"]}
    except (MemstreamError, NatsError):  # one is just starting
        return {}


async def until_each_has_its_own(session: CliSession, count: int) -> dict[int, int]:
    """Wait until every part has a process of its own."""
    found: dict[int, int] = {}

    async def are_apart() -> bool:
        found.clear()
        found.update(await workers(session))
        return len(found) == count

    await until(are_apart, what="each part has a worker of its own")
    return found


def people() -> list[User]:
    """As many of the first half of the slots as of the second."""
    halves: list[list[User]] = [[], []]
    number = 0
    while min(map(len, halves)) < _PEOPLE // 2:
        user = User(f"person-{number}")
        halves[slot_of(user) * 2 // SLOTS].append(user)
        number += 1
    return [*halves[0][: _PEOPLE // 2], *halves[1][: _PEOPLE // 2]]


@dataclass
class Talk:
    """What a person's bot did: it sends, and asks for what it sent."""

    memory: MemoryClient
    user: User
    failures: list[str] = field(default_factory=list)
    retries: int = 0

    async def all(self) -> None:
        """Send and ask in turn; whatever is sent is to be found by the next question."""
        memory = self.memory.for_user(self.user, space="home")
        for turn in range(_TURNS):
            receipt = await memory.add(f"word{turn}of{self.user} is what I said", session_id="s", message_id=f"m{turn}")
            await self._ask(memory, turn, receipt)
            await asyncio.sleep(0.05)

    async def _ask(self, memory: Memories, turn: int, receipt: Receipt) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                answer = await memory.search(f"word{turn}of{self.user}", after=receipt, timeout_s=_PATIENCE_S)
            except MemstreamError as error:
                self.retries += 1
                if attempt == _ATTEMPTS:
                    self.failures.append(f"{self.user} {turn}: {error.message}")
            else:
                if not any(f"word{turn}of{self.user}" in item.text for item in answer.items):
                    self.failures.append(f"{self.user} {turn}: not found")
                return


async def kill_one_after_the_other(session: CliSession) -> None:
    for kill in range(_KILLS):
        found = await until_each_has_its_own(session, 2)
        await asyncio.sleep(0.3)
        os.kill(list(found.values())[kill % 2], signal.SIGKILL)
        await asyncio.sleep(0.3)


async def test_a_worker_that_is_killed_is_missed_by_nobody(session: CliSession) -> None:
    async with memstream_up(session, space="home", MEMSTREAM_RETRIEVER_WORKERS="2", **_HASHING) as memory:
        await until_each_has_its_own(session, 2)
        talks = [Talk(memory, user) for user in people()]
        await asyncio.gather(kill_one_after_the_other(session), *(talk.all() for talk in talks))
        assert [failure for talk in talks for failure in talk.failures] == []
        await until_each_has_its_own(session, 2)
        for talk in talks:
            stats = await memory.for_user(talk.user, space="home").stats()
            assert stats.memories[Kind.EPISODE] == _TURNS
        live = await settled_digests(session)
    async with any_server(session.settings):
        assert await rebuild("retriever", session.settings, lambda *_: None) == live["projection"]


async def settled_digests(session: CliSession) -> dict[str, str | int]:
    """The digests, once nothing comes any more."""
    seen: list[dict[str, str | int]] = [{}]

    async def is_settled() -> bool:
        await asyncio.sleep(0.5)
        seen.append(dict(await live_digests("retriever", session.settings)))
        return seen[-1] == seen[-2]

    await until(is_settled, what="no event comes any more")
    return seen[-1]


async def test_the_doctor_misses_a_worker_that_is_stopped_for_good(session: CliSession) -> None:
    async def checked() -> tuple[bool, str]:
        environment = {**os.environ, "COLUMNS": "200"}
        arguments = ("doctor", "--json", "--data-dir", str(session.files.root))
        result = await asyncio.to_thread(printed, "memstream", *arguments, environment=environment)
        (check,) = [each for each in result.document["checks"] if each["name"] == "workers"]
        return check["ok"], check["detail"]

    async with memstream_up(session, space="home", MEMSTREAM_RETRIEVER_WORKERS="2", **_HASHING):
        found = await until_each_has_its_own(session, 2)
        ok, detail = await checked()
        assert ok, detail
        assert detail.startswith("2 processes, ")

        async def is_missed() -> bool:
            own = await workers(session)
            for pid in own.values():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            ok, detail = await checked()
            return not ok and "not there" in detail

        assert len(found) == 2
        await until(is_missed, what="the doctor misses them")


@pytest.mark.skipif(not Path("/proc").exists(), reason="it looks for processes there")
async def test_workers_end_with_the_process_that_started_them_however_it_ends(session: CliSession) -> None:
    up = Child(session, "up", *_ANY_PORTS, environment={"MEMSTREAM_RETRIEVER_WORKERS": "2", **_HASHING})
    async with running(up):
        async with connected(session, up, space="home"):
            pids = (await until_each_has_its_own(session, 2)).values()
        await up.kill()
        await until(lambda: not any(map(_lives, pids)), what="its workers have ended")


def _lives(pid: int) -> bool:
    """True while the process runs; one that has ended stays known until somebody asks for its exit code."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
