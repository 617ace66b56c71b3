"""How a service takes what another one answers."""

from types import SimpleNamespace
from typing import cast

import pytest

from shared.contracts.asked import ListQuery
from shared.contracts.errors import MemstreamError, NotFound, TooMany, Unavailable
from shared.contracts.queries import ErrorAnswer
from shared.runtime.asking import ask
from shared.runtime.connection import Client


def answering(error: MemstreamError) -> Client:
    """A connection on which every question is answered by an error."""
    reply = SimpleNamespace(data=ErrorAnswer.of(error).model_dump_json().encode())

    async def request(_subject: str, _payload: bytes, **_: float) -> SimpleNamespace:
        return reply

    return cast("Client", SimpleNamespace(request=request))


async def test_a_question_that_does_not_come_to_its_turn_is_asked_again_later() -> None:
    with pytest.raises(Unavailable, match="ask again"):
        await ask(answering(TooMany("too many questions wait; ask again later")), "ask.home.anna.list", ListQuery())


async def test_any_other_error_is_raised_as_it_was_told() -> None:
    with pytest.raises(NotFound):
        await ask(answering(NotFound("no such memory")), "ask.home.anna.list", ListQuery())
