"""The memories nearest to one memory, by their vectors."""

from sqlalchemy import select

from services.retriever.store import read_memories
from services.retriever.store.arrays.searched_file import SearchedFile
from services.retriever.store.arrays.vector_search import VectorSearch
from services.retriever.store.arrays.wanted_rows import best_rows, wanted_rows
from services.retriever.store.legs import Filter, QueryVector
from services.retriever.store.schema import memories, vectors
from shared.contracts.errors import NotFound
from shared.contracts.queries import SimilarAnswer, SimilarMemory, SimilarQuery


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
    nearest, arrays = VectorSearch(file.arrays, QueryVector(asked.model, asked.embedding)), file.arrays
    rows = nearest.nearest(wanted_rows(arrays, Filter(tuple(kind.value for kind in query.kinds))))
    cosines = nearest.cosines(rows)
    best = best_rows(arrays, rows, cosines, query.limit + 1)
    cosine_of = dict(zip(arrays["number"][rows].tolist(), cosines.tolist(), strict=True))
    numbers = [each for each in arrays["number"][best].tolist() if each != number][: query.limit]
    found = read_memories.by_numbers(db, numbers)
    items = tuple(SimilarMemory(**found[each].model_dump(), cosine_similarity=_cosine(cosine_of[each])) for each in numbers)
    return SimilarAnswer(position=position, model=asked.model, items=items)


def _cosine(score: float) -> float:
    return min(max(score, -1.0), 1.0)  # rounding can leave the range by a hair
