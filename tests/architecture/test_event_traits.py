"""An event says once what it is: whoever forgets, scans, exports, shows or embeds asks its class. No list is kept beside it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import JsonValue

from services.ingest.domain.cascade import matching
from services.ingest.domain.recollection import recollect
from services.ingest.open_forgettings import unfinished
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.content import Content, Plain, Trace, contents, fields_with
from shared.contracts.contract import Contract
from shared.contracts.event import EventData
from shared.contracts.events import EVENTS, decode
from shared.contracts.ids import EventNumber, MemoryId, SessionId
from shared.contracts.moving import RECORD_TYPES
from shared.contracts.parts import Kind, Text
from shared.contracts.privacy import MemoryForgotten
from shared.runtime.projector import Recorded
from tests.support.history import fact, history, said

ROOT = Path(__file__).parents[2]
PERSONAL = [model for model in EVENTS.values() if model.is_personal()]
OF_A_MEMORY = [model for model in PERSONAL if not model.goes_with_tag]
SERVICES = {path.name for path in (ROOT / "services").iterdir() if (path / "app.py").exists()}

EVERY_EVENT = pytest.mark.parametrize("model", EVENTS.values(), ids=EVENTS)
EVERY_EVENT_OF_A_MEMORY = pytest.mark.parametrize("model", OF_A_MEMORY, ids=lambda model: model.event_type)
EVERY_PERSONAL_EVENT = pytest.mark.parametrize("model", PERSONAL, ids=lambda model: model.event_type)


class MemoryRolledUp(EventData):
    """An event that nobody has written yet: several old memories in one text."""

    caused_by: ClassVar = ("save_rollup",)
    makes = Kind.FACT

    memory_id: MemoryId
    text: Text
    source_ids: tuple[str, ...] = ()


class ConflictAsked(EventData):
    """Another: a question about two memories, in words of its own. Its author forgot to mark the text."""

    caused_by: ClassVar = ("flag_conflict",)

    memory_ids: tuple[MemoryId, ...]
    question: str


LAKE = MemoryRolledUp(memory_id=MemoryId("roll_1"), text="Every summer Anna swims in Lake Bled.")
ASKED = ConflictAsked(memory_ids=(MemoryId("ep_1"), MemoryId("roll_1")), question="Is it Bled or Bohinj?")
LOG = history([said("ep_1", "I swam in Lake Bohinj again."), LAKE, ASKED])


def forgotten(*memory_ids: str, log: list[Recorded]) -> MemoryForgotten:
    """What a forgetting of these memories says, as it is decided."""
    told = recollect(each.event for each in log).told
    gone = [told[MemoryId(memory_id)] for memory_id in memory_ids]
    numbers = tuple(sorted({number for each in gone for number in each.numbers}))
    ids = tuple(each.memory_id for each in gone)
    return MemoryForgotten(forget_id="f", by="memory", memory_ids=ids, asked=len(ids), numbers=numbers)


def tagged(number: int, text: str, tag: str) -> EventData:
    return fact(f"fact_{number:024x}", text, tags=(tag,))


def published(model: type[EventData]) -> EventData:
    """The event as its golden file has it."""
    path = ROOT / "tests/golden" / f"{model.event_type}.v{model.event_version}"
    full = path.with_suffix(f".v{model.event_version}.full.json")
    file = full if full.exists() else ROOT / "tests/golden" / f"{model.event_type}.v{model.event_version}.json"
    return decode(file.read_bytes()).data


@EVERY_EVENT_OF_A_MEMORY
def test_what_holds_something_of_a_memory_names_it_so_that_it_can_be_erased(model: type[EventData]) -> None:
    assert published(model).owners


@EVERY_EVENT_OF_A_MEMORY
def test_what_holds_something_of_a_memory_is_taken_when_that_is_forgotten(model: type[EventData]) -> None:
    data = published(model)
    owner = data.owners[0]
    before = [] if data.makes else [said(owner, "Anna was here.")]
    log = history([*before, data])
    assert EventNumber(len(log)) in forgotten(owner, log=log).numbers


@pytest.mark.parametrize("model", [each for each in PERSONAL if each.goes_with_tag], ids=lambda model: model.event_type)
def test_what_is_of_a_tag_is_taken_with_the_last_memory_that_has_it(model: type[EventData]) -> None:
    data = published(model)
    told = [tagged(number, "Anna was here.", str(vars(data)["tag"])) for number in (1, 2)]
    words = recollect(each.event for each in history([*told, data]))
    first, second = words.told
    assert words.shares_lost_with([first], None) == ()
    assert words.shares_lost_with([first, second], None) == (3,)


@EVERY_PERSONAL_EVENT
def test_what_holds_something_of_a_memory_is_exported_or_said_not_to_be(model: type[EventData]) -> None:
    bases = model.__mro__[: model.__mro__.index(EventData)]
    assert any("is_exported" in vars(base) for base in bases)
    assert (model.event_type in RECORD_TYPES) is model.is_exported


@EVERY_EVENT
def test_the_words_of_an_event_are_found_by_what_was_said(model: type[EventData]) -> None:
    data = published(model)
    assert bool(data.words) is model.has_words()
    if data.words:
        log = history([data]) if data.makes else history([said(data.owners[0], "Anna was here."), data])
        recollected = recollect(each.event for each in log)
        assert set(data.words) <= set(recollected.told[data.owners[0]].texts)


@EVERY_EVENT
def test_an_event_says_who_reads_it(model: type[EventData]) -> None:
    assert model.read_by
    assert set(model.read_by) <= SERVICES


@EVERY_EVENT
def test_only_one_memory_is_in_an_event_with_words(model: type[EventData]) -> None:
    """Law 3: otherwise erasing one would take the words of another."""
    assert not model.has_words() or len(published(model).owners) == 1


def test_a_string_that_nobody_marked_counts_as_words() -> None:
    class Nested(Contract):
        anything: dict[str, JsonValue]

    class Careless(EventData):
        note: str
        labels: tuple[Trace, ...] = ()
        code: Plain = ""
        session_id: SessionId | None = None
        nested: Nested | None = None

    assert fields_with(Careless, Content.WORDS) == ("note", "nested")
    assert contents(Careless) == {Content.WORDS, Content.TRACE, Content.PLAIN}
    told = Careless(note="a", labels=("b",), nested=Nested(anything={"c": ["d", 1, {"e": None}]}))
    assert told.words == ("a", "c", "d", "e")


def test_the_type_of_an_event_is_the_name_of_its_class_unless_it_says_another() -> None:
    class NoteTaken(EventData):
        """Named by its class."""

    class NoteTakenAgain(EventData):
        """Renamed since it was published."""

        event_type = "note_repeated"

    assert (NoteTaken.event_type, NoteTakenAgain.event_type) == ("note_taken", "note_repeated")


def test_an_event_that_nobody_knew_is_found_by_its_words_and_by_its_memory() -> None:
    recollected = recollect(each.event for each in LOG)
    assert matching("swims bled", recollected) == [LAKE.memory_id]
    assert forgotten(LAKE.memory_id, log=LOG).numbers == (2, 3)
    assert forgotten("ep_1", log=LOG).numbers == (1, 3)


@pytest.mark.parametrize("left", [LAKE, ASKED], ids=lambda data: data.event_type)
def test_the_scan_sees_an_event_that_nobody_knew(left: EventData) -> None:
    """Even where the forgetting failed to list its number."""
    data = forgotten(LAKE.memory_id, log=LOG).model_copy(update={"numbers": ()})
    log = [*LOG, *history([data], first=4)]
    (open_still,) = unfinished(log)
    assert [each.event.data for each in log if open_still.still_in(each.event) and each.event.data == left] == [left]
    assert not open_still.still_in(LOG[0].event)


def test_a_memory_of_an_event_that_nobody_knew_is_shown_until_it_is_forgotten(tmp_path: Path) -> None:
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(LOG)
    assert LAKE.text in _contents(file)
    file.apply(history([forgotten(LAKE.memory_id, log=LOG)], first=4))
    assert LAKE.text not in _contents(file)
    file.close()


def _contents(file: MemoryFile) -> list[str]:
    with file.connect() as db:
        return [content for (content,) in db.exec_driver_sql("SELECT content FROM memories WHERE status = 'active'")]
