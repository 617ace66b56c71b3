"""A full disk is named, loses nothing, and is no fault of any event: SQLite says so here of a limit to a file's pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from errno import EMFILE, ENOENT, ENOSPC
from pathlib import Path

import pytest

from memstream.cli.doctor import room_found
from memstream.cli.root import _explained
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from services.retriever.projection import RetrieverProjection
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import MemoryFolder
from shared.contracts.errors import DiskFull, Misconfigured, Unavailable
from shared.contracts.ids import Position, Slot
from shared.contracts.problems import not_stored
from shared.contracts.subjects import SLOTS
from shared.runtime import full_disk
from shared.runtime.embedded.health import unable_to_write
from shared.runtime.full_disk import until_there_is_room
from shared.runtime.metrics import WRITES_REFUSED
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import telling_full
from tests.support.commands import user_says
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS, SEND_ID

_PLENTY = 1_000_000
_HERE = Position(0)


@pytest.fixture(scope="module")
def records() -> Sequence[Recorded]:
    log = PaperLog()
    for number in range(40):
        log.tell(user_says(" ".join(f"word{number}x{place}" for place in range(60)), message_id=f"m{number}"))
    return log.records


def _most_pages(file: Store | MemoryFile, most: int) -> None:
    """Less than there are: as many as there are."""
    with file._engine.begin() as db:
        db.exec_driver_sql(f"PRAGMA max_page_count = {most}")


def _ingest(store: Store) -> IngestProjection:
    return IngestProjection(store, KEYS.digester, slots=list(map(Slot, range(SLOTS))), send_id=SEND_ID)


def _digest(folder: Path, apply: Callable[[Store, IngestProjection], object]) -> str:
    with closing(Store(folder, KEYS.digester)) as store:
        store.follow_send(SEND_ID)
        apply(store, _ingest(store))
        return store.digest()


def test_ingest_knows_no_more_than_its_file_when_that_was_full_and_goes_on_when_there_is_room(
    tmp_path: Path, records: Sequence[Recorded]
) -> None:
    def disturbed(store: Store, projection: IngestProjection) -> None:
        projection.apply(records[:5], records[4].position)
        known, anchors = store.slots(), store.anchors
        _most_pages(store, 1)
        with pytest.raises(DiskFull, match=r"ingest.db cannot be written \(database or disk is full\); make room"):
            projection.apply(records, records[-1].position)
        assert (store.slots(), store.anchors) == (known, anchors)
        _most_pages(store, _PLENTY)
        projection.apply(records, records[-1].position)

    calm = _digest(tmp_path / "calm", lambda _, projection: projection.apply(records, records[-1].position))
    assert _digest(tmp_path / "full", disturbed) == calm


def test_what_ingest_was_to_save_a_moment_later_waits_for_room(tmp_path: Path, records: Sequence[Recorded]) -> None:
    def disturbed(store: Store, projection: IngestProjection) -> None:
        _most_pages(store, 1)
        projection.apply(records, _HERE)
        for _ in range(2):
            with pytest.raises(DiskFull):
                store.settle()
        _most_pages(store, _PLENTY)
        store.settle()

    calm = _digest(tmp_path / "calm", lambda _, projection: projection.apply(records, _HERE))
    assert _digest(tmp_path / "full", disturbed) == calm


def _file(memories: MemoryFolder) -> MemoryFile:
    with memories._open.use(ANNAS_SCOPE) as file:
        return file


def test_a_persons_file_that_is_full_is_kept_with_what_waits_for_it(tmp_path: Path, records: Sequence[Recorded]) -> None:
    with closing(MemoryFolder(tmp_path / "calm", open_files=2)) as calm:
        RetrieverProjection(calm, pending_events=1).apply(records, records[-1].position)
        expected = calm.each_file(MemoryFile.digest)
    with closing(MemoryFolder(tmp_path / "full", open_files=2)) as memories:
        projection = RetrieverProjection(memories, pending_events=1)
        projection.apply(records[:5], records[4].position)
        _most_pages(_file(memories), 1)
        for _ in range(2):
            with pytest.raises(DiskFull, match="a person's file cannot be written"):
                projection.apply(records, records[-1].position)
        assert memories.pending_events
        assert _file(memories).number == 5
        _most_pages(_file(memories), _PLENTY)
        projection.apply(records, records[-1].position)
        assert not memories.pending_events
        assert memories.each_file(MemoryFile.digest) == expected


async def test_who_follows_the_log_waits_for_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_disk, "_ROOM_S", 0)
    answers: list[Exception | int] = [1, DiskFull(), DiskFull()]

    async def write() -> int:
        answer = answers.pop()
        if isinstance(answer, Exception):
            raise answer
        return answer

    counted = WRITES_REFUSED.labels(DiskFull.code)
    before = counted._value.get()
    assert await until_there_is_room(write, what="feed") == 1
    assert counted._value.get() == before + 2
    answers.append(DiskFull())
    with pytest.raises(DiskFull):
        await until_there_is_room(write, what="ingest", waits=False)


def test_a_server_says_when_it_stores_nothing_more() -> None:
    said = "JetStream stream 'MEMORY > SEND' write error: write 4.blk: no space left on device"
    assert unable_to_write({"data": {"status": "unavailable", "error": said}}) == said
    assert unable_to_write({"data": {"status": "ok"}}) is None
    assert unable_to_write({"data": {"status": "unavailable", "error": "JetStream is not current"}}) is None


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(ENOSPC, "No space left on device"), "^x.db cannot be written .*No space left on device.*; make room"),
        (OSError(EMFILE, "Too many open files"), "^x.db cannot be opened .*Too many open files.*; raise the limit"),
    ],
)
def test_what_is_lacking_is_named(error: OSError, told: str) -> None:
    with pytest.raises(DiskFull, match=told), telling_full("x.db"):
        raise error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(ENOSPC, "No space left on device"), "No space left on device; make room on the disk, then run it again"),
        (
            OSError(EMFILE, "Too many open files"),
            "Too many open files; raise the limit of open files (ulimit -n), then run it again",
        ),
    ],
)
def test_a_command_that_lacks_something_says_what_to_do_and_may_be_run_again(error: OSError, told: str) -> None:
    assert _explained(error) == (told, 5)


def test_another_error_is_not_taken_for_a_full_disk() -> None:
    with pytest.raises(FileNotFoundError), telling_full("x.db"):
        raise FileNotFoundError(ENOENT, "No such file")


@pytest.mark.parametrize(
    ("description", "told"),
    [
        ("maximum bytes exceeded", "ingest stands still or does not keep up"),
        ("write 4.blk: no space left on device", "disk of the NATS server is full"),
        ("no reason given", "no reason given$"),
    ],
)
def test_why_a_message_was_not_stored_is_told_with_what_to_do(description: str, told: str) -> None:
    with pytest.raises(Unavailable, match=told):
        raise not_stored(description)


def test_the_doctor_says_what_room_there_is(tmp_path: Path) -> None:
    assert room_found(3_000_000_000, at=tmp_path) == f"3.0 GB are free where {tmp_path} lies"
    with pytest.raises(Misconfigured, match="make room"):
        room_found(3_000_000, at=tmp_path)
