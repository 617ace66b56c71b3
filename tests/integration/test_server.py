"""The embedded server: found, started, checked, stopped; and its partitions, which slot_of must repeat."""

import asyncio
import json
import os
import resource
import signal
import sys
from contextlib import suppress
from errno import EMFILE
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js.errors import APIError, NoStreamResponseError

from memstream.cli.server import keep_running
from shared.contracts.errors import Misconfigured, NotInitialised, Unavailable
from shared.contracts.ids import User
from shared.contracts.subjects import SentSubject, decode_token, send_subject, slot_of
from shared.runtime.connection import operator_connection, server_url
from shared.runtime.credentials import create_credentials, save_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.server import EmbeddedServer, find_binary
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import end
from shared.runtime.topology import create_streams
from tests.support.installations import PATIENCE_S, Bot, Installation, last_position, until
from tests.support.scopes import HOSTILE_IDS, SPACE


def users() -> list[str]:
    """Hostile ones, and 200 that look like anything."""
    letters = "aZ09-_.*>% é🙂\0"
    return HOSTILE_IDS + ["".join(letters[(n * k) % len(letters)] for k in range(1, n % 7 + 2)) + str(n) for n in range(200)]


async def test_slot_of_is_the_servers_own_partition(bot: Bot, operator: Client) -> None:
    names = users()
    futures = [
        await bot.client.jetstream().publish_async(send_subject(bot.space, User(name), "nothing"), b"{}") for name in names
    ]
    acknowledged = await asyncio.gather(*futures)
    for name, ack in zip(names, acknowledged, strict=True):
        stored = await operator.jetstream().get_msg("SEND", ack.seq, direct=True)
        subject = SentSubject.parse(str(stored.subject))
        assert (subject.slot, decode_token(subject.user_token)) == (slot_of(User(name)), name)


async def test_the_server_syncs_every_write(nats_server: Installation) -> None:
    async with nats_server.connected("system") as client:
        reply = await client.request("$SYS.REQ.SERVER.PING.VARZ", b"", timeout=PATIENCE_S)
    assert json.loads(reply.data)["data"]["jetstream"]["config"]["sync_always"] is True


async def test_the_server_listens_on_loopback_only(nats_server: Installation) -> None:
    async with nats_server.connected("system") as client:
        reply = await client.request("$SYS.REQ.SERVER.PING.VARZ", b"", timeout=PATIENCE_S)
    assert json.loads(reply.data)["data"]["host"] == "127.0.0.1"


async def test_a_server_that_stops_and_starts_again_keeps_its_address_and_its_log(own_server: Installation) -> None:
    url, pid = own_server.server.url, own_server.server.pid
    async with own_server.connected("bot") as client:
        await Bot(client, "home").say("anna", "hello")
    await own_server.server.stop()
    assert own_server.server.pid is None
    assert not own_server.settings.files.running.exists()
    await own_server.server.start()
    assert (own_server.server.url, own_server.server.pid != pid) == (url, True)
    async with own_server.connected("operator") as client:
        assert await last_position(client, "SEND") == 1


async def test_a_server_that_was_killed_has_everything_that_it_acknowledged(own_server: Installation) -> None:
    async with own_server.connected("bot") as client:
        sequence = await Bot(client, "home").say("anna", "hello")
    assert own_server.server.pid
    os.kill(own_server.server.pid, 9)
    await own_server.server.wait()
    await own_server.server.start()
    async with own_server.connected("operator") as client:
        stored = await client.jetstream().get_msg("SEND", sequence)
    assert json.loads(stored.data or b"")["text"] == "hello"


async def test_an_orphan_on_the_same_folder_is_ended(own_server: Installation) -> None:
    orphan = own_server.server
    second = EmbeddedServer(own_server.settings.files, port=0)
    await second.start()
    try:
        assert await asyncio.wait_for(orphan.wait(), PATIENCE_S) is not None
        assert server_url(RuntimeSettings(data_dir=own_server.settings.data_dir)) == second.url
    finally:
        await second.stop()


async def test_a_port_that_is_taken_is_named(own_server: Installation, tmp_path: Path) -> None:
    files = DataDir(tmp_path / "other")
    files.create()
    save_credentials(files.credentials, create_credentials())
    port = int(own_server.server.url.rpartition(":")[2])
    with pytest.raises(Misconfigured, match=f"port {port} is taken"):
        await EmbeddedServer(files, port=port).start()


async def test_without_credentials_no_server_starts(tmp_path: Path) -> None:
    with pytest.raises(NotInitialised):
        await EmbeddedServer(DataDir(tmp_path), port=0).start()


