"""Named tuples of many rows at once."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

R = TypeVar("R", bound=tuple[Any, ...])


def records(of: type[R], rows: Iterable[Iterable[Any]]) -> Iterator[R]:
    """Each row as a named tuple; every row must have all of its fields, defaults too, in their order.

    As its `_make`, but without a call of Python for each row: a question makes hundreds, and this takes a third of the time.
    """
    return map(partial(tuple.__new__, of), rows)
