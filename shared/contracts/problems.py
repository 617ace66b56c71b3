"""What is wrong with a query, or why a message was not stored, in words for the one who asked or sent."""

from pydantic import ValidationError

from .errors import DiskFull, Malformed, TooLarge, Unavailable

_TOO_LONG = {"string_too_long", "bytes_too_long", "too_long", "too_large"}
_MOST_PROBLEMS_NAMED = 3
OF_A_FULL_DISK = ("no space left", "write error")
"""What stands in nats-server's own words where its disk is full, wherever it says so."""

_NO_ROOM = (*OF_A_FULL_DISK, "insufficient", "file too large")
"""What stands there where it takes no message."""


def not_stored(description: str) -> Unavailable:
    """The error to raise where the server did not store a message, for which it gives this description."""
    told = f"the server did not take the message: {description}"
    if "maximum bytes" in description or "maximum messages" in description:
        return Unavailable(f"{told}: too much waits, as ingest stands still or does not keep up; see `memstream status`")
    if any(words in description for words in _NO_ROOM):
        return DiskFull(f"{told}: the disk of the NATS server is full; make room there")
    return Unavailable(told)


def unfit_query(name: str, error: ValidationError, *, depth: int = 0) -> Malformed | TooLarge:
    """TooLarge where something in it is too long, else Malformed. Names the fields, never their values.

    The first `depth` steps of a problem's place are left out: FastStream puts the name of an argument before it.
    """
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    if any(problem["type"] == "model_type" for problem in problems):
        return Malformed('the query is not a JSON object; send one such as {"query": "..."}')
    named = [
        ": ".join(filter(None, (".".join(map(str, problem["loc"][depth:])), problem["msg"])))
        for problem in problems[:_MOST_PROBLEMS_NAMED]
    ]
    words = f"the {name} query does not fit: {'; '.join(named)}"
    if any(problem["type"] in _TOO_LONG for problem in problems):
        return TooLarge(f"{words}; shorten it")
    return Malformed(words)
