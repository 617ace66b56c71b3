"""The passwords of services, bots and readers, made once by `memstream init` and kept in a private file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shared.contracts.errors import Malformed, Misconfigured
from shared.contracts.ids import Space
from shared.runtime.datadir import read_private, write_private
from shared.runtime.ids import new_token

SERVICE_USERS = ("ingest", "retriever", "consolidator", "maintenance", "feed", "gateway", "operator", "system", "route")
DEFAULT_BOT = "bot"
_NEW = frozenset(("feed", "gateway", "route"))
"""Those whose passwords files of earlier versions lack. As `route` the servers of a cluster know one another."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class BotAccess:
    """A bot's password, and the spaces that it is limited to; without any it may use all."""

    password: str = field(repr=False)
    spaces: tuple[Space, ...] = ()


@dataclass(frozen=True, slots=True)
class ReaderAccess:
    """The password of a reader, and the spaces whose events it may read: at least one."""

    password: str = field(repr=False)
    spaces: tuple[Space, ...]


@dataclass(frozen=True, slots=True)
class Credentials:
    """The passwords of all users of the server."""

    services: Mapping[str, str] = field(repr=False)
    bots: Mapping[str, BotAccess]
    readers: Mapping[str, ReaderAccess] = field(default_factory=dict)

    def of_service(self, name: str) -> str:
        """The password of a service. Raises Misconfigured if an earlier version made these, without that service."""
        if name not in self.services:
            raise Misconfigured(f"credentials.toml has no password for {name}; run `memstream init`, which adds it")
        return self.services[name]

    def completed(self) -> Credentials:
        """These credentials with passwords for the services that they were made without, by an earlier version."""
        missing = {name: new_token() for name in SERVICE_USERS if name not in self.services}
        return replace(self, services={**self.services, **missing}) if missing else self

    def with_bot(self, name: str, spaces: tuple[Space, ...] = ()) -> Credentials:
        """These credentials with one more bot. Raises Malformed if the name is taken or not fit for a subject."""
        self._require_free(name)
        return replace(self, bots={**self.bots, name: BotAccess(new_token(), spaces)})

    def with_reader(self, name: str, spaces: tuple[Space, ...]) -> Credentials:
        """These credentials with one more reader. Raises Malformed if the name is taken or not fit for a subject."""
        self._require_free(name)
        return replace(self, readers={**self.readers, name: ReaderAccess(new_token(), spaces)})

    def without_reader(self, name: str) -> Credentials:
        """These credentials without a reader."""
        return replace(self, readers={other: reader for other, reader in self.readers.items() if other != name})

    def _require_free(self, name: str) -> None:
        if not is_name(name):
            raise Malformed("a name has 1 to 32 of a-z, 0-9, _ and -, and begins with a letter or digit")
        if name in {*self.bots, *self.readers, *SERVICE_USERS}:
            raise Malformed(f"{name} exists already; choose another name")


def is_name(text: str) -> bool:
    """True if a bot or a reader may be called so."""
    return _NAME.fullmatch(text) is not None


def create_credentials() -> Credentials:
    """Make new passwords for all services and one bot."""
    services = {name: new_token() for name in SERVICE_USERS}
    return Credentials(services, {DEFAULT_BOT: BotAccess(new_token())})


def complete_credentials(path: Path) -> Credentials:
    """The credentials in a file, after passwords were added for services that it was made without."""
    found = load_credentials(path)
    whole = found.completed()
    if whole is not found:
        save_credentials(path, whole)
    return whole


def save_credentials(path: Path, credentials: Credentials) -> None:
    """Write the credentials to a file that only its owner can read."""
    lines = ["# memstream's passwords. Keep this file secret.", "[services]"]
    lines += [f"{name} = {json.dumps(password)}" for name, password in credentials.services.items()]
    for table, users in (("bots", credentials.bots), ("readers", credentials.readers)):
        for name, access in users.items():
            lines += ["", f"[{table}.{name}]", f"password = {json.dumps(access.password)}", f"spaces = {_toml(access.spaces)}"]
    write_private(path, "\n".join(lines) + "\n")


def load_credentials(path: Path) -> Credentials:
    """The credentials in a file. Raises NotInitialised if there is none, Misconfigured if it is damaged."""
    return read_private(path, _credentials)


def _credentials(document: dict[str, Any]) -> Credentials:
    bots = {name: BotAccess(bot["password"], tuple(bot["spaces"])) for name, bot in document["bots"].items()}
    readers = {
        name: ReaderAccess(reader["password"], tuple(reader["spaces"])) for name, reader in document.get("readers", {}).items()
    }
    services = {
        name: str(document["services"][name]) for name in SERVICE_USERS if name in document["services"] or name not in _NEW
    }
    return Credentials(services, bots, readers)


def _toml(texts: Sequence[str]) -> str:
    """A TOML array of basic strings: JSON's escapes, but for characters beyond the basic plane, and with DEL escaped."""
    return json.dumps(list(texts), ensure_ascii=False).replace("\x7f", "\\u007f")
