"""Where the server is, and as whom a bot speaks to it: as given, else from the environment, else from a data folder.

The SDK's one place that reads the environment: MEMSTREAM_URL, MEMSTREAM_BOT, MEMSTREAM_PASSWORD, MEMSTREAM_DATA_DIR;
of a reader MEMSTREAM_READER and MEMSTREAM_READER_PASSWORD.
"""

import json
import os
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memstream._contracts import Misconfigured, NotInitialised, Unavailable

DEFAULT_BOT = "bot"


@dataclass(frozen=True, slots=True)
class Address:
    """A server, and a bot's account on it."""

    url: str
    bot: str
    password: str | None = field(repr=False)


def find_address(*, url: str | None, bot: str | None, password: str | None, data_dir: Path | None) -> Address:
    """Fill in what is not given. Raises Unavailable if memstream does not run here, NotInitialised if there is none."""
    folder = data_dir or _data_dir()
    url = url or _environment("MEMSTREAM_URL")
    bot = bot or _environment("MEMSTREAM_BOT") or DEFAULT_BOT
    password = password or _environment("MEMSTREAM_PASSWORD")
    if password is None and (url is None or (folder / "credentials.toml").exists()):
        bots = _table(folder, "bots")
        if bot not in bots:
            raise Misconfigured(f"there is no bot named {bot}; make it with `memstream bot create {bot}`")
        password = str(bots[bot]["password"])
    return Address(url or _running_url(folder), bot, password)


def find_readers_address(
    *, space: str, url: str | None, name: str | None, password: str | None, data_dir: Path | None
) -> Address:
    """Fill in what a reader was not given; without a name it is the first of the data folder that may read the space.

    Raises Unavailable if memstream does not run here, NotInitialised if there is none, Misconfigured without such a reader.
    """
    folder = data_dir or _data_dir()
    url = url or _environment("MEMSTREAM_URL")
    name = name or _environment("MEMSTREAM_READER")
    password = password or _environment("MEMSTREAM_READER_PASSWORD")
    if name is None or password is None:
        readers = _table(folder, "readers")
        name = name or next((each for each, reader in readers.items() if space in reader["spaces"]), None)
        if name not in readers:
            raise Misconfigured(f"there is no such reader of {space}; make one with `memstream reader create --space {space}`")
        password = password or str(readers[name]["password"])
    return Address(url or _running_url(folder), name, password)


def _environment(name: str) -> str | None:
    return os.environ.get(name) or None  # noqa: TID251 - the one place, see above


def _data_dir() -> Path:
    """The data folder: MEMSTREAM_DATA_DIR, else the platform's usual place, worked out as platformdirs does."""
    if chosen := _environment("MEMSTREAM_DATA_DIR"):
        return Path(chosen).expanduser()
    if (chosen := _environment("XDG_DATA_HOME")) and Path(chosen).is_absolute():
        return Path(chosen) / "memstream"
    return Path("~/Library/Application Support" if sys.platform == "darwin" else "~/.local/share").expanduser() / "memstream"


def _running_url(folder: Path) -> str:
    try:
        return str(json.loads((folder / "running.json").read_text(encoding="utf-8"))["url"])
    except (OSError, ValueError, KeyError) as error:
        raise Unavailable(
            f"memstream does not run on {folder}; start it with `memstream up`, or give the server's url and a password"
        ) from error


def _table(folder: Path, name: str) -> dict[str, Any]:
    """The bots or the readers of a data folder."""
    path = folder / "credentials.toml"
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")).get(name, {})
    except FileNotFoundError as error:
        raise NotInitialised(
            f"there is no memstream in {folder}; run `memstream up`, or give the server's url and a password"
        ) from error
    except (OSError, ValueError) as error:
        raise Misconfigured(f"{path} cannot be read; give name and password instead") from error
    return table
