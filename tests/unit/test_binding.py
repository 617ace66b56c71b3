"""What the driver is told of kinds of values changes how quickly they are bound, and nothing that is stored."""

from enum import StrEnum

import pytest

from shared.runtime.sqlite import bind_as_text, in_memory


class Mood(StrEnum):
    """An enumeration of texts."""

    GLAD = "glad"


bind_as_text(Mood)


@pytest.mark.parametrize(
    ("value", "stored", "kind"),
    [
        (None, None, "null"),
        (True, 1, "integer"),
        (False, 0, "integer"),
        (b"", b"", "blob"),
        (b"\x00a", b"\x00a", "blob"),
        (bytearray(b"a"), b"a", "blob"),
        (memoryview(b"a"), b"a", "blob"),
        (2**62, 2**62, "integer"),
        (0.5, 0.5, "real"),
        ("a\x00ö", "a\x00ö", "text"),
        (Mood.GLAD, "glad", "text"),
    ],
)
def test_a_value_is_stored_as_what_it_is(value: object, stored: object, kind: str) -> None:
    found, of_kind = in_memory().execute("SELECT ?1, typeof(?1)", (value,)).fetchone()
    assert (found, of_kind) == (stored, kind)
    assert type(found) is type(stored)
