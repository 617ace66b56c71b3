"""Questions that one worker passes on to another: the answer of whoever has the part, also where the first to take it died."""

from __future__ import annotations

import asyncio

from nats.aio.msg import Msg

from shared.contracts.subjects import slot_of_token
from shared.domain.parts import Part
from shared.runtime.passing_on import PassingOn
from tests.support.installations import Installation, until

_PARTS = 2


def a_person_of(part: Part) -> str:
    """The token of somebody of this part."""
    tokens = (f"person-{number}" for number in range(100))
    return next(token for token in tokens if slot_of_token(token) in part.slots)


async def test_what_a_worker_took_and_did_not_answer_is_asked_of_whoever_follows_it(own_server: Installation) -> None:
    first, second = Part.each(_PARTS)
    taken: list[bytes] = []

    async def takes(message: Msg) -> None:
        taken.append(message.data)

    async def answers(message: Msg) -> None:
        await message.respond(b"answer to " + message.data)

    async with own_server.connected("retriever") as asking, own_server.connected("retriever") as dies:
        passing_on = PassingOn(first)
        await passing_on.open(asking)
        heard = await dies.subscribe(f"part.2.1.ask.home.{a_person_of(second)}.context", cb=takes)
        await dies.flush()
        question = Msg(asking, subject=f"ask.home.{a_person_of(second)}.context", data=b"question")
        answered = asyncio.create_task(passing_on.answered(asking, question))
        await until(lambda: bool(taken), what="the first has it")
        assert not answered.done()
        await heard.unsubscribe()
        async with own_server.connected("retriever") as follows:
            await follows.subscribe("part.2.1.>", cb=answers)
            await PassingOn(second).open(follows)
            assert await answered == b"answer to question"
        assert not any(passing_on._waiting.values())


async def test_the_questions_of_ones_own_people_are_passed_on_to_nobody(own_server: Installation) -> None:
    first, _ = Part.each(_PARTS)
    async with own_server.connected("retriever") as client:
        question = Msg(client, subject=f"ask.home.{a_person_of(first)}.context", data=b"question")
        assert await PassingOn(first).answered(client, question) is None
