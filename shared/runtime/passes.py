"""Passes to one person's memory: the links that are handed out, and the cookies that these are exchanged for.

A pass is sealed: whoever sees it reads neither space nor person in it, and nobody can make one without the key.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from pydantic_core import from_json, to_json

from shared.contracts.access import OF_A_PERSON, Grant, Right
from shared.contracts.ids import Space, User
from shared.runtime.ciphers import aes_gcm, invalid_tag
from shared.runtime.credentials import Credentials
from shared.runtime.ids import new_key, new_token

_NONCE_BYTES = 12
_STAMP_CHARACTERS = 16
GATEWAY_USER = "gateway"


class PassKind(StrEnum):
    """What a pass is good for; one can never be taken for the other."""

    LINK = "link"  # to be exchanged, once
    COOKIE = "cookie"


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave to look after the memory of one person in one space, for a while; or to see how it goes, and nobody's memory."""

    pass_id: str
    space: Space
    user: User
    expires_at: datetime
    operates: bool = False

    @property
    def grant(self) -> Grant:
        """What a pass grants: all that a person may do with their own memory; of an operator nothing of anybody's."""
        if self.operates:
            return Grant("operator", self.pass_id, frozenset({Right.OPERATE}), (), ())
        return Grant("person", self.pass_id, OF_A_PERSON, (self.space,), (self.user,))


def new_pass(space: Space, user: User, *, now: datetime, lasts: timedelta) -> Pass:
    """A pass of its own id. It ends at a whole second."""
    return Pass(new_token(), space, user, (now + lasts).replace(microsecond=0))


def operators_pass(*, now: datetime, lasts: timedelta) -> Pass:
    """A pass that shows how it goes."""
    return replace(new_pass(Space(""), User(""), now=now, lasts=lasts), operates=True)


class Passes:
    """Seals and opens passes. The key follows from the gateway's password: with another password all passes end."""

    def __init__(self, credentials: Credentials) -> None:
        password = credentials.of_service(GATEWAY_USER)
        self._stamps = sha256(f"memstream stamps {password}".encode()).digest()
        self._key = sha256(f"memstream passes {password}".encode()).digest()

    def stamp(self, *parts: str) -> str:
        """A short text that nobody else can make for these parts: 64 bits in hex."""
        return hmac.new(self._stamps, "\0".join(parts).encode(), sha256).hexdigest()[:_STAMP_CHARACTERS]

    def sealed(self, kind: PassKind, made: Pass) -> str:
        """The pass as text that fits a URL and a cookie."""
        said = to_json([made.pass_id, made.space, made.user, int(made.expires_at.timestamp()), made.operates])
        return self._closed(said, kind.encode())

    def sealed_words(self, words: str, *about: str) -> str:
        """Words as text that fits a URL, which only we can read, and only beside the same parts."""
        return self._closed(words.encode(), _beside(about))

    def opened_words(self, text: str, *about: str) -> str | None:
        """The words of a text; None where we did not seal them beside these parts."""
        said = self._disclosed(text, _beside(about))
        return None if said is None else said.decode()

    def opened(self, kind: PassKind, text: str, *, now: datetime) -> Pass | None:
        """The pass of a text; None if it is none of this kind, or over."""
        said = self._disclosed(text, kind.encode())
        if said is None:
            return None
        pass_id, space, user, until, *more = from_json(said)
        found = Pass(pass_id, Space(space), User(user), datetime.fromtimestamp(until, UTC), operates=more == [True])
        return found if now < found.expires_at else None

    def _closed(self, said: bytes, beside: bytes) -> str:
        nonce = new_key(_NONCE_BYTES)
        return urlsafe_b64encode(nonce + aes_gcm()(self._key).encrypt(nonce, said, beside)).decode().rstrip("=")

    def _disclosed(self, text: str, beside: bytes) -> bytes | None:
        try:
            raw = urlsafe_b64decode(f"{text}{'=' * (-len(text) % 4)}".encode("ascii"))
            return aes_gcm()(self._key).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], beside)
        except (NotBase64, invalid_tag(), ValueError):
            return None


def _beside(about: Sequence[str]) -> bytes:
    """What words are sealed beside; no kind of pass is like it."""
    return "\0".join(("words", *about)).encode()
