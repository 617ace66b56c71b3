"""What a decision needs to know of a scope, and how it asks for what was not looked up: it raises Lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, TypeVar

from services.ingest.domain.claims import Sought
from services.ingest.domain.likeness import Likeness
from services.ingest.domain.names import Called
from shared.contracts.ids import CommandId, MemoryId, SessionId
from shared.domain.aliases import TypedName

_K = TypeVar("_K")
_V = TypeVar("_V")


class Aspect(Enum):
    """A part of a scope's state that is looked up whole, or not at all."""

    HANDED_OUT = "handed_out"  # by recent recalls
    RIVALS = "rivals"  # the facts that could be trimmed
    WORDS = "words"  # of what is remembered, read from the log
    SURVIVORS = "survivors"  # of a forgetting of the whole person


@dataclass(frozen=True, slots=True)
class Needs:
    """The parts of a scope's state that are looked up."""

    sessions: set[SessionId] = field(default_factory=set)
    commands: set[CommandId] = field(default_factory=set)
    memories: set[MemoryId] = field(default_factory=set)
    facts: set[MemoryId] = field(default_factory=set)  # those of these memories that are facts; of the others nothing
    values: set[bytes] = field(default_factory=set)  # digests of words that may have been forgotten
    told: set[Likeness] = field(default_factory=set)  # facts that say the same are looked for
    called: set[Called] = field(default_factory=set)  # facts that say the same under other names are looked for
    claims: set[Sought] = field(default_factory=set)  # facts that may contradict a claim, or state the same
    names: set[TypedName] = field(default_factory=set)  # whatever tells whom they mean is looked for
    passages: set[MemoryId] = field(default_factory=set)  # of what was handed out, made of the words in the log
    aspects: set[Aspect] = field(default_factory=set)

    def add(self, other: Needs) -> None:
        """Add the needs of another."""
        for name in _KINDS:
            getattr(self, name).update(getattr(other, name))

    def beyond(self, known: Needs) -> Needs:
        """The needs that are not among the known ones."""
        return Needs(*(getattr(self, name) - getattr(known, name) for name in _KINDS))

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in _KINDS)


_KINDS = tuple(each.name for each in fields(Needs))


class Lacks(Exception):
    """A decision needs to know more than was looked up."""

    def __init__(self, needs: Needs) -> None:
        super().__init__(needs)
        self.needs = needs


def take_each(items: Iterable[_K], step: Callable[[_K], object]) -> None:
    """Call `step` with each item in order, and raise Lacks once with everything that any of the steps lacks.

    So a rule that goes through hundreds of items needs few rounds of look-ups. After the first step that lacks something the
    result is thrown away and the remaining steps only tell what they lack: any other error of theirs is ignored.
    """
    lacking = Needs()
    for item in items:
        try:
            step(item)
        except Lacks as lacks:
            lacking.add(lacks.needs)
        except Exception:
            if not lacking:
                raise
    if lacking:
        raise Lacks(lacking)


class PartialMap(dict[_K, _V]):
    """A map of which some keys were looked up; asked for any other key, it raises Lacks."""

    __slots__ = ("_looked_up", "_needed")

    def __init__(
        self,
        found: Mapping[_K, _V] | Iterable[tuple[_K, _V]],
        looked_up: AbstractSet[_K],
        needed: Callable[[_K], Needs],
    ) -> None:
        super().__init__(found)
        self._looked_up = looked_up
        self._needed = needed

    def get(self, key: _K, default: Any = None) -> Any:  # noqa: ANN401 - as of a dict
        """The value; the default if the key was looked up and has none. Raises Lacks."""
        found = super().get(key, default)
        if found is default:
            self._require(key)
        return found

    def copy(self) -> PartialMap[_K, _V]:
        """A copy with the same keys looked up."""
        return PartialMap(self, self._looked_up, self._needed)

    def __contains__(self, key: object) -> bool:
        if super().__contains__(key):
            return True
        self._require(key)  # type: ignore[arg-type] # only keys are looked for
        return False

    def __missing__(self, key: _K) -> _V:
        self._require(key)
        raise KeyError(key)

    def _require(self, key: _K) -> None:
        if key not in self._looked_up:
            raise Lacks(self._needed(key))
