"""Lists the entities of a person, each with the names that it was put together from."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from sqlalchemy import Connection, desc, select, text

from services.retriever.store.entity_lookup import SHOWN, find, known_entities
from services.retriever.store.entity_merges import merges
from services.retriever.store.schema import entities
from shared.contracts.ids import EntityId
from shared.contracts.queries import EntitiesAnswer, EntitiesQuery, EntityName, KnownEntity, ListedEntity

_NAMES = text("SELECT * FROM entity_aliases WHERE entity_id IN (SELECT value FROM json_each(:ids)) ORDER BY id")


def listed(db: Connection, query: EntitiesQuery, position: int) -> EntitiesAnswer:
    """A page of the entities, those mentioned most first; of a name those that it may mean, likeliest first."""
    found = _named(db, query) if query.name else _all(db, query)
    page = found[: query.limit]
    following = query.offset + query.limit if len(found) > query.limit else None
    return EntitiesAnswer(position=position, entities=tuple(_with_names(db, page)), next_offset=following)


def no_entities(position: int) -> EntitiesAnswer:
    """The answer about a person of whom nothing is known."""
    return EntitiesAnswer(position=position, entities=())


def _named(db: Connection, query: EntitiesQuery) -> list[KnownEntity]:
    found = [each for each in find(db, query.name or "") if not query.types or each.type in query.types]
    return found[query.offset :]


def _all(db: Connection, query: EntitiesQuery) -> list[KnownEntity]:
    wanted = select(entities).where(SHOWN).order_by(desc(entities.c.mention_count), entities.c.id)
    if query.types:
        wanted = wanted.where(entities.c.type.in_(query.types))
    return known_entities(db.execute(wanted.limit(query.limit + 1).offset(query.offset)))


def _with_names(db: Connection, page: Collection[KnownEntity]) -> Iterable[ListedEntity]:
    """The entities with their names: the one that each goes by first, then those mentioned most."""
    rows = db.execute(_NAMES, {"ids": json.dumps([each.entity_id for each in page])}).all()
    merged = merges(db).into
    names: dict[str, list[EntityName]] = defaultdict(list)
    for row in rows:
        spellings = Counter(json.loads(row.spellings))
        is_itself = row.id == row.entity_id
        name = EntityName(
            entity_id=row.id,
            name=min(spellings, key=lambda spelling: (-spellings[spelling], spelling)),
            type=row.type,
            mention_count=spellings.total(),
            counted="itself" if is_itself else "merged" if EntityId(row.id) in merged else "alike",
        )
        names[row.entity_id].append(name)
    for each in page:
        of = sorted(names[each.entity_id], key=lambda name: (name.counted != "itself", -name.mention_count, name.name))
        yield ListedEntity(**dict(each), names=tuple(of))
