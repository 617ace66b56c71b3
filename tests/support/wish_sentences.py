"""The sentences of wishes/*.toml: what people ask of the memory, and what only looks like it."""

from __future__ import annotations

import tomllib
from pathlib import Path


def lines(name: str, table: str) -> list[str]:
    """Return the messages of a table of wishes/<name>.toml."""
    path = Path(__file__).with_name("wishes") / f"{name}.toml"
    found: str = tomllib.loads(path.read_text(encoding="utf-8"))[table]
    return found.strip().splitlines()
