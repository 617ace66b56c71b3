"""A person's file while it is searched: its rows, and the arrays that are derived from them."""

from typing import NamedTuple

from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.legs import Connection
from services.retriever.store.succession import KnownEndings


class SearchedFile(NamedTuple):
    """The two sides of one person's memories, both of the same event, and what one question has looked up of them."""

    db: Connection
    arrays: PersonArrays
    ends: KnownEndings
