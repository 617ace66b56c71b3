"""Asks a running service about its work, on `admin.<service>.<what>`."""

import json
from typing import Any

from shared.contracts.queries import ErrorAnswer
from shared.runtime.connection import Client, answering


async def ask_service(client: Client, service: str, what: str, payload: bytes = b"", *, timeout_s: float) -> dict[str, Any]:
    """The service's answer. Raises the error that it tells of, Unavailable if there is no answer in time."""
    with answering(f"{service} does not answer"):
        reply = await client.request(f"admin.{service}.{what}", payload, timeout=timeout_s)
    answer: dict[str, Any] = json.loads(reply.data)
    if "error" in answer:
        raise ErrorAnswer.model_validate(answer).raised()
    return answer
