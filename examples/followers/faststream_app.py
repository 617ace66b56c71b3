"""The same as a FastStream application: `faststream run faststream_app:app`. MEMSTREAM_SPACE says which space.

FastStream hears what happens now, and may miss some of it. So an event only says that there is something to read: the tables
read on from where they end.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from faststream import FastStream
from faststream.nats import NatsBroker
from faststream.security import SASLPlaintext
from knowledge import Knowledge

from memstream import EventReader, FollowedEvent

SPACE = os.environ.get("MEMSTREAM_SPACE", "shop")
broker = NatsBroker(
    os.environ["MEMSTREAM_URL"],
    security=SASLPlaintext(username=os.environ["MEMSTREAM_READER"], password=os.environ["MEMSTREAM_READER_PASSWORD"]),
    inbox_prefix=os.environ["MEMSTREAM_READER_INBOX_PREFIX"],
)
log = EventReader(space=SPACE)
tables = Knowledge(os.environ.get("KNOWLEDGE_DB", "knowledge.db"))
reading = asyncio.Lock()


@asynccontextmanager
async def connected() -> AsyncIterator[None]:
    """Keep a connection for reading on beside FastStream's own."""
    async with log:
        yield


app = FastStream(broker, lifespan=connected)


@app.after_startup
async def catch_up() -> None:
    """Read from where the tables end to the present."""
    async with reading:
        async for event in log.replay(after=tables.position):
            if event.type in {"memory_forgotten", "forgetting_taken_back"}:
                tables.make_anew(event, [each async for each in log.replay(user=event.user, through=event.position)])
            else:
                tables.apply(event)


@broker.subscriber(f"events.{SPACE}.*.*")
async def on_event(event: FollowedEvent) -> None:
    """Called for every event of the space when it is recorded."""
    print(f"{event.user or 'somebody'}: {event.type}")
    await catch_up()
