"""One user's file in the retriever, filled by the real rules of ingest, and questions to it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from services.retriever.domain.weights import Weights
from services.retriever.matches import Matches
from services.retriever.retrieval import match
from services.retriever.search_request import SearchRequest
from services.retriever.store.legs import Connection, Filter, QueryVector
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.store.search.wanted_rows import best_rows, wanted_rows
from shared.contracts.command import Command
from shared.contracts.commands import AttachEmbedding, RememberFact, UserMessage
from shared.contracts.ids import MemoryId, MessageId, SessionId
from shared.contracts.queries import LegFailure
from shared.domain.vectors import pack
from shared.runtime.sqlite import open_database
from tests.support.paper import PaperLog
from tests.support.scopes import T0

MODEL = "scripted/4"
SHIPPED = Weights()


@dataclass
class Shelved:
    """A file and the log that it is built from."""

    file: MemoryFile
    log: PaperLog = field(default_factory=PaperLog)

    def tell(self, command: Command, *, now: datetime = T0) -> MemoryId:
        """Record, apply; the id of the memory that it made."""
        events = self.log.tell(command, now=now)
        self.file.apply(self.log.records)
        return next((MemoryId(found) for event in events if (found := getattr(event.data, "memory_id", None))), MemoryId(""))

    def say(self, text: str, *, session: str = "s1", now: datetime = T0, speaker: str | None = None) -> MemoryId:
        """A turn of the user."""
        turn = UserMessage(
            session_id=SessionId(session), text=text, speaker=speaker, message_id=MessageId(f"m{self.log.sent + 1}")
        )
        return self.tell(turn, now=now)

    def know(self, text: str, *tags: str, now: datetime = T0) -> MemoryId:
        """A fact, told by hand."""
        return self.tell(RememberFact(text=text, tags=tags), now=now)

    def embed(self, memory_id: MemoryId, vector: Sequence[float]) -> None:
        """Give a memory its vector, made to length 1."""
        embedding = pack(unit(vector), MODEL)
        self.tell(AttachEmbedding(message_id=MessageId(f"v-{memory_id}"), memory_id=memory_id, embedding=embedding))

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A connection for reading."""
        with self.file.connect() as db:
            yield db

    def searched(self, db: Connection) -> SearchedFile:
        """The file as questions are asked of it."""
        return self.file.searched(db)

    def match(self, asked: str | SearchRequest) -> Matches:
        """What matches a question."""
        with self.connected() as db:
            return match(self.searched(db), question(asked) if isinstance(asked, str) else asked).whole

    def texts(self, asked: str | SearchRequest) -> list[str]:
        """The words of what matches, best first."""
        contents = {int(event.number): getattr(event.data, "text", "") for event in self.log.events}
        return [contents[place.candidate.number] for place in self.match(asked).places]


def question(
    text: str,
    *,
    vector: Sequence[float] | None = None,
    kinds: Sequence[str] = ("fact", "episode"),
    session: str | None = None,
    most: int = 10,
    now: datetime = T0,
    weights: Weights = SHIPPED,
    speakers: Sequence[str] = (),
) -> SearchRequest:
    """A question; without a vector there is no embedder."""
    asked = LegFailure.NO_EMBEDDER if vector is None else QueryVector(MODEL, unit(vector).tobytes())
    return SearchRequest(text, asked, Filter(tuple(kinds), session), most, now, weights, frozenset(speakers))


def by_words(file: MemoryFile, words: str, wanted: Filter) -> list[int]:
    """The numbers of the memories that have one of these words, best first."""
    with file.connect() as db:
        columns = file.searched(db).columns
        scores = file.searched(db).words(words).scores(())
    rows = np.flatnonzero((scores > 0) & wanted_rows(columns, wanted))
    return [int(number) for number in columns["number"][best_rows(columns, rows, scores[rows], 100)]]


def by_vector(file: MemoryFile, asked: QueryVector, wanted: Filter) -> list[int]:
    """The numbers of the memories that have a vector to compare."""
    with file.connect() as db:
        columns = file.searched(db).columns
        found = file.searched(db).vector(asked).nearest(wanted_rows(columns, wanted), wanted.kinds, 100)
    return [int(number) for number in columns["number"][found]]


def unit(vector: Sequence[float]) -> NDArray[np.float32]:
    """At length 1, as float32."""
    row = np.asarray(vector, np.float32)
    return row / np.linalg.norm(row)


def shelved(path: Path) -> Shelved:
    """An empty file."""
    return Shelved(MemoryFile(path))


def change_by_hand(path: Path, *statements: str) -> None:
    """Change a closed file as somebody would who opens it with SQLite."""
    engine = open_database(path)
    with engine.begin() as db:
        for statement in statements:
            db.exec_driver_sql(statement)
    engine.dispose()
