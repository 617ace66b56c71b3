"""Errors as problem+json (RFC 9457), with the codes of the one table of outcomes."""

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import Field
from starlette.exceptions import HTTPException

from shared.contracts.contract import Contract
from shared.contracts.errors import (
    OUTCOMES,
    Malformed,
    MemstreamError,
    NotFound,
    TooLarge,
    TooMany,
    Unauthenticated,
    Unavailable,
    outcome_of,
)
from shared.runtime.logs import log

PROBLEM_JSON = "application/problem+json"
_TOO_LONG = {"string_too_long", "bytes_too_long", "too_long", "too_large"}
_MOST_NAMED = 3
_UNREADABLE, _NOT_FOUND, _TOO_LARGE, _ERROR = 400, 404, 413, 500
TOO_LARGE = "the body is larger than is taken here; send it in parts"
NOWHERE = "there is nothing at this address"
_WORDS = {
    _NOT_FOUND: NOWHERE,
    405: "this address takes other methods",
    _TOO_LARGE: TOO_LARGE,
}
_AGAIN_AFTER_S = "2"


class HttpProblem(Contract):
    """What went wrong, for a program (`code`) and for a person (`detail`)."""

    type: str = Field(description="`urn:memstream:problem:` and the code.", examples=["urn:memstream:problem:not_found"])
    title: str = Field(description="What this code means.")
    status: int = Field(description="As in the status line.")
    code: str = Field(description="As in docs/queries.md, Errors; never changes.", examples=["not_found"])
    detail: str = Field(description="What happened here, and what to do about it.")


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What an OpenAPI document says of these statuses."""
    schema = HttpProblem.model_json_schema()
    return {status: {"description": _meaning(status), "content": {PROBLEM_JSON: {"schema": schema}}} for status in statuses}


def problem(error: MemstreamError, *, status: int | None = None) -> Response:
    """The answer to a request that ended in an error."""
    said = HttpProblem(
        type=f"urn:memstream:problem:{error.code}",
        title=(type(error).__doc__ or "").strip(),
        status=status or outcome_of(error).http_status,
        code=error.code,
        detail=error.message,
    )
    return Response(said.model_dump_json(), status_code=said.status, media_type=PROBLEM_JSON, headers=_headers(error))


def answer_errors(app: FastAPI) -> None:
    """Have every error of this application be answered as a problem."""

    async def known(_: Request, error: Exception) -> Response:
        assert isinstance(error, MemstreamError)  # noqa: S101 - it is registered for these
        if outcome_of(error).http_status == _ERROR:
            log.error("request.failed", code=error.code)
        return problem(error)

    async def unfit(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        problems = error.errors()
        named = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems[:_MOST_NAMED])
        kind = TooLarge if any(each["type"] in _TOO_LONG for each in problems) else Malformed
        return problem(kind(f"the request does not fit: {named}"))

    async def of_http(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        words = _WORDS.get(error.status_code, "the request cannot be understood")
        kind = {_NOT_FOUND: NotFound, _TOO_LARGE: TooLarge}.get(error.status_code, Malformed)
        return problem(kind(words), status=None if error.status_code == _UNREADABLE else error.status_code)

    async def unknown(_: Request, error: Exception) -> Response:
        log.error("request.failed", error=type(error).__name__)
        return problem(MemstreamError())

    app.add_exception_handler(MemstreamError, known)
    app.add_exception_handler(RequestValidationError, unfit)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(Exception, unknown)


def _headers(error: MemstreamError) -> dict[str, str]:
    if isinstance(error, Unauthenticated):
        return {"www-authenticate": "Bearer"}
    if isinstance(error, TooMany | Unavailable):
        return {"retry-after": _AGAIN_AFTER_S}
    return {}


def _meaning(status: int) -> str:
    codes = [f"`{error.code}`" for error, outcome in OUTCOMES.items() if outcome.http_status == status]
    return f"One of: {', '.join(codes)}." if codes else _WORDS[status].capitalize() + "."
