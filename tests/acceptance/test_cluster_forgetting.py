"""Promise 3 on a cluster of three: what is forgotten while servers and an ingest are killed is in no byte of any of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest

from memstream.cli.children import once_answered, running
from memstream.cli.cluster_chat import SPACE, clients, kill_servers
from memstream.cli.cluster_demo import people_of, services
from memstream.cli.local_cluster import local_cluster
from memstream.cli.session import CliSession
from memstream.client import MemoryClient
from shared.contracts.errors import NotCaughtUp, Unavailable
from shared.runtime.datadir import DataDir
from shared.runtime.tasks import end
from tests.acceptance.everywhere import found
from tests.support.installations import until

_KILLS = 7
_LETTERS = "bcdfghjklmnpqrst"
_KEPT = "Quixeldrabarn"
_PATIENCE_S = 420
"""Servers drop within two to three minutes what they keep to agree on a stream."""

_LOOK_AGAIN_S = 5

T = TypeVar("T")


def rare(number: int) -> str:
    """A word of its own, whose stem begins like no other."""
    return "Zx" + "".join(_LETTERS[number // 16**place % 16] for place in range(3)) + "opalin"


async def decided(attempt: Callable[[], Awaitable[T]]) -> T:
    """What is decided in the end: who is not answered asks the same again."""
    while True:
        try:
            return await attempt()
        except (Unavailable, NotCaughtUp):
            await asyncio.sleep(0.2)


@dataclass
class Forgetful:
    """People who say something rare and have it forgotten; every third time somebody is forgotten as a whole."""

    memory: MemoryClient
    words: list[str] = field(default_factory=list)
    receipts: list[tuple[str, int]] = field(default_factory=list)
    is_over: bool = False
    _numbers: count[int] = field(default_factory=count)

    async def run(self, user: str) -> None:
        """Say and forget until it is over; what was begun is done."""
        while not self.is_over:
            number = next(self._numbers)
            await (self._forget_whole(f"{user}-{number}", number) if number % 3 == 0 else self._forget_one(user, number))

    async def _forget_one(self, user: str, number: int) -> None:
        person, word = self.memory.for_user(user, space=SPACE), rare(number)
        told = await decided(lambda: person.remember(f"The lamp {number} is a {word}.", message_id=f"told-{number}"))
        assert told.memory_id is not None
        gone = await decided(partial(person.forget, memory_ids=[told.memory_id], message_id=f"gone-{number}"))
        self._note(user, word, gone.number)

    async def _forget_whole(self, user: str, number: int) -> None:
        person, word = self.memory.for_user(user, space=SPACE), rare(number)
        for turn in range(3):
            said = partial(person.add, f"In turn {turn} I polish my {word}.", session_id="s", message_id=f"m{turn}")
            await decided(said)
        gone = await decided(lambda: person.forget_user(message_id="gone"))
        self._note(user, word, gone.number)

    def _note(self, user: str, word: str, number: int | None) -> None:
        assert number is not None
        self.words.append(word)
        self.receipts.append((user, number))

    async def is_done(self) -> bool:
        """Whether everything has its receipt."""
        for user, number in self.receipts:
            told = partial(self.memory.for_user(user, space=SPACE).forgetting, number)
            if (await decided(told)).state != "done":
                return False
        return True


@pytest.mark.nightly
@pytest.mark.timeout(3 * _PATIENCE_S)
async def test_what_is_forgotten_while_servers_are_killed_is_in_no_byte_of_any_of_them(tmp_path: Path) -> None:
    async with local_cluster(DataDir(tmp_path / "data")) as cluster:
        ingests, retrievers = services(CliSession(cluster.settings), MEMSTREAM_INGEST_PERSON_MESSAGES_PER_S="0")
        async with running(*ingests, *retrievers), clients(cluster.settings, 1) as [memory]:
            await once_answered([*ingests, *retrievers], lambda: memory.for_user("nobody", space=SPACE).stats(timeout_s=1))
            people = [*people_of(0), *people_of(1)]
            await decided(lambda: memory.for_user(people[0], space=SPACE).remember(f"I own the {_KEPT}.", message_id="kept"))
            forgetful = Forgetful(memory)
            tasks = [asyncio.create_task(forgetful.run(user)) for user in people]
            try:
                for kill in range(_KILLS):
                    await kill_servers(cluster, kill)
                    if kill == _KILLS - 2:
                        await ingests[1].kill()
                await cluster.until_whole()
                forgetful.is_over = True
                await asyncio.gather(*tasks)
            finally:
                await end(tasks)
            await until(forgetful.is_done, what="every receipt", within_s=_PATIENCE_S)
            assert found(tmp_path, [_KEPT])
            await nowhere(tmp_path, forgetful.words)


async def nowhere(root: Path, words: list[str]) -> None:
    """Wait until none of the words is in any file; fails with the places where they stay."""
    clock = asyncio.get_running_loop().time
    began = clock()
    while places := await asyncio.to_thread(found, root, words):
        assert clock() < began + _PATIENCE_S, f"{len(words)} words, {places[:20]}"
        await asyncio.sleep(_LOOK_AGAIN_S)
