"""A person's arrays: whatever is told and in which order, they are as if derived anew; damaged ones are not believed."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from services.retriever import deriving
from services.retriever.deriving import Deriving
from services.retriever.projection import RetrieverProjection
from services.retriever.store import memory_file
from services.retriever.store.arrays import person_arrays
from services.retriever.store.arrays.array_file import FORMAT, ArrayFile
from services.retriever.store.arrays.contents import contents
from services.retriever.store.arrays.followed_turns import rows_putting_right
from services.retriever.store.arrays.memory_rows import numbers_of_all
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.arrays.put_right import KnownRightings
from services.retriever.store.arrays.wanted_rows import wanted_rows
from services.retriever.store.arrays.word_places import own_rows_of, places_of
from services.retriever.store.arrays.word_search import WordSearch, _lengths
from services.retriever.store.calling import _after_greetings
from services.retriever.store.corrected_turns import corrected as corrected_by_words
from services.retriever.store.legs import Filter
from services.retriever.store.memory_file import MemoryFile, arrays_path
from services.retriever.store.memory_folder import MemoryFolder
from services.retriever.store.open_files import OpenFiles
from services.retriever.store.shown_rows import KnownRows
from shared.contracts.event import EventData
from shared.contracts.events import MemoryEmbedded, MemoryEnriched
from shared.contracts.ids import MemoryId, Position, Scope, SessionId
from shared.domain.arrays import np
from shared.domain.vectors import pack
from shared.runtime.projector import Progress, Recorded
from tests.support.examples import examples
from tests.support.files import Shelved, shelved
from tests.support.history import corrected, fact, forgotten, history, recalled, repeated, restored, retired, said, sealed
from tests.support.installations import until
from tests.support.scopes import ANNAS_SCOPE, BEN, T0, scope_of

TEXTS = (
    "the heron is at the weir",
    "Thanks, Ben!",
    "I painted the café wall",
    "我喜欢猫",
    "what about you?",
    "I live in Leeds.",
    "no wait, York",
    "",
    "Ben and Ada met in 2019",
)
TAGS = ("tea", "painting", "la mer")
MODELS = {"m/4": 4, "n/8": 8}
BENS_SCOPE = scope_of(BEN)
texts, tags = st.sampled_from(TEXTS), st.lists(st.sampled_from(TAGS), max_size=2, unique=True).map(tuple)

_COMPUTED = {"lengths": _lengths, "after greetings": _after_greetings, "putting right": rows_putting_right}


class Histories(RuleBasedStateMachine):
    """Anything may happen to the memories, and the arrays may be asked for, closed or patched at any time."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.sorted_beside, person_arrays._SORTED_BESIDE = person_arrays._SORTED_BESIDE, 20
        self.file = MemoryFile(self.folder / "anna.db")
        self.turns: list[str] = []
        self.facts: list[str] = []

    def teardown(self) -> None:
        if hasattr(self, "file"):
            person_arrays._SORTED_BESIDE = self.sorted_beside
            self.file.close()
            shutil.rmtree(self.folder)

    def tell(self, *told: EventData, minutes: int = 0) -> None:
        first = self.file.number + 1
        events = [
            Recorded(Position(number), ANNAS_SCOPE, sealed(data, number=number, moment=T0 + timedelta(minutes=minutes)))
            for number, data in enumerate(told, start=first)
        ]
        self.file.apply(events)

    def known(self, of: list[str], place: int) -> str:
        return of[place % len(of)]

    @rule(text=texts, session=st.sampled_from("ab"), speaker=st.sampled_from([None, "Anna", "Ben"]), minutes=st.integers(0, 9))
    def say(self, text: str, session: str, speaker: str | None, minutes: int) -> None:
        self.turns.append(f"ep_{self.file.number}")
        turn = said(self.turns[-1], text or "-", session_id=SessionId(session), speaker=speaker)
        self.tell(turn, minutes=minutes)

    @rule(text=texts, session=st.sampled_from("ab"))
    def hold_back(self, text: str, session: str) -> None:
        self.turns.append(f"ep_{self.file.number}")
        self.tell(said(self.turns[-1], text or "-", session_id=SessionId(session), held_back=True))

    @rule(text=texts, tags=tags)
    def know(self, text: str, tags: tuple[str, ...]) -> None:
        self.facts.append(f"fact_{self.file.number}")
        self.tell(fact(self.facts[-1], text or "-", tags=tags))

    @precondition(lambda self: self.turns or self.facts)
    @rule(place=st.integers(0, 99), model=st.sampled_from(sorted(MODELS)), data=st.data())
    def embed(self, place: int, model: str, data: st.DataObject) -> None:
        vector = data.draw(st.lists(st.integers(-2, 2), min_size=MODELS[model], max_size=MODELS[model]))
        self.tell(MemoryEmbedded(memory_id=MemoryId(self.known(self.turns + self.facts, place)), embedding=pack(vector, model)))

    @precondition(lambda self: self.turns or self.facts)
    @rule(place=st.integers(0, 99), tags=tags)
    def enrich(self, place: int, tags: tuple[str, ...]) -> None:
        memory_id = MemoryId(self.known(self.turns + self.facts, place))
        self.tell(MemoryEnriched(memory_id=memory_id, method="m/1", metadata_confidence=0.7, added_tags=tags))

    @precondition(lambda self: self.facts)
    @rule(place=st.integers(0, 99), tags=tags)
    def repeat(self, place: int, tags: tuple[str, ...]) -> None:
        self.tell(repeated(self.known(self.facts, place), added_tags=tags))

    @precondition(lambda self: self.facts)
    @rule(place=st.integers(0, 99))
    def correct(self, place: int) -> None:
        old = self.known(self.facts, place)
        self.facts.append(f"fact_{self.file.number}")
        self.tell(*corrected(self.facts[-1], MemoryId(old)))

    @precondition(lambda self: self.turns or self.facts)
    @rule(place=st.integers(0, 99), again=st.booleans())
    def retire(self, place: int, *, again: bool) -> None:
        memory_id = MemoryId(self.known(self.turns + self.facts, place))
        self.tell(retired(memory_id), *([restored(memory_id)] if again else []))

    @precondition(lambda self: self.turns)
    @rule(place=st.integers(0, 99))
    def recall(self, place: int) -> None:
        self.tell(recalled(self.known(self.turns, place)))

    @precondition(lambda self: self.turns)
    @rule(place=st.integers(0, 99))
    def forget(self, place: int) -> None:
        self.tell(forgotten(self.turns.pop(place % len(self.turns))))

    @rule()
    def ask(self) -> None:
        with self.file.connect() as db:
            self.file.searched(db)

    @rule()
    def open_again(self) -> None:
        self.file.close()
        self.file = MemoryFile(self.file.path)

    def what_was_computed_still_follows(self, derived: PersonArrays) -> None:
        """The open arrays compute it here, and keep it through the patches that come."""
        arrays = self.file._arrays
        if arrays is None:
            return
        for model in arrays.models:
            has = np.any(arrays[model.column] != 0, axis=1)
            assert arrays.with_vector(model).tolist() == has.tolist()
        for wanted in (Filter(("episode", "fact"), superseded=True), Filter(("fact",), ended=True)):
            assert wanted_rows(arrays, wanted).tolist() == wanted_rows(derived, wanted).tolist()
        for name, compute in _COMPUTED.items():
            assert arrays.computed(name, compute).tolist() == compute(derived).tolist()
        for term in ('"heron"', '"ben"', '"met in"', '"paint"*', '"tea"'):
            assert sorted(places_of(arrays, term).keys) == sorted(places_of(derived, term).keys)
            assert own_rows_of(arrays, term).tolist() == own_rows_of(derived, term).tolist()
        for question in ("heron", "Ben met Ada", "I painted the wall"):
            found, of_derived = (WordSearch(each, question).scores(()) for each in (arrays, derived))
            assert found.tolist() == pytest.approx(of_derived.tolist())

    @invariant()
    def patched_equals_derived(self) -> None:
        kept = PersonArrays.kept(arrays_path(self.file.path), self.file.number)
        if kept is None:
            return
        with self.file.connect() as db:
            derived = PersonArrays.derived(self.folder / "derived", db, self.file.number)
            every = numbers_of_all(db)
            of_words = corrected_by_words(db, every)
            assert KnownRightings(db, kept, KnownRows(db)).corrected(every) == of_words
        assert list(contents(kept)) == list(contents(derived))
        assert all(str(derived.names.after("", place)) in kept.names for place in range(len(derived.names)))
        self.what_was_computed_still_follows(derived)
        kept.close()
        derived.close()


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=examples(60), stateful_step_count=30, suppress_health_check=[HealthCheck.too_slow], deadline=None
)


