"""Work in threads, when its service is ended: nothing is closed under its hands."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

import pytest

from memstream.cli import server
from services.ingest.domain.lacks import Needs
from services.ingest.store import Store
from services.retriever.projection import RetrieverProjection
from services.retriever.store.index import ScopeIndex
from services.retriever.store.memory_folder import MemoryFolder
from services.retriever.store.open_files import OpenFiles
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope
from shared.runtime.datadir import DataDir
from shared.runtime.projector import Recorded
from shared.runtime.service import run_services
from shared.runtime.sqlite import open_database
from shared.runtime.tasks import end, in_thread
from tests.support.commands import user_says
from tests.support.paper import PaperLog

T = TypeVar("T")


class Slow:
    """Work that waits to be told that it may end."""

    def __init__(self) -> None:
        self.is_begun, self.may_end = threading.Event(), threading.Event()
        self.is_done = False

    def __call__(self) -> str:
        self.is_begun.set()
        assert self.may_end.wait(timeout=30)
        self.is_done = True
        return "done"


@pytest.fixture
def slow() -> Iterator[Slow]:
    slow = Slow()
    yield slow
    slow.may_end.set()


def closed_after(slow: Slow, use: Callable[[], T], close: Callable[[], None]) -> T:
    """What the slow use returns; the closing begins in its midst, and must wait for its end."""
    with ThreadPoolExecutor(2) as pool:
        used = pool.submit(use)
        assert slow.is_begun.wait(timeout=30)
        closed = pool.submit(close)
        time.sleep(0.1)
        assert not closed.done()
        slow.may_end.set()
        closed.result(timeout=30)
        return used.result(timeout=30)


async def test_it_gives_what_the_work_returns_and_raises_what_it_raises() -> None:
    who: ContextVar[str] = ContextVar("who")
    who.set("anna")

    def work(number: int, *, more: int) -> tuple[str, int, int]:
        return who.get(), number, more

    assert await in_thread(work, 1, more=2) == ("anna", 1, 2)
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 // 0)


@pytest.mark.parametrize("times", [1, 3])
async def test_whoever_is_cancelled_waits_for_the_thread(slow: Slow, times: int) -> None:
    task = asyncio.create_task(in_thread(slow))
    await asyncio.to_thread(slow.is_begun.wait, 30)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0.01)
        assert not task.done()
    slow.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.is_done


async def test_a_cancelled_one_whose_thread_fails_is_cancelled_and_tells_why(slow: Slow) -> None:
    def fails() -> None:
        slow()
        raise ZeroDivisionError

    task = asyncio.create_task(in_thread(fails))
    await asyncio.to_thread(slow.is_begun.wait, 30)
    ending = asyncio.create_task(end([task]))
    await asyncio.sleep(0.01)
    slow.may_end.set()
    await ending
    assert task.cancelled()
    with pytest.raises(asyncio.CancelledError) as raised:
        await task
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_a_file_that_is_closed_is_not_opened_again(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "one.db")
    with engine.begin() as db:
        db.exec_driver_sql("CREATE TABLE t (a)")
    engine.dispose()
    with pytest.raises(Unavailable, match=r"one\.db is closed"), engine.begin():
        pass


def test_the_index_is_closed_when_nobody_uses_it_any_more(tmp_path: Path, slow: Slow) -> None:
    index = ScopeIndex(tmp_path)

    def use() -> None:
        with index.transaction():
            slow()

    closed_after(slow, use, index.close)
    with pytest.raises(Unavailable):
        index.scopes()


@pytest.fixture
def records() -> Sequence[Recorded]:
    log = PaperLog()
    log.tell(user_says("hello"))
    return log.records


def test_a_folder_is_closed_when_nobody_reads_it_any_more(tmp_path: Path, slow: Slow, records: Sequence[Recorded]) -> None:
    memories = MemoryFolder(tmp_path / "retriever", open_files=4)
    RetrieverProjection(memories, pending_events=1).apply(records, records[-1].position)
    scope = records[0].scope

    def read() -> int:
        with memories.reading(scope) as file:
            slow()
            assert file is not None
            with file.connect() as db:
                return int(db.exec_driver_sql("SELECT count(*) FROM memories").scalar_one())

    assert closed_after(slow, read, memories.close) == 1
    with pytest.raises(Unavailable), memories.reading(scope):
        pass


def test_a_damaged_file_that_is_replaced_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Sequence[Recorded]
) -> None:
    """The one who finds the damage and the one who replaces the file need the same two locks."""
    scope, open_files = records[0].scope, OpenFiles(tmp_path, capacity=4)
    with open_files.use(scope) as file:
        file.apply(records)
    fresh = open_files.beside(scope)
    is_taken, other_comes = threading.Event(), threading.Event()

    class Meeting(_Lock):
        """The file's lock. Who has it first keeps it until the other comes for it, who has that of all open files."""

        def __enter__(self) -> None:
            if is_taken.is_set():
                other_comes.set()
            super().__enter__()
            is_taken.set()
            other_comes.wait(timeout=30)

    def use() -> int:
        with open_files.use(scope) as found:
            return int(found.number)

    monkeypatch.setattr(file, "lock", Meeting())
    file.is_damaged = True
    using = threading.Thread(target=use, daemon=True)
    replacing = threading.Thread(target=open_files.replace, args=(scope, fresh), daemon=True)
    using.start()
    assert is_taken.wait(timeout=30)
    replacing.start()
    for thread in (using, replacing):
        thread.join(timeout=10)
        assert not thread.is_alive()
    assert use() == 0


class _Lock:
    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def acquire(self, *, blocking: bool) -> bool:
        return self._lock.acquire(blocking=blocking)

    def release(self) -> None:
        self._lock.release()


def test_ingest_that_stops_says_so_to_whoever_asks_for_an_outcome(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.close()
    scope = Scope("0" * 32)
    for ask in (lambda: store.load({scope: Needs()}), lambda: store.decision(scope, 1), store.last_position):
        with pytest.raises(Unavailable):
            ask()


async def test_the_keeper_of_the_server_ends_though_a_cancellation_was_swallowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As nats-py does, where it comes together with a reply: `up` did not end then."""

    class Server:
        def __init__(self) -> None:
            self.is_starting, self.is_stopped = asyncio.Event(), False

        async def wait(self) -> int:
            if self.is_starting.is_set():
                await asyncio.Event().wait()
            return -9

        async def start(self) -> None:
            self.is_starting.set()
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

        async def stop(self) -> None:
            self.is_stopped = True

    running = Server()

    async def started(*_: object) -> Server:
        return running

    monkeypatch.setattr(server, "_started", started)
    async with asyncio.timeout(10):
        async with server.supervised(DataDir(tmp_path), port=0):
            await running.is_starting.wait()
    assert running.is_stopped


async def test_a_signal_that_was_swallowed_during_the_start_still_ends_it() -> None:
    async def start() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await run_services([], version="test", http_port=None)

    task = asyncio.create_task(start())
    await asyncio.sleep(0)
    task.cancel()
    done, _ = await asyncio.wait([task], timeout=10)
    task.cancel()
    assert done == {task}
    assert task.cancelled()
