"""An installation moves from one server to three and back, by a backup."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from nats.errors import Error

from memstream.cli.backing_up import back_up
from memstream.cli.forgetting_again import ForgottenAgain
from memstream.cli.installation import make_streams
from memstream.cli.keeping_forgettings import keep
from memstream.cli.local_cluster import LocalCluster
from memstream.cli.restoring import restore
from memstream.cli.server import supervised
from memstream.cli.session import CliSession
from shared.contracts.errors import MemstreamError
from shared.contracts.queries import Verdict
from shared.runtime.connection import operator_connection
from shared.runtime.datadir import DataDir
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import MEMORY, STREAMS, identify_log, replicas_of
from tests.acceptance.everywhere import found
from tests.support.installations import Bot, Installation, running, until

FORGOTTEN = "Quixeldra"
_AT_REST_S = 300.0
"""What servers keep to agree on a stream goes within minutes."""


async def _is_led(cluster: LocalCluster) -> bool:
    with suppress(MemstreamError, Error):
        async with operator_connection(cluster.settings) as client:
            await client.jetstream().account_info()
            return True
    return False


@pytest.mark.nightly
@pytest.mark.timeout(480)
async def test_streams_move_to_a_cluster_and_back(
    own_server: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSTREAM_STREAMS_REPLICAS", "3")
    async with running(own_server.settings), own_server.connected("bot") as client:
        bot = Bot(client, "home")
        for number in range(20):
            answer = await bot.said("anna", f"turn {number}")
        rare = await bot.said("ben", f"I met {FORGOTTEN}.")
        await back_up(CliSession(own_server.settings), tmp_path / "one")
        gone = await bot.outcome("ben", sequence=await bot.send("ben", "forget", {"memory_ids": [rare.memory_id]}))
        assert gone.verdict is Verdict.RECORDED
    await keep(CliSession(own_server.settings), tmp_path / "forgotten")
    cluster = LocalCluster(DataDir(tmp_path / "three"))
    cluster.settings.files.create()
    for name in ("keys.toml", "credentials.toml"):
        (tmp_path / "three" / name).write_bytes((tmp_path / "one" / name).read_bytes())
    try:
        await cluster.start()
        await until(
            partial(_is_led, cluster), what="somebody leads the cluster, which then can make streams", within_s=_AT_REST_S
        )
        elsewhere = RuntimeSettings(data_dir=tmp_path / "services", nats_url=cluster.url)
        told = await restore(CliSession(elsewhere), tmp_path / "one", tmp_path / "forgotten")
        assert told.again == ForgottenAgain(forgotten=1, unknown=0)
        await make_streams(elsewhere)
        await cluster.until_whole()
        async with operator_connection(elsewhere) as client:
            assert {len((await replicas_of(client, stream)).names) for stream in STREAMS} == {3}
            assert (await identify_log(client)).last_position >= answer.position
        await back_up(CliSession(elsewhere), tmp_path / "again")
        assert found(tmp_path / "three", ["turn"])
        nowhere = partial(found, tmp_path / "three", [FORGOTTEN])
        await until(lambda: not nowhere(), what="no server has a byte of it", within_s=_AT_REST_S)
    finally:
        await cluster.stop()
    back = RuntimeSettings(data_dir=tmp_path / "back", nats_url=None)
    await restore(CliSession(back), tmp_path / "again")
    async with supervised(back.files, port=0), operator_connection(back) as client:
        assert (await client.jetstream().stream_info(MEMORY)).config.num_replicas == 1
        assert (await identify_log(client)).last_position >= answer.position
