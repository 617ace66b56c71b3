"""The digest of rows is a hash of their JSON, however it is made."""

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from shared.runtime.row_digests import digest_of

VALUES = st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()


@given(st.lists(st.lists(VALUES, max_size=4)))
def test_every_row_counts_as_its_json_with_bytes_in_hex(rows: list[list[object]]) -> None:
    as_json = "".join(json.dumps(row, default=bytes.hex) for row in rows)
    assert digest_of(rows) == hashlib.blake2b(as_json.encode(), digest_size=16).hexdigest()
