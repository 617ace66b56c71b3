"""The time of each stage of an answer."""

import time
from functools import cache

from prometheus_client import Histogram

from shared.runtime.metrics import CONTEXT_STAGE_SECONDS


class StageTimer:
    """Counts the time of its block as that of a stage. A class, for one made of a generator takes twice as long."""

    __slots__ = ("_began", "_name")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        _seconds(self._name).observe(time.perf_counter() - self._began)


def stage(name: str) -> StageTimer:
    """Count the time of the block as that of a stage."""
    return StageTimer(name)


@cache
def _seconds(name: str) -> Histogram:
    """To look a label up takes longer than to count: a question has a dozen stages."""
    return CONTEXT_STAGE_SECONDS.labels(name)
