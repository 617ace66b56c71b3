"""A gateway with the services behind it, and who may ask it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from services.feed.app import build as build_feed
from services.gateway.app import Gateway
from services.gateway.app import build as build_gateway
from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from shared.contracts.access import OF_A_PERSON, Right
from shared.contracts.ids import Space, User
from shared.runtime.http_tokens import load_tokens, new_http_token, save_tokens
from shared.runtime.links import Links, LinkSettings
from shared.runtime.service import Service
from tests.support.installations import PATIENCE_S, Installation, serving

ISSUER = "https://issuer.example"


@dataclass
class Served:
    """A gateway, and who may ask it."""

    installation: Installation
    gateway: Gateway
    signing_key: rsa.RSAPrivateKey

    def token(self, name: str, *, rights: tuple[Right, ...] = tuple(OF_A_PERSON), **more: Any) -> str:  # noqa: ANN401 - each of its own type
        """A token that is known to the gateway at once."""
        path = self.installation.settings.files.http_tokens
        fields: dict[str, Any] = {"spaces": (), "users": (), "expires_at": None, **more}
        text, kept = new_http_token(name=name, rights=rights, now=datetime.now(UTC), **fields)
        save_tokens(path, {**{k: v for k, v in load_tokens(path).items() if v.name != name}, kept.token_id: kept})
        return text

    def person(self, space: str, user: str) -> str:
        """A token of one person in one space."""
        return self.token(f"of-{user}", spaces=(Space(space),), users=(User(user),))

    def jwt(self, **claims: Any) -> str:  # noqa: ANN401 - each of its own type
        """A JWT of the issuer."""
        said = {"iss": ISSUER, "aud": "memstream", "sub": "anna", "exp": datetime.now(UTC) + timedelta(hours=1), **claims}
        given = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(given, self.signing_key, algorithm="RS256", headers={"kid": "k1"})

    def link(self, space: str, user: str) -> str:
        """A link for one person, not opened yet."""
        made = Links(self.installation.settings.files, LinkSettings()).made(Space(space), User(user), now=datetime.now(UTC))
        assert made is not None
        return made.url

    def client(self, token: str | None = None, **options: Any) -> httpx.AsyncClient:  # noqa: ANN401 - each of its own type
        """An HTTP client that bears a token, or nothing."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        assert self.gateway.url
        return httpx.AsyncClient(base_url=self.gateway.url, headers=headers, timeout=PATIENCE_S, **options)


@asynccontextmanager
async def gateway_served(root: Path, *more: Any) -> AsyncIterator[Served]:  # noqa: ANN401 - builders of services
    """A gateway on an installation of its own, with JWTs of an issuer, and no limits that a test would meet."""
    installation = await Installation.create(root / "memstream")
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())) | {"kid": "k1", "alg": "RS256"}
    (root / "jwks.json").write_text(json.dumps({"keys": [public]}))
    settings = installation.settings
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
        patched.setenv("MEMSTREAM_GATEWAY_JWKS", str(root / "jwks.json"))
        patched.setenv("MEMSTREAM_GATEWAY_JWT_ISSUER", ISSUER)
        patched.setenv("MEMSTREAM_GATEWAY_REQUESTS_PER_MINUTE", "100000")
        patched.setenv("MEMSTREAM_GATEWAY_FAILURES_PER_MINUTE", "100000")
        services: list[Service] = [build(settings) for build in (build_ingest, build_retriever, build_feed, *more)]
        gateway = build_gateway(settings, port=0)
    async with serving(*services, gateway):
        yield Served(installation, gateway, key)
    await installation.server.stop()
