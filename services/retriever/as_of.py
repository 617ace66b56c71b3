"""Makes a file of a person's memories as of an earlier moment, from their part of the log; it is deleted after use."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import datetime
from pathlib import Path

from services.retriever.store.memory_file import MemoryFile, delete_file
from shared.contracts.envelope import Envelope
from shared.contracts.ids import Scope
from shared.contracts.privacy import ForgettingTakenBack, MemoryForgotten, UserForgotten
from shared.domain.gaps import Range, explained
from shared.domain.taking_back import taken_back
from shared.runtime.connection import Client
from shared.runtime.ids import new_token
from shared.runtime.projector import NOTHING_ASIDE, Aside, Recorded, scope_batches, without_taken_back
from shared.runtime.tasks import in_thread

Until = int | datetime
"""The number of an event of the person's, or a moment."""


@asynccontextmanager
async def file_as_of(
    client: Client, scope: Scope, until: Until, folder: Path, *, aside: Aside = NOTHING_ASIDE
) -> AsyncGenerator[MemoryFile]:
    """A file of what was known then, without what was forgotten since, which the log may still hold."""
    forgettings = await _forgettings(client, scope, aside)
    forgotten = [each for recorded in without_taken_back(forgettings) for each in explained(recorded.event.data)]
    back = taken_back(recorded.event for recorded in forgettings if is_known(recorded.event, until))
    path = folder / f"{new_token()}.db"
    file = await in_thread(MemoryFile, path)
    try:
        async with aclosing(scope_batches(client, scope, aside=aside)) as batches:
            async for events in batches:
                then = [recorded for recorded in events if is_known(recorded.event, until)]
                kept = without_forgotten(without_taken_back(then, back), forgotten)
                await in_thread(file.apply, kept, allow_gaps=True)
                if len(then) < len(events):
                    break
        yield file
    finally:
        await in_thread(file.close)
        await in_thread(delete_file, path)


def is_known(event: Envelope, until: Until) -> bool:
    """True if an event was recorded by this moment, or is this event of its scope or an earlier one."""
    return event.recorded_at <= until if isinstance(until, datetime) else event.number <= until


def without_forgotten(events: Sequence[Recorded], forgotten: Sequence[Range]) -> list[Recorded]:
    """The events whose numbers are in none of these ranges."""
    return [recorded for recorded in events if not any(first <= recorded.event.number <= last for first, last in forgotten)]


async def _forgettings(client: Client, scope: Scope, aside: Aside) -> list[Recorded]:
    """The events by which something was forgotten until now, or taken back."""
    batches = scope_batches(client, scope, types=(MemoryForgotten, UserForgotten, ForgettingTakenBack), aside=aside)
    return [recorded async for batch in batches for recorded in batch]
