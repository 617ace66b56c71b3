"""Settings of the gateway: `MEMSTREAM_GATEWAY_<NAME>`."""

from pathlib import Path

from pydantic import Field

from shared.runtime.links import LinkSettings
from shared.runtime.ports import LOOPBACK

DEFAULT_PORT = 8643


class GatewaySettings(LinkSettings):
    """The settings of the gateway, read once, in app.py."""

    host: str = Field(
        default=LOOPBACK, description="The address at which it listens, without TLS; 0.0.0.0: all, behind a proxy that has TLS."
    )
    port: int = Field(default=DEFAULT_PORT, ge=0, le=65_535, description="Its port, where none is given; 0: a free one.")
    hosts: str = Field(
        default="",
        description="By which names it may be called beside those of the loopback and of `url`, separated by commas; with their"
        " port, or `:*` for any.",
    )
    jwks: Path | None = Field(
        default=None, description="A file with the public keys (JWKS) of whoever issues JWTs; none: no JWT is taken."
    )
    jwt_issuer: str | None = Field(default=None, description="Who issues them (`iss`); needed with `jwks`.")
    jwt_audience: str = Field(default="memstream", description="For whom they are issued (`aud`).")
    cookie_hours: float = Field(
        default=12.0, gt=0, le=720, description="So long a link that was opened stays good in its browser."
    )
    requests_per_minute: int = Field(default=1_200, ge=1, description="Most requests of one token, JWT or cookie.")
    failures_per_minute: int = Field(default=60, ge=1, description="Most requests of one address that bear nothing valid.")
    streams: int = Field(default=8, ge=1, description="Most streams of changes of one token, JWT or cookie at a time.")
    sample_s: float = Field(
        default=30.0, gt=0, le=300, description="How often, in seconds, the services are asked for the operator's plots."
    )
    max_import_mb: int = Field(default=1_024, ge=1, description="Largest import, in MB.")
