"""Which names mean the same entity. A function of the set of names alone: the order in which they came does not matter.

It works on names as they are written, and on names of which only keyed digests are left (`keyed`).
Source: ../reference/memory-system.md, "entities"; docs/adr/0012-entities-are-a-function-of-names.md.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from shared.contracts.ids import EntityId
from shared.domain.digests import entity_id

PERSON, UNTYPED = "person", "other"
TYPES = frozenset({PERSON, UNTYPED, "project", "organization", "location", "email", "url", "hashtag", "date"})
"""The known types of entities. Any other type that a detector names may be text of a person's."""


@dataclass(frozen=True, slots=True, order=True)
class TypedName:
    """A name with its type: `anna`, a person."""

    type: str
    alias: str  # case folded, without signs: shared.text.entities.canonical_name

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
    def is_full_name(self) -> bool:
        """True for a person named by several words."""
        return self.type == PERSON and " " in self.alias


def meanings(names: Iterable[TypedName]) -> dict[TypedName, TypedName]:
    """For each name, the name under which its entity is known.

    A name without a type means the only typed one that is spelt like it; a first name the only full name that begins with it.
    Where two could be meant, it stands for itself.

    >>> anna, smith, jones = TypedName("person", "anna"), TypedName("person", "anna smith"), TypedName("person", "anna jones")
    >>> meanings([anna, smith])[anna].alias
    'anna smith'
    >>> meanings([anna, smith, jones])[anna].alias
    'anna'
    """
    typed: dict[str, list[TypedName]] = defaultdict(list)
    full: dict[str, list[TypedName]] = defaultdict(list)
    known = sorted(set(names))
    for name in known:
        if name.type != UNTYPED:
            typed[name.alias].append(name)
        if name.is_full_name:
            full[name.head].append(name)

    def meant(name: TypedName) -> TypedName:
        if name.type == UNTYPED:
            name = _the_only(typed[name.alias], otherwise=name)
        return _the_only(full[name.head], otherwise=name) if name.is_first_name else name

    return {name: meant(name) for name in known}


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


def _the_only(names: Sequence[TypedName], *, otherwise: TypedName) -> TypedName:
    return names[0] if len(names) == 1 else otherwise
