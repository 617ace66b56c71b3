"""A service that is a process of its own learns from the log that another one decides an import."""

from datetime import UTC, datetime

from nats.aio.client import Client

from shared.contracts.ids import EventId, Scope, Slot
from shared.runtime.attention import Attention
from shared.runtime.eventlog.append import NewEvent, append
from shared.runtime.ids import new_token
from shared.runtime.import_watch import ImportWatch
from shared.runtime.imports_elsewhere import ImportsElsewhere
from tests.support.history import said, sealed


class Look:
    """A look at the log of a server, by a clock that is set."""

    def __init__(self, client: Client) -> None:
        self.now = 100.0
        self.imports = ImportWatch(lambda: self.now, Attention(lambda: self.now))
        self._elsewhere = ImportsElsewhere(client, self.imports, lambda: self.now)

    async def after(self, seconds: float) -> bool:
        """Whether an import is under way, looked at so much later."""
        self.now += seconds
        await self._elsewhere.look()
        return self.imports.is_under_way


async def say(client: Client, *, imported: bool) -> None:
    turn = said(f"ep_{new_token()[:24]}", "Hello", imported=imported)
    event = sealed(turn, number=1, moment=datetime(2026, 1, 1, tzinfo=UTC))
    event = event.model_copy(update={"event_id": EventId(new_token())})
    await append(client, [NewEvent.of(event, slot=Slot(1), scope=Scope(new_token()))])


async def test_an_import_is_under_way_while_its_turns_come(writer: Client) -> None:
    look = Look(writer)
    await say(writer, imported=True)
    assert not await look.after(0), "nobody knows since when it is there"
    await say(writer, imported=True)
    assert not await look.after(0.1), "nobody looks all the time"
    assert await look.after(0.5)
    assert look.imports.is_alone
    assert not await look.after(1.0), "none came"


async def test_what_is_said_live_is_no_import(writer: Client) -> None:
    look = Look(writer)
    await look.after(0)
    await say(writer, imported=False)
    assert not await look.after(0.5)


async def test_an_import_is_not_alone_while_somebody_speaks_beside_it(writer: Client) -> None:
    look = Look(writer)
    await say(writer, imported=True)
    await look.after(0)
    await say(writer, imported=True)
    await look.after(0.5)
    assert look.imports.is_alone
    await say(writer, imported=False)
    assert await look.after(0.5), "it came half a second ago"
    assert not look.imports.is_alone
    await say(writer, imported=True)
    assert await look.after(0.5)
    assert not look.imports.is_alone, "whoever has just spoken is likely to speak again"
    await say(writer, imported=True)
    assert await look.after(0.6)
    assert look.imports.is_alone
