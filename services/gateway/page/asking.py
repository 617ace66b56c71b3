"""Asks about the person of a visit, with the answers as the contracts have them."""

from typing import Annotated, TypeVar

from fastapi import Query

from services.gateway.people import Person
from shared.contracts.contract import Contract
from shared.contracts.errors import NotFound
from shared.contracts.queries import Asked

_AnyAnswer = TypeVar("_AnyAnswer", bound=Contract)

Before = Annotated[int | None, Query(ge=1, le=2**53)]
"""Of a list: only what came before this event."""

At = Annotated[int, Query(ge=0, le=2**53)]
"""The number of the event that a page must know: that of what was just done."""


async def ask(person: Person, asked: Asked, answer: type[_AnyAnswer]) -> _AnyAnswer:
    """The answer to a query. Raises the MemstreamError that it tells of."""
    return answer.model_validate_json(await person.ask(asked), extra="ignore")


async def ask_or_none(person: Person, asked: Asked, answer: type[_AnyAnswer]) -> _AnyAnswer | None:
    """The answer to a query; None where what it asks for is not known."""
    try:
        return await ask(person, asked, answer)
    except NotFound:
        return None
