"""Options that several commands have."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

Space = Annotated[str, typer.Option("--space", help="The namespace of the memories.")]
User = Annotated[str, typer.Option("--user", help="The person who is remembered.")]
Bot = Annotated[str, typer.Option("--bot", help="The bot to speak as.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help="episode or fact; may be repeated. Default: both.")]
MemoryId = Annotated[str, typer.Argument(help="The memory, as `memstream list` names it; the beginning is enough.")]
AsOf = Annotated[datetime | None, typer.Option("--as-of", help="What was known at this moment, in UTC.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")]

DEFAULT_SPACE = "default"
DEFAULT_USER = "me"


def in_utc(moment: datetime | None) -> datetime | None:
    """A moment of the command line, which names no time zone."""
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