@pytest.fixture
def told(tmp_path: Path) -> Shelved:
    """A file that was asked, so that it has arrays."""
    told = shelved(tmp_path / "anna.db")
    told.embed(told.say("the heron is at the weir"), (1, 0, 0))
    told.embed(told.know("Anna paints herons", "painting"), (0, 1, 0))
    assert told.texts("heron")
    return told


def arrays_of(told: Shelved) -> Path:
    return arrays_path(told.file.path)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flip(path: Path) -> None:
    """One bit in the middle, of a word of the memories."""
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"heron")] ^= 1
    path.write_bytes(raw)


def write_nonsense(path: Path) -> None:
    path.write_bytes(b"nonsense")


def write_by_another_version(path: Path) -> None:
    before = path.read_bytes()
    path.write_bytes(before.replace(f'"version": {FORMAT}'.encode(), b'"version": 1'))
    assert path.read_bytes() != before


@pytest.mark.parametrize("damage", [cut, flip, write_nonsense, write_by_another_version, Path.unlink])
@pytest.mark.parametrize("is_open", [True, False])
def test_damaged_arrays_are_derived_anew(told: Shelved, damage: Callable[[Path], None], *, is_open: bool) -> None:
    expected = told.match("heron")
    if not is_open:
        told.file.close()
    damage(arrays_of(told))
    if not is_open:
        told.file = MemoryFile(told.file.path)
    assert told.match("heron") == expected
    assert PersonArrays.kept(arrays_of(told), told.file.number)


