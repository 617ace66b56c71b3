"""Words that stand sealed in a URL: read by us alone, beside the same person."""

from datetime import UTC, datetime

from shared.runtime.credentials import create_credentials
from shared.runtime.passes import Passes, PassKind

NOW = datetime(2026, 5, 3, tzinfo=UTC)


def test_words_are_read_beside_the_same_parts_only() -> None:
    passes = Passes(create_credentials())
    sealed = passes.sealed_words("peanuts", "home", "anna")
    assert "peanuts" not in sealed
    assert passes.opened_words(sealed, "home", "anna") == "peanuts"
    assert passes.opened_words(sealed, "home", "ben") is None
    assert passes.opened_words(sealed, "homeanna") is None
    assert Passes(create_credentials()).opened_words(sealed, "home", "anna") is None


def test_words_are_no_pass_and_nonsense_is_neither() -> None:
    passes = Passes(create_credentials())
    for text in (passes.sealed_words("[]", "home", "anna"), "", "x", "\u00e9", "A" * 4_000):
        assert passes.opened_words(text, "other") is None
        assert passes.opened(PassKind.COOKIE, text, now=NOW) is None
