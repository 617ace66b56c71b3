"""JWTs, signed by a key of a file that the operator names. Asymmetric keys only: whoever can check one cannot make one.

Claims: `iss`, `aud`, `exp` and `sub` must be there. `sub` is the person; `memstream_spaces` lists spaces, and none means none;
`scope` holds rights, separated by blanks, by default those of a person.
Source: RFC 8725, "JSON Web Token Best Current Practices".
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import jwt

from services.gateway.access.watched_file import WatchedFile
from shared.contracts.access import OF_A_PERSON, Grant, Right
from shared.contracts.errors import Misconfigured
from shared.contracts.ids import Space, User

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_REQUIRED = ["exp", "iss", "aud", "sub"]
_LEEWAY_S = 30
_OF_BEARERS = OF_A_PERSON | {Right.LINK}


class Jwts:
    """Knows the JWTs of one issuer."""

    def __init__(self, path: Path, *, issuer: str | None, audience: str) -> None:
        """Raises Misconfigured without an issuer, or where the file holds no usable keys."""
        if not issuer:
            raise Misconfigured("MEMSTREAM_GATEWAY_JWKS needs MEMSTREAM_GATEWAY_JWT_ISSUER: whose keys are they?")
        self._keys = WatchedFile(path, _read)
        self._issuer = issuer
        self._audience = audience
        self._keys.now()

    def granted(self, text: str) -> Grant | None:
        """What a JWT grants; None if it is not valid, whatever is wrong with it."""
        try:
            key = self._key_of(jwt.get_unverified_header(text))
            if key is None:
                return None
            claims: dict[str, Any] = jwt.decode(
                text,
                key.key,
                algorithms=[key.algorithm_name] if key.algorithm_name in _ALGORITHMS else [],
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY_S,
                options={"require": _REQUIRED},
            )
            return _grant(claims)
        except (jwt.PyJWTError, ValueError, TypeError, KeyError):
            return None

    def _key_of(self, header: Mapping[str, Any]) -> jwt.PyJWK | None:
        keys = self._keys.now()
        if "kid" not in header and len(keys) == 1:
            return next(iter(keys.values()))
        return keys.get(str(header.get("kid")))


def _grant(claims: Mapping[str, Any]) -> Grant | None:
    spaces = claims.get("memstream_spaces")
    if not isinstance(spaces, list) or not spaces or not all(isinstance(each, str) and each for each in spaces):
        return None
    user = claims["sub"]
    said = claims.get("scope")
    rights = OF_A_PERSON if said is None else {Right(each) for each in str(said).split() if each in set(_OF_BEARERS)}
    key = sha256(f"{claims['iss']}\0{user}".encode()).hexdigest()[:32]
    return Grant("jwt", key, frozenset(rights), tuple(map(Space, spaces)), (User(user),)) if user else None


def _read(content: bytes) -> dict[str, jwt.PyJWK]:
    """The keys of a file by their ids."""
    try:
        keys = jwt.PyJWKSet.from_json(content.decode()).keys
    except (jwt.PyJWTError, ValueError, AttributeError, TypeError) as error:
        raise Misconfigured("the file of MEMSTREAM_GATEWAY_JWKS holds no usable set of keys") from error
    if secret := [key for key in keys if key.key_type == "oct"]:
        raise Misconfigured(
            f"the file of MEMSTREAM_GATEWAY_JWKS holds {len(secret)} secret keys; only public keys may be in it"
        )
    return {key.key_id or "": key for key in keys}
