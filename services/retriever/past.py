"""A person's memories as of an earlier event: their part of the log, replayed into a scratch file that goes afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from services.retriever.store.file import MemoryFile
from shared.contracts.errors import NotFound
from shared.contracts.events import MemoriesRecalled
from shared.contracts.ids import Scope
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import LogReader
from shared.runtime.ids import new_token
from shared.runtime.projector import decoded
from shared.runtime.sqlite import delete_database


async def find_recall(client: Client, scope: Scope, recall_id: str) -> MemoriesRecalled:
    """The record of a recall. Raises NotFound, Unavailable."""
    reader = LogReader(client, subjects=[f"memory.*.{scope}.memories_recalled"])
    async with aclosing(reader.to_end()) as batches:
        async for batch in batches:
            for record in batch:
                data = decoded(record).event.data
                if isinstance(data, MemoriesRecalled) and data.recall_id == recall_id:
                    return data
    raise NotFound("no recall of this person has this id; a context without memories, or with record=false, is not recorded")


@asynccontextmanager
async def as_of(client: Client, scope: Scope, number: int, folder: Path) -> AsyncGenerator[MemoryFile]:
    """What was known after the scope's event of this number. What was forgotten since is not in the log any more."""
    path = folder / f"{new_token()}.db"
    file = await asyncio.to_thread(MemoryFile, path)
    try:
        reader = LogReader(client, subjects=[f"memory.*.{scope}.>"])
        async with aclosing(reader.to_end()) as batches:
            async for batch in batches:
                events = [decoded(record) for record in batch]
                then = [recorded for recorded in events if recorded.event.number <= number]
                await asyncio.to_thread(lambda: file.apply(then, allow_gaps=True))  # noqa: B023 - it is awaited
                if len(then) < len(events):
                    break
        yield file
    finally:
        await asyncio.to_thread(file.close)
        await asyncio.to_thread(delete_database, path)
