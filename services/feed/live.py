"""Tells every event to those who listen, as soon as it is in the log. What nobody hears is stored nowhere: it is read later."""

from contextlib import aclosing

from services.feed.telling import Teller
from shared.contracts.errors import ENDING, Poison, Unavailable
from shared.contracts.ids import Space, User
from shared.contracts.subjects import event_subject
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import LogReader
from shared.runtime.keys import Keys
from shared.runtime.projector import Recorded, decoded
from shared.runtime.tasks import note_failure

_BATCH = 250


async def tell_live(client: Client, keys: Keys, *, after: int) -> None:
    """Publish every event after a position, for ever."""
    async with aclosing(LogReader(client, after=after, batch=_BATCH).batches()) as batches:
        async for batch in batches:
            for record in batch:
                try:
                    await _tell(client, keys, decoded(record))
                except Poison:  # the projector has put it aside, with an alarm
                    continue
                except (*ENDING, Unavailable):
                    raise
                except Exception as error:  # noqa: BLE001 - one event must not keep all others from being told
                    note_failure(error, what="telling", position=record.position)


async def _tell(client: Client, keys: Keys, recorded: Recorded) -> None:
    event = recorded.event
    if not event.is_of_person:
        return
    told = Teller(Space(event.space), keys.digester).told(recorded)
    subject = event_subject(Space(event.space), User(event.user), event.type)
    await client.publish(subject, told.model_dump_json().encode())
