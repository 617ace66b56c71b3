"""How a service asks another: request and reply on `ask.`, as a bot does."""

from typing import Any

from pydantic_core import from_json

from shared.contracts.queries import Asked, ErrorAnswer
from shared.runtime.connection import Client, answering

_SLACK_S = 0.5


async def ask(client: Client, subject: str, query: Asked) -> Any:  # noqa: ANN401 - whatever the query's answer is
    """The JSON reply to a query. Raises Unavailable if none comes within the query's time, or the error in the reply."""
    with answering("nobody answered"):
        reply = await client.request(subject, query.model_dump_json().encode(), timeout=query.timeout_s + _SLACK_S)
    answer = from_json(reply.data)
    if "error" in answer:
        raise ErrorAnswer.model_validate(answer).raised()
    return answer
