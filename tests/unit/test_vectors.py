"""The vectors of events."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.vectors import halves, pack, unpack


@given(st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=9))
def test_a_vector_is_unpacked_as_it_was_packed_and_its_halves_have_two_bytes_each(vector: list[float]) -> None:
    embedding = pack(vector, "model")
    assert unpack(embedding).tolist() == vector
    assert len(halves(embedding)) == 2 * len(vector)
