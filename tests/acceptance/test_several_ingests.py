"""Two ingests share all people: one that is killed is stood in for, and nothing is lost, doubled or out of order."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from memstream.cli.cluster_chat import turns_in_log
from memstream.client import Memories, MemoryClient, Receipt
from shared.contracts.errors import NotCaughtUp, Unavailable
from shared.contracts.ids import User
from shared.contracts.subjects import SLOTS, slot_of
from shared.domain.parts import Part
from shared.runtime.connection import operator_connection
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import MEMORY, SEND
from tests.support.forks import Fork
from tests.support.installations import Installation, until

_TURNS = 40


def people() -> list[str]:
    """Two of each part."""
    parts: dict[int, list[str]] = {0: [], 1: []}
    for number in range(SLOTS):
        user = f"person-{number}"
        parts[Part.of_slot(slot_of(User(user)), 2).index].append(user)
    return [*parts[0][:2], *parts[1][:2]]


async def decided(person: Memories, receipt: Receipt) -> None:
    """Wait for the outcome; what was asked of an ingest that died meanwhile is asked again."""
    while True:
        with suppress(Unavailable, NotCaughtUp):
            await person.outcome(receipt, timeout_s=2)
            return


async def talk(memory: MemoryClient, user: str) -> None:
    person = memory.for_user(user, space="home")
    for turn in range(_TURNS):
        receipt = await person.add(f"turn {turn}", session_id="s", message_id=f"m{turn}")
        if turn % 10 == 0:
            await decided(person, receipt)
    await decided(person, receipt)


@pytest.mark.timeout(150)
@pytest.mark.parametrize("apart", [True, pytest.param(False, marks=pytest.mark.nightly)])
async def test_an_ingest_that_is_killed_is_stood_in_for(own_server: Installation, tmp_path: Path, *, apart: bool) -> None:
    """`apart`: with a data folder each, as on two machines; else they share one."""
    settings = own_server.settings
    other = own_server.elsewhere(tmp_path / "other") if apart else settings
    first, second = ingest("1/2", settings), ingest("2/2", other)
    memory = MemoryClient(url=settings.nats_url, data_dir=settings.data_dir)
    try:
        async with memory, operator_connection(settings) as client:
            js = client.jetstream()

            async def length(stream: str) -> int:
                await asyncio.sleep(0.05)
                return (await js.stream_info(stream)).state.messages

            async def has_begun() -> bool:
                return await length(MEMORY) > len(people())

            async def is_drained() -> bool:
                return not await length(SEND)

            async def nothing_waits() -> bool:
                """Asked again where the ingest that has just begun tells already how far it is, and answers no operator yet."""
                status = json.loads((await client.request("admin.ingest.status", b"", timeout=10)).data)
                return bool(status == {"erasing": 0, "waiting": 0, "to_rebuild": 0})

            talks = [asyncio.create_task(talk(memory, user)) for user in people()]
            await until(has_begun, what="they decide")
            second.kill()
            await asyncio.gather(*talks)
            second = ingest("2/2", other)
            receipts = {user: await memory.for_user(user, space="home").add("once more", session_id="s2") for user in people()}
            for user, receipt in receipts.items():
                await decided(memory.for_user(user, space="home"), receipt)
            await until(is_drained, what="SEND is purged once both have decided all")
            await until(nothing_waits, what="both say that nothing waits")
    finally:
        for process in (first, second):
            process.kill()
            await process.wait()
    found = await turns_in_log(settings)
    assert found == {user: [f"m{turn}" for turn in range(_TURNS)] for user in people()}


def ingest(part: str, settings: RuntimeSettings) -> Fork:
    """The ingest of a part, as a process."""
    told = {"DATA_DIR": str(settings.data_dir), "NATS_URL": str(settings.nats_url), "INGEST_PART": part}
    log = settings.files.root / f"ingest-{part[0]}.log"
    environment = {**os.environ, **{f"MEMSTREAM_{name}": value for name, value in told.items()}}
    return Fork("services.ingest", environment=environment, out=log, err=log)
