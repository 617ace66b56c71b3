"""Has the files made anew where they are of another version: beside those that answer if these can be read, else first."""

import asyncio

from services.retriever.adopting import Adoption
from services.retriever.made_apart import FIRST, RENEW, apart
from services.retriever.store.memory_folder import MemoryFolder
from shared.domain.parts import Part
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import LogReader
from shared.runtime.generations import clear
from shared.runtime.logs import log
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread

_MANY = 20_000
"""Events that a worker applies by itself in some seconds; of more, files are made by processes on all cores."""


class Renewal:
    """Sees to the files of one worker; the workers of all parts come by the same new ones."""

    def __init__(self, runtime: RuntimeSettings, memories: MemoryFolder, adoption: Adoption, part: Part) -> None:
        self._runtime = runtime
        self._memories = memories
        self._adoption = adoption
        self._part = part

    async def before_answering(self, client: Client) -> None:
        """Where nothing is there to answer from, and the log is long, have all made. A failure leaves it to reading the log."""
        if await in_thread(lambda: self._memories.index.position) or await LogReader(client).count() <= _MANY:
            return
        log.warning("projection.made_first", projection="retriever", part=self._part.index)
        code = await apart(self._runtime, FIRST)
        old = self._memories.folder
        await in_thread(self._adoption.read_again)
        if self._memories.folder != old:
            await in_thread(clear, old)
        log.info("projection.made", projection="retriever", generation=self._memories.folder.name, exit_code=code)

    async def beside(self) -> None:
        """Where the files are of an earlier version, have new ones made and taken over; then do nothing more."""
        if self._memories.index.earlier and self._part.index == 0:
            log.warning("projection.renewed", projection="retriever")
            code = await apart(self._runtime, RENEW)
            log.info("projection.made", projection="retriever", generation=self._memories.folder.name, exit_code=code)
        await asyncio.Event().wait()
