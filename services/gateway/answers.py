"""Answers over HTTP: those of queries as they came, and pages with a cursor."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import Annotated, Any, TypeVar

from fastapi import Query, Response
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from services.gateway.people import Person
from shared.contracts.errors import Malformed
from shared.contracts.problems import unfit_query
from shared.contracts.queries import Asked

_AnyQuery = TypeVar("_AnyQuery", bound=Asked)
_JSON = "application/json"
_LONGEST_CURSOR = 64
_BEFORE = "before:"

Cursor = Annotated[
    str | None, Query(max_length=_LONGEST_CURSOR, description="For the next page: `next_cursor` of the one before.")
]
MinPosition = Annotated[
    int, Query(ge=0, le=2**53, description="Wait until this is known: `position` of an operation (read your writes).")
]


def json_answer(body: bytes, status: int = 200) -> Response:
    """An answer that is JSON already."""
    return Response(body, status_code=status, media_type=_JSON)


def query(model: type[_AnyQuery], **fields: Any) -> _AnyQuery:  # noqa: ANN401 - each of its own type
    """A query with the fields that are not None. Raises Malformed or TooLarge."""
    try:
        return model.model_validate({name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        raise unfit_query(model.query_name, error) from error


async def answered(person: Person, asked: Asked) -> Response:
    """The answer to a query, as it came."""
    return json_answer(await person.ask(asked))


async def page_of(person: Person, asked: Asked) -> Response:
    """A page of an answer, with a cursor in the place of the number before which the next one begins."""
    answer: dict[str, Any] = from_json(await person.ask(asked))
    number = answer.pop("next_before_number", None)
    cursor = None if number is None else urlsafe_b64encode(f"{_BEFORE}{number}".encode()).decode().rstrip("=")
    return json_answer(to_json(answer | {"next_cursor": cursor}))


def before(cursor: str | None) -> int | None:
    """The number in a cursor. Raises Malformed."""
    if cursor is None:
        return None
    try:
        said = urlsafe_b64decode(f"{cursor}{'=' * (-len(cursor) % 4)}".encode("ascii")).decode("ascii")
        number = int(said.removeprefix(_BEFORE)) if said.startswith(_BEFORE) else 0
    except (NotBase64, ValueError):
        number = 0
    if number < 1:
        raise Malformed("this is no cursor; take `next_cursor` of the page before")
    return number
