"""Keeps the registry of entities: the names that were mentioned, the entities that they mean, and where they stand."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, text, update

from services.retriever.store.changes import Link
from services.retriever.store.entity_mentions import ChangedMentions, laid_over
from services.retriever.store.entity_mentions import delete as delete_mentions
from services.retriever.store.entity_merges import SaidOfEntities, merges, say, unsay
from services.retriever.store.memory_row import MemoryRow
from services.retriever.store.schema import entities, entity_aliases, memory_entities
from shared.contracts.ids import EntityId
from shared.domain.aliases import Merges, TypedName, meanings
from shared.language.text.entities import name_of
from shared.runtime.bulk import rows_into
from shared.runtime.sqlite import rows

_ALIASES = rows_into(entity_aliases, over=("entity_id", "spellings"))
_ENTITIES = rows_into(entities, over=("name", "aliases", "mention_count"))
_LINKS = rows_into(memory_entities)
_MOVE = update(memory_entities).where(memory_entities.c.alias_id == bindparam("alias"))
_MOVE = _MOVE.values(entity_id=bindparam("entity"))
# As JSON: a statement takes no more than 32,766 parameters, and a rebuild brings more.
_ALIASES_OF = "SELECT type, alias, spellings, entity_id FROM entity_aliases WHERE head IN (SELECT value FROM json_each(:heads))"
_HEADS_OF = text("SELECT id, head FROM entity_aliases WHERE id IN (SELECT value FROM json_each(:ids))")
_DROP = delete(entity_aliases).where(entity_aliases.c.id == bindparam("alias"))
_DISSOLVE = delete(entities).where(entities.c.id == bindparam("entity"))


class _Alias(NamedTuple):
    """The spellings of a name, and the entity that it meant so far."""

    spellings: Counter[str]
    entity_id: str | None  # None: it is new


def write_links(db: Connection, links: Sequence[Link], created: Collection[int]) -> None:
    """Write mentions of entities. A new name may change which entity a known name means; the mentions of that name follow.

    `created`: memories that are new, so that nothing is written of them yet.
    """
    changed = laid_over(db, links, created)
    if changed.added or changed.removed:
        _settle(db, changed)


def remove_links(db: Connection, links: Sequence[Link]) -> None:
    """Delete mentions of entities, with the names that nothing mentions any more."""
    if links:
        _settle(db, ChangedMentions(removed=list(links)))


def write_merges(db: Connection, said: Sequence[SaidOfEntities]) -> None:
    """Write what people said about which entities are one; the mentions follow."""
    _settle(db, ChangedMentions(), about=say(db, said))


def lose_merges(db: Connection, numbers: Collection[int]) -> None:
    """Delete what these events said about which entities are one; the mentions follow."""
    if about := unsay(db, numbers):
        _settle(db, ChangedMentions(), about=about)


def _settle(db: Connection, changed: ChangedMentions, about: Collection[EntityId] = ()) -> None:
    """Write and delete mentions, and whatever follows from them and from what was said about these entities."""
    said = merges(db)
    known = _aliases(db, changed, said, about)
    aliases, gone = _counted(known, changed)
    meant = meanings(aliases, said)
    delete_mentions(db, changed.removed)
    _LINKS.write(db, [_link_row(link, meant) for link in changed.added])
    moved = {name: alias.entity_id for name, alias in known.items() if name in meant and alias.entity_id != meant[name].id}
    written = {name_of(link.entity) for link in (*changed.added, *changed.removed)}.union(moved) - gone
    _write_aliases(db, {name: aliases[name] for name in written}, meant)
    if gone:
        db.execute(_DROP, [{"alias": name.id} for name in gone])
    if moved:
        db.execute(_MOVE, [{"alias": name.id, "entity": meant[name].id} for name in moved])
    left = {str(before) for before in moved.values()}.union(str(known[name].entity_id) for name in gone)
    _write_entities(db, aliases, meant, left.union(meant[name].id for name in written))
    if dissolved := sorted(left - {main.id for main in meant.values()}):
        db.execute(_DISSOLVE, [{"entity": identity} for identity in dissolved])


def _counted(
    known: Mapping[TypedName, _Alias], changed: ChangedMentions
) -> tuple[dict[TypedName, _Alias], AbstractSet[TypedName]]:
    """The names with their spellings, as they are mentioned after the change; and those that nothing mentions any more."""
    aliases = dict(known)
    for link in changed.added:
        aliases.setdefault(name_of(link.entity), _Alias(Counter(), None)).spellings[link.entity.name] += 1
    for link in changed.removed:
        aliases[name_of(link.entity)].spellings[link.entity.name] -= 1
    now = {name: alias._replace(spellings=+alias.spellings) for name, alias in aliases.items()}
    gone = {name for name, alias in now.items() if not alias.spellings}
    return {name: alias for name, alias in now.items() if name not in gone}, gone


def _aliases(db: Connection, changed: ChangedMentions, said: Merges, about: Collection[EntityId]) -> dict[TypedName, _Alias]:
    """The known names that a change may concern: those with the first words of its names, or merged with one that has."""
    names = {name_of(link.entity) for link in (*changed.added, *changed.removed)}
    heads = {name.head for name in names}
    if said.into or about:
        heads = _merged_heads(db, heads, {name.id: name.head for name in names}, said, about)
    found = rows(db, _ALIASES_OF, {"heads": json.dumps(sorted(heads))})
    return {TypedName(kind, name): _Alias(Counter(json.loads(spelt)), entity) for kind, name, spelt, entity in found}


def _merged_heads(
    db: Connection, heads: AbstractSet[str], new: Mapping[EntityId, str], said: Merges, about: Collection[EntityId]
) -> set[str]:
    """These first words of names and those of these entities, with those of all that they are merged with."""
    ids = json.dumps(sorted({*said.into, *said.into.values(), *about}))
    head_of = {**new, **{EntityId(each): head for each, head in db.execute(_HEADS_OF, {"ids": ids})}}
    pairs = [(head_of[one], head_of[other]) for one, other in said.into.items() if one in head_of and other in head_of]
    found = {*heads, *(head_of[each] for each in about if each in head_of)}
    while more := {head for pair in pairs if found.intersection(pair) for head in pair} - found:
        found |= more
    return found


def _link_row(link: Link, meant: Mapping[TypedName, TypedName]) -> MemoryRow:
    name = name_of(link.entity)
    place = {"number": link.number, "source": link.source, "alias_id": name.id, "entity_id": meant[name].id}
    return place | dict(link.entity)


def _write_aliases(db: Connection, aliases: Mapping[TypedName, _Alias], meant: Mapping[TypedName, TypedName]) -> None:
    written = [
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
    _ALIASES.write(db, written)


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
    _ENTITIES.write(db, [_entity_row(main, names, aliases[main]) for main, names in of.items() if main.id in changed])


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
