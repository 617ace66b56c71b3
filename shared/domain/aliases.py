"""Which names mean the same entity. A function of the set of names, and of what people said about them.

The order in which names came does not matter. It works on names as they are written, and on names of which only keyed digests
are left (`keyed`).
Source: ../reference/memory-system.md, "entities"; docs/adr/0012-entities-are-a-function-of-names.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from shared.contracts.ids import EntityId
from shared.domain.digests import entity_id

PERSON, UNTYPED = "person", "other"
TYPES = frozenset({PERSON, UNTYPED, "project", "organization", "location", "email", "url", "hashtag", "date"})
"""The known types of entities. Any other type that a detector names may be text of a person's."""


@dataclass(frozen=True, slots=True, order=True)
class TypedName:
    """A name with its type: `anna`, a person."""

    type: str
    alias: str  # case folded, without signs: shared.language.text.entities.canonical_name

    @property
    def id(self) -> EntityId:
        """The id of the entity of this name, where the name does not mean the entity of another one."""
        return entity_id(self.type, self.alias)

    @property
    def head(self) -> str:
        """The first word of the name; for a person the first name."""
        return self.alias.partition(" ")[0]

    @property
    def is_first_name(self) -> bool:
        """True for a person named by one word."""
        return self.type == PERSON and " " not in self.alias

    @property
    def may_mean_another(self) -> bool:
        """True for a name that may be short for another one, or stand for one with a type."""
        return self.type == UNTYPED or self.is_first_name

    @property
    def is_full_name(self) -> bool:
        """True for a person named by several words."""
        return self.type == PERSON and " " in self.alias


@dataclass(frozen=True, slots=True)
class Merges:
    """What people said about names: which entities are one, and which name stands for itself though the rule says otherwise.

    A part of it about a name that is not known has no effect while it is not.
    """

    into: Mapping[EntityId, EntityId] = field(default_factory=dict)
    apart: AbstractSet[EntityId] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.into or self.apart)

    def merged(self, entity: EntityId, into: EntityId) -> Merges:
        """The merges, with one entity counted to another."""
        return replace(self, into={**self.into, entity: into})

    def parted(self, entity: EntityId, *, by_rule: bool) -> Merges:
        """The merges, with an entity as one of its own. `by_rule`: nobody had merged it, and the rule does not count for it."""
        if by_rule:
            return replace(self, apart=self.apart | {entity})
        return replace(self, into={each: other for each, other in self.into.items() if each != entity})


NO_MERGES = Merges()


def meanings(names: Iterable[TypedName], said: Merges = NO_MERGES) -> dict[TypedName, TypedName]:
    """For each name, the name under which its entity is known.

    What people said counts first. Else a name without a type means the only typed one that is spelt like it; a first name the
    only full name that begins with it. Where two could be meant, it stands for itself.

    >>> anna, smith, jones = TypedName("person", "anna"), TypedName("person", "anna smith"), TypedName("person", "anna jones")
    >>> meanings([anna, smith])[anna].alias
    'anna smith'
    >>> meanings([anna, smith, jones])[anna].alias
    'anna'
    >>> meanings([anna, smith, jones], NO_MERGES.merged(anna.id, jones.id))[anna].alias
    'anna jones'
    """
    known = sorted(set(names))
    rule = _by_rule(known)
    if not said:
        return {name: _last(name, rule) for name in known}
    by_id = {name.id: name for name in known}
    told = {by_id[one]: by_id[other] for one, other in said.into.items() if one in by_id and other in by_id}
    steps = {name: other for name, other in rule.items() if name.id not in said.apart} | told
    return {name: _last(name, steps, ends=frozenset(told.values())) for name in known}


def _by_rule(known: Sequence[TypedName]) -> dict[TypedName, TypedName]:
    """The names that mean another one by their spelling alone, each with that one."""
    typed: dict[str, list[TypedName]] = defaultdict(list)
    full: dict[str, list[TypedName]] = defaultdict(list)
    for name in known:
        if name.type != UNTYPED:
            typed[name.alias].append(name)
        if name.is_full_name:
            full[name.head].append(name)

    found = {name: typed[name.alias] if name.type == UNTYPED else full[name.head] for name in known if name.may_mean_another}
    return {name: others[0] for name, others in found.items() if len(others) == 1}


def _last(name: TypedName, steps: Mapping[TypedName, TypedName], *, ends: Collection[TypedName] = ()) -> TypedName:
    """Where the steps from a name end. Where they go in a circle, at the first of the names in it to which somebody merged.

    The spellings alone never lead in a circle; what was merged does where names that made a first name ambiguous are gone.
    """
    path = [name]
    while (name := steps.get(name, name)) != path[-1]:
        if name in path:
            return min(each for each in path[path.index(name) :] if each in ends)
        path.append(name)
    return name


def are_one(one: TypedName, other: TypedName, known: Collection[TypedName]) -> bool:
    """True if two of the known names surely mean the same entity.

    Stricter than `meanings`: a name without a type may be a full name as well, and then two could be meant.

    >>> known = [TypedName("person", "anna"), TypedName("person", "anna smith")]
    >>> are_one(TypedName("other", "anna"), TypedName("person", "anna smith"), known)
    True
    >>> are_one(TypedName("other", "anna"), TypedName("person", "anna smith"), [*known, TypedName("other", "anna jones")])
    False
    """
    if one.alias == other.alias:
        return True
    near = {each for each in known if each.head == one.head}
    full = {each.alias for each in near if each.type in {PERSON, UNTYPED} and " " in each.alias}
    meant = _meant(one, near)
    return meant is not None and full == {meant.alias} and meant == _meant(other, near)


def keyed(name: TypedName, digest: Callable[[str], str]) -> TypedName:
    """The name as digests: of its first word and, if it has several, of all of it. `meanings` works on these as on names.

    `digest` must return a word without spaces. A type that is not among the known ones is replaced by its digest as well.

    >>> keyed(TypedName("person", "anna smith"), lambda text: str(len(text)))
    TypedName(type='person', alias='4 10')
    """
    head = name.head
    alias = digest(head) if head == name.alias else f"{digest(head)} {digest(name.alias)}"
    return TypedName(name.type if name.type in TYPES else digest(name.type), alias)


def _meant(name: TypedName, known: AbstractSet[TypedName]) -> TypedName | None:
    """The name that a name means; None if it is unknown under its type, or under any if it has none."""
    is_known = name in known or (name.type == UNTYPED and any(each.alias == name.alias for each in known))
    return meanings(known | {name})[name] if is_known else None