@pytest.mark.parametrize("name", ["with space", 'with "quotes"', "josé", "記憶"])
async def test_the_data_folder_may_have_any_name(name: str, tmp_path: Path) -> None:
    installation = await Installation.create(tmp_path / name)
    await installation.server.stop()
    assert installation.settings.files.nats_store.is_dir()


def test_the_program_comes_with_the_wheel() -> None:
    assert find_binary().name.startswith("nats-server")


async def test_a_command_line_without_a_server_is_told_to_start_it(tmp_path: Path) -> None:
    settings = RuntimeSettings(data_dir=tmp_path)
    with pytest.raises(NotInitialised):
        server_url(settings)
    save_credentials(settings.files.credentials, create_credentials())
    with pytest.raises(Unavailable, match="memstream up"):
        server_url(settings)


async def test_a_server_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    """Such as after a kill: running.json still names it."""
    settings = RuntimeSettings(data_dir=tmp_path, nats_url="nats://127.0.0.1:1")
    save_credentials(settings.files.credentials, create_credentials())
    with pytest.raises(Unavailable, match="memstream up"):
        async with asyncio.timeout(PATIENCE_S), operator_connection(settings):
            pass


async def test_a_space_of_a_bot_is_known_after_a_reload(own_server: Installation) -> None:
    """Streams are not touched by it, and who is connected stays connected.

    While accounts are read anew, JetStream may be deaf for a moment: a bot then sends again, as docs/bots.md says.
    """

    async def taken() -> bool:
        with suppress(NoStreamResponseError):
            return await Bot(client, SPACE).say("anna", "still here", message_id="m1") == 1
        return False

    async with own_server.connected("bot") as client:
        assert own_server.server.pid is not None
        os.kill(own_server.server.pid, signal.SIGHUP)
        await until(taken, what="the message is taken")
        assert client.stats["reconnects"] == 0


async def test_streams_are_created_once(own_server: Installation) -> None:
    async with own_server.connected("operator") as client:
        before = await client.jetstream().stream_info("MEMORY")
        await create_streams(client, own_server.keys)
        after = await client.jetstream().stream_info("MEMORY")
    assert (after.created, after.config.metadata) == (before.created, before.config.metadata)


async def test_the_server_listens_where_it_is_told_to_and_says_so(tmp_path: Path) -> None:
    files = DataDir(tmp_path / "data")
    files.create()
    save_credentials(files.credentials, create_credentials())
    server = EmbeddedServer(files, port=0, host="127.0.0.2")
    await server.start()
    try:
        running = json.loads(files.running.read_text("utf-8"))
        assert running["url"] == server.url == f"nats://{running['listen']}"
        assert running["listen"].startswith("127.0.0.2:")
    finally:
        await server.stop()


def test_who_listens_everywhere_is_reached_on_the_loopback(tmp_path: Path) -> None:
    assert EmbeddedServer(DataDir(tmp_path), port=4222, host="0.0.0.0").url == "nats://127.0.0.1:4222"


async def test_a_look_that_stumbles_restarts_no_server_that_is_well(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    async def stumbles(*_: object) -> str | None:
        looks.append("")
        raise OSError(EMFILE, "Too many open files")

    monkeypatch.setattr("memstream.cli.server._LOOK_S", 0.01)
    monkeypatch.setattr("shared.runtime.embedded.server.write_error", stumbles)
    first = own_server.server.pid
    keeper = asyncio.create_task(keep_running(own_server.server))
    try:
        await until(lambda: len(looks) > 3, what="it was looked at")
        assert own_server.server.pid == first
    finally:
        await end([keeper])


@pytest.mark.skipif(sys.platform != "linux", reason="only there can the limits of another process be set")
async def test_a_server_whose_disk_was_full_is_started_again_when_there_is_room(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond its limit to the size of a file a process can write as little as on a full disk, and again when it is lifted."""
    monkeypatch.setattr("memstream.cli.server._LOOK_S", 0.02)
    server, first = own_server.server, own_server.server.pid
    assert first is not None
    async with own_server.connected("bot") as client:
        kept = await Bot(client, "home").say("anna", "hello")
        _, most = resource.prlimit(first, resource.RLIMIT_FSIZE)
        resource.prlimit(first, resource.RLIMIT_FSIZE, (0, most))
        with pytest.raises((APIError, NatsError, TimeoutError)):
            await client.jetstream().publish("send.home.anna.user_message", b"{}", timeout=0.5)
        assert "write error" in (await server.write_error() or "")
        keeper = asyncio.create_task(keep_running(server))
        try:
            await until(lambda: server.pid not in {first, None}, what="it is started again")
            await until(lambda: client.is_connected, what="the bot is back")
            assert await Bot(client, "home").say("anna", "there is") == kept + 1
        finally:
            await end([keeper])
    assert await server.write_error() is None
