"""Keeps what takes long to make, and makes it once, however many threads ask for it at the same time."""

import functools
from collections.abc import Callable, Hashable
from threading import RLock
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def made_once(make: Callable[[K], T]) -> Callable[[K], T]:
    """The function with its results kept. Whoever comes while one is made waits for it; `functools.cache` has both make it.

    >>> made_once(str.upper)("en")
    'EN'
    """
    found: dict[K, T] = {}
    making = RLock()

    @functools.wraps(make)
    def made(key: K) -> T:
        if key not in found:
            with making:
                if key not in found:
                    found[key] = make(key)
        return found[key]

    return made
