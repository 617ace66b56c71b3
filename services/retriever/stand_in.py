"""Answers for a part of the people while its own worker is not there: before it has started, or when it has died."""

import asyncio
from collections.abc import Callable

from services.retriever.app import Retriever
from shared.runtime.connection import answering
from shared.runtime.logs import log
from shared.runtime.service import answer_until, connected

_REST_S = 1.0
"""After it left, whoever asked for the part comes first."""


class StandIn:
    """Takes the part whenever nobody has it, and leaves when its worker asks for it."""

    def __init__(self, make: Callable[[], Retriever]) -> None:
        self._make = make
        self.next = make()
        """Who answers when it stands in."""
        self._now: Retriever | None = None
        self._was_ready = False

    @property
    def is_ready(self) -> bool:
        """True after it has caught up with the log once: from then on somebody answers for the part."""
        self._was_ready = self._was_ready or (self._now is not None and self._now.is_ready)
        return self._was_ready

    async def run(self) -> None:
        """Stand in until cancelled. Raises what ends a retriever."""
        while True:
            retriever = self.next
            async with connected(retriever):  # before it is needed: from then on each millisecond counts
                await retriever.ownership.take()
                self._now = retriever
                await self._answer(retriever)
            self._now = None
            log.info("part.given_back", part=retriever.ownership.part.index)
            self.next = self._make()
            await asyncio.sleep(_REST_S)

    async def _answer(self, retriever: Retriever) -> None:
        leave = asyncio.Event()

        async def told(_: object) -> None:
            leave.set()

        with answering("the server did not answer"):
            await retriever.broker.connection.subscribe(retriever.ownership.leave_subject, cb=told)
        await answer_until(retriever, leave)
