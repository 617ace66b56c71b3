"""The memories nearest to one memory, by their vectors."""

from sqlalchemy import select

from services.retriever.store import read_memories
from services.retriever.store.legs import Filter, QueryVector
from services.retriever.store.schema import memories, vectors
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.store.search.wanted_rows import best_rows, wanted_rows
from shared.contracts.errors import NotFound
from shared.contracts.queries import SimilarAnswer, SimilarMemory, SimilarQuery
from shared.domain.vectors import floats

_COARSE = 100
"""The memories that are compared exactly beyond twice the limit, since some of the nearest may have ended."""


def nearest(file: SearchedFile, query: SimilarQuery, position: int) -> SimilarAnswer:
    """The active memories of these kinds that are most similar by cosine, itself left out; best first. Raises NotFound."""
    db = file.db
    number = db.scalar(select(memories.c.number).where(memories.c.id == query.memory_id))
    if number is None:
        raise NotFound
    newest = select(vectors.c.model, vectors.c.embedding).where(vectors.c.number == number).order_by(vectors.c.id.desc())
    asked = db.execute(newest.limit(1)).first()
    if asked is None:
        return SimilarAnswer(position=position, model=None, items=())
    vector = floats(asked.embedding).tobytes()
    nearest, columns = file.vector(QueryVector(asked.model, vector)), file.columns
    kinds = tuple(kind.value for kind in query.kinds)
    rows = nearest.nearest(wanted_rows(columns, Filter(kinds)), kinds, _COARSE + 2 * query.limit)
    cosines = nearest.cosines(rows)
    best = best_rows(columns, rows, cosines, query.limit + 1)
    cosine_of = dict(zip(columns["number"][rows].tolist(), cosines.tolist(), strict=True))
    numbers = [each for each in columns["number"][best].tolist() if each != number][: query.limit]
    found = read_memories.by_numbers(db, numbers)
    items = tuple(SimilarMemory(**found[each].model_dump(), cosine_similarity=_cosine(cosine_of[each])) for each in numbers)
    return SimilarAnswer(position=position, model=asked.model, items=items)


def _cosine(score: float) -> float:
    return min(max(score, -1.0), 1.0)  # rounding can leave the range by a hair
