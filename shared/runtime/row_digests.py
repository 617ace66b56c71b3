"""Hashes of rows, by which two projections of the same log are compared."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from sqlalchemy import Connection, LargeBinary, Table, bindparam, select
from sqlalchemy.dialects.sqlite import dialect

from shared.contracts.ids import Scope
from shared.runtime.sqlite import driver

_ENCODER = json.JSONEncoder(default=bytes.hex)
_BEFORE_MORE = _ENCODER.item_separator
_DIALECT = dialect(paramstyle="qmark")


def digest_of(rows: Iterable[Sequence[object]]) -> str:
    """A hash of rows in their order, each as JSON: 128 bits in hex.

    >>> digest_of([("heard", 1)]) == digest_of([["heard", 1]])
    True
    """
    hashed = hashlib.blake2b(digest_size=16)
    as_json = _row_encoder()
    for row in map(tuple, rows):
        if row and isinstance(row[-1], bytes):  # half of a person's rows, and most of the bytes: a vector
            told = "".join(as_json(row[:-1], 0))[:-1] + (_BEFORE_MORE if row[:-1] else "") + f'"{row[-1].hex()}"]'
        else:
            told = "".join(as_json(row, 0))
        hashed.update(told.encode())
    return hashed.hexdigest()


def table_rows(db: Connection, tables: Iterable[Table], scope: Scope | None = None) -> Iterator[Sequence[object]]:
    """The rows of these tables, or those of one scope, by their primary keys; each begins with its table's name."""
    for table in tables:
        query = select(table).order_by(*table.primary_key.columns)
        values: list[object] = []
        if scope is not None:
            values = [bytes.fromhex(scope) if isinstance(table.c.scope.type, LargeBinary) else scope]
            query = query.where(table.c.scope == bindparam("scope"))
        for row in driver(db).execute(str(query.compile(dialect=_DIALECT)), values):  # as they lie there, of no Python type
            yield table.name, *row


@cache
def _row_encoder() -> Callable[[Sequence[object], int], Iterable[str]]:
    """What gives the pieces of a row's JSON. `JSONEncoder.encode` makes one of these for each row, which takes longer."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # a Python without it
        return lambda row, _: (_ENCODER.encode(row),)
    separators = (_ENCODER.key_separator, _ENCODER.item_separator)
    options = (_ENCODER.sort_keys, _ENCODER.skipkeys, _ENCODER.allow_nan)
    escaped = json.encoder.encode_basestring_ascii
    return make(None, _ENCODER.default, escaped, _ENCODER.indent, *separators, *options)  # type: ignore[no-any-return]
