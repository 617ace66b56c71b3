"""Keeps the registry of entities: the names that were mentioned, the entities that they mean, and where they stand."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, text, update

from services.retriever.store.changes import Link
from services.retriever.store.memory_row import MemoryRow
from services.retriever.store.schema import entities, entity_aliases, memory_entities
from shared.contracts.parts import Entity
from shared.domain.aliases import TypedName, meanings
from shared.runtime.bulk import rows_into
from shared.text.entities import canonical_name

_ALIASES = rows_into(entity_aliases, over=("entity_id", "spellings"))
_ENTITIES = rows_into(entities, over=("name", "aliases", "mention_count"))
_LINKS = rows_into(memory_entities)
_MOVE = update(memory_entities).where(memory_entities.c.alias_id == bindparam("alias"))
_MOVE = _MOVE.values(entity_id=bindparam("entity"))
# As JSON: a statement takes no more than 32,766 parameters, and a rebuild brings more.
_LINKS_OF = text(
    "SELECT number, source, start, alias_id FROM memory_entities WHERE number IN (SELECT value FROM json_each(:numbers))"
)
_ALIASES_OF = text("SELECT * FROM entity_aliases WHERE head IN (SELECT value FROM json_each(:heads))")
_DISSOLVE = delete(entities).where(entities.c.id == bindparam("entity"))


class _Alias(NamedTuple):
    """The spellings of a name, and the entity that it meant so far."""

    spellings: Counter[str]
    entity_id: str | None  # None: it is new


def write_links(db: Connection, links: Sequence[Link], created: Collection[int]) -> None:
    """Write mentions of entities. A new name may change which entity a known name means; the mentions of that name follow.

    `created`: memories that are new, so that nothing is written of them yet.
    """
    new = _not_written(db, links, created)
    if not new:
        return
    known = _aliases(db, {_name(link.entity).head for link in new})
    aliases = dict(known)
    for link in new:
        alias = aliases.setdefault(_name(link.entity), _Alias(Counter(), None))
        alias.spellings[link.entity.name] += 1
    meant = meanings(aliases)
    _LINKS.write(db, [_link_row(link, meant) for link in new])
    moved = {name: alias.entity_id for name, alias in known.items() if alias.entity_id != meant[name].id}
    changed = {_name(link.entity) for link in new}.union(moved)
    _write_aliases(db, {name: aliases[name] for name in changed}, meant)
    if moved:
        db.execute(_MOVE, [{"alias": name.id, "entity": meant[name].id} for name in moved])
    left = {str(before) for before in moved.values()}
    _write_entities(db, aliases, meant, left.union(meant[name].id for name in changed))
    if gone := sorted(left - {main.id for main in meant.values()}):
        db.execute(_DISSOLVE, [{"entity": identity} for identity in gone])


def _name(entity: Entity) -> TypedName:
    return TypedName(entity.type, canonical_name(entity))


def _not_written(db: Connection, links: Sequence[Link], created: Collection[int]) -> list[Link]:
    """The links that are not written yet; a better method finds again what a quick one had found."""
    older = sorted({link.number for link in links}.difference(created))
    known = {tuple(row) for row in db.execute(_LINKS_OF, {"numbers": json.dumps(older)})} if older else set()
    fresh: dict[tuple[int, int, int, str], Link] = {}
    for link in links:
        key = (link.number, link.source, link.entity.start, _name(link.entity).id)
        if key not in known:
            fresh.setdefault(key, link)
    return list(fresh.values())


def _aliases(db: Connection, heads: Collection[str]) -> dict[TypedName, _Alias]:
    """The known names with one of these first words: only they can mean the same entity."""
    rows = db.execute(_ALIASES_OF, {"heads": json.dumps(sorted(heads))})
    return {TypedName(row.type, row.alias): _Alias(Counter(json.loads(row.spellings)), row.entity_id) for row in rows}


def _link_row(link: Link, meant: Mapping[TypedName, TypedName]) -> MemoryRow:
    name = _name(link.entity)
    place = {"number": link.number, "source": link.source, "alias_id": name.id, "entity_id": meant[name].id}
    return place | dict(link.entity)


def _write_aliases(db: Connection, aliases: Mapping[TypedName, _Alias], meant: Mapping[TypedName, TypedName]) -> None:
    rows = [
        {
            "id": name.id,
            "entity_id": meant[name].id,
            "alias": name.alias,
            "type": name.type,
            "head": name.head,
            "spellings": json.dumps(alias.spellings, sort_keys=True),
        }
        for name, alias in aliases.items()
    ]
    _ALIASES.write(db, rows)


def _write_entities(
    db: Connection,
    aliases: Mapping[TypedName, _Alias],
    meant: Mapping[TypedName, TypedName],
    changed: Collection[str],
) -> None:
    """Write the entities that gained or lost a name or a mention."""
    of: dict[TypedName, list[_Alias]] = defaultdict(list)
    for name, alias in aliases.items():
        of[meant[name]].append(alias)
    rows = [_entity_row(main, names, aliases[main]) for main, names in of.items() if main.id in changed]
    _ENTITIES.write(db, rows)


def _entity_row(main: TypedName, aliases: Iterable[_Alias], fullest: _Alias) -> MemoryRow:
    spellings: Counter[str] = Counter()
    for alias in aliases:
        spellings.update(alias.spellings)
    return {
        "id": main.id,
        "canonical_name": main.alias,
        "type": main.type,
        "name": _by_frequency(fullest.spellings)[0].lstrip("@#"),
        "aliases": json.dumps(_by_frequency(spellings)),
        "mention_count": spellings.total(),
    }


def _by_frequency(spellings: Counter[str]) -> list[str]:
    return sorted(spellings, key=lambda spelling: (-spellings[spelling], spelling))
