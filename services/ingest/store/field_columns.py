"""Maps a class to columns: each of its fields is one, in their order, stored as the field's type says."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from enum import Enum
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Generic, Literal, NamedTuple, NewType, TypeVar, get_args, get_origin, get_type_hints

from sqlalchemy import Column, Float, Integer, LargeBinary, Text
from sqlalchemy.types import TypeEngine

from services.ingest.domain.simhash import hashes_of, packed
from shared.domain.moments import microseconds, moment
from shared.runtime.sqlite import bind_as_text

_Object = TypeVar("_Object")


class Storage(NamedTuple):
    """How the values of one type are stored."""

    column: type[TypeEngine[Any]]
    encode: Callable[[Any], object] | None = None  # None: SQLite takes them as they are
    decode: Callable[[Any], object] | None = None  # None: as SQLite returns them
    nullable: bool = False


BIG_ENDIAN = Storage(LargeBinary, lambda value: value.to_bytes(8, "big"), lambda value: int.from_bytes(value, "big"))
"""Of unsigned 64 bits, which are too many for an integer of SQLite."""
_STORAGES: dict[object, Storage] = {
    int: Storage(Integer),
    float: Storage(Float),
    str: Storage(Text),
    Literal: Storage(Text),
    bytes: Storage(LargeBinary),
    bool: Storage(Integer, None, bool),
    datetime: Storage(Integer, microseconds, moment),  # microseconds since 1970
    frozenset[bytes]: Storage(LargeBinary, packed, hashes_of),  # keyed hashes, 8 bytes each, sorted
    Mapping: Storage(Text, lambda value: json.dumps(dict(value), sort_keys=True), json.loads),
    tuple: Storage(Text, json.dumps, lambda value: tuple(json.loads(value))),
}


def _storage(hint: Any) -> Storage:  # noqa: ANN401 - whatever can annotate a field
    if isinstance(hint, NewType):
        return _storage(hint.__supertype__)
    if type(None) in get_args(hint):
        (kind,) = (each for each in get_args(hint) if each is not type(None))
        return _storage(kind)._replace(nullable=True)
    if isinstance(hint, type) and issubclass(hint, Enum):
        if not issubclass(hint, str):
            return Storage(Text, attrgetter("value"), hint)
        bind_as_text(hint)
        return Storage(Text, None, hint)
    return _STORAGES[hint if hint in _STORAGES else get_origin(hint)]


class FieldColumns(Generic[_Object]):
    """The columns of a class. `apart`: fields that are stored elsewhere; `stored`: those that are stored in another way."""

    def __init__(
        self, kind: type[_Object], *, apart: Collection[str] = (), stored: Mapping[str, Storage] = MappingProxyType({})
    ) -> None:
        self._kind = kind
        hints = {name: hint for name, hint in get_type_hints(kind).items() if name not in apart}
        self._storages = {name: stored.get(name) or _storage(hint) for name, hint in hints.items()}
        self._values = attrgetter(*self._storages)
        self._is_whole = not apart
        self._encoded = [(place, each.encode) for place, each in enumerate(self._storages.values()) if each.encode]
        self._decoded = [(place, each.decode) for place, each in enumerate(self._storages.values()) if each.decode]

    def columns(self, *, keys: Collection[str] = (), nullable: bool = False) -> list[Column[Any]]:
        """New columns for a table. `keys`: those in its primary key; `nullable`: rows need not have such an object."""
        return [
            Column(name, each.column, primary_key=name in keys, nullable=nullable or each.nullable)
            for name, each in self._storages.items()
        ]

    def row(self, one: _Object | None, **more: object) -> dict[str, Any]:
        """The values to store, by column, nulls for no object; and those of `more` columns."""
        if one is None:
            return dict.fromkeys(self._storages) | more
        return dict(zip(self._storages, _each(self._encoded, self._values(one)), strict=True), **more)

    def read(self, row: object, **more: object) -> _Object:
        """The object in a row that has these columns among others; `more` are the fields that are stored elsewhere."""
        found = _each(self._decoded, self._values(row))
        if self._is_whole:  # a recall has hundreds of rows read
            return self._kind(*found)
        return self._kind(**dict(zip(self._storages, found, strict=True)), **more)


def _each(conversions: Iterable[tuple[int, Callable[[Any], object]]], values: Iterable[object]) -> list[object]:
    """The values, those at these places converted unless they are missing."""
    converted = list(values)
    for place, convert in conversions:
        if (value := converted[place]) is not None:
            converted[place] = convert(value)
    return converted
