"""The one place that makes random identifiers."""

import secrets

from shared.contracts.ids import RecallId


def new_recall_id() -> RecallId:
    """A fresh id of a recall: 80 random bits, so that ids of all users never meet."""
    return RecallId(f"rec_{secrets.token_hex(10)}")


def new_token() -> str:
    """A fresh random name or secret: 128 bits in hex."""
    return secrets.token_hex(16)


def new_key(length: int) -> bytes:
    """A fresh secret key of so many bytes."""
    return secrets.token_bytes(length)
