"""Services that are late, for whoever looks for tests and answers that do not wait for the position that they need.

    TESTS_LATE_S=0.4 make test ARGS=tests/integration

In the tests' own process ingest then decides, and the retriever applies, each batch so many seconds later. What fails then
waits for nothing, and fails one day on a busy machine.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from services.ingest.command_group import ReadMessage
from services.ingest.lane import Lane
from services.retriever.projection import RetrieverProjection
from shared.contracts.ids import Position
from shared.runtime.projector import Recorded


@contextmanager
def late_as_told() -> Iterator[None]:
    """Within the block services are as late as the environment says; by default they are not."""
    seconds = float(os.environ.get("TESTS_LATE_S", "0"))
    with pytest.MonkeyPatch.context() as patched:
        if seconds:
            _be_late(patched, seconds)
        yield


def _be_late(patched: pytest.MonkeyPatch, seconds: float) -> None:
    apply, decide = RetrieverProjection.apply, Lane._decide

    def applied(self: RetrieverProjection, events: Sequence[Recorded], position: Position) -> None:
        time.sleep(seconds if self._live else 0)
        apply(self, events, position)

    async def decided(self: Lane, items: Sequence[ReadMessage]) -> list[ReadMessage]:
        await asyncio.sleep(seconds)
        return await decide(self, items)

    patched.setattr(RetrieverProjection, "apply", applied)
    patched.setattr(Lane, "_decide", decided)
