"""Asks a running service about its work, on `admin.<service>.<what>`."""

import json
from typing import Any

from shared.contracts.queries import ErrorAnswer
from shared.runtime.connection import Client, answering


async def ask_service(client: Client, service: str, what: str, payload: bytes = b"", *, timeout_s: float) -> dict[str, Any]:
    """The service's answer. Raises the error that it tells of, Unavailable if there is no answer in time."""
    return await ask_on(client, f"admin.{service}.{what}", payload, who=service, timeout_s=timeout_s)


async def ask_on(client: Client, subject: str, payload: bytes, *, who: str, timeout_s: float) -> dict[str, Any]:
    """The answer on any subject. Raises the error that it tells of, Unavailable if there is no answer in time."""
    with answering(f"{who} does not answer"):
        reply = await client.request(subject, payload, timeout=timeout_s)
    answer: dict[str, Any] = json.loads(reply.data)
    if "error" in answer:
        raise ErrorAnswer.model_validate(answer).raised()
    return answer
