"""A chat that goes on while servers and services are killed, and what of it is in the log afterwards."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from memstream.cli.local_cluster import LocalCluster
from memstream.client import MemoryClient
from shared.contracts.errors import NotCaughtUp, Unavailable
from shared.contracts.events import EpisodeRecorded, decode
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.read import LogReader
from shared.runtime.logs import log
from shared.runtime.retries import within
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import SEND

SPACE = "chat"
_DARK_S = 1.0
_ASK_S = 3.0
_LOOK_S = 0.05
_DECIDED_S = 60.0


@dataclass
class Chat:
    """Some people who talk at the same time, each in order: to the end of so many turns, or until they are told to stop."""

    memory: MemoryClient
    people: Sequence[str]
    turns: int | None = None
    pause_s: float = 0.0
    acknowledged: Counter[str] = field(default_factory=Counter)
    """How many turns of each."""
    longest_stall_s: float = 0.0
    """Seconds that somebody waited for an acknowledgement."""
    is_over: bool = False

    @property
    def said(self) -> dict[str, list[str]]:
        """The message ids of what was acknowledged of each, in order."""
        return {user: [f"m{turn}" for turn in range(self.acknowledged[user])] for user in self.people}

    async def run(self) -> None:
        """Talk; whoever is not answered sends the same message again."""
        await asyncio.gather(*map(self._talk, self.people))

    async def _talk(self, user: str) -> None:
        person, clock = self.memory.for_user(user, space=SPACE), asyncio.get_running_loop().time
        while not self.is_over and self.acknowledged[user] != self.turns:
            began, turn = clock(), self.acknowledged[user]
            try:
                await person.add(f"In turn {turn} I say that I like tea.", session_id="s", message_id=f"m{turn}")
            except Unavailable:
                log.info("turn.sent_again")
            else:
                self.acknowledged[user] += 1
            self.longest_stall_s = max(self.longest_stall_s, clock() - began)
            await asyncio.sleep(self.pause_s)


@dataclass
class Inquiry:
    """Asks about these people in turn until it is cancelled, each question again until it is answered."""

    memory: MemoryClient
    people: Sequence[str]
    tries: list[int] = field(default_factory=list)
    """How often each question was asked."""
    longest_s: float = 0.0

    async def run(self) -> None:
        """Ask for ever."""
        clock = asyncio.get_running_loop().time
        while True:
            for user in self.people:
                began, tries = clock(), 1
                while not await self._is_answered(user):
                    tries += 1
                self.tries.append(tries)
                self.longest_s = max(self.longest_s, clock() - began)

    async def until(self, count: int) -> None:
        """Return when so many questions are answered."""
        while len(self.tries) < count:  # noqa: ASYNC110 - a benchmark may look
            await asyncio.sleep(_LOOK_S)

    async def _is_answered(self, user: str) -> bool:
        try:
            await self.memory.for_user(user, space=SPACE).search("tea", timeout_s=_ASK_S)
        except (Unavailable, NotCaughtUp):
            return False
        return True


@asynccontextmanager
async def clients(settings: RuntimeSettings, count: int) -> AsyncIterator[list[MemoryClient]]:
    """So many connections of a bot."""
    made = [MemoryClient(url=settings.nats_url, data_dir=settings.data_dir, reconnect_timeout_s=60) for _ in range(count)]
    try:
        for each in made:
            await each.__aenter__()
        yield made
    finally:
        for each in made:
            await each.close()


async def kill_servers(cluster: LocalCluster, kill: int) -> tuple[str, ...]:
    """Kill servers and start them again: every fifth time all three at once, else who leads the log or SEND."""
    await cluster.until_whole()
    victims = tuple(cluster.names) if kill % 5 == 1 else (await (cluster.leader(SEND) if kill % 2 else cluster.leader()),)
    await cluster.kill(*victims)
    await asyncio.sleep(_DARK_S)
    await cluster.start()
    return victims


async def decided_after_s(memory: MemoryClient, user: str) -> float:
    """Seconds until something that this person says now is decided. Raises NotCaughtUp after a minute."""
    person, clock = memory.for_user(user, space=SPACE), asyncio.get_running_loop().time
    began = clock()
    receipt = await person.add("And now this.", session_id="afterwards")
    while True:
        try:
            await person.outcome(receipt, timeout_s=1)
        except (Unavailable, NotCaughtUp):
            if clock() - began > _DECIDED_S:
                raise
        else:
            return clock() - began


async def turns_in_log(settings: RuntimeSettings, session_id: str = "s") -> dict[str, list[str]]:
    """The message ids of what was recorded of a session, in the order of the log, by user. Waits for an election."""
    return await within(_DECIDED_S, partial(_turns_in_log, settings, session_id))


async def _turns_in_log(settings: RuntimeSettings, session_id: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    async with operator_connection(settings) as client, aclosing(LogReader(client).to_end()) as batches:
        async for batch in batches:
            for event in (decode(record.data) for record in batch):
                if isinstance(event.data, EpisodeRecorded) and event.data.session_id == session_id:
                    found.setdefault(event.user, []).append(str(event.data.message_id))
    return found


def what_differs(said: Mapping[str, Sequence[str]], found: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many acknowledged turns are missing, how many are there twice, and of how many people the order is another.

    >>> what_differs({"anna": ["m0", "m1", "m2"]}, {"anna": ["m1", "m0", "m1"]})
    {'lost': 1, 'doubled': 1, 'out_of_order': 1}
    """
    lost = sum(len(set(ids) - set(found.get(user, ()))) for user, ids in said.items())
    doubled = sum(len(ids) - len(set(ids)) for ids in found.values())
    kept = {user: list(dict.fromkeys(each for each in found.get(user, ()) if each in set(ids))) for user, ids in said.items()}
    odd = sum(order != [each for each in said[user] if each in set(order)] for user, order in kept.items())
    return {"lost": lost, "doubled": doubled, "out_of_order": odd}
