"""The index of a person's file: whatever is told and in which order, it is as if made anew; both indexes of vectors agree."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from services.retriever.store.corrected_turns import corrected as corrected_by_words
from services.retriever.store.legs import Connection, QueryVector
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.search.columns import MemoryColumns
from services.retriever.store.search.plain_vectors import PlainVectors
from services.retriever.store.search.port import StoredVector, VectorIndex
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.store.search.signs import SignVectors
from shared.contracts.event import EventData
from shared.contracts.events import MemoryEmbedded, MemoryEnriched
from shared.contracts.ids import MemoryId, Position, SessionId
from shared.domain.arrays import np
from shared.domain.vectors import pack
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import has_vec0, rows
from tests.support.examples import examples
from tests.support.files import Shelved, shelved, unit
from tests.support.history import corrected, fact, forgotten, recalled, repeated, restored, retired, said, sealed
from tests.support.scopes import ANNAS_SCOPE, T0

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
texts, tags = st.sampled_from(TEXTS), st.lists(st.sampled_from(TAGS), max_size=2, unique=True).map(tuple)


class Histories(RuleBasedStateMachine):
    """Anything may happen to the memories, and the file may be asked or closed at any time."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.events: list[Recorded] = []
        self.file = MemoryFile(self.folder / "anna.db")
        self.turns: list[str] = []
        self.facts: list[str] = []

    def teardown(self) -> None:
        if hasattr(self, "file"):
            self.file.close()
            shutil.rmtree(self.folder)

    def tell(self, *told: EventData, minutes: int = 0) -> None:
        first = self.file.number + 1
        events = [
            Recorded(Position(number), ANNAS_SCOPE, sealed(data, number=number, moment=T0 + timedelta(minutes=minutes)))
            for number, data in enumerate(told, start=first)
        ]
        self.file.apply(events)
        self.events += events

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

    @invariant()
    def the_file_is_found_as_one_that_is_made_anew(self) -> None:
        with closing(MemoryFile(self.folder / f"anew{self.file.number}.db")) as anew:
            anew.apply(self.events)
            with self.file.connect() as db, anew.connect() as other_db:
                if self.file._held is not None:
                    assert told_by(self.file._held.columns) == told_by(MemoryColumns(db))
                found, expected = self.file.searched(db), anew.searched(other_db)
                assert told_by(found.columns) == told_by(expected.columns)
                for question in ("heron", "Ben met Ada", "I painted the wall", "la mer", "我喜欢猫"):
                    assert found.words(question).scores(()).tolist() == pytest.approx(
                        expected.words(question).scores(()).tolist()
                    )
                for model, dimensions in MODELS.items():
                    assert cosines(found, model, dimensions) == cosines(expected, model, dimensions)
                every = found.columns["number"].tolist()
                assert found.rightings.corrected(every) == corrected_by_words(db, every)


def told_by(columns: MemoryColumns) -> list[tuple[object, ...]]:
    """What the columns say of each memory, with names in the place of their places."""
    plain = [columns[name].tolist() for name in ("number", "time", "importance", "confidence", "anchor", "decay_rate", "flags")]
    plain += [columns[name].tolist() for name in ("of_self", "to_other", "capitals", "length", "kind", "beside")]
    names = columns.sessions.at(columns["session"].tolist()), columns.speakers.at(columns["speaker"].tolist())
    return list(zip(*plain, *names, strict=True))


def cosines(file: SearchedFile, model: str, dimensions: int) -> dict[int, float]:
    """The memories that the index finds for a vector, with their cosines."""
    asked = file.vector(QueryVector(model, unit([1.0] * dimensions).tobytes()))
    found = asked.nearest(np.ones(len(file.columns), bool), ("episode", "fact"), 1_000)
    each = zip(file.columns["number"][found].tolist(), asked.cosines(found).tolist(), strict=True)
    return {number: pytest.approx(cosine, nan_ok=True) for number, cosine in each}  # type: ignore[misc]


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=examples(40), stateful_step_count=25, suppress_health_check=[HealthCheck.too_slow], deadline=None
)


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Shelved]:
    """A file that was asked."""
    told = shelved(tmp_path / "anna.db")
    told.embed(told.say("the heron is at the weir"), (1, 0, 0))
    told.embed(told.know("Anna paints herons", "painting"), (0, 1, 0))
    assert told.texts("heron")
    yield told
    told.file.close()


def test_nothing_of_a_person_lies_outside_the_one_file_which_has_both_engines_in_its_schema(told: Shelved) -> None:
    with told.connected() as db:
        schema = " ".join(str(statement) for (statement,) in rows(db, "SELECT sql FROM sqlite_master"))
    assert "USING fts5" in schema
    assert ("USING vec0" in schema) is has_vec0()
    told.file.close()
    assert [path.name for path in told.file.path.parent.iterdir()] == ["anna.db"]
    told.file = MemoryFile(told.file.path)
    assert len(told.texts("heron")) == 2


def test_tags_are_found_and_what_is_retagged_is_found_by_its_new_ones(told: Shelved) -> None:
    assert told.texts("painting")[0] == "Anna paints herons"
    fact_id = next(
        str(event.data.subject) for event in told.log.events if "paints" in (getattr(event.data, "text", None) or "")
    )
    enriched = MemoryEnriched(memory_id=MemoryId(fact_id), method="m/1", metadata_confidence=0.7, added_tags=("watercolour",))
    number = told.file.number + 1
    told.file.apply([Recorded(Position(number), ANNAS_SCOPE, sealed(enriched, number=number, moment=T0))])
    assert told.texts("watercolour") == ["Anna paints herons"]


