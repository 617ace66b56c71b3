"""Who has nothing to do sets no timer, and is woken by what it waits for: an idle process costs nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import pytest
from nats.aio.client import Client

from services.ingest import drain
from services.ingest.drain import Purging, keep_drained
from services.ingest.eraser import Eraser
from services.ingest.grace import GraceTimes
from services.ingest.store import Store
from services.ingest.store.changes import Erasures, ScopeChanges
from services.retriever.app import Retriever
from shared.contracts.ids import Scope
from shared.runtime.news import News
from shared.runtime.projector import Progress
from shared.runtime.scopes_rebuilt import keep_scopes_rebuilt
from shared.runtime.tasks import end
from shared.runtime.worklist import keep_working
from tests.support.installations import until
from tests.support.scopes import ANNAS_SCOPE, ANNAS_SLOT, KEYS, T0, FixedClock

NOBODY: Any = None


@asynccontextmanager
async def beside(work: Awaitable[None]) -> AsyncIterator[None]:
    """The work goes on beside the block, and is ended after it."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        await end([task])


async def until_resting(news: News) -> None:
    """Wait until somebody waits for this; fail if there is a timer beside that of this very wait."""
    await until(lambda: bool(news._waiting), what="it rests")
    await asyncio.sleep(0)
    loop: Any = asyncio.get_running_loop()
    assert not [timer for timer in loop._scheduled if not timer.cancelled()]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, KEYS.digester)


async def test_news_wakes_everyone_who_has_not_seen_it_from_any_thread() -> None:
    news = News()
    woken: list[str] = []

    async def wait(name: str) -> None:
        await news.beyond(0)
        woken.append(name)

    async with beside(wait("here")), beside(wait("there")):
        await until(lambda: len(news._waiting) == 2)
        teller = threading.Thread(target=news.tell)
        teller.start()
        await until(lambda: sorted(woken) == ["here", "there"])
        teller.join()
    assert news.count == 1
    assert not news._waiting


async def test_news_that_came_before_one_waits_is_not_missed() -> None:
    news = News()
    seen = news.count
    news.tell(2)
    await news.beyond(seen)
    await news.within(60, seen)
    assert news.count == 2


async def test_who_waits_for_news_within_a_time_stops_waiting_after_it() -> None:
    news = News()
    await news.within(0.001, 0)
    assert not news._waiting


async def test_nothing_told_is_no_news() -> None:
    news = News()
    news.tell(0)
    assert news.count == 0


async def test_the_eraser_rests_until_something_is_to_be_erased(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    worked: list[Scope] = []
    waiting: list[tuple[Scope, Any]] = []

    async def work_off(_: Eraser, scope: Scope, __: object) -> None:
        worked.append(scope)
        waiting.clear()

    monkeypatch.setattr(Eraser, "_work_off", work_off)
    monkeypatch.setattr(store, "to_erase", lambda: list(waiting))
    eraser = Eraser(client=create_autospec(Client), store=store, lanes={}, backups=list, traces=NOBODY)
    async with beside(eraser.run()):
        await until_resting(store.forgettings)
        waiting.append((ANNAS_SCOPE, ANNAS_SLOT))
        store.forgettings.tell()
        await until(lambda: worked == [ANNAS_SCOPE])
        await until_resting(store.forgettings)
    store.close()


def test_whatever_changes_a_forgetting_is_told(store: Store) -> None:
    before = store.forgettings.count
    store.save(ScopeChanges({}, {}, [ANNAS_SLOT], 0))
    assert store.forgettings.count == before
    store.save(ScopeChanges({}, {}, [ANNAS_SLOT], 0, erasures=Erasures(restarted=[ANNAS_SCOPE])))
    assert store.forgettings.count == before + 1
    store.close()


async def test_graces_rest_while_none_waits_and_end_in_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one that waits its end is awaited; but the clock may be set, so it is looked at now and then."""
    clock = FixedClock(T0)
    graces = GraceTimes(client=NOBODY, store=store, lanes={}, clock=clock)
    ends: list[timedelta] = []

    class Waiting:
        erase_at: int

        def __init__(self, left: timedelta) -> None:
            self.erase_at = int((T0 + left).timestamp() * 1_000_000)

    monkeypatch.setattr(store, "waiting", lambda: [Waiting(left) for left in ends])
    assert graces.pause_s() is None
    ends += [timedelta(minutes=10), timedelta(seconds=0.3)]
    assert graces.pause_s() == pytest.approx(0.3)
    ends.remove(timedelta(seconds=0.3))
    assert graces.pause_s() == 1.0
    clock.advance(10)
    assert graces.pause_s() == 0.2  # what came in time is not decided yet
    ends.clear()
    async with beside(graces.run()):
        await until_resting(store.forgettings)
    store.close()


async def test_scopes_are_rebuilt_as_soon_as_it_is_asked_for(store: Store) -> None:
    rebuilt: list[Scope] = []

    async def rebuild(scope: Scope) -> None:
        rebuilt.append(scope)
        store.scope_rebuilt(scope)

    async with beside(keep_scopes_rebuilt(store, rebuild)):
        await until_resting(store.requests)
        with store.transaction() as db:
            store.ask_rebuild(db, ANNAS_SCOPE, slot=ANNAS_SLOT)
        await until(lambda: rebuilt == [ANNAS_SCOPE])
        await until_resting(store.requests)
    store.close()


async def test_a_worklist_is_worked_off_at_news_and_after_the_pause_that_the_work_asks_for() -> None:
    class Listed:
        news = News()

    pauses: list[float | None] = [None, 0.0, 0.001, None]
    calls: list[float | None] = []

    async def work() -> float | None:
        calls.append(pauses.pop(0))
        return calls[-1]

    listed: Any = Listed()
    async with beside(keep_working(listed, work)):
        await until_resting(listed.news)
        assert calls == [None]
        listed.news.tell()
        await until(lambda: calls == [None, 0.0, 0.001, None])
        await until_resting(listed.news)


async def test_send_is_drained_until_it_is_empty_and_again_after_something_was_decided(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    drained: list[int] = []
    decided, sizes = News(), [7, 0, 0]

    async def purge(*_: object, purged: int, **_others: object) -> int:
        drained.append(purged)
        return purged + 1

    async def size_of(*_: object) -> int:
        return sizes.pop(0)

    monkeypatch.setattr(drain, "_PERIOD_S", 0.0)
    monkeypatch.setattr(drain, "purge_decided", purge)
    monkeypatch.setattr(drain, "size_of", size_of)
    async with beside(keep_drained(NOBODY, [], store, decided, Purging())):
        await until_resting(decided)
        assert drained == [0, 1]
        decided.tell()
        await until(lambda: drained == [0, 1, 2])
        await until_resting(decided)
    store.close()


@pytest.mark.parametrize("flush", [Retriever._flush, Retriever._flush_much])
async def test_files_are_written_soon_after_events_came_and_then_left_alone(flush: Callable[..., Awaitable[None]]) -> None:
    class Few:
        """A retriever of which nothing waits; it counts the looks."""

        flush_s, looks, can_wait = 0.0, 0, False
        _settings: Any
        _projection: Any
        _memories: Any

        def __init__(self) -> None:
            self._settings = self._projection = self._memories = self

        @property
        def is_to_flush(self) -> bool:
            self.looks += 1
            return False

        def much_pending(self) -> None:
            self.looks += 1

    few, progress = Few(), Progress()
    async with beside(flush(few, progress)):
        await until(lambda: few.looks == 1)
        await progress.advance(5)
        await until(lambda: few.looks == 2)
