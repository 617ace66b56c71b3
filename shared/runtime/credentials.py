"""The passwords of services and bots, made once by `memstream init` and kept in a private file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shared.contracts.errors import Malformed
from shared.contracts.ids import Space
from shared.runtime.datadir import read_private, write_private
from shared.runtime.ids import new_token

SERVICE_USERS = ("ingest", "retriever", "consolidator", "maintenance", "operator", "system")
DEFAULT_BOT = "bot"
_BOT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class BotAccess:
    """A bot's password, and the spaces that it is limited to; without any it may use all."""

    password: str = field(repr=False)
    spaces: tuple[Space, ...] = ()


@dataclass(frozen=True, slots=True)
class Credentials:
    """The passwords of all users of the server."""

    services: Mapping[str, str] = field(repr=False)
    bots: Mapping[str, BotAccess]

    def with_bot(self, name: str, spaces: tuple[Space, ...] = ()) -> Credentials:
        """These credentials with one more bot. Raises Malformed if the name is taken or not fit for a subject."""
        if not _BOT_NAME.fullmatch(name):
            raise Malformed("a bot's name has 1 to 32 of a-z, 0-9, _ and -, and begins with a letter or digit")
        if name in self.bots or name in self.services:
            raise Malformed(f"{name} exists already; choose another name")
        return replace(self, bots={**self.bots, name: BotAccess(new_token(), spaces)})


def create_credentials() -> Credentials:
    """Make new passwords for all services and one bot."""
    services = {name: new_token() for name in SERVICE_USERS}
    return Credentials(services, {DEFAULT_BOT: BotAccess(new_token())})


def save_credentials(path: Path, credentials: Credentials) -> None:
    """Write the credentials to a file that only its owner can read."""
    lines = ["# memstream's passwords. Keep this file secret.", "[services]"]
    lines += [f"{name} = {json.dumps(password)}" for name, password in credentials.services.items()]
    for name, bot in credentials.bots.items():
        lines += [
            "",
            f"[bots.{name}]",
            f"password = {json.dumps(bot.password)}",
            f"spaces = {_toml(bot.spaces)}",
        ]
    write_private(path, "\n".join(lines) + "\n")


def load_credentials(path: Path) -> Credentials:
    """The credentials in a file. Raises NotInitialised if there is none, Misconfigured if it is damaged."""
    return read_private(path, _credentials)


def _credentials(document: dict[str, Any]) -> Credentials:
    bots = {name: BotAccess(bot["password"], tuple(bot["spaces"])) for name, bot in document["bots"].items()}
    return Credentials({name: str(document["services"][name]) for name in SERVICE_USERS}, bots)


def _toml(texts: Sequence[str]) -> str:
    """A TOML array of basic strings: JSON's escapes, but for characters beyond the basic plane, and with DEL escaped."""
    return json.dumps(list(texts), ensure_ascii=False).replace("\x7f", "\\u007f")
