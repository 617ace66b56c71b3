"""Chooses the index that this process uses."""

from services.retriever.store.search.plain_vectors import PlainVectors
from services.retriever.store.search.port import Index
from services.retriever.store.search.signs import SignVectors
from services.retriever.store.search.words import FtsWords
from shared.runtime.sqlite import has_vec0

INDEX = Index(FtsWords(), SignVectors() if has_vec0() else PlainVectors())
"""The vectors are those of `vec0` if SQLite can load it; else each query compares all vectors of the plain table."""
