"""The other ingests, where several share all people: what they have decided, and what they say to the operator.

Each has a part of the slots. What one must know of another it asks over the server; who does not answer holds up what must wait
for all, as the purging of SEND, and nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from pydantic_core import to_json

from shared.contracts.contract import Contract
from shared.contracts.errors import Unavailable
from shared.contracts.subjects import INGEST_PART, part_subject
from shared.domain.parts import Part
from shared.runtime.asking import answer_on
from shared.runtime.connection import Client, answering
from shared.runtime.presence import reply_on

_FLOOR = "floor"
_TIMEOUT_S = 5.0
_LONG_S = 60.0
_SHORT_S = 2.0


class Others:
    """The ingests of all parts but this one."""

    def __init__(self, part: Part, client: Callable[[], Client]) -> None:
        self.part = part
        self._client = client
        self._parts = [each for each in Part.each(part.count) if each != part]

    @property
    def before(self) -> str:
        """What stands before the subjects on which the operator's questions about this part come."""
        return subject_of(self.part, "admin")

    async def tell_floor(self, floor: Callable[[int], Awaitable[int]]) -> None:
        """Answer from now on how far this part is decided. Raises Unavailable."""

        async def tell(asked: bytes) -> bytes:
            return str(await floor(int(asked))).encode()

        if self._parts:
            await reply_on(self._client(), subject_of(self.part, _FLOOR), tell)

    async def floors(self, last_sequence: int) -> Sequence[int]:
        """How far each of the others has decided its part, of what SEND had up to a sequence. Raises Unavailable."""
        with answering("another ingest did not say how far it has decided"):
            asked = (
                self._client().request(subject_of(part, _FLOOR), str(last_sequence).encode(), timeout=_TIMEOUT_S)
                for part in self._parts
            )
            return [int(reply.data) for reply in await asyncio.gather(*asked)]

    async def ask(self, what: str, request: Contract | None = None) -> list[dict[str, Any]]:
        """What each of the others says to the operator. Raises Unavailable, or the error in a reply."""
        payload = to_json(request) if request else b""
        return await asyncio.gather(*(self._ask(part, what, payload, _LONG_S) for part in self._parts))

    async def ask_who_answers(self, what: str) -> list[dict[str, Any]]:
        """Answers of the others that come within two seconds."""
        told = await asyncio.gather(*(self._if_it_answers(part, what) for part in self._parts))
        return [answer for of_part in told for answer in of_part]

    async def _if_it_answers(self, part: Part, what: str) -> list[dict[str, Any]]:
        with suppress(Unavailable):
            return [await self._ask(part, what, b"", _SHORT_S)]
        return []

    async def _ask(self, part: Part, what: str, payload: bytes, timeout_s: float) -> dict[str, Any]:
        subject, silence = f"{subject_of(part, 'admin')}.{what}", "another ingest does not answer"
        return await answer_on(self._client(), subject, payload, silence=silence, timeout_s=timeout_s)


def subject_of(part: Part, what: str) -> str:
    """Where the ingest of a part is asked something by another."""
    return part_subject(what, index=part.index, count=part.count, of=INGEST_PART)
