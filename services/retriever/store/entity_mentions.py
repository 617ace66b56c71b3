"""Tells which mentions of entities are new, where several methods read the same text: a place in it is counted once.

Of mentions that share characters the more confident stands, then the longer, then the one that was there.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, text

from services.retriever.store.changes import Link
from shared.contracts.parts import Entity
from shared.language.text.entities import name_of, precedes, share_place
from shared.runtime.sqlite import values_named

# As JSON: a statement takes no more than 32,766 parameters, and a rebuild brings more.
_SELECT = 'SELECT number, source, name, type, start, "end", confidence FROM memory_entities'
_OF_MEMORIES = text(f"{_SELECT} WHERE number IN (SELECT value FROM json_each(:numbers))")
_OF_REPEATS = text(f"{_SELECT} WHERE number <> source AND source IN (SELECT value FROM json_each(:numbers))")
_DELETE = text(
    "DELETE FROM memory_entities WHERE number = :number AND source = :source AND start = :start AND alias_id = :alias"
)


@dataclass(slots=True)
class ChangedMentions:
    """The mentions to write and to delete."""

    added: list[Link] = field(default_factory=list)
    removed: list[Link] = field(default_factory=list)


def laid_over(db: Connection, links: Sequence[Link], created: Collection[int]) -> ChangedMentions:
    """What mentions change, each laid over those that stand. `created`: new memories, of which nothing is written yet."""
    older = {link.number for link in links}.difference(created)
    before = of_memories(db, older) if older else []
    standing: dict[tuple[int, int], list[Link]] = defaultdict(list)
    for link in before:
        standing[link.number, link.source].append(link)
    touched = {(link.number, link.source) for link in links}
    for link in links:
        _lay(link, standing[link.number, link.source])
    now = [link for place in touched for link in standing[place]]
    if not before:
        return ChangedMentions(now)
    known, kept = set(map(_key, before)), set(map(_key, now))
    removed = [link for link in before if (link.number, link.source) in touched and _key(link) not in kept]
    return ChangedMentions([link for link in now if _key(link) not in known], removed)


def of_memories(db: Connection, numbers: Collection[int]) -> list[Link]:
    """All mentions in these memories."""
    return [_link(row) for row in db.execute(_OF_MEMORIES, {"numbers": json.dumps(sorted(numbers))})]


def of_repeats(db: Connection, numbers: Collection[int]) -> list[Link]:
    """The mentions in the words of these repeats."""
    return [_link(row) for row in db.execute(_OF_REPEATS, {"numbers": json.dumps(sorted(numbers))})]


def delete(db: Connection, links: Collection[Link]) -> None:
    """Delete mentions."""
    if links:
        keys = ("number", "source", "start", "alias")
        db.execute(_DELETE, [dict(zip(keys, _key(link), strict=True)) for link in links])


def _lay(link: Link, standing: list[Link]) -> None:
    """Add a mention to those of a text, in place of those that it wins over, if it wins over all that share a character."""
    others = [each for each in standing if share_place(link.entity, each.entity)]
    if not all(precedes(link.entity, each.entity) for each in others):
        return
    for each in others:
        standing.remove(each)
    standing.append(link)


def _key(link: Link) -> tuple[int, int, int, str]:
    return (link.number, link.source, link.entity.start, name_of(link.entity).id)


def _link(row: Row[Any]) -> Link:
    return Link(row.number, row.source, Entity(**values_named(row, Entity.model_fields)))
