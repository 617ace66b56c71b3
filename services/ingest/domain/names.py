"""The names that the events and facts of a scope mention, as keyed hashes.

Source: ../reference/memory-system.md, "entities"; docs/adr/0012-entities-are-a-function-of-names.md.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from services.ingest.domain.likeness import Likeness
from services.ingest.domain.recognising import likeness_of, of_recent_texts
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Entity, Kind
from shared.domain.aliases import PERSON, UNTYPED, TypedName, are_one, keyed
from shared.domain.digests import Digester
from shared.language.text.entities import canonical_name, find_entities
from shared.language.text.phrasing import ENGLISH

_BYTES = 8
_NOT_CALLED = frozenset({"url", "email", "hashtag", "date"})
_FIRST_WORD = re.compile(r"\w+(?:-\w+)*")


class Called(NamedTuple):
    """What is stored of a text with names, to recognise it when it uses other names of the same entities."""

    names: tuple[TypedName, ...]  # in the order of the text
    short: Likeness  # of the text with the first words only of names that may be a person's


class Naming:
    """The names of a scope, and those in its facts, while events are folded in."""

    def __init__(self, names: AbstractSet[TypedName], called: Mapping[MemoryId, Called]) -> None:
        self.names = set(names)
        self.called = dict(called)
        self._met: set[tuple[str, str]] = set()  # as they were written in the events folded in here

    def add(self, event: Envelope, digester: Digester) -> None:
        """Fold one event in."""
        data = event.data
        entities: Sequence[Entity] = vars(data).get("entities", ())
        for entity in entities:
            if (entity.type, entity.name) not in self._met:
                self._met.add((entity.type, entity.name))
                self.names.add(name_of(entity, digester))
        if data.makes is Kind.FACT and data.subject and (found := _called("\n".join(data.words), entities, digester)):
            self.called[data.subject] = found

    def drop(self, memory_ids: Collection[MemoryId]) -> None:
        """Drop these memories. Names that only they mentioned go when the scope is rebuilt."""
        for memory_id in memory_ids:
            self.called.pop(memory_id, None)


def name_of(entity: Entity, digester: Digester) -> TypedName:
    """The name under which an entity is mentioned, as keyed hashes."""
    return keyed(TypedName(entity.type, canonical_name(entity)), lambda text: digester.digest("name", text)[:_BYTES].hex())


@of_recent_texts
def called_in(text: str, digester: Digester) -> Called | None:
    """The names in a text, and its likeness with first names only; None if it names nobody."""
    return _called(text, find_entities(text), digester)


def agree(ones: Sequence[TypedName], others: Sequence[TypedName], known: AbstractSet[TypedName]) -> bool:
    """True if two texts name the same entities in the same order, by the names that are known."""
    return len(ones) == len(others) and all(are_one(one, other, known) for one, other in zip(ones, others, strict=True))


def _called(text: str, entities: Sequence[Entity], digester: Digester) -> Called | None:
    names: list[TypedName] = []
    short, end = [], 0
    for entity in _with_the_first_word(text, entities):
        if entity.type in _NOT_CALLED or entity.start < end or text[entity.start : entity.end] != entity.name:
            continue
        names.append(name_of(entity, digester))
        shown = entity.name.split()[:1] if entity.type in {PERSON, UNTYPED} else [entity.name]
        short += [text[end : entity.start], *shown]
        end = entity.end
    if not names:
        return None
    return Called(tuple(names), likeness_of("".join([*short, text[end:]]), digester))


def _with_the_first_word(text: str, entities: Sequence[Entity]) -> Sequence[Entity]:
    """The entities, and the first word of the text if it may be an unrecognised name: `Anna saw Rome`."""
    found = _FIRST_WORD.match(text)
    if found is None or not text[0].isupper() or found[0].lower() in ENGLISH or (entities and entities[0].start < found.end()):
        return entities
    return (Entity(name=found[0], type=UNTYPED, start=0, end=found.end(), confidence=0.0), *entities)
