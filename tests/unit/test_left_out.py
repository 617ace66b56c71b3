"""While an import is alone, its events are not written to closed files, but read from the log later: nothing differs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import sentinel

import pytest

from services.retriever import bringing_up, projection, scope_rebuild
from services.retriever.bringing_up import BringingUp
from services.retriever.projection import RetrieverProjection
from services.retriever.scope_rebuild import ScopeRebuilds
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from shared.contracts.errors import Unavailable
from shared.contracts.events import EpisodeRecorded, FactRemembered
from shared.contracts.ids import Scope
from shared.contracts.privacy import Forget
from shared.runtime.attention import Attention
from shared.runtime.import_watch import ImportWatch
from shared.runtime.projector import Progress, Recorded
from shared.runtime.tasks import end
from tests.support.commands import import_of, remember, user_says
from tests.support.installations import until
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE

_MOST_PENDING = 5


class Watch(ImportWatch):
    """A watch by a clock that is set."""

    def __init__(self) -> None:
        self.now_s = 0.0
        super().__init__(lambda: self.now_s, Attention())  # who asks in other tests is not asked here


@pytest.fixture
def imports(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """An import that is alone."""
    watch = Watch()
    watch.note()
    for module in (projection, bringing_up):
        monkeypatch.setattr(module, "IMPORTS", watch)
    return watch


@pytest.fixture
def log() -> PaperLog:
    log = PaperLog()
    log.tell(import_of(user_says(f"number {number}", message_id=f"m{number}") for number in range(20)))
    return log


def applied(memories: MemoryFolder, records: Sequence[Recorded]) -> RetrieverProjection:
    projected = RetrieverProjection(memories, pending_events=_MOST_PENDING)
    projected.apply(records, records[-1].position)
    return projected


def digest_of(records: Sequence[Recorded], folder: Path) -> str:
    """The digest of a file to which all was written at once."""
    file = MemoryFile(folder / "memories.db")
    file.apply(records)
    digest = file.digest()
    file.close()
    return digest


def forget_first(log: PaperLog, projected: RetrieverProjection) -> None:
    """Forget the first memory of a log, all of which is applied."""
    remembered = (event.data for event in log.events if isinstance(event.data, EpisodeRecorded | FactRemembered))
    told = len(log.records)
    log.tell(Forget(memory_ids=(next(remembered).memory_id,)))
    projected.apply(log.records[told:], log.records[-1].position)


def test_what_an_import_says_is_left_out_and_read_from_the_log_by_whoever_asks(
    memories: MemoryFolder, log: PaperLog, imports: Watch, tmp_path: Path
) -> None:
    projected = applied(memories, log.records)
    assert (memories.pending_events, ANNAS_SCOPE in memories.left_out) == (0, True)
    projected.flush()
    assert memories.index.position == log.records[0].position - 1, "never past what is in no file"
    with pytest.raises(FileBehind) as behind, memories.reading(ANNAS_SCOPE):
        pass
    memories.repair(ANNAS_SCOPE, log.records[behind.value.after :])
    projected.flush()

    assert memories.digest(ANNAS_SCOPE, MemoryFile.digest) == (len(log.records), digest_of(log.records, tmp_path))
    assert memories.index.position == log.records[-1].position
    assert memories.left_out.first is None
    assert imports.is_alone


def test_what_follows_upon_it_is_left_out_too_and_nothing_gets_lost(
    memories: MemoryFolder, log: PaperLog, imports: Watch, tmp_path: Path
) -> None:
    projected = applied(memories, log.records)
    for number in range(_MOST_PENDING):
        log.tell(remember(f"Anna has {number} cats"))
    projected.apply(log.records[-_MOST_PENDING:], log.records[-1].position)
    imports.note_live()
    log.tell(user_says("Hello"))
    projected.apply(log.records[-1:], log.records[-1].position)
    projected.flush()
    memories.repair(ANNAS_SCOPE, log.records)
    assert memories.digest(ANNAS_SCOPE, MemoryFile.digest) == (len(log.records), digest_of(log.records, tmp_path))


def test_what_somebody_says_or_keeps_is_written(memories: MemoryFolder, imports: Watch) -> None:
    assert imports.is_alone
    log = PaperLog()
    for number in range(_MOST_PENDING):
        log.tell(remember(f"Anna has {number} cats"))
    applied(memories, log.records)
    with memories.reading(ANNAS_SCOPE) as file:
        assert file is not None
        assert file.number == len(log.records)


def test_nothing_is_left_out_while_somebody_is_there(memories: MemoryFolder, log: PaperLog, imports: Watch) -> None:
    imports.note_live()
    applied(memories, log.records)
    assert memories.left_out.first is None


def test_after_a_crash_it_comes_again(log: PaperLog, imports: Watch, tmp_path: Path) -> None:
    folder = tmp_path / "retriever"
    first = MemoryFolder(folder, open_files=4)
    position = applied(first, log.records).checkpoint().position
    first.close()
    imports.note_live()
    again = MemoryFolder(folder, open_files=4)
    applied(again, [record for record in log.records if record.position > position])
    assert again.digest(ANNAS_SCOPE, MemoryFile.digest) == (len(log.records), digest_of(log.records, tmp_path))
    again.close()


async def test_files_are_brought_up_when_the_import_is_over(
    memories: MemoryFolder, log: PaperLog, imports: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: Iterator[Unavailable | Sequence[Recorded]] = iter([Unavailable("the server is away"), log.records])

    async def batches(_client: object, scope: Scope, *, aside: Any) -> AsyncIterator[Sequence[Recorded]]:  # noqa: ANN401
        assert (scope, aside.positions) == (ANNAS_SCOPE, frozenset())
        if isinstance(found := next(answers), Unavailable):
            raise found
        yield found

    monkeypatch.setattr(scope_rebuild, "scope_batches", batches)
    monkeypatch.setattr(bringing_up, "_LOOK_EVERY_S", 0.01)
    applied(memories, log.records)
    imports.now_s = 2.0
    working = asyncio.create_task(BringingUp(sentinel.client, ScopeRebuilds(memories), memories.left_out, Progress()).run())
    await until(lambda: memories.left_out.first is None)
    await end([working])
    assert memories.digest(ANNAS_SCOPE, MemoryFile.digest) == (len(log.records), digest_of(log.records, tmp_path))


def test_a_file_that_holds_what_is_forgotten_does_not_wait_for_the_end_of_an_import(
    memories: MemoryFolder, log: PaperLog, imports: Watch
) -> None:
    projected = applied(memories, log.records)
    assert (memories.left_out.next(least=1_000), projected.can_wait) == (None, True)
    forget_first(log, projected)
    assert (memories.is_hiding, projected.can_wait) == (True, False)
    memories.flush()
    assert not memories.is_hiding
    assert memories.left_out.next(least=1_000) == ANNAS_SCOPE, "it is brought up first"
    memories.repair(ANNAS_SCOPE, log.records)
    assert memories.left_out.next(least=1) is None
    assert imports.is_alone


def test_what_is_forgotten_of_somebody_who_was_not_left_out_is_written_while_an_import_is_alone(
    memories: MemoryFolder, imports: Watch
) -> None:
    log = PaperLog()
    log.tell(remember("Anna has a heron"))
    projected = RetrieverProjection(memories, pending_events=_MOST_PENDING)
    projected.apply(log.records, log.records[-1].position)
    forget_first(log, projected)
    assert memories.is_hiding
    memories.flush()
    assert not memories.is_hiding
    assert imports.is_alone
