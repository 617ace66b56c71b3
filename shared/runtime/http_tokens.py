"""The tokens of the HTTP gateway: made by the command line, known to the gateway by their hashes alone."""

import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from shared.contracts.access import Grant, Right
from shared.contracts.errors import Malformed, NotFound, NotInitialised
from shared.contracts.ids import Space, User
from shared.runtime.credentials import is_name
from shared.runtime.datadir import read_private, write_private
from shared.runtime.ids import new_key, new_token

_BEGINS = "mst"
_ID_CHARACTERS = 12
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class HttpToken:
    """What is kept of a token: its grant, how long it is good for, and the hash of its secret."""

    token_id: str
    name: str
    digest: str
    rights: tuple[Right, ...]
    spaces: tuple[Space, ...]
    users: tuple[User, ...]
    created_at: datetime
    expires_at: datetime | None

    @property
    def grant(self) -> Grant:
        """What a token grants."""
        return Grant(self.name, self.token_id, frozenset(self.rights), self.spaces, self.users)


Tokens = Mapping[str, HttpToken]
"""Tokens by their ids."""


def new_http_token(
    *,
    name: str,
    rights: Sequence[Right],
    spaces: Sequence[Space],
    users: Sequence[User],
    now: datetime,
    expires_at: datetime | None,
) -> tuple[str, HttpToken]:
    """A token as its bearer gets it, this once, and what is kept of it. Raises Malformed if the name cannot be one."""
    if not is_name(name):
        raise Malformed("a name has 1 to 32 of a-z, 0-9, _ and -, and begins with a letter or digit")
    token_id, secret = new_token()[:_ID_CHARACTERS], urlsafe_b64encode(new_key(_SECRET_BYTES)).decode().rstrip("=")
    kept = HttpToken(token_id, name, _digest(secret), tuple(rights), tuple(spaces), tuple(users), now, expires_at)
    return f"{_BEGINS}_{token_id}_{secret}", kept


def granted(tokens: Tokens, text: str, *, now: datetime) -> Grant | None:
    """What a token grants; None if it is unknown, revoked or expired, which nobody is told apart."""
    begins, _, rest = text.partition("_")
    token_id, _, secret = rest.partition("_")
    kept = tokens.get(token_id)
    is_right = hmac.compare_digest(kept.digest if kept else _digest(""), _digest(secret))
    if kept is None or not is_right or begins != _BEGINS or (kept.expires_at is not None and now >= kept.expires_at):
        return None
    return kept.grant


def load_tokens(path: Path) -> Tokens:
    """The tokens in a file; none where there is no file. Raises Misconfigured if it is damaged."""
    try:
        return read_private(path, _tokens)
    except NotInitialised:
        return {}


def save_tokens(path: Path, tokens: Tokens) -> None:
    """Write the tokens to a file that only its owner can read."""
    lines = ["# Tokens of the HTTP gateway: hashes, from which no token can be made."]
    for token in tokens.values():
        lines += ["", f"[{token.token_id}]", *(f"{key} = {json.dumps(value)}" for key, value in _kept(token).items())]
    write_private(path, "\n".join(lines) + "\n")


def without(tokens: Tokens, named: str) -> Tokens:
    """The tokens without the one of this name or id. Raises NotFound."""
    left = {token_id: token for token_id, token in tokens.items() if named not in {token_id, token.name}}
    if len(left) == len(tokens):
        known = ", ".join(token.name for token in tokens.values()) or "none"
        raise NotFound(f"there is no token named {named}; known: {known}")
    return left


def _digest(secret: str) -> str:
    """The hash of a secret. It is 256 random bits: to guess it is hopeless, however fast one guess is tried."""
    return sha256(f"memstream token {secret}".encode()).hexdigest()


def _kept(token: HttpToken) -> dict[str, Any]:
    expiry = {"expires_at": token.expires_at.isoformat()} if token.expires_at else {}
    return {
        "name": token.name,
        "digest": token.digest,
        "rights": token.rights,
        "spaces": token.spaces,
        "users": token.users,
        "created_at": token.created_at.isoformat(),
        **expiry,
    }


def _tokens(document: dict[str, Any]) -> Tokens:
    return {token_id: _token(token_id, kept) for token_id, kept in document.items()}


def _token(token_id: str, kept: dict[str, Any]) -> HttpToken:
    expires_at = kept.get("expires_at")
    return HttpToken(
        token_id,
        kept["name"],
        kept["digest"],
        tuple(map(Right, kept["rights"])),
        tuple(map(Space, kept["spaces"])),
        tuple(map(User, kept["users"])),
        datetime.fromisoformat(kept["created_at"]),
        datetime.fromisoformat(expires_at) if expires_at else None,
    )
