"""Passes a question on to the worker that has its person's part: every worker takes questions of everybody.

The answer comes back the same way. The server lets no service hand on the reply subject of a bot, which is in another account.
"""

import asyncio

from nats.aio.msg import Msg
from nats.errors import NoRespondersError

from shared.contracts.errors import Unavailable
from shared.contracts.subjects import GATE, part_subject, slot_of_token
from shared.domain.parts import Part
from shared.runtime.connection import Client, answering

_ASKED = ("ask.", f"{GATE}.ask.")
_LONGEST_S = 35.0
"""More than a question may wait."""

_TAKING_OVER_S = 3.0
"""So long nobody may have a part whose worker has died."""

_PAUSE_S = 0.01


class PassingOn:
    """Knows which questions are not of this part, and asks the workers of theirs."""

    def __init__(self, part: Part) -> None:
        self._part = part

    @property
    def own(self) -> str | None:
        """What stands before the subjects of questions that other workers pass on; None where there are no others."""
        return None if self._part.count == 1 else part_subject("", index=self._part.index, count=self._part.count)

    def destination(self, subject: str) -> str | None:
        """Where a question is to be passed on; None if it is of this part, or was passed on already."""
        if self._part.count == 1 or not subject.startswith(_ASKED):
            return None
        part = Part.of_slot(slot_of_token(subject.rsplit(".", 2)[-2]), self._part.count)
        return None if part == self._part else part_subject(subject, index=part.index, count=part.count)

    async def answered(self, client: Client, question: Msg) -> bytes | None:
        """What the worker of another part answers; None if the question is of this part. Raises Unavailable."""
        to = self.destination(question.subject)
        if to is None:
            return None
        clock = asyncio.get_running_loop().time
        deadline = clock() + _TAKING_OVER_S
        while True:
            try:
                with answering("the worker of this person does not answer"):
                    return (await client.request(to, question.data, timeout=_LONGEST_S, headers=question.headers)).data
            except Unavailable as error:
                if not isinstance(error.__cause__, NoRespondersError) or clock() > deadline:
                    raise
            await asyncio.sleep(_PAUSE_S)
