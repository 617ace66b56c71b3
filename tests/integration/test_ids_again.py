"""An id that is sent again after its person was forgotten stops nobody: the server still knows the events that were erased."""

from __future__ import annotations

import pytest

from shared.contracts.ids import Space, User
from shared.contracts.privacy import UserForgotten
from shared.contracts.queries import OutcomeAnswer
from tests.support.installations import Bot, Installation, events_of, running

USER, SPACE = "anna", "home"


async def sent(bot: Bot, what: str, message_id: str, **fields: object) -> OutcomeAnswer:
    return await bot.outcome(USER, sequence=await bot.send(USER, what, {"message_id": message_id, **fields}))


async def test_forgetting_a_person_again_with_the_same_id_changes_nothing(own_server: Installation) -> None:
    async with running(own_server.settings), own_server.connected("bot") as client:
        bot = Bot(client, SPACE)
        await bot.said(USER, "I like tea.")
        assert [(await sent(bot, "forget_user", "f")).verdict for _ in range(2)] == ["recorded", "unchanged"]
        await bot.said(USER, "I am back.")
        assert (await sent(bot, "forget_user", "f")).code == "id_reused"  # else it would be thought forgotten


@pytest.mark.parametrize(
    ("what", "fields"),
    [("forget_user", {}), ("start_incognito", {"session_id": "s2"})],
)
async def test_what_was_erased_may_be_sent_again_with_its_id(
    own_server: Installation, what: str, fields: dict[str, object]
) -> None:
    async with running(own_server.settings) as ingest, own_server.connected("bot") as client:
        bot = Bot(client, SPACE)
        await bot.said(USER, "I like tea.")
        first = await sent(bot, what, "same", **fields)
        await sent(bot, "forget_user", "other")
        again = await sent(bot, what, "same", **fields)
        assert (first.verdict, again.verdict) == ("recorded", "recorded")
        assert (await bot.said("ben", "I like rum.")).verdict == "recorded", "others of the lane go on"
        assert not ingest.task.done()
    async with own_server.connected("operator") as operator:
        log = await events_of(operator, own_server.keys.scope_of(Space(SPACE), User(USER)), USER)
    assert len({event.event_id for event in log}) == len(log)
    forgettings = [event.data.forget_id for event in log if isinstance(event.data, UserForgotten)]
    assert len(set(forgettings)) == len(forgettings), "each forgetting has a receipt of its own"
