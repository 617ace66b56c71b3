"""The trail in words: who did what, when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from shared.contracts.command import Channel
from shared.contracts.queries import AuditEntry

_OWN_PAGE = "http/person"
_HTTP = "http/"
_PATHS_OF = 1


@dataclass(frozen=True, slots=True)
class TrailLine:
    """Something that was done, or the same several times in a row."""

    at: datetime
    event: str
    """A key of the catalogue."""
    count: int
    who: str
    """A key of the catalogue, which may name `name`."""
    name: str
    refused: str | None
    """The code of the refusal."""
    memory_id: str | None
    """The memory that it is about, where it is one."""
    settings: Sequence[str]
    receipt: int | None


def trail_lines(entries: Sequence[AuditEntry]) -> list[TrailLine]:
    """The entries, newest first; those that say the same of the same moment are one line."""
    return [_line(list(alike)) for _, alike in groupby(entries, _alike)]


def actor_of(entry: AuditEntry) -> tuple[str, str]:
    """Who did it, as a key of the catalogue, and the name."""
    name = entry.actor.name or ""
    if entry.actor.channel == Channel.WORK:
        return "memstream", name
    if name == _OWN_PAGE:
        return "you", ""
    if name.startswith(_HTTP):
        return "program", name.removeprefix(_HTTP)
    return ("bot", name) if name else ("somebody", "")


def _alike(entry: AuditEntry) -> tuple[Any, ...]:
    return entry.type, entry.code, actor_of(entry), entry.at.replace(second=0, microsecond=0)


def _line(alike: Sequence[AuditEntry]) -> TrailLine:
    newest = alike[0]
    who, name = actor_of(newest)
    named = dict.fromkeys(memory_id for entry in alike for memory_id in entry.memory_ids)
    settings = newest.details.get("settings")
    return TrailLine(
        at=newest.at,
        event=newest.type,
        count=_count(alike),
        who=who,
        name=name,
        refused=newest.code if newest.result == "rejected" else None,
        memory_id=next(iter(named)) if len(named) == _PATHS_OF else None,
        settings=[str(each) for each in settings] if isinstance(settings, list) else (),
        receipt=newest.number if newest.type in {"memory_forgotten", "user_forgotten"} else None,
    )


def _count(alike: Sequence[AuditEntry]) -> int:
    """How many times, or how many memories where a forgetting names them."""
    if alike[0].type == "memory_forgotten":
        return sum(len(entry.memory_ids) for entry in alike)
    return len(alike)
