"""An event that the services of today do not know by name is forgotten like those that they do: only its class was written."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from shared.contracts.envelope import Actor, Envelope
from shared.contracts.event import EventData
from shared.contracts.events import EVENTS
from shared.contracts.ids import CommandId, EventId, EventNumber, MemoryId, Scope, Space, User
from shared.contracts.parts import Kind, Text
from shared.contracts.subjects import memory_subject, scope_filter, slot_of
from shared.runtime.eventlog.append import Expected, NewEvent, append
from tests.acceptance.everywhere import found
from tests.support.installations import Bot, Installation, events_of, last_position, until
from tests.support.scopes import T0
from tests.support.services import answering

USER = "anna"
SPACE = Space("home")


class DreamRecorded(EventData):
    """What somebody dreamt."""

    caused_by: ClassVar = ("record_dream",)
    makes = Kind.FACT

    memory_id: MemoryId
    text: Text


DREAM = DreamRecorded(
    memory_id=MemoryId("fact_0123456789abcdef01234567"), text="Every summer Quixeldra swims in Bramblethwick."
)


async def _append(server: Installation, data: EventData, scope: Scope) -> None:
    slot = slot_of(User(USER))
    async with server.connected("ingest") as client:
        log = await events_of(client, scope, USER)
        number = EventNumber(log[-1].number + 1)
        event = Envelope(
            event_id=EventId(f"{number:032x}"),
            type=data.event_type,
            version=data.event_version,
            space=SPACE,
            user=USER,
            number=number,
            occurred_at=T0,
            recorded_at=T0,
            actor=Actor(channel="work", name="maintenance"),
            correlation_id="c",
            causation_id=CommandId(f"{number:032x}"),
            data=data,
        )
        expected = Expected(scope_filter(slot, scope), await last_position(client))
        await append(client, [NewEvent(memory_subject(slot, scope, event.type), event.event_id, event.encode(), expected)])


async def _facts(bot: Bot, position: int) -> list[dict[str, Any]]:
    return list((await bot.ask(USER, "list", {"kinds": ["fact"], "min_position": position, "timeout_s": 20}))["items"])


@pytest.mark.parametrize("forget", [{"memory_ids": [DREAM.memory_id]}, {"query": "Quixeldra swims"}], ids=["id", "words"])
async def test_an_event_of_tomorrow_is_shown_and_forgotten_to_the_last_byte(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch, forget: dict[str, object]
) -> None:
    monkeypatch.setitem(EVENTS, DreamRecorded.event_type, DreamRecorded)
    scope = own_server.keys.scope_of(SPACE, User(USER))
    async with answering(own_server, space=SPACE) as running:
        await running.bot.said(USER, "I like tea.")
    await _append(own_server, DREAM, scope)
    async with answering(own_server, space=SPACE) as running, own_server.connected("operator") as operator:
        bot = running.bot
        assert [each["text"] for each in await _facts(bot, await last_position(operator))] == [DREAM.text]
        outcome = await bot.outcome(USER, sequence=await bot.send(USER, "forget", forget))
        assert await _facts(bot, outcome.position or 0) == []

        async def is_erased() -> bool:
            return bool((await bot.ask(USER, "receipt", {"number": outcome.number}))["state"] == "done")

        await until(is_erased, what="the receipt")
        receipt = await bot.ask(USER, "receipt", {"number": outcome.number})
        assert (receipt["memories"], receipt["erased"], receipt["scan"]["found"]) == (1, 1, 0)
        assert DREAM.event_type not in [event.type for event in await events_of(operator, scope, USER)]

        def is_gone() -> bool:
            return not found(own_server.settings.files.root, ["Quixeldra", "Bramblethwick"])

        await until(is_gone, what="the person's file is built anew")
