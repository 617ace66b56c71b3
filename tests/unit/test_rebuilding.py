"""A rebuild splits the log, builds the parts side by side, and replaces the old projection only by a complete one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.errors import Poison, Unavailable
from shared.contracts.ids import Position, Scope, Slot
from shared.runtime import rebuilding
from shared.runtime.eventlog.append import SENT_HEADER
from shared.runtime.eventlog.read import Record
from shared.runtime.log_parts import LogPart, LogPartWriter
from shared.runtime.processes import workers
from shared.runtime.rebuilding import Built, apply_part, built_in_parts, rebuild_beside, remove_leftovers
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import LogIdentity

LOG_ID = "log-1"
PEOPLE = [Scope(f"{index:032x}") for index in range(40)]


def log_of(events: int) -> list[Record]:
    return [
        Record(
            Position(3 * index + 1),
            PEOPLE[index % 7 if index % 3 else index % len(PEOPLE)],
            b"event %d\n\x00" % index + b"x" * (index % 5),
            {SENT_HEADER: f"send.{index}"} if index % 2 else {},
            Slot(index % 64) if index % 5 else None,
        )
        for index in range(events)
    ]


def of_scope(records: Sequence[Record], scope: Scope) -> list[Record]:
    return [record for record in records if record.scope == scope]


@pytest.mark.parametrize("most_waiting", [1, 2_000, 10_000_000])
@pytest.mark.parametrize("parts", [1, 5])
def test_every_event_is_dealt_once_and_a_persons_events_stay_together_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: int, most_waiting: int
) -> None:
    monkeypatch.setattr("shared.runtime.log_parts._MOST_WAITING_BYTES", most_waiting)
    records = log_of(500)
    writer = LogPartWriter(tmp_path / "parts", parts)
    for start in range(0, len(records), 17):
        writer.add(records[start : start + 17])
    dealt = [[record for portion in part.portions(30) for record in portion] for part in writer.parts()]
    assert sorted(record for part in dealt for record in part) == records
    for scope in PEOPLE:
        assert of_scope(records, scope) in [of_scope(part, scope) for part in dealt]
    assert len(dealt) == parts


def test_a_part_tells_its_events_and_comes_in_portions(tmp_path: Path) -> None:
    writer = LogPartWriter(tmp_path / "parts", 1)
    writer.add(log_of(25))
    (part,) = writer.parts()
    assert part.events == 25
    assert [len(portion) for portion in part.portions(10)] == [10, 10, 5]


def test_a_part_without_events_is_none(tmp_path: Path) -> None:
    assert LogPartWriter(tmp_path / "parts", 3).parts() == []


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Record]], None]:
    """Let a rebuild read this list as the log, in portions of ten."""

    def prepare(records: list[Record]) -> None:
        class ListReader:
            def __init__(self, _: object) -> None: ...

            async def count(self) -> int:
                return len(records)

            async def to_end(self) -> AsyncIterator[list[Record]]:
                for start in range(0, len(records), 7):
                    yield records[start : start + 7]

        @asynccontextmanager
        async def connection(_: object) -> AsyncIterator[None]:
            yield

        async def identify(_: object) -> LogIdentity:
            return LogIdentity(LOG_ID, records[-1].position if records else 0)

        monkeypatch.setattr(rebuilding, "operator_connection", connection)
        monkeypatch.setattr(rebuilding, "identify_log", identify)
        monkeypatch.setattr(rebuilding, "LogReader", ListReader)
        monkeypatch.setattr(rebuilding, "_PORTION", 10)

    return prepare


def positions(part: LogPart) -> list[int]:
    return [record.position for portion in part.portions(10) for record in portion]


def process_of(_: LogPart) -> int:
    return os.getpid()


def refusing(part: LogPart) -> list[int]:
    if 1 in positions(part):
        raise Poison("position 1: it cannot be read")
    return []


def dying(_: LogPart) -> None:
    os._exit(9)


async def built(tmp_path: Path, build: Callable[[LogPart], Any], heard: list[tuple[int, int]] | None = None) -> Built[Any]:
    settings = RuntimeSettings(data_dir=tmp_path)
    tell = (lambda *progress: heard.append(progress)) if heard is not None else None
    async with built_in_parts(settings, tmp_path / "fresh", build, tell) as parts:
        return parts


@pytest.mark.parametrize("cores", [1, 2])
async def test_the_parts_hold_the_whole_log_on_any_number_of_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[list[Record]], None], cores: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    records, heard = log_of(100), []  # type: ignore[var-annotated]
    read(records)
    whole = await built(tmp_path, positions, heard)
    assert (whole.log_id, whole.position) == (LOG_ID, records[-1].position)
    assert sorted(position for _, each in whole.parts for position in each) == [record.position for record in records]
    assert all(len(each) == part.events for part, each in whole.parts)
    assert heard[-1] == (100, 0)
    assert sum(part.events for part, _ in whole.parts) == 100
    assert not (tmp_path / "fresh" / "parts").exists()


async def test_a_large_log_is_built_by_other_processes_in_as_many_parts_each_and_a_small_one_by_this(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[list[Record]], None]
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    read(log_of(100))
    large = (await built(tmp_path / "large", process_of)).parts
    assert os.getpid() not in {pid for _, pid in large}
    assert len(large) == 12  # a portion is 10
    assert [part.events for part, _ in large] == sorted((part.events for part, _ in large), reverse=True)
    read(log_of(15))
    assert {pid for _, pid in (await built(tmp_path / "small", process_of)).parts} == {os.getpid()}


async def test_an_empty_log_has_no_parts(tmp_path: Path, read: Callable[[list[Record]], None]) -> None:
    read([])
    assert await built(tmp_path, positions) == (LOG_ID, 0, None, [])


@pytest.mark.parametrize("cores", [1, 2])
async def test_what_stops_a_part_stops_the_rebuild(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[list[Record]], None], cores: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    read(log_of(100))
    with pytest.raises(Poison, match="position 1: it cannot be read"):
        await built(tmp_path, refusing)


async def test_a_process_that_is_killed_stops_the_rebuild(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[list[Record]], None]
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    read(log_of(100))
    with pytest.raises(Unavailable, match="was killed"):
        await built(tmp_path, dying)


def test_processes_end_with_the_one_that_began_them() -> None:
    script = (
        "import os, time\n"
        "from shared.runtime.processes import workers\n"
        "if __name__ == '__main__':\n"
        "    with workers(2) as pool:\n"
        "        pid = pool.submit(os.getpid).result()\n"
        "        pool.submit(time.sleep, 600)\n"
        "        print(pid, flush=True)\n"
        "        os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=False, cwd=Path(__file__).parents[2])
    child = int(killed.stdout)
    for _ in range(300):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError(f"process {child} runs on")


def test_processes_see_the_environment_as_it_is_when_they_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for value in ("one", "another"):
        monkeypatch.setenv("MEMSTREAM_TEST", value)
        with workers(2) as pool:
            assert pool.submit(os.getenv, "MEMSTREAM_TEST").result() == value


def test_one_piece_needs_no_other_process() -> None:
    with workers(1) as pool:
        assert pool.submit(os.getpid).result() == os.getpid()


def make(folder: Path, file: str) -> None:
    folder.mkdir(parents=True)
    (folder / file).touch()


def left_in(folder: Path) -> list[str]:
    return [file.relative_to(folder).as_posix() for file in sorted(folder.rglob("*"))]


async def test_what_is_complete_replaces_the_old_one(tmp_path: Path) -> None:
    make(tmp_path / "retriever", "old")

    async def build(fresh: Path) -> str:
        assert left_in(tmp_path) == ["retriever", "retriever/old"]
        make(fresh, "new")
        return "digest"

    assert await rebuild_beside(tmp_path / "retriever", build) == "digest"
    assert left_in(tmp_path) == ["retriever", "retriever/new"]


async def test_what_fails_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    make(tmp_path / "retriever", "old")

    async def build(fresh: Path) -> str:
        make(fresh, "words")
        raise Poison

    with pytest.raises(Poison):
        await rebuild_beside(tmp_path / "retriever", build)
    assert left_in(tmp_path) == ["retriever", "retriever/old"]


async def test_what_a_crash_left_is_no_part_of_the_next_rebuild(tmp_path: Path) -> None:
    make(tmp_path / "retriever.new" / "parts", "0.events")

    async def build(fresh: Path) -> str:
        make(fresh, "new")
        return "digest"

    await rebuild_beside(tmp_path / "retriever", build)
    assert left_in(tmp_path) == ["retriever", "retriever/new"]


def test_what_a_crash_left_can_be_removed(tmp_path: Path) -> None:
    make(tmp_path / "retriever", "old")
    make(tmp_path / "retriever.new" / "parts", "0.events")
    remove_leftovers(tmp_path / "retriever")
    assert left_in(tmp_path) == ["retriever", "retriever/old"]


class Reading:
    """A projection that takes nothing."""

    def apply(self, *_: object) -> None:
        raise RuntimeError("secret")


def test_a_rebuild_says_which_event_it_cannot_read_and_nothing_of_the_text(tmp_path: Path) -> None:
    writer = LogPartWriter(tmp_path / "parts", 1)
    writer.add(log_of(3))
    projection: Any = Reading()
    with pytest.raises(Poison, match=r"^position 1: ") as stopped:
        apply_part(projection, writer.parts()[0])
    assert "event 0" not in str(stopped.value)


def test_a_rebuild_says_between_which_positions_it_stopped(tmp_path: Path) -> None:
    golden = (Path(__file__).parents[1] / "golden" / "session_started.v1.json").read_bytes()
    writer = LogPartWriter(tmp_path / "parts", 1)
    writer.add([record._replace(data=golden) for record in log_of(3)])
    projection: Any = Reading()
    with pytest.raises(Poison, match="between positions 1 and 7") as stopped:
        apply_part(projection, writer.parts()[0])
    assert "secret" not in str(stopped.value)