def test_a_file_whose_words_were_lost_is_not_sound(told: Shelved) -> None:
    assert told.file.is_sound()
    with told.connected() as db:
        db.exec_driver_sql("DELETE FROM memory_words_docsize")
        db.commit()
    assert not told.file.is_sound()


@pytest.mark.skipif(not has_vec0(), reason="SQLite loads no extensions here")
@pytest.mark.parametrize(
    "lost", ["DELETE FROM vec_signs_1_chunks", "DELETE FROM vec_signs_1_vector_chunks00", "DELETE FROM vec_signs_1_rowids"]
)
def test_a_file_whose_index_of_vectors_was_damaged_is_not_sound(told: Shelved, lost: str) -> None:
    assert told.file.is_sound()
    with told.connected() as db:
        db.exec_driver_sql(lost)
        db.commit()
    assert not told.file.is_sound()


@contextmanager
def a_file(folder: Path) -> Iterator[Connection]:
    """A connection to an empty file."""
    with closing(MemoryFile(folder / "anna.db")) as file, file.connect() as db:
        yield db


INDEXES = pytest.mark.parametrize(
    "index",
    [
        pytest.param(SignVectors(), marks=pytest.mark.skipif(not has_vec0(), reason="SQLite loads no extensions here")),
        PlainVectors(),
    ],
    ids=["vec0", "plain"],
)
VECTORS = {1: (1.0, 1.0, 1.0), 2: (1.0, 1.0, -1.0), 3: (-1.0, -1.0, -1.0), 4: (1.0, -1.0, -1.0)}


def halves_of(vector: Sequence[float]) -> bytes:
    return unit(vector).astype("<f2").tobytes()


def put(index: VectorIndex, db: Connection, model: str, vectors: Mapping[int, tuple[float, ...]], kind: str = "fact") -> None:
    """Write vectors as events do: into the index, then into their table, beside a memory for each."""
    db.exec_driver_sql("INSERT INTO vector_models(model, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING", (model, 3))
    index.put(db, model, 3, [StoredVector(number, kind, halves_of(vector)) for number, vector in vectors.items()])
    for number, vector in vectors.items():
        db.exec_driver_sql("DELETE FROM vec_memories WHERE number = ? AND model = ?", (number, model))
        db.exec_driver_sql(
            "INSERT INTO vec_memories(number, model, embedding) VALUES (?, ?, ?)", (number, model, halves_of(vector))
        )
        columns = [str(name) for _, name, *_ in rows(db, "PRAGMA table_info(memories)")]
        values = [number if name == "number" else kind if name == "kind" else f"{name}{number}" for name in columns]
        db.exec_driver_sql(f"INSERT OR REPLACE INTO memories VALUES ({','.join('?' * len(columns))})", tuple(values))


def nearest(
    index: VectorIndex,
    db: Connection,
    vector: tuple[float, ...],
    most: int,
    *,
    model: str = "m",
    kinds: tuple[str, ...] = ("fact",),
) -> list[int]:
    return index.nearest(db, model, unit(vector), kinds, most)


@INDEXES
def test_the_nearest_come_first_and_so_many_of_each_kind(index: VectorIndex, tmp_path: Path) -> None:
    with a_file(tmp_path) as db:
        put(index, db, "m", VECTORS)
        put(index, db, "m", {5: (1.0, 1.0, 1.0)}, "episode")
        assert nearest(index, db, (1, 1, 1), 2) == [1, 2]
        assert nearest(index, db, (1, 1, 1), 1, kinds=("episode", "fact")) == [5, 1]
        assert nearest(index, db, (1, 1, 1), 9_999, kinds=("episode",)) == [5]


@INDEXES
def test_a_vector_takes_the_place_of_the_one_before_of_its_model_only(index: VectorIndex, tmp_path: Path) -> None:
    with a_file(tmp_path) as db:
        put(index, db, "m", VECTORS)
        put(index, db, "n", {1: (1.0, 1.0, 1.0)})
        put(index, db, "m", {1: (-1.0, -1.0, -1.0)})
        assert set(nearest(index, db, (-1, -1, -1), 2)) == {1, 3}
        assert nearest(index, db, (1, 1, 1), 4, model="n") == [1]


@INDEXES
def test_what_is_removed_is_not_found(index: VectorIndex, tmp_path: Path) -> None:
    with a_file(tmp_path) as db:
        put(index, db, "m", VECTORS)
        index.remove(db, [1, 99])
        db.exec_driver_sql("DELETE FROM vec_memories WHERE number = 1")
        assert set(nearest(index, db, (1, 1, 1), 9)) == {2, 3, 4}


@INDEXES
def test_of_another_model_or_length_nothing_is_found(index: VectorIndex, tmp_path: Path) -> None:
    with a_file(tmp_path) as db:
        put(index, db, "m", VECTORS)
        assert nearest(index, db, (1, 1, 1), 9, model="other") == []
        assert nearest(index, db, (1, 1), 9) == []
