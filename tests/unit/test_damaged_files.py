"""What somebody lost or changed in the retriever's files is not answered from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from services.ingest.domain.lacks import Needs
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from services.retriever.projection import RetrieverProjection
from services.retriever.store.memory_folder import FileDamaged, MemoryFolder
from shared.contracts.errors import ProjectionDamaged, Unavailable
from shared.contracts.ids import Slot
from shared.contracts.subjects import SLOTS
from shared.runtime.projection_file import leaving_files
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import delete_database
from tests.support.commands import user_says
from tests.support.files import change_by_hand
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS, SEND_ID


@pytest.fixture
def records() -> Sequence[Recorded]:
    log = PaperLog()
    for number in range(60):
        log.tell(user_says(" ".join(f"word{number}x{place}" for place in range(60)), message_id=f"m{number}"))
    return log.records


def _damage(path: Path, chance: random.Random) -> None:
    """Cut it, flip many bits, or lose a page."""
    raw = bytearray(path.read_bytes())
    start = chance.randrange(len(raw))
    match chance.choice(["cut", "flip", "lose"]):
        case "cut":
            del raw[start:]
        case "flip":
            for place in chance.sample(range(len(raw)), 50):
                raw[place] ^= 0xFF
        case _:
            raw[start : start + 4096] = bytes(len(raw[start : start + 4096]))
    path.write_bytes(raw)


def _ingest(store: Store, records: Sequence[Recorded]) -> None:
    store.follow_send(SEND_ID)
    IngestProjection(store, KEYS.digester, slots=list(map(Slot, range(SLOTS))), send_id=SEND_ID).apply(
        records, records[-1].position
    )


def test_a_file_that_is_cut_or_full_of_wrong_bits_is_named_with_the_mend(tmp_path: Path, records: Sequence[Recorded]) -> None:
    with closing(Store(tmp_path, KEYS.digester)) as store:
        _ingest(store, records[:30])
    sound, named = (tmp_path / "ingest.db").read_bytes(), 0
    for seed in range(20):
        (tmp_path / "ingest.db").write_bytes(sound)
        _damage(tmp_path / "ingest.db", random.Random(seed))
        try:
            with closing(Store(tmp_path, KEYS.digester)) as store:
                store.load({ANNAS_SCOPE: Needs()})
                _ingest(store, records)
                store.digest()
        except ProjectionDamaged as error:
            named += 1
            assert "--projection ingest" in error.message  # noqa: PT017 - what is never read is not noticed here
        delete_database(tmp_path / "ingest.db")
    assert named > 10


def test_a_file_with_a_place_in_the_log_that_makes_no_sense_is_named(tmp_path: Path, records: Sequence[Recorded]) -> None:
    with closing(Store(tmp_path, KEYS.digester)) as store:
        _ingest(store, records[:3])
    change_by_hand(tmp_path / "ingest.db", "UPDATE anchor SET position = 'x'")
    with pytest.raises(ProjectionDamaged, match=r"which events it was built from.*--projection ingest"):
        Store(tmp_path, KEYS.digester)


@pytest.fixture
def memories(tmp_path: Path, records: Sequence[Recorded]) -> Iterator[MemoryFolder]:
    built = MemoryFolder(tmp_path / "retriever", open_files=4)
    RetrieverProjection(built, pending_events=1).apply(records, records[-1].position)
    RetrieverProjection(built, pending_events=1).flush()
    built.index.save({}, records[-1].position)
    built.close()
    memories = MemoryFolder(tmp_path / "retriever", open_files=4)
    yield memories
    memories.close()


def _file(folder: Path) -> Path:
    return folder / "retriever" / "memories" / ANNAS_SCOPE[:2] / f"{ANNAS_SCOPE}.db"


def test_a_person_whom_the_index_lost_while_it_was_open_is_not_answered_with_nothing(
    tmp_path: Path, memories: MemoryFolder
) -> None:
    change_by_hand(tmp_path / "retriever" / "index.db", "DELETE FROM scope")
    with (
        pytest.raises(ProjectionDamaged, match=r"index.db is damaged: .*--projection retriever"),
        memories.reading(ANNAS_SCOPE),
    ):
        pass


def test_a_person_whom_the_index_does_not_know_yet_is_asked_to_wait(tmp_path: Path, memories: MemoryFolder) -> None:
    memories.close()
    (tmp_path / "retriever" / "index.db").unlink()
    again = MemoryFolder(tmp_path / "retriever", open_files=4)
    with pytest.raises(Unavailable), again.reading(ANNAS_SCOPE):
        pass
    again.close()


@pytest.mark.parametrize("lost", ["DELETE FROM memory_metadata", "DELETE FROM memory_metadata WHERE key = 'number'"])
def test_a_file_that_does_not_know_how_far_it_has_come_is_damaged(tmp_path: Path, memories: MemoryFolder, lost: str) -> None:
    change_by_hand(_file(tmp_path), lost)
    with leaving_files(), pytest.raises(FileDamaged), memories.reading(ANNAS_SCOPE):
        pass
