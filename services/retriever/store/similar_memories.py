"""The memories nearest to one memory, by their vectors."""

from sqlalchemy import Connection, select

from services.retriever.store import legs, read_memories
from services.retriever.store.legs import Filter, QueryVector
from services.retriever.store.schema import memories, vectors
from shared.contracts.errors import NotFound
from shared.contracts.queries import SimilarAnswer, SimilarMemory, SimilarQuery


def nearest(db: Connection, query: SimilarQuery, position: int) -> SimilarAnswer:
    """The active memories of these kinds that are most similar by cosine, itself left out; best first. Raises NotFound."""
    number = db.scalar(select(memories.c.number).where(memories.c.id == query.memory_id))
    if number is None:
        raise NotFound
    newest = select(vectors.c.model, vectors.c.embedding).where(vectors.c.number == number).order_by(vectors.c.id.desc())
    asked = db.execute(newest.limit(1)).first()
    if asked is None:
        return SimilarAnswer(position=position, model=None, items=())
    wanted = Filter(tuple(kind.value for kind in query.kinds))
    hits = legs.vector(db, QueryVector(asked.model, asked.embedding), wanted, query.limit + 1).hits
    best = [hit for hit in hits if hit.number != number][: query.limit]
    found = read_memories.by_numbers(db, [hit.number for hit in best])
    items = tuple(SimilarMemory(**found[hit.number].model_dump(), cosine_similarity=_cosine(hit.score)) for hit in best)
    return SimilarAnswer(position=position, model=asked.model, items=items)


def _cosine(score: float) -> float:
    return min(max(score, -1.0), 1.0)  # rounding can leave the range by a hair
