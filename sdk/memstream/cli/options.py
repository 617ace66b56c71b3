"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Space = Annotated[str, typer.Option("--space", help="The namespace of the memories.")]
User = Annotated[str, typer.Option("--user", help="The person who is remembered.")]
Bot = Annotated[str, typer.Option("--bot", help="The bot to speak as.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help="episode or fact; may be repeated. Default: both.")]
MemoryId = Annotated[str, typer.Argument(help="The memory, as `memstream list` names it; the beginning is enough.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")]

DEFAULT_SPACE = "default"
DEFAULT_USER = "me"
