"""The vectors of events."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.vectors import pack, unpack, unpacked

VECTORS = st.lists(st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=9), max_size=6)


@given(VECTORS)
def test_vectors_of_several_lengths_are_unpacked_together_as_each_alone(vectors: list[list[float]]) -> None:
    embeddings = [pack(vector, "model") for vector in vectors]
    assert list(unpacked(embeddings)) == [unpack(each).tobytes() for each in embeddings]
