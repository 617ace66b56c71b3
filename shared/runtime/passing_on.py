"""Passes a question on to the worker that has its person's part: every worker takes questions of everybody.

The answer comes back the same way. The server lets no service hand on the reply subject of a bot, which is in another account.
Whoever begins to answer for a part says so, and what its predecessor took and did not answer, having died, is asked once more.
"""

import asyncio
from collections import defaultdict

from nats.aio.msg import Msg
from nats.errors import NoRespondersError

from shared.contracts.errors import Unavailable
from shared.contracts.subjects import GATE, PART, part_subject, slot_of_token
from shared.domain.parts import Part
from shared.runtime.connection import Client, answering
from shared.runtime.tasks import end

_ASKED = ("ask.", f"{GATE}.ask.")
_LONGEST_S = 35.0
"""More than a question may wait."""

_TAKING_OVER_S = 3.0
"""So long nobody may have a part whose worker has died."""

_PAUSE_S = 0.01
_BEGUN = "begun"


class PassingOn:
    """Knows which questions are not of this part, and asks the workers of theirs."""

    def __init__(self, part: Part, of: str = PART, *, patience_s: float = _TAKING_OVER_S) -> None:
        """`of`: what stands before the subjects of this service's parts. `patience_s`: how long nobody may have one."""
        self._patience_s = patience_s
        self._part = part
        self._of = of
        self._waiting: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)  # by where another begins to answer

    @property
    def own(self) -> str | None:
        """What stands before the subjects of questions that other workers pass on; None where there are no others."""
        return None if self._part.count == 1 else self._subject("", self._part)

    async def open(self, client: Client) -> None:
        """Tell the other workers that this one takes the questions of its part from now on, and hear of it from them."""
        if self._part.count > 1:
            begun = part_subject(_BEGUN, index="*", count=self._part.count, of=self._of)
            await client.subscribe(begun, cb=self._note)
            await client.publish(self._subject(_BEGUN, self._part))

    async def _note(self, message: Msg) -> None:
        for each in self._waiting.pop(message.subject, ()):
            each.set_result(None)

    def _subject(self, subject: str, part: Part) -> str:
        return part_subject(subject, index=part.index, count=part.count, of=self._of)

    def destination(self, subject: str) -> Part | None:
        """The part to which a question is to be passed on; None if it is of this part, or was passed on already."""
        if self._part.count == 1 or not subject.startswith(_ASKED):
            return None
        part = Part.of_slot(slot_of_token(subject.rsplit(".", 2)[-2]), self._part.count)
        return None if part == self._part else part

    async def answered(self, client: Client, question: Msg) -> bytes | None:
        """What the worker of another part answers; None if the question is of this part. Raises Unavailable."""
        part = self.destination(question.subject)
        return None if part is None else await self._answer_of(part, client, question)

    async def _answer_of(self, part: Part, client: Client, question: Msg) -> bytes:
        to = self._subject(question.subject, part)
        asked: list[asyncio.Task[bytes]] = []
        try:
            while True:
                waiting, begun = self._waiting[self._subject(_BEGUN, part)], asyncio.get_running_loop().create_future()
                waiting.add(begun)
                asked.append(asyncio.create_task(_answer_to(client, to, question, self._patience_s)))
                try:
                    done, _ = await asyncio.wait((*asked, begun), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    waiting.discard(begun)
                for answered in asked:
                    if answered in done:
                        return answered.result()
        finally:
            await end(asked)


async def _answer_to(client: Client, to: str, question: Msg, patience_s: float) -> bytes:
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience_s
    while True:
        try:
            with answering("the worker of this person does not answer"):
                return (await client.request(to, question.data, timeout=_LONGEST_S, headers=question.headers)).data
        except Unavailable as error:
            if not isinstance(error.__cause__, NoRespondersError) or clock() > deadline:
                raise
        await asyncio.sleep(_PAUSE_S)
