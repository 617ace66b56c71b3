"""The application is made once, by whoever comes first."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.gateway.late_app import LateApp


async def test_requests_that_come_at_once_are_answered_by_one_application_made_for_them() -> None:
    made: list[ASGIApp] = []
    answered: list[Scope] = []

    def make() -> ASGIApp:
        async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
            answered.append(scope)

        made.append(app)
        return app

    late = LateApp(make)
    assert made == []
    await asyncio.gather(*(late({"number": number}, _receive, _send) for number in range(3)))
    assert (len(made), len(answered)) == (1, 3)
    assert late.made() is made[0]


async def _receive() -> Message:
    return {}


async def _send(_: Message) -> None:
    pass
