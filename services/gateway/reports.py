"""Asks the services what an operator may see."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import to_json

from shared.contracts.queries import ErrorAnswer
from shared.runtime.connection import Client, answering

_WITHIN_S = 5.0


class OperatorReports:
    """Asks on `admin.` what the gateway's account may."""

    def __init__(self, connection: Callable[[], Client]) -> None:
        self._connection = connection

    async def ask(self, subject: str, request: Mapping[str, Any]) -> bytes:
        """The answer, as it came. Raises the error that it tells of, Unavailable if there is none."""
        with answering("the service does not answer"):
            reply = await self._connection().request(subject, to_json(request), timeout=_WITHIN_S)
        if reply.data.startswith(b'{"error":'):
            raise ErrorAnswer.model_validate_json(reply.data).raised()
        return reply.data
