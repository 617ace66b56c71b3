"""The index that this process uses."""

from services.retriever.store.search.plain_vectors import PlainVectors
from services.retriever.store.search.port import Index
from services.retriever.store.search.signs import SignVectors
from services.retriever.store.search.words import FtsWords
from shared.runtime.sqlite import has_vec0

INDEX = Index(FtsWords(), SignVectors() if has_vec0() else PlainVectors())
"""Where SQLite cannot load `vec0`, all vectors are compared."""
