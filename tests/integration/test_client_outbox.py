# ruff: noqa: ASYNC240 - a look at a file of a test is no wait
"""A client with an outbox loses nothing while the server is away, through a real server."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from memstream import MemoryClient, MemstreamError, SyncMemoryClient, Unavailable, Verdict
from memstream.client.outbox import Letter, OutboxFile
from shared.contracts.ids import Scope, User
from tests.support.installations import Installation, events_of, running, texts_of, until

SPACE = "home"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot" / "outbox.jsonl"


@pytest.fixture
def client(own_server: Installation, path: Path) -> Callable[[], MemoryClient]:
    settings = own_server.settings
    return lambda: MemoryClient(space=SPACE, user="anna", url=settings.nats_url, data_dir=settings.data_dir, outbox=path)


async def recorded(server: Installation) -> list[str]:
    """What the log says that Anna said, when ingest has decided everything."""
    scope: Scope = server.keys.scope_of(SPACE, User("anna"))  # type: ignore[arg-type]
    async with running(server.settings), server.connected("operator") as operator:
        settings = server.settings
        async with MemoryClient(space=SPACE, user="anna", url=settings.nats_url, data_dir=settings.data_dir) as memory:
            await memory.outcome(await memory.end_session("s1"), timeout_s=30)
        return texts_of(await events_of(operator, scope, "anna"))


async def test_what_is_sent_while_the_server_is_away_is_sent_in_order_when_it_is_back(
    own_server: Installation, client: Callable[[], MemoryClient], path: Path
) -> None:
    async with client() as memory:
        assert (await memory.add("one", session_id="s1")).sequence
        assert not path.exists()
        await own_server.server.stop()
        receipts = [await memory.add(text, session_id="s1", message_id=text) for text in ("two", "three")]
        receipts.append(
            await memory.add([{"role": "user", "content": "four"}, {"role": "user", "content": "five"}], session_id="s1")
        )
        assert [receipt.unsent for receipt in receipts] == ["waiting"] * 3
        assert memory.waiting == 3
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        await own_server.server.start()
        await until(lambda: memory.waiting == 0, what="all is sent")
        assert not path.exists()
        async with running(own_server.settings):
            assert (await memory.outcome(receipts[-1], timeout_s=30)).verdict is Verdict.RECORDED
    assert await recorded(own_server) == ["one", "two", "three", "four", "five"]


async def test_a_client_can_begin_while_the_server_is_away(
    own_server: Installation, client: Callable[[], MemoryClient]
) -> None:
    memory = client()
    await own_server.server.stop()
    async with memory:
        await memory.add("one", session_id="s1")
        with pytest.raises(Unavailable):
            await memory.remember("Anna likes tea")
        await own_server.server.start()
        await until(lambda: memory.waiting == 0, what="all is sent")
    assert await recorded(own_server) == ["one"]


BOT = """
import asyncio, os, signal
from memstream import MemoryClient
async def main():
    async with MemoryClient(space="home", user="anna", url={url!r}, data_dir={data_dir!r}, outbox={path!r}) as memory:
        for number in range(20):
            await memory.add(f"line {{number}}", session_id="s1")
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


async def test_a_kill_loses_and_doubles_nothing(
    own_server: Installation, client: Callable[[], MemoryClient], path: Path
) -> None:
    await own_server.server.stop()
    code = BOT.format(url=own_server.settings.nats_url, data_dir=str(own_server.settings.data_dir), path=str(path))
    bot = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await bot.wait() == -signal.SIGKILL
    as_it_was = path.with_suffix(".copy")
    shutil.copy(path, as_it_was)
    await own_server.server.start()
    async with client() as memory:
        await memory.flush()
    assert not path.exists()
    shutil.copy(as_it_was, path)  # as after a kill between the last acknowledgement and the file's end
    async with client() as memory:
        await memory.flush()
    assert await recorded(own_server) == [f"line {number}" for number in range(20)]


async def test_the_client_without_await_has_one_too(own_server: Installation, path: Path) -> None:
    settings = own_server.settings
    memory = SyncMemoryClient(space=SPACE, user="anna", url=settings.nats_url, data_dir=settings.data_dir, outbox=path)
    await own_server.server.stop()
    receipt = await asyncio.to_thread(lambda: memory.add("one", session_id="s1"))
    assert (receipt.unsent, memory.waiting) == ("waiting", 1)
    await asyncio.to_thread(memory.close)
    assert path.exists()
    await own_server.server.start()
    again = SyncMemoryClient(space=SPACE, user="anna", url=settings.nats_url, data_dir=settings.data_dir, outbox=path)
    await asyncio.to_thread(again.flush)
    await asyncio.to_thread(again.close)
    assert await recorded(own_server) == ["one"]


