"""An installation moves from one server to three and back, by a backup."""

from __future__ import annotations

from pathlib import Path

import pytest

from memstream.cli.backing_up import back_up
from memstream.cli.installation import make_streams
from memstream.cli.local_cluster import LocalCluster
from memstream.cli.restoring import restore
from memstream.cli.server import supervised
from memstream.cli.session import CliSession
from shared.runtime.connection import operator_connection
from shared.runtime.datadir import DataDir
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import MEMORY, STREAMS, identify_log, replicas_of
from tests.support.installations import Bot, Installation, running


@pytest.mark.nightly
@pytest.mark.timeout(180)
async def test_streams_move_to_a_cluster_and_back(
    own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSTREAM_STREAMS_REPLICAS", "3")
    async with running(own_server.settings), own_server.connected("bot") as client:
        bot = Bot(client, "home")
        for number in range(20):
            answer = await bot.said("anna", f"turn {number}")
    await back_up(CliSession(own_server.settings), tmp_path / "one")
    cluster = LocalCluster(DataDir(tmp_path / "three"))
    cluster.settings.files.create()
    for name in ("keys.toml", "credentials.toml"):
        (tmp_path / "three" / name).write_bytes((tmp_path / "one" / name).read_bytes())
    try:
        await cluster.start()
        await cluster.until_elected()
        elsewhere = RuntimeSettings(data_dir=tmp_path / "services", nats_url=cluster.url)
        await restore(CliSession(elsewhere), tmp_path / "one")
        await make_streams(elsewhere)
        await cluster.until_whole()
        async with operator_connection(elsewhere) as client:
            assert {len((await replicas_of(client, stream)).names) for stream in STREAMS} == {3}
            assert (await identify_log(client)).last_position >= answer.position
        await back_up(CliSession(elsewhere), tmp_path / "again")
    finally:
        await cluster.stop()
    back = RuntimeSettings(data_dir=tmp_path / "back", nats_url=None)
    await restore(CliSession(back), tmp_path / "again")
    async with supervised(back.files, port=0), operator_connection(back) as client:
        assert (await client.jetstream().stream_info(MEMORY)).config.num_replicas == 1
        assert (await identify_log(client)).last_position >= answer.position
