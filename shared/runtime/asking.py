"""Queries by request and reply on `ask.`: who asks, and how a service asks another, as a bot does."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from pydantic_core import from_json

from shared.contracts.errors import TooMany, Unavailable
from shared.contracts.ids import Space, User
from shared.contracts.queries import Asked, ErrorAnswer
from shared.contracts.subjects import GATE, decode_names, encode_token
from shared.runtime.connection import Client, answering

_SLACK_S = 0.5
PATIENT_S = 15.0
"""So long a service waits for the answer to a question of its own: on a busy machine that gives way for seconds."""

BACKGROUND_HEADER = "Memstream-Background"
"""Whoever sets it, with any value, gives way to everybody else who asks, and is nobody for whom others give way."""


class Asker(NamedTuple):
    """The person whose memories are asked for, taken from the subject and never from the payload."""

    space: Space
    user: User
    by_number: bool = False
    """True where a bot asks that is limited to spaces. A position is then the number of an event of this person: the log's own
    positions would tell how much happens in other spaces."""

    in_background: bool = False
    """True where a service asks for its own work, for which nobody waits."""

    @classmethod
    def of(cls, subject: str, headers: Mapping[str, str] | None = None) -> Self:
        """Who asks on this subject. Raises InvalidToken."""
        *before, space, user, _ = subject.split(".")
        is_limited = GATE in before
        in_background = not is_limited and BACKGROUND_HEADER in (headers or {})
        return cls(*decode_names(space, user), by_number=is_limited, in_background=in_background)

    @property
    def names(self) -> str:
        """Space and user as the two tokens of a subject."""
        return f"{encode_token(self.space)}.{encode_token(self.user)}"

    def position(self, *, number: int, in_log: int) -> int:
        """The position to tell of an event of this person, or of the last that is known."""
        return number if self.by_number else in_log


async def ask(client: Client, subject: str, query: Asked) -> Any:  # noqa: ANN401 - whatever the query's answer is
    """The JSON reply to a query of a service's own, which counts as nobody's question.

    Raises Unavailable if none comes within the query's time, or the error in the reply.

    Also Unavailable where a person's bots ask so much that a service's own question does not come to its turn: it asks again.
    """
    payload = query.model_dump_json().encode()
    try:
        return await answer_on(
            client,
            subject,
            payload,
            silence="nobody answered",
            timeout_s=query.timeout_s + _SLACK_S,
            headers={BACKGROUND_HEADER: "1"},
        )
    except TooMany as error:
        raise Unavailable(error.message) from error


async def answer_on(
    client: Client, subject: str, payload: bytes, *, silence: str, timeout_s: float, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """The JSON reply on any subject. Raises the error that it tells of; Unavailable, which says `silence`, if none comes."""
    with answering(silence):
        reply = await client.request(subject, payload, timeout=timeout_s, headers=headers)
    answer: dict[str, Any] = from_json(reply.data)
    if "error" in answer:
        raise ErrorAnswer.model_validate(answer).raised()
    return answer
