"""The time of each stage of an answer."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from prometheus_client import Histogram

from shared.runtime.metrics import CONTEXT_STAGE_SECONDS


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Count the time of the block as that of a stage."""
    began = time.perf_counter()
    try:
        yield
    finally:
        _seconds(name).observe(time.perf_counter() - began)


@cache
def _seconds(name: str) -> Histogram:
    """To look a label up takes longer than to count: a question has a dozen stages."""
    return CONTEXT_STAGE_SECONDS.labels(name)
