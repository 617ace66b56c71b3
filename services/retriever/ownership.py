"""Who answers for a part of the people: the one process that has the lock of the part. Nobody else opens their files.

The lock goes with its process, at the very moment when that ends, however it does. Whoever stands in for a worker that is not
there gives the part back when the worker has come and asks for it.
"""

import asyncio
import shutil
from pathlib import Path

from shared.contracts.errors import Unavailable
from shared.contracts.subjects import part_subject
from shared.domain.parts import Part
from shared.runtime.connection import Client, answering
from shared.runtime.datadir import DataDir
from shared.runtime.file_lock import FileLock
from shared.runtime.logs import log
from shared.runtime.tasks import end

_ASK_AGAIN_S = 0.5


class Ownership:
    """The lock of a part, and how it changes hands."""

    def __init__(self, part: Part, files: DataDir, *, stands_in: bool = False) -> None:
        self.part = part
        self.stands_in = stands_in
        """True for who gives it back when the part's own worker comes."""
        self.leave_subject = part_subject("leave", index=part.index, count=part.count)
        """Where a worker asks whoever stands in for it to leave."""
        self._lock = FileLock(files.lock(f"retriever-{part.index}-of-{part.count}"))

    async def take(self, client: Client | None = None) -> None:
        """Wait for the lock; over this connection, whoever stands in is asked to leave."""
        if self._lock.take():
            return
        asking = asyncio.create_task(self._ask(client)) if client else None
        try:
            await self._lock.wait()
        finally:
            if asking:
                await end([asking])
        log.info("part.taken", part=self.part.index, parts=self.part.count)

    def give_up(self) -> None:
        """Let another process have the part. Its files must be closed."""
        self._lock.release()

    async def _ask(self, client: Client) -> None:
        while True:
            try:
                with answering("nobody could be asked to leave"):
                    await client.publish(self.leave_subject)
            except Unavailable as error:
                log.info("part.not_asked_for", reason=error.message)
            await asyncio.sleep(_ASK_AGAIN_S)


def remove_scratch(folder: Path, part: Part) -> None:
    """Delete what a crash of whoever had this part left there; what is of no part any more goes with the first."""
    if part.index == 0:
        others = {str(index) for index in range(1, part.count)}
        for left in folder.glob("*"):
            if left.name not in others:
                shutil.rmtree(left, ignore_errors=True)
    else:
        shutil.rmtree(folder / str(part.index), ignore_errors=True)
