"""An event that a service cannot read concerns its person alone, is named to the operator, and applied by a newer memstream."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from nats.aio.client import Client

from services.maintenance.app import Maintenance
from services.maintenance.settings import MaintenanceSettings
from services.retriever.app import build
from services.retriever.rebuild import rebuild as rebuild_retriever
from shared.contracts.events import EVENTS
from shared.contracts.ids import Scope, Space, User
from shared.runtime.embedders.factory import EmbedderSettings
from tests.integration.test_command_line import Person, operator_cli
from tests.integration.test_event_of_tomorrow import DREAM, SPACE, USER, DreamRecorded, _append
from tests.support.installations import Bot, Installation, last_position, serving, until
from tests.support.services import answering


@asynccontextmanager
async def without_ingest(server: Installation) -> AsyncIterator[Bot]:
    """Services that read the log while an ingest of tomorrow writes it."""
    maintenance = Maintenance(server.settings, MaintenanceSettings(clock="off"), EmbedderSettings(kind="none"))
    async with serving(build(server.settings), maintenance), server.connected("bot") as client:
        yield Bot(client, SPACE)


async def asked(client: Client, service: str, what: str, request: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    reply = await client.request(f"admin.{service}.{what}", json.dumps(request or {}).encode(), timeout=30)
    return list(json.loads(reply.data)["events"])


async def texts(bot: Bot, position: int) -> list[str]:
    listed = await bot.ask(USER, "list", {"kinds": ["fact", "episode"], "min_position": position, "timeout_s": 20})
    return [each["text"] for each in listed["items"]]


async def rebuilt(server: Installation) -> str:
    return await rebuild_retriever(server.settings)


async def test_an_event_of_tomorrow_is_put_aside_its_person_is_answered_and_it_is_applied_by_a_newer_memstream(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope: Scope = own_server.keys.scope_of(Space(SPACE), User(USER))
    async with answering(own_server, space=SPACE) as running:
        await running.bot.said(USER, "I like tea.")
        await running.bot.said(USER, "I like cake.")
    async with own_server.connected("operator") as operator, without_ingest(own_server) as bot:
        await _append(own_server, DREAM, scope)
        end = await last_position(operator)
        assert await texts(bot, end) == ["I like cake.", "I like tea."]
        for service in ("retriever", "maintenance"):

            async def is_aside(service: str = service) -> bool:
                return bool(await asked(operator, service, "quarantine"))

            await until(is_aside, what=f"{service} has met it")
            (aside,) = await asked(operator, service, "quarantine")
            assert aside["position"] == end
            assert DreamRecorded.event_type in aside["reason"]
            (tried,) = await asked(operator, service, "quarantine_retry")
            assert (tried["applied"], tried["reason"]) == (False, aside["reason"])
        listed = await operator_cli(Person(own_server, SPACE), "quarantine", "list")
        assert f"{end}  retriever" in listed.out
        shown = await operator_cli(Person(own_server, SPACE), "quarantine", "show", str(end))
        assert DREAM.text in shown.out

        monkeypatch.setitem(EVENTS, DreamRecorded.event_type, DreamRecorded)
        for service in ("retriever", "maintenance"):
            (tried,) = await asked(operator, service, "quarantine_retry", {"positions": [end]})
            assert tried == {"position": end, "applied": True, "reason": None}
            assert await asked(operator, service, "quarantine") == []
        assert DREAM.text in await texts(bot, end)
        digests = json.loads((await operator.request("admin.retriever.digests", timeout=30)).data)
    assert await rebuilt(own_server) == digests["projection"]
