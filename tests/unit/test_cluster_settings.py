"""What is set of a cluster, what the server is told of it, and what the doctor says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memstream.cli.doctor_server import clocks_found, replicas_found
from services.ingest.traces import OTHER_SERVER, RAFT_LOGS, Erasure, Traces
from shared.contracts.errors import Misconfigured
from shared.runtime.credentials import create_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.accounts import render_own_config
from shared.runtime.embedded.settings import ServerSettings, StreamSettings
from shared.runtime.server_state import ServerState
from shared.runtime.topology import MEMORY, Kept, Replicas, stream_configs
from tests.support.scopes import ANNAS_SCOPE

_ROUTES = "a:6222, b:6222"


@pytest.mark.parametrize(
    "wrong", [{"name": "N 1"}, {"routes": _ROUTES}, {"sync_interval": "never"}, {"name": "n1", "sync_interval": "0s"}]
)
def test_what_no_server_could_be_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(Misconfigured):
        ServerSettings.model_validate(wrong)


def test_a_server_of_a_cluster_is_told_of_the_others_and_one_alone_of_none(tmp_path: Path) -> None:
    credentials = create_credentials()
    member = ServerSettings(name="n1", routes=_ROUTES, tags="zone:a", sync_interval="1s")
    conf = render_own_config(credentials=credentials, listen="0.0.0.0:4222", store=tmp_path, server=member)
    password = credentials.of_service("route")
    assert f'routes: [ "nats://route:{password}@a:6222", "nats://route:{password}@b:6222" ]' in conf
    assert 'server_tags: ["zone:a"]' in conf
    assert "sync_interval: 1s " in conf
    assert "cluster {" not in render_own_config(credentials=credentials, listen="0.0.0.0:4222", store=tmp_path)


def test_streams_are_kept_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"REPLICAS": "3", "PLACEMENT_CLUSTER": "east", "PLACEMENT_TAGS": "ssd, zone:a"}.items():
        monkeypatch.setenv(f"MEMSTREAM_STREAMS_{name}", value)
    kept = StreamSettings().kept
    [memory, *others] = stream_configs(kept)
    assert {config.num_replicas for config in (memory, *others)} == {3}
    assert memory.placement is not None
    assert (memory.placement.cluster, memory.placement.tags) == ("east", ["ssd", "zone:a"])
    assert kept.changed(memory) == {}
    assert Kept(replicas=5).changed(memory) == {"num_replicas": 5}
    assert Kept().changed(memory) == {}, "what nothing is set of stays as it is"


def test_the_doctor_misses_a_server_that_is_away_and_copies_that_nobody_makes() -> None:
    whole = Replicas(("n1", "n2", "n3"))
    assert replicas_found({MEMORY: whole}, servers=3) == "each stream lies on 3 servers, and all are there"
    assert replicas_found({MEMORY: Replicas()}, servers=1) == "one server has every stream"
    with pytest.raises(Misconfigured, match="n3 are away"):
        replicas_found({MEMORY: Replicas(whole.names, ("n3",))}, servers=3)
    with pytest.raises(Misconfigured, match="MEMORY lies on 1 server of 3; run: MEMSTREAM_STREAMS_REPLICAS=3"):
        replicas_found({MEMORY: Replicas(("n1",))}, servers=3)


@pytest.mark.parametrize(("ahead_s", "told"), [(3.0, "3.0 s ahead of"), (-7.5, "7.5 s behind")])
def test_the_doctor_names_the_server_whose_clock_is_wrong(ahead_s: float, told: str) -> None:
    states = [
        ServerState(name, "2.15.1", 1, has_jetstream=True, syncs_always=True, clock_ahead_s=ahead)
        for name, ahead in (("n1", 0.1), ("n2", ahead_s))
    ]
    with pytest.raises(Misconfigured, match=f"the clock of n2 is {told} this machine"):
        clocks_found(states)
    assert clocks_found(states[:1]) == "1 server: at most 0.1 s from this machine's"


def test_a_receipt_says_which_servers_of_a_cluster_it_could_look_at(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    for name in ("n1", "n2"):
        folder = data.of_server(name).store / "jetstream/$SYS/_js_/S-R3F-x/msgs"
        folder.mkdir(parents=True)
        (folder / "1.blk").write_bytes(b"zorbifers are fine")
        data.of_server(name).conf.write_text("zorbifers are fine")
    where = Replicas(("n2", "n1", "n3"), ("n3",))
    looked = Traces(data).look(Erasure(ANNAS_SCOPE, None, False, {b"zorbifers are"}, frozenset(), {}, 0.0, where))  # noqa: FBT003
    assert looked.places == (), "what servers keep to agree goes by itself, as it is told"
    assert {f"{OTHER_SERVER}: n3", RAFT_LOGS} <= set(looked.unread)
    assert "the files of a NATS server that was away meanwhile: n3" in looked.unread
