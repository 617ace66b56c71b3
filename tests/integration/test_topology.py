"""What a service checks before it starts; it never makes a stream."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from nats.js.api import StreamConfig
from nats.js.errors import APIError, NotFoundError

from services.ingest.app import build
from shared.contracts.errors import KeysMismatch, LogDiverged, Misconfigured, NotInitialised
from shared.contracts.ids import EventId
from shared.contracts.queries import Verdict
from shared.runtime.eventlog.append import NewEvent, append
from shared.runtime.keys import create_keys
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import ALONE, _make, check_streams, create_streams, identify_log, limit_streams, replicas_of
from tests.support.installations import Bot, Installation, last_position, running

STREAMS = ["MEMORY", "SEND", "REJECTED"]


async def test_the_streams_are_made_as_the_architecture_says(nats_server: Installation) -> None:
    async with nats_server.connected("operator") as client:
        memory, send, rejected = [(await client.jetstream().stream_info(name)).config for name in STREAMS]
    assert (memory.allow_atomic, memory.deny_purge, memory.deny_delete, memory.allow_direct) == (True, True, False, True)
    assert (memory.max_age, memory.max_msgs, memory.max_bytes) == (0, -1, -1)
    assert memory.max_msgs_per_subject == 10**12, "so many that none is ever dropped, for files of 4 MB"
    assert (send.duplicate_window, send.discard, send.max_bytes) == (0.1, "new", 1_073_741_824)
    assert send.subject_transform
    assert send.subject_transform.dest == "{{wildcard(1)}}.{{partition(64,3)}}.{{wildcard(2)}}.{{wildcard(3)}}.{{wildcard(4)}}"
    assert (rejected.max_age, rejected.discard) == (14 * 86_400, "old")
    assert (rejected.max_bytes, rejected.max_msgs_per_subject) == (268_435_456, 1_000)


def _event(subject: str, index: int, data: bytes) -> NewEvent:
    return NewEvent(subject, EventId(f"{index}/{subject}"), data)


async def test_the_log_is_kept_in_files_that_are_quick_to_write_anew(own_server: Installation) -> None:
    async with own_server.connected("ingest") as client:
        for index in range(5):
            await append(client, [_event(subject, index, b"x" * 500_000) for subject in ("memory.1.a.b", "memory.1.c.b")])
    sizes = [file.stat().st_size for file in own_server.settings.files.nats_store.rglob("MEMORY/msgs/*.blk")]
    assert 2 <= len(sizes) <= 4
    assert max(sizes) <= 4 * 1024 * 1024


async def test_the_log_of_an_earlier_version_gets_small_files_without_losing_an_event(own_server: Installation) -> None:
    async with own_server.connected("operator") as client, own_server.connected("ingest") as ingest:
        js = client.jetstream()
        before = (await js.stream_info("MEMORY")).config
        await js.update_stream(replace(before, max_msgs_per_subject=-1))
        await append(ingest, [_event("memory.1.a.b", index, b"{}") for index in range(3)])
        assert await limit_streams(client, own_server.keys) == ["MEMORY"]
        after = await js.stream_info("MEMORY")
        assert (after.config.max_msgs_per_subject, after.config.metadata) == (10**12, before.metadata)
        assert after.state.messages == 3


async def test_streams_of_an_earlier_version_get_the_limits_of_this_one(own_server: Installation) -> None:
    async with own_server.connected("operator") as client, own_server.connected("ingest") as ingest:
        js = client.jetstream()
        before = (await js.stream_info("REJECTED")).config
        await js.update_stream(replace(before, max_bytes=-1, max_msgs_per_subject=-1))
        await ingest.jetstream().publish("rejected.1.home.anna.user_message", b"kept")
        assert await limit_streams(client, own_server.keys) == ["REJECTED"]
        after = await js.stream_info("REJECTED")
        assert (after.config.max_bytes, after.config.max_msgs_per_subject) == (before.max_bytes, before.max_msgs_per_subject)
        assert (after.config.metadata, after.state.messages) == (before.metadata, 1)
        assert await limit_streams(client, own_server.keys) == []


async def test_the_log_and_send_have_names_of_their_own(nats_server: Installation) -> None:
    async with nats_server.connected("operator") as client:
        assert (await identify_log(client)).log_id != (await identify_log(client, "SEND")).log_id


async def test_a_stream_of_somebody_else_is_not_taken_for_the_log(own_server: Installation) -> None:
    async with own_server.connected("operator") as client:
        await client.jetstream().delete_stream("MEMORY")
        await client.jetstream().add_stream(StreamConfig(name="MEMORY", subjects=["memory.*.*.*"]))
        with pytest.raises(Misconfigured, match="not made by memstream"):
            await identify_log(client)
        with pytest.raises(KeysMismatch):
            await check_streams(client, own_server.keys)


async def test_other_keys_are_refused(own_server: Installation, tmp_path: Path) -> None:
    other = create_keys(tmp_path / "other.toml")
    async with own_server.connected("operator") as client:
        with pytest.raises(KeysMismatch, match=r"put back the keys\.toml"):
            await check_streams(client, other)
        with pytest.raises(KeysMismatch):
            await create_streams(client, other)


@pytest.mark.parametrize("missing", STREAMS)
async def test_a_service_does_not_start_without_its_streams_and_makes_none(missing: str, own_server: Installation) -> None:
    async with own_server.connected("operator") as client:
        await client.jetstream().delete_stream(missing)
        async with running(own_server.settings, ready=False) as ingest:
            error = await ingest.failure()
        assert isinstance(error, NotInitialised)
        assert missing in error.message
        with pytest.raises(NotFoundError):
            await client.jetstream().stream_info(missing)


async def test_a_service_could_not_make_a_stream_if_it_tried(own_server: Installation) -> None:
    for user in ("ingest", "retriever"):
        async with own_server.connected(user) as client:
            with pytest.raises(Exception, match=r"timeout|permissions"):
                await client.jetstream(timeout=0.3).add_stream(StreamConfig(name="MINE", subjects=["mine"]))


async def test_ingest_does_not_start_with_other_keys(own_server: Installation, tmp_path: Path) -> None:
    settings = own_server.elsewhere(tmp_path / "elsewhere")
    settings.files.keys.unlink()
    create_keys(settings.files.keys)
    async with running(settings, ready=False) as ingest:
        assert isinstance(await ingest.failure(), KeysMismatch)


def test_ingest_is_not_built_without_keys(tmp_path: Path) -> None:
    with pytest.raises(NotInitialised):
        build(RuntimeSettings(data_dir=tmp_path))


async def some_chat(installation: Installation, turns: int = 10) -> None:
    async with running(installation.settings), installation.connected("bot") as client:
        bot = Bot(client, "home")
        for number in range(turns):
            answer = await bot.said("anna", f"turn {number}")
            assert answer.verdict is Verdict.RECORDED


async def cut_log(installation: Installation, *, keep: int, log_id: str | None = None) -> None:
    """The log as an older backup would bring it back: the same stream, fewer events."""
    async with installation.connected("operator") as operator, installation.connected("ingest") as writer:
        js = operator.jetstream()
        kept = [await js.get_msg("MEMORY", position) for position in range(1, keep + 1)]
        config = (await js.stream_info("MEMORY")).config
        if log_id:
            config.metadata = {**(config.metadata or {}), "memstream.id": log_id}
        await js.delete_stream("MEMORY")
        await js.add_stream(config)
        for message in kept:
            headers = {k: v for k, v in (message.headers or {}).items() if k.startswith("Memstream")}
            await writer.jetstream().publish(str(message.subject), message.data or b"", headers=headers)
        assert await last_position(operator) == keep


@pytest.mark.parametrize("keep", [0, 4, 10])
async def test_a_log_that_is_shorter_than_what_ingest_knows_is_refused(keep: int, own_server: Installation) -> None:
    await some_chat(own_server)
    await cut_log(own_server, keep=keep)
    async with running(own_server.settings, ready=False) as ingest:
        error = await ingest.failure()
    assert isinstance(error, LogDiverged)
    assert f"the log ends at {keep}" in error.message


async def test_another_log_is_refused(own_server: Installation) -> None:
    await some_chat(own_server)
    await cut_log(own_server, keep=11, log_id="0" * 32)
    async with running(own_server.settings, ready=False) as ingest:
        error = await ingest.failure()
    assert isinstance(error, LogDiverged)
    assert "another log" in error.message


async def test_of_a_lone_server_no_receipt_says_that_others_have_files(own_server: Installation) -> None:
    async with own_server.connected("ingest") as client:
        assert await replicas_of(client, "MEMORY") == ALONE


class _FullServer:
    async def add_stream(self, config: StreamConfig) -> None:
        raise APIError(code=500, err_code=10_047, description=f"insufficient storage resources available for {config.name}")


async def test_a_server_without_room_for_a_stream_says_how_much_is_needed(tmp_path: Path) -> None:
    config = StreamConfig(name="SEND", max_bytes=2**30)
    with pytest.raises(Misconfigured, match=r"SEND needs 1\.1 GB of room"):
        await _make(cast("Any", _FullServer()), config, create_keys(tmp_path / "keys.toml"))
