"""Which people an ingest decides for, where several share them, and that no two processes have one file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from services.ingest.app import folder_of, slots_of_lane
from services.ingest.group import build_alone as build_ingest
from services.ingest.others import Others
from services.ingest.settings import IngestSettings
from services.retriever.group import build_alone as build_retriever
from shared.contracts.errors import Misconfigured, Unavailable
from shared.contracts.subjects import SLOTS
from shared.domain.parts import WHOLE, Part
from shared.runtime.datadir import DataDir
from shared.runtime.service import Service
from shared.runtime.settings import RuntimeSettings
from tests.support.installations import Installation

if TYPE_CHECKING:
    from shared.runtime.connection import Client


@pytest.mark.parametrize("count", [1, 2, 3, 7, SLOTS])
@pytest.mark.parametrize("lanes", [1, 4, 16])
def test_every_slot_is_in_one_lane_of_one_part(count: int, lanes: int) -> None:
    slots = [
        slot
        for part in Part.each(count)
        for index in range(min(lanes, len(part.slots)))
        for slot in slots_of_lane(index, min(lanes, len(part.slots)), part)
    ]
    assert sorted(slots) == list(range(SLOTS))


def test_a_part_is_named_as_people_count() -> None:
    assert IngestSettings(part="2/3").own_part == Part(1, 3)
    assert IngestSettings().own_part == WHOLE


@pytest.mark.parametrize("wrong", ["3/2", "1/65"])
def test_a_part_that_there_is_not_is_refused(wrong: str) -> None:
    with pytest.raises(Misconfigured, match="the first number is one of the second"):
        _ = IngestSettings(part=wrong).own_part


@pytest.mark.parametrize("wrong", ["0/2", "half", "1"])
def test_what_names_no_part_is_refused(wrong: str) -> None:
    with pytest.raises(Misconfigured, match="MEMSTREAM_INGEST_PART"):
        IngestSettings(part=wrong)


def test_each_part_has_a_file_of_its_own_and_the_whole_the_one_that_it_had(tmp_path: Path) -> None:
    files = DataDir(tmp_path)
    assert folder_of(files, WHOLE) == tmp_path / "ingest"
    assert [folder_of(files, part).name for part in Part.each(2)] == ["part-1-of-2", "part-2-of-2"]


@pytest.mark.parametrize(("service", "build_alone"), [("ingest", build_ingest), ("retriever", build_retriever)])
async def test_a_data_folder_has_one_process_of_a_part(
    own_server: Installation,
    monkeypatch: pytest.MonkeyPatch,
    service: str,
    build_alone: Callable[[RuntimeSettings], Service],
) -> None:
    settings: RuntimeSettings = own_server.settings
    monkeypatch.setenv(f"MEMSTREAM_{service.upper()}_PART", "1/2")
    first = build_alone(settings)
    with pytest.raises(Misconfigured, match=f"the {service} of part 1/2 runs in another process"):
        build_alone(settings)
    monkeypatch.setenv(f"MEMSTREAM_{service.upper()}_PART", "2/2")
    assert build_alone(settings).name == first.name


async def test_no_retriever_divides_people_otherwise_than_others_that_run(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSTREAM_RETRIEVER_PART", "1/2")
    first = build_retriever(own_server.settings)
    monkeypatch.setenv("MEMSTREAM_RETRIEVER_PART", "2/3")
    with pytest.raises(Misconfigured, match="another number of parts"):
        build_retriever(own_server.settings)
    assert first.name == "retriever"


class _Half:
    """A connection over which one of two others answers, and the other stays silent."""

    async def request(self, subject: str, *_: object, **__: object) -> SimpleNamespace:
        if subject.startswith("ingest-part.3.1."):
            return SimpleNamespace(data=b'{"processes": []}')
        raise TimeoutError


async def test_an_ingest_that_does_not_answer_is_left_out_of_what_is_measured_and_of_nothing_else() -> None:
    others = Others(Part(0, 3), lambda: cast("Client", _Half()))
    assert await others.ask_who_answers("measured") == [{"processes": []}]
    with pytest.raises(Unavailable, match="another ingest does not answer"):
        await others.ask("status")
