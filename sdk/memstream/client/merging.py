"""Says that two entities are one, and takes that back; each may be named, or given by its id."""

from memstream._contracts import EntityName, ListedEntity, Malformed, UnknownEntity
from memstream.client.asking import Asking
from memstream.client.exchange import DEFAULT_TIMEOUT_S, Decision

_MOST = 10


class Merging(Asking):
    """No name is sent: they are looked up first, and what is sent are ids."""

    async def merge_entities(
        self, entity: str, into: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Say that the first is the second: whatever mentions one mentions both. Raises UnknownEntity.

        A name that several may mean is refused with their ids.
        """
        entity_id = (await self._the_one(entity, timeout_s)).entity_id
        into = (await self._the_one(into, timeout_s)).entity_id
        return await self._decide(
            "merge_entities", {"entity_id": entity_id, "into": into, "message_id": message_id, "timeout_s": timeout_s}
        )

    async def unmerge_entities(
        self, entity: str, *, message_id: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Decision:
        """Make one of the names of an entity an entity of its own again. Raises UnknownEntity."""
        found = await self._the_one(entity, timeout_s)
        # of several names spelt alike the one that it does not go by
        entity_id = next(name for name in reversed(found.names) if _is_called(name, entity)).entity_id
        return await self._decide(
            "unmerge_entities", {"entity_id": entity_id, "message_id": message_id, "timeout_s": timeout_s}
        )

    async def _the_one(self, named: str, timeout_s: float) -> ListedEntity:
        """The entity that a name or id means beyond doubt."""
        found = await self.entities(name=named, limit=_MOST, min_position=self.decided_up_to, timeout_s=timeout_s)
        exact = [each for each in found.entities if any(_is_called(name, named) for name in each.names)]
        if not exact:
            raise UnknownEntity
        if len(exact) > 1:
            ids = ", ".join(each.entity_id for each in exact)
            raise Malformed(f"several entities have this name; give the id of one: {ids}")
        return exact[0]


def _is_called(name: EntityName, named: str) -> bool:
    return named == name.entity_id or _folded(named) == _folded(name.name)


def _folded(name: str) -> str:
    return " ".join(name.casefold().lstrip("@#").split())
