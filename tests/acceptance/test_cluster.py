"""Promise 1 on a cluster of three: whoever leads may die, and what was acknowledged is there, once, in each person's order."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from nats.js import api

from memstream.cli import doctor_server
from memstream.cli.cluster_chat import turns_in_log
from memstream.cli.local_cluster import LocalCluster, local_cluster
from memstream.client import MemoryClient
from memstream.client.memories import Memories
from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from shared.contracts.ids import EventId, Scope, User
from shared.contracts.subjects import slot_of
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Client, operator_connection, server_urls, service_options
from shared.runtime.credentials import load_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.accounts import MAX_SERVER_PAYLOAD_BYTES
from shared.runtime.eventlog.append import Expected, NewEvent, append
from shared.runtime.eventlog.leader import stored
from shared.runtime.eventlog.read import LogReader
from shared.runtime.retries import within
from shared.runtime.sending import LaneProgress, purge_decided
from shared.runtime.server_state import refused_users, server_states, wrong_permissions
from shared.runtime.topology import MEMORY, SEND, STREAMS, replicas_of
from tests.acceptance.everywhere import found
from tests.support.forks import printed
from tests.support.installations import serving, until

_PEOPLE, _TURNS = ("anna", "marcus"), 100
_SCOPE = Scope("ab" * 16)
_APPENDS = 60
_RARE = "Zorbiferlamp"
_ELECTION_S = 40.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalCluster]:
    """Three servers with the streams of a new installation."""
    async with local_cluster(DataDir(tmp_path_factory.mktemp("cluster") / "data")) as cluster:
        yield cluster


async def chat(memory: MemoryClient, user: str, at: asyncio.Event) -> None:
    """Send so many turns, one after the other; in the middle of it say so."""
    person = memory.for_user(user, space="home")
    for turn in range(_TURNS):
        if turn == _TURNS // 3:
            at.set()
        last = await person.add(f"turn {turn} of {user}", session_id="s", message_id=f"m{turn}")
    answer = await person.search("turn", after=last, timeout_s=30)
    assert answer.items


async def forgotten_meanwhile(cluster: LocalCluster, memory: MemoryClient) -> None:
    """What is forgotten while a leader dies is in no byte of what three servers keep of the streams."""
    person = memory.for_user("zoe", space="home")
    told = await person.remember(f"The lamp is a {_RARE}.")
    await cluster.until_whole()
    assert found(cluster.settings.files.nats_store, [_RARE])
    await cluster.kill(await cluster.leader())
    await cluster.start()
    forget = partial(person.forget, memory_ids=[told.memory_id or ""], message_id="gone", timeout_s=30)
    gone = await within(_ELECTION_S, forget)
    await until(lambda: _is_erased(person, gone.number or 0), what="the receipt", within_s=_ELECTION_S)
    await until(lambda: not _places(cluster), what="each server has erased it", within_s=_ELECTION_S)


async def _is_erased(person: Memories, number: int) -> bool:
    return (await within(_ELECTION_S, partial(person.forgetting, number))).state == "done"


def _places(cluster: LocalCluster) -> list[str]:
    """Where the rare word is, but for what servers keep to agree on a stream: they drop that minutes later."""
    return [place for place in found(cluster.settings.files.nats_store, [_RARE]) if "/_js_/" not in place]


@pytest.mark.timeout(120)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_leader_that_is_killed_takes_no_acknowledged_turn_with_it(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    settings, middle = cluster.settings, asyncio.Event()
    async with serving(build_ingest(settings), build_retriever(settings)):
        memory = MemoryClient(url=settings.nats_url, data_dir=settings.data_dir, reconnect_timeout_s=30)
        async with memory:
            talks = [asyncio.create_task(chat(memory, user, middle)) for user in _PEOPLE]
            await middle.wait()
            await cluster.kill(await cluster.leader())
            await asyncio.gather(*talks)
            await cluster.start()
            await forgotten_meanwhile(cluster, memory)
    assert await turns_in_log(cluster.settings) == {user: [f"m{turn}" for turn in range(_TURNS)] for user in _PEOPLE}


@pytest.mark.timeout(120)
@pytest.mark.asyncio(loop_scope="module")
async def test_what_was_appended_is_read_whichever_server_answers(cluster: LocalCluster) -> None:
    writer, subject, last = Client(), f"memory.1.{_SCOPE}.probe", 0  # no event, so it comes after those that read them
    await writer.connect(server_urls(cluster.settings), **service_options(cluster.settings, "ingest"))
    try:
        for number in range(_APPENDS):
            event = NewEvent(subject, EventId(f"e{number}"), b"{}", Expected(f"memory.1.{_SCOPE}.>", last))
            [position] = await append(writer, [event])
            assert await stored(writer, MEMORY, position) is not None
            reader = LogReader(writer, after=last, subjects=[subject])
            read = [record.position async for batch in reader.to_end() for record in batch]
            assert read == [position], number
            last = position
        assert await LogReader(writer, subjects=[subject]).count() == _APPENDS
    finally:
        await writer.close()


@pytest.mark.timeout(120)
@pytest.mark.asyncio(loop_scope="module")
async def test_what_a_lanes_server_has_not_got_yet_is_not_purged(cluster: LocalCluster) -> None:
    password = load_credentials(cluster.settings.files.credentials).bots["bot"].password
    memory = MemoryClient(url=cluster.url, name="bot", password=password, space="home", user="anna")
    async with memory, operator_connection(cluster.settings) as client:
        receipt = await memory.add("ingest is away", session_id="s")
        behind = api.ConsumerConfig(name="behind", filter_subject="send.none.*.*.*", ack_policy=api.AckPolicy.NONE)
        await client.jetstream().add_consumer(SEND, behind)  # as on a server that lacks the message
        assert await purge_decided(client, [LaneProgress("behind", 0, 0, [slot_of(User("anna"))])]) == 0
        assert await purge_decided(client, [LaneProgress("behind", 0, receipt.sequence, [slot_of(User("anna"))])])


@pytest.mark.timeout(120)
@pytest.mark.asyncio(loop_scope="module")
async def test_the_doctor_asks_each_server(cluster: LocalCluster) -> None:
    await cluster.start()
    await cluster.until_whole()
    states = await server_states(cluster.settings, SystemClock())
    assert [state.name for state in states] == list(cluster.names)
    assert all(state.syncs_always and state.max_payload == MAX_SERVER_PAYLOAD_BYTES for state in states)
    assert doctor_server.clocks_found(states).startswith("3 servers: at most")
    assert await refused_users(cluster.settings) == []
    assert await wrong_permissions(cluster.settings) == []
    async with operator_connection(cluster.settings) as client:
        where = {stream: await replicas_of(client, stream) for stream in STREAMS}
    assert doctor_server.replicas_found(where, servers=3) == "each stream lies on 3 servers, and all are there"


@pytest.mark.nightly
@pytest.mark.timeout(300)
async def test_the_demo_loses_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    told = await asyncio.to_thread(printed, "memstream", "cluster", "demo", "--json", environment=environment)
    assert told.code == 0, told.err
    document = told.document
    assert document["differs"] == {"lost": 0, "doubled": 0, "out_of_order": 0}
    assert document["turns"] > 0
    assert document["decided_again_s"] > 0
