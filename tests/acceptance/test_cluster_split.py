"""A cluster that is split: who leads is cut off from both others, while clients still reach all three."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memstream.cli.cluster_chat import SPACE, Chat, turns_in_log, what_differs
from memstream.cli.installation import make_streams, prepare
from memstream.cli.local_cluster import LocalCluster
from memstream.client import MemoryClient
from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.server import EmbeddedServer
from shared.runtime.embedded.settings import ServerSettings
from shared.runtime.ports import LOOPBACK, free_port
from shared.runtime.retries import within
from shared.runtime.topology import Kept
from tests.faults.wire import Wire
from tests.support.installations import serving, until

_SPLIT_S = 15
_ELECTION_S = 60.0
_PEOPLE = ("anna", "marcus")
_BEFORE = _AFTER = 30
"""Turns of each."""


class SplitCluster(LocalCluster):
    """Three servers, each of which reaches the others through wires of its own."""

    def __init__(self, files: DataDir) -> None:
        super().__init__(files)
        self._listens = {name: free_port() for name in self.names}
        self._wires: dict[tuple[str, str], Wire] = {}

    async def wire(self, files: DataDir) -> None:
        """Lay the wires, before it is started."""
        pairs = [(one, other) for one in self.names for other in self.names if one != other]
        self._wires = {pair: Wire(self._listens[pair[1]]) for pair in pairs}
        await asyncio.gather(*(wire.open() for wire in self._wires.values()))
        for name in self.names:
            routes = [wire.url.removeprefix("nats://") for (one, _), wire in self._wires.items() if one == name]
            listen = f"{LOOPBACK}:{self._listens[name]}"
            server = ServerSettings(name=name, routes=",".join([listen, *routes]), cluster_listen=listen)
            self._servers[name] = EmbeddedServer(files, port=free_port(), server=server)

    def split(self, name: str) -> None:
        """Cut a server off from the others."""
        for pair, wire in self._wires.items():
            if name in pair:
                wire.cut()

    def join(self) -> None:
        """Mend all wires."""
        for wire in self._wires.values():
            wire.mend()

    async def stop(self) -> None:
        await super().stop()
        await asyncio.gather(*(wire.close() for wire in self._wires.values()))


@asynccontextmanager
async def split_cluster(files: DataDir) -> AsyncIterator[SplitCluster]:
    prepare(files)
    cluster = SplitCluster(files)
    try:
        await cluster.wire(files)
        await cluster.start()
        await within(_ELECTION_S, lambda: make_streams(cluster.settings, Kept(replicas=len(cluster.names))))
        yield cluster
    finally:
        await cluster.stop()


@pytest.mark.nightly
@pytest.mark.timeout(300)
async def test_a_leader_that_is_cut_off_takes_no_acknowledged_turn_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    async with split_cluster(DataDir(tmp_path / "data")) as cluster:
        settings = cluster.settings
        async with serving(build_ingest(settings), build_retriever(settings)):
            memory = MemoryClient(url=settings.nats_url, data_dir=settings.data_dir, reconnect_timeout_s=60)
            async with memory:
                chat = Chat(memory, _PEOPLE, pause_s=0.02)
                talking = asyncio.create_task(chat.run())
                await until(lambda: min(chat.acknowledged[user] for user in _PEOPLE) >= _BEFORE, what="they talk")
                cut_off = await cluster.leader()
                cluster.split(cut_off)
                await asyncio.sleep(_SPLIT_S)
                cluster.join()
                await cluster.until_whole()
                assert await cluster.leader() != cut_off
                said = chat.acknowledged.total()
                await until(lambda: chat.acknowledged.total() >= said + _AFTER, what="they talk on", within_s=_ELECTION_S)
                chat.is_over = True
                await talking
                for user in _PEOPLE:
                    last = await memory.for_user(user, space=SPACE).add("at last", session_id="end")
                    await memory.for_user(user, space=SPACE).stats(after=last, timeout_s=30)
        assert what_differs(chat.said, await turns_in_log(settings)) == {"lost": 0, "doubled": 0, "out_of_order": 0}