def test_arrays_that_are_behind_are_derived_anew(told: Shelved) -> None:
    before = arrays_of(told).read_bytes()
    told.say("another heron")
    told.file.close()
    arrays_of(told).write_bytes(before)
    told.file = MemoryFile(told.file.path)
    assert len(told.texts("heron")) == 3


def test_arrays_whose_writer_stopped_halfway_are_not_believed(told: Shelved) -> None:
    file = ArrayFile.open(arrays_of(told), told.file.number)
    file.begin()
    file.close()
    assert PersonArrays.kept(arrays_of(told), told.file.number) is None


def test_a_change_patches_the_arrays_and_does_not_derive_them(told: Shelved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PersonArrays, "derived", None)
    told.say("another heron")
    assert len(told.texts("heron")) == 3


def test_what_is_forgotten_is_in_no_byte_of_the_arrays(told: Shelved) -> None:
    assert b"weir" in arrays_of(told).read_bytes()
    told.file.apply(history([forgotten(told_id(told, "weir"))], first=told.file.number + 1))
    assert b"weir" not in arrays_of(told).read_bytes()
    assert told.texts("heron weir") == ["Anna paints herons"]


def told_id(told: Shelved, word: str) -> str:
    """The id of the memory with this word."""
    [found] = [event.data.subject for event in told.log.events if word in (getattr(event.data, "text", None) or "")]
    return str(found)


