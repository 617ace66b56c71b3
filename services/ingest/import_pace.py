"""When imports, and what jobs propose, are decided: while somebody asks, one at a time in all lanes, with rests between."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from shared.runtime.background import BACKGROUND

_RESTS = 8
"""So many times as long as an import took, the next one waits while somebody asks."""

_LONGEST_REST_S = 1.0
_LOOK_AGAIN_S = 0.02


class ImportPace:
    """The pace of all lanes. Whoever rests goes on at once when something comes that cannot wait."""

    def __init__(self) -> None:
        self._under_way = 0
        self._rests_until = 0.0

    @property
    def pause_s(self) -> float:
        """How long to wait before the next import, or before asking again; 0: not at all."""
        if not BACKGROUND.is_asked:
            return 0.0
        if self._under_way:
            return _LOOK_AGAIN_S
        return max(0.0, self._rests_until - _now())

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """An import is decided while the block lasts."""
        began = _now()
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._rests_until = _now() + min(_RESTS * (_now() - began), _LONGEST_REST_S)


def _now() -> float:
    return asyncio.get_running_loop().time()
