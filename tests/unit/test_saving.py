"""What is decided is in the log before it is in ingest.db: meanwhile nobody may notice, whoever looks and whenever it ends."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select

from services.ingest import saving
from services.ingest.domain.lacks import Needs
from services.ingest.projection import IngestProjection
from services.ingest.saving import keep_saved
from services.ingest.store import ScopeChanges, Store
from services.ingest.store.schema import DECISION
from shared.contracts.ids import Position, Slot
from shared.contracts.privacy import Forget
from shared.contracts.subjects import SLOTS
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import open_database
from shared.runtime.tasks import end
from tests.support.commands import remember, user_says
from tests.support.installations import until
from tests.support.paper import AT_ONCE, PaperLog
from tests.support.scopes import ANNAS_SCOPE, ANNAS_SLOT, BEN, KEYS, SEND_ID, scope_of

HERE = Position(0)
"""Leaves the checkpoint where it is, as a lane does after an append."""


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    store = Store(folder, KEYS.digester)
    store.follow_send(SEND_ID)
    try:
        yield store
    finally:
        store.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "live") as store:
        yield store


@pytest.fixture
def log() -> PaperLog:
    log = PaperLog(AT_ONCE)
    for number in range(3):
        log.tell(user_says(f"turn {number}", "s1", message_id=f"m{number}"))
        log.tell(remember(f"Ben has {number} boats"), user=BEN)
    log.records = [record._replace(slot=ANNAS_SLOT) for record in log.records]
    return log


def apply(store: Store, events: Sequence[Recorded], position: int = HERE) -> None:
    slots = [Slot(slot) for slot in range(SLOTS)]
    IngestProjection(store, KEYS.digester, slots=slots, send_id=SEND_ID).apply(events, Position(position))


def decisions_in_the_file(folder: Path) -> int:
    """As somebody else counts them."""
    engine = open_database(folder / "ingest.db")
    with engine.connect() as db:
        found = db.scalar(select(func.count()).select_from(DECISION)) or 0
    engine.dispose()
    return found


def killed(folder: Path, elsewhere: Path) -> Path:
    """The files as a process leaves them that is killed now."""
    return shutil.copytree(folder, elsewhere)


def test_what_waits_is_told_without_being_written_and_to_nobody_else(store: Store, log: PaperLog, tmp_path: Path) -> None:
    apply(store, log.records)
    told = store.decision(ANNAS_SCOPE, 1)
    assert told is not None
    assert store.decision(scope_of(BEN), 1) is None
    assert decisions_in_the_file(tmp_path / "live") == 0
    store.settle()
    assert decisions_in_the_file(tmp_path / "live") == 6
    assert store.decision(ANNAS_SCOPE, 1) == told


def test_whoever_looks_sees_what_waits(log: PaperLog, tmp_path: Path) -> None:
    looks: dict[str, Callable[[Store], object]] = {
        "state": lambda store: store.load({ANNAS_SCOPE: Needs()})[ANNAS_SCOPE].number,
        "digest": Store.digest,
        "last": Store.last_position,
        "ahead": lambda store: store.decided_ahead(0),
        "slots": Store.slots,
        "unknown": lambda store: store.decision(ANNAS_SCOPE, 99),
        "checkpoint": lambda store: IngestProjection(store, KEYS.digester, slots=[ANNAS_SLOT], send_id=SEND_ID).checkpoint(),
    }
    for name, look in looks.items():
        with opened(tmp_path / name) as waiting, opened(tmp_path / f"{name} settled") as settled:
            for each in (waiting, settled):
                for record in log.records:
                    apply(each, [record])
            settled.settle()
            assert look(waiting) == look(settled), name


def test_what_waits_is_as_if_it_had_been_written_at_once(log: PaperLog, tmp_path: Path) -> None:
    with opened(tmp_path / "waiting") as waiting, opened(tmp_path / "at once") as at_once:
        apply(waiting, log.records[:4])
        apply(waiting, log.records[4:])
        apply(at_once, log.records, log.records[-1].position)
        assert waiting.digest() == at_once.digest()


def test_what_a_kill_takes_comes_back_from_the_log(store: Store, log: PaperLog, tmp_path: Path) -> None:
    apply(store, log.records[:2], log.records[1].position)
    apply(store, log.records[2:])
    with opened(killed(tmp_path / "live", tmp_path / "killed")) as again:
        slots = [Slot(slot) for slot in range(SLOTS)]
        after = IngestProjection(again, KEYS.digester, slots=slots, send_id=SEND_ID).checkpoint().position
        assert again.last_position() == log.records[1].position
        apply(again, [record for record in log.records if record.position > after], log.records[-1].position)
        assert again.digest() == store.digest()


def test_closing_writes_what_waits(log: PaperLog, tmp_path: Path) -> None:
    with opened(tmp_path / "live") as store:
        apply(store, log.records)
    assert decisions_in_the_file(tmp_path / "live") == 6


def test_a_forgetting_never_waits_nor_does_what_came_before_it(store: Store, log: PaperLog, tmp_path: Path) -> None:
    apply(store, log.records)
    known = len(log.records)
    log.tell(Forget(query="boats"), user=BEN)
    apply(store, [record._replace(slot=ANNAS_SLOT) for record in log.records[known:]])
    assert decisions_in_the_file(tmp_path / "live") == 7
    assert store.to_erase() == [(scope_of(BEN), ANNAS_SLOT)]


def test_a_command_without_events_is_saved_before_it_is_answered() -> None:
    """The log does not have it."""
    assert not ScopeChanges({}, {}, [ANNAS_SLOT], 0, {ANNAS_SLOT: 7}).may_wait


def test_what_cannot_be_written_waits_on(store: Store, log: PaperLog, monkeypatch: pytest.MonkeyPatch) -> None:
    apply(store, log.records)
    write = Store._write
    with monkeypatch.context() as full:
        full.setattr(Store, "_write", _full)
        for look in (store.digest, store.settle, lambda: store.load({ANNAS_SCOPE: Needs()})):
            with pytest.raises(OSError, match="full"):
                look()
    assert Store._write is write
    with opened(store._path.parent.with_name("at once")) as at_once:
        apply(at_once, log.records, log.records[-1].position)
        assert store.digest() == at_once.digest()


def _full(_: Store, __: Connection, ___: ScopeChanges) -> None:
    raise OSError("the disk is full")


async def test_it_is_saved_a_moment_later_though_nobody_looks(
    store: Store, log: PaperLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "_SOON_S", 0.0)
    task = asyncio.ensure_future(keep_saved(store))
    apply(store, log.records[:2])
    await until(lambda: decisions_in_the_file(tmp_path / "live") == 1)
    await until(lambda: bool(store.unsaved._waiting), what="it rests")
    apply(store, log.records[2:])
    await until(lambda: decisions_in_the_file(tmp_path / "live") == 6)
    await end([task])


async def test_who_saves_fails_where_it_cannot_be_saved(store: Store, log: PaperLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the service ends, and begins again from the log."""
    apply(store, log.records)
    with monkeypatch.context() as full:
        full.setattr(Store, "_write", _full)
        with pytest.raises(OSError, match="full"):
            await keep_saved(store)