def test_a_file_that_takes_the_place_of_another_brings_its_arrays(tmp_path: Path) -> None:
    files = OpenFiles(tmp_path, capacity=1)
    fresh = files.beside(ANNAS_SCOPE)
    fresh.apply(history([said("ep_1", "the heron")]))
    fresh.derive_arrays()
    files.replace(ANNAS_SCOPE, fresh)
    assert PersonArrays.kept(arrays_path(files.path(ANNAS_SCOPE)), 1)
    assert not arrays_path(fresh.path).exists()


@pytest.fixture
def memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryFolder]:
    """A folder in which no file is too small to be derived beforehand."""
    monkeypatch.setattr(memory_file, "_WORTH_BYTES", 1)
    with closing(MemoryFolder(tmp_path, open_files=1)) as folder:
        yield folder


def tell(memories: MemoryFolder, scope: Scope, event: str, position: int) -> None:
    """One turn of a person, the first one, at this position of the log."""
    [told] = history([said(event, "the heron")])
    projection = RetrieverProjection(memories, pending_events=1)
    projection.apply([told._replace(scope=scope, position=Position(position))], Position(position))
    projection.flush()


def test_files_without_arrays_get_them_before_somebody_asks_and_who_spoke_last_first(memories: MemoryFolder) -> None:
    tell(memories, ANNAS_SCOPE, "ep_1", 1)
    tell(memories, BENS_SCOPE, "ep_2", 2)
    assert memories.without_arrays() == [BENS_SCOPE, ANNAS_SCOPE]
    memories.derive_arrays(ANNAS_SCOPE)
    assert memories.without_arrays() == [BENS_SCOPE]
    assert memories.has_arrays(ANNAS_SCOPE)


def test_arrays_of_another_version_are_derived_anew_before_somebody_asks(memories: MemoryFolder) -> None:
    tell(memories, ANNAS_SCOPE, "ep_1", 1)
    memories.derive_arrays(ANNAS_SCOPE)
    memories.close()
    [arrays] = memories.folder.rglob("*.arrays")
    before = arrays.read_bytes()
    write_by_another_version(arrays)
    with closing(MemoryFolder(memories.folder, open_files=1)) as again:
        assert again.without_arrays() == [ANNAS_SCOPE]
        again.derive_arrays(ANNAS_SCOPE)
        assert again.without_arrays() == []
    assert arrays.read_bytes() == before


async def test_what_is_written_while_nobody_asks_gets_arrays_when_it_has_settled(
    memories: MemoryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deriving, "_SETTLED_S", 0.0)
    tell(memories, ANNAS_SCOPE, "ep_1", 1)
    progress = Progress()
    task = asyncio.create_task(Deriving(memories, progress).run())
    await until(lambda: memories.has_arrays(ANNAS_SCOPE))  # from before
    await asyncio.to_thread(tell, memories, BENS_SCOPE, "ep_2", 2)
    await progress.advance(2)
    await until(lambda: memories.has_arrays(BENS_SCOPE))
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def test_who_is_written_to_again_waits_once_more_for_arrays(memories: MemoryFolder) -> None:
    tell(memories, ANNAS_SCOPE, "ep_1", 1)
    assert memories.settled_without_arrays() == []
    tell(memories, BENS_SCOPE, "ep_2", 2)
    assert memories.settled_without_arrays() == [ANNAS_SCOPE]
    assert memories.settled_without_arrays() == [BENS_SCOPE]
    assert memories.settled_without_arrays() == []


def test_a_discarded_file_takes_its_arrays_along(tmp_path: Path) -> None:
    files = OpenFiles(tmp_path, capacity=1)
    with files.use(ANNAS_SCOPE) as file, file.connect() as db:
        file.searched(db)
        assert arrays_path(file.path).exists()
    files.discard(ANNAS_SCOPE)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
