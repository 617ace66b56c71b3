"""Links by which one person reaches their memory in a browser: one time, for minutes, made by whoever has the passwords."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from shared.contracts.ids import Space, User
from shared.runtime.credentials import load_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from shared.runtime.passes import Pass

OPENING = "/open/"
"""The path before the sealed pass of a link."""


class LinkSettings(Settings):
    """Where the gateway is reached by people, and how long a link is good for: `MEMSTREAM_GATEWAY_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_GATEWAY_", frozen=True)

    url: str | None = Field(
        default=None,
        description="Where people reach the gateway, as https://memory.example.org; by default where it listens.",
    )
    link_minutes: float = Field(default=10.0, gt=0, le=1_440, description="A link that is not opened for so long is void.")


@dataclass(frozen=True, slots=True)
class PersonLink:
    """A link, and until when it can be opened."""

    url: str
    expires_at: datetime


def running_gateway(files: DataDir) -> str | None:
    """Where the gateway of this data folder listens; None where none does."""
    try:
        return str(json.loads(files.gateway_running.read_text(encoding="utf-8"))["url"])
    except (OSError, ValueError, KeyError):
        return None


class Links:
    """Makes links to the gateway of this installation."""

    def __init__(self, files: DataDir, settings: LinkSettings) -> None:
        self._files = files
        self._settings = settings

    def base(self) -> str | None:
        """Where the gateway is reached; None where none is known."""
        return self._settings.url.rstrip("/") if self._settings.url else running_gateway(self._files)

    def made(self, space: Space, user: User, *, now: datetime) -> PersonLink | None:
        """A new link for this person in this space; None where no gateway is known."""
        from shared.runtime.passes import new_pass  # noqa: PLC0415 - whoever makes none needs no cipher

        return self._sealed(new_pass(space, user, now=now, lasts=self._lasts))

    def made_for_operator(self, *, now: datetime) -> PersonLink | None:
        """A new link to the operator's page; None where no gateway is known."""
        from shared.runtime.passes import operators_pass  # noqa: PLC0415 - likewise

        return self._sealed(operators_pass(now=now, lasts=self._lasts))

    @property
    def _lasts(self) -> timedelta:
        return timedelta(minutes=self._settings.link_minutes)

    def _sealed(self, made: "Pass") -> PersonLink | None:
        from shared.runtime.passes import Passes, PassKind  # noqa: PLC0415 - likewise

        base = self.base()
        if base is None:
            return None
        sealed = Passes(load_credentials(self._files.credentials)).sealed(PassKind.LINK, made)
        return PersonLink(f"{base}{OPENING}{sealed}", made.expires_at)
