"""AES-GCM, loaded when something is sealed or opened for the first time: most commands, and a server at rest, need none."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM


@cache
def aes_gcm() -> type[AESGCM]:
    """The cipher."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - 9 MB

    return AESGCM


@cache
def invalid_tag() -> type[Exception]:
    """What the cipher raises where a text was not sealed with the key, or beside something else."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - likewise

    return InvalidTag