async def test_a_process_has_its_outbox_for_itself(client: Callable[[], MemoryClient]) -> None:
    async with client():
        with pytest.raises(MemstreamError, match="another process uses the outbox"):
            await client().__aenter__()
    async with client() as memory:
        await memory.flush()


def letter(text: str, **more: Any) -> Letter:  # noqa: ANN401 - other fields of a letter
    return Letter(subject="send.home.anna.user_message", payload=text, headers={}, message_id=text, **more)


def test_a_full_outbox_refuses_what_it_cannot_keep(path: Path) -> None:
    outbox = OutboxFile(path, max_bytes=250)
    outbox.open()
    outbox.add(letter("one"))
    with pytest.raises(Unavailable, match="1 messages wait"):
        outbox.add(letter("two" * 50))
    assert outbox.first() == letter("one")
    outbox.close()


def test_a_line_that_was_not_written_to_its_end_was_never_kept(path: Path) -> None:
    outbox = OutboxFile(path)
    outbox.open()
    outbox.add(letter("one\ntwo\u2028"))
    outbox.close()
    with path.open("ab") as file:
        file.write(b'{"subject": "send')
    again = OutboxFile(path)
    again.open()
    again.add(letter("three"))
    assert len(again) == 2
    assert again.first() == letter("one\ntwo\u2028")
    again.remove_first()
    assert again.first() == letter("three")
    again.remove_first()
    assert not path.exists()
    again.close()


@pytest.mark.parametrize(
    ("written", "left", "aside"),
    [
        (b"{1}\n{2}\n", ["1", "2"], b""),
        (b'{1}\n{"subject": "sen', ["1"], b'{"subject": "sen\n'),
        (b"{1}\n{2}", ["1"], b"{2}\n"),  # it has no end: nobody was told that it is kept
        (b'{1}\n{"subject": "send.s.u.user_mess{2}\n{3}\n', ["1", "2", "3"], b'{"subject": "send.s.u.user_mess\n'),
        (b"{1}\n\xff\x00[\n{3}\n", ["1", "3"], b"\xff\x00[\n"),
        (b"[]\n" + b"[" * 100_000 + b'\n{"subject": 1}\n{2}\n', ["2"], b"[]\n" + b"[" * 100_000 + b'\n{"subject": 1}\n'),
    ],
)
def test_what_cannot_be_read_is_put_aside_and_all_that_was_kept_is_sent(
    path: Path, written: bytes, left: list[str], aside: bytes
) -> None:
    lines = {number: json.dumps(asdict(letter(number))).encode() for number in ("1", "2", "3")}
    for number, line in lines.items():
        written, aside = (each.replace(b"{%s}" % number.encode(), line) for each in (written, aside))
    path.parent.mkdir()
    path.write_bytes(written)
    outbox = OutboxFile(path)
    outbox.open()
    outbox.add(letter("last"))
    found = []
    while len(outbox):
        found.append(outbox.first())
        outbox.remove_first()
    outbox.close()
    assert found == [letter(each) for each in (*left, "last")]
    torn = Path(f"{path}.torn")
    assert (torn.read_bytes() if torn.exists() else b"") == aside
    assert not path.exists()


class FullDisk:
    """Writes a part of what it is given once there is no room, and then nothing, as a system does."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._write = os.write

    def write(self, file: int, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._write(file, data[: self.room])
        self.room -= written
        return written


@pytest.mark.parametrize("room", range(0, 400, 37))
def test_on_a_full_disk_what_was_said_to_be_kept_is_kept_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    outbox, kept = OutboxFile(path), []
    outbox.open()
    disk = FullDisk(room)
    monkeypatch.setattr(os, "write", disk.write)
    for number in range(9):
        try:
            outbox.add(letter(str(number)))
        except Unavailable:
            disk.room = 3 if number < 5 else 10_000  # a little comes back, then all
        else:
            kept.append(letter(str(number)))
    assert len(outbox) == len(kept) >= 3
    outbox.close()  # as a kill does
    again = OutboxFile(path)
    again.open()
    found = []
    while len(again):
        found.append(again.first())
        again.remove_first()
    again.close()
    assert found == kept


def test_what_the_system_refuses_is_unavailable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = OutboxFile(path)
    outbox.open()
    outbox.add(letter("one"))

    def refused(*_: object) -> None:
        raise OSError(errno.EIO, "no answer")

    for name in ("fsync", "truncate"):
        monkeypatch.setattr(os, name, refused)
    with pytest.raises(Unavailable, match="no answer"):
        outbox.add(letter("two"))
    with pytest.raises(Unavailable, match="no answer"):
        outbox.remove_first()
    assert len(outbox) == 1
    outbox.close()


def test_nobody_else_can_read_it(path: Path) -> None:
    before = os.umask(0)
    try:
        outbox = OutboxFile(path)
        outbox.open()
        outbox.add(letter("one"))
        outbox.close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
