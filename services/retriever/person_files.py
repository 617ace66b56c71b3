"""Reads the files of those who ask: waits for the position, takes a thread, and repairs what is behind."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from services.retriever.store.legs import Connection
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope, Space, User
from shared.contracts.queries import Query
from shared.runtime.connection import Client
from shared.runtime.keys import Keys
from shared.runtime.logs import log
from shared.runtime.projector import Projector, read_scope
from shared.runtime.tasks import in_thread

T = TypeVar("T")
_MOST_TRIES = 5
_MOST_REPAIRS = 3
_READERS = 4
"""Files are read by so many threads, which nobody else uses: many questions at once must not keep back what is new."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Whose memories are asked for: from the subject, never from the payload."""

    space: Space
    user: User


class PersonFiles:
    """The files of everyone, each for its own person only."""

    def __init__(self, memories: MemoryFolder, keys: Keys, *, scratch: Path) -> None:
        self.scratch = scratch  # for replays of the past
        self.keys = keys
        self._memories = memories
        self._client: Client | None = None
        self._projector: Projector | None = None
        self._is_closed = False
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="read")

    def open(self, client: Client, projector: Projector) -> None:
        """Begin to read, as far as this projector has come."""
        self._client, self._projector = client, projector

    def close(self) -> None:
        """Refuse whoever asks from now on; those who read already come to their end."""
        self._is_closed = True
        self._readers.shutdown(wait=False)

    def scope_of(self, asker: Asker) -> Scope:
        """The asker's scope."""
        return self.keys.scope_of(asker.space, asker.user)

    @property
    def connected(self) -> Client:
        """The connection. Raises Unavailable while there is none."""
        if self._client is None:
            raise Unavailable("the retriever is starting; ask again")
        return self._client

    @property
    def position(self) -> int:
        """How far the log is applied. Raises Unavailable while that is not known."""
        if self._projector is None:
            raise Unavailable("the retriever is starting; ask again")
        return self._projector.progress.position

    async def read(self, asker: Asker, query: Query, read: Callable[[MemoryFile, int], T]) -> T | None:
        """Wait for the position, then read the asker's file in a thread; None where nothing is known of the asker."""
        if self._projector is None:
            raise Unavailable("the retriever is starting; ask again")
        await self._projector.progress.wait_for(query.min_position, query.timeout_s)
        position = self.position
        scope = self.scope_of(asker)

        def attempt() -> T | None:
            with self._memories.reading(scope) as file:
                return None if file is None else read(file, position)

        return await self._repaired(attempt)

    async def look(self, asker: Asker, query: Query, look: Callable[[Connection, int], T]) -> T | None:
        """The same with a connection to the file."""

        def read(file: MemoryFile, position: int) -> T:
            with file.connect() as db:
                return look(db, position)

        return await self.read(asker, query, read)

    async def _repaired(self, attempt: Callable[[], T]) -> T:
        """Run in a thread; where a file turns out to be behind, read its scope from the log and try again.

        Raises Unavailable where the same file is behind again and again, and after `close`.
        """
        repairs: Counter[Scope] = Counter()
        while True:
            if self._is_closed:
                raise Unavailable("the retriever is stopping; ask again")
            try:
                return await asyncio.get_running_loop().run_in_executor(self._readers, attempt)
            except FileBehind as behind:
                repairs[behind.scope] += 1
                if repairs[behind.scope] > _MOST_REPAIRS:
                    raise Unavailable("a file cannot be repaired; the retriever's log says why") from behind
                await self._repair(behind)

    async def _repair(self, behind: FileBehind) -> None:
        log.warning("file.repaired", scope=behind.scope, after=behind.after)
        events = await read_scope(self.connected, behind.scope, after=behind.after)
        await in_thread(self._memories.repair, behind.scope, events)

    async def status(self) -> dict[str, int]:
        """How many files are to be rebuilt."""
        return {"to_replay": len(await in_thread(self._memories.index.scopes_to_rebuild))}

    async def digests(self) -> dict[str, str | int]:
        """The projection digest and the content digest of everything applied so far."""
        for _ in range(_MOST_TRIES):
            position = self.position
            projection = await self._repaired(lambda: self._memories.each_file(MemoryFile.digest))
            content = await self._repaired(lambda: self._memories.each_file(MemoryFile.content_digest))
            if self.position == position:
                return {"position": position, "projection": projection, "content": content}
        raise Unavailable("events keep coming; ask again when it is quieter")
