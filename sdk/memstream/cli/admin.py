"""Asks a running service about its work, on `admin.<service>.<what>`."""

from typing import Any

from shared.runtime.asking import answer_on
from shared.runtime.connection import Client, operator_connection
from shared.runtime.settings import RuntimeSettings


async def ask_service(client: Client, service: str, what: str, payload: bytes = b"", *, timeout_s: float) -> dict[str, Any]:
    """The service's answer. Raises the error that it tells of, Unavailable if there is no answer in time."""
    return await ask_on(client, f"admin.{service}.{what}", payload, who=service, timeout_s=timeout_s)


async def ask_once(
    settings: RuntimeSettings, service: str, what: str, payload: bytes = b"", *, timeout_s: float
) -> dict[str, Any]:
    """Ask a running service over a connection of its own. Raises what `ask_service` does."""
    async with operator_connection(settings) as client:
        return await ask_service(client, service, what, payload, timeout_s=timeout_s)


async def ask_on(client: Client, subject: str, payload: bytes, *, who: str, timeout_s: float) -> dict[str, Any]:
    """The answer on any subject. Raises the error that it tells of, Unavailable if there is no answer in time."""
    return await answer_on(client, subject, payload, silence=f"{who} does not answer", timeout_s=timeout_s)
