"""Takes over a generation that was made beside the one that answers: catches up with the log, compares both, and switches.

Until the switch the old one answers. The switch itself lets nothing be applied for a moment; who asks does not wait for it.
"""

import asyncio
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from services.retriever.projection import RetrieverProjection
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from shared.contracts.contract import Contract
from shared.contracts.errors import MemstreamError, Misconfigured
from shared.contracts.ids import Scope
from shared.domain.parts import Part
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.datadir import DataDir
from shared.runtime.generations import Generations
from shared.runtime.logs import log
from shared.runtime.projection_file import leaving_files
from shared.runtime.projector import Projector
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.tasks import end, in_thread

_OPEN_FILES = 32
_MOST_PASSES = 3
"""So often people are compared again who said something meanwhile."""


class AdoptRequest(Contract):
    """Which generation is to be taken over."""

    generation: str


class AdoptionStage(StrEnum):
    """How far a worker has come with taking over."""

    NONE = "none"
    CATCHING_UP = "catching_up"
    COMPARING = "comparing"
    READY = "ready"
    SWITCHED = "switched"
    FAILED = "failed"


class Adoption:
    """What one worker takes over for the people of its part."""

    def __init__(self, memories: MemoryFolder, files: DataDir, part: Part, *, pending_events: int) -> None:
        self._memories = memories
        self._generations = Generations(files, "retriever")
        self._part = part
        self._pending_events = pending_events
        self.projection = self._projection_of(memories)
        """That of the files which answer."""
        self._beside: _Beside | None = None
        self._task: asyncio.Task[None] | None = None
        self._stage = AdoptionStage.NONE
        self._why = ""
        self._compared = self._of = 0
        self._differing: list[Scope] = []
        self._untold = 0

    def read_again(self) -> None:
        """Before this process answers: read what another may have written since, of the generation that counts by now."""
        current = self._generations.current
        if current == self._memories.folder:
            self._memories.index.read_again()
        else:
            self._memories.move_to(current)

    def progress(self) -> dict[str, Any]:
        """How far it has come, and who differs."""
        return {
            "stage": self._stage,
            "why": self._why,
            "generation": self._memories.folder.name,
            "compared": self._compared,
            "of": self._of,
            "differing": list(self._differing),
            "untold": self._untold,
        }

    async def begin(self, client: Client, generation: str) -> None:
        """Catch up and compare, in a task; what an earlier try had open is closed."""
        await self.close()
        folder = self._generations.current.with_name(generation)
        if folder == self._memories.folder:
            self._stage = AdoptionStage.SWITCHED
            return
        if folder not in self._generations.complete:
            raise Misconfigured(f"there is no complete generation {generation}")
        self._stage, self._why = AdoptionStage.CATCHING_UP, ""
        self._task = asyncio.create_task(self._prepared(client, folder))

    async def _prepared(self, client: Client, folder: Path) -> None:
        try:
            self._beside = await in_thread(self._open, client, folder)
            await retry_while_unavailable(self._beside.projector.catch_up)
            self._stage = AdoptionStage.COMPARING
            await self._compare(self._beside)
            self._stage = AdoptionStage.READY
        except MemstreamError as error:
            log.warning("generation.not_taken_over", generation=folder.name, code=error.code, reason=error.message)
            self._stage, self._why = AdoptionStage.FAILED, error.message

    def _open(self, client: Client, folder: Path) -> "_Beside":
        with leaving_files():
            memories = MemoryFolder(folder, open_files=_OPEN_FILES, slots=self._part.slots)
        projection = self._projection_of(memories)
        projection.name = "retriever_beside"
        return _Beside(memories, projection, Projector(client, projection, slots=self._part.slots))

    def _projection_of(self, memories: MemoryFolder) -> RetrieverProjection:
        return RetrieverProjection(memories, pending_events=self._pending_events, others=self._unopened)

    def _unopened(self) -> list[Path]:
        """The folders of generations that this worker has not open."""
        opened = {self._memories.folder, self._beside.memories.folder if self._beside else None}
        return [folder for folder in self._generations.complete if folder not in opened]

    async def _compare(self, beside: "_Beside") -> None:
        """Compare everybody's rows, each at the same event of theirs in both."""
        scopes = await in_thread(self._memories.index.scopes)
        self._of, self._compared, self._differing = len(scopes), 0, []
        for _ in range(_MOST_PASSES):
            later = []
            for scope in scopes:
                is_equal = await BACKGROUND.run(self._is_equal, beside, scope)
                if is_equal is None:
                    later.append(scope)
                else:
                    self._compared += 1
                    self._differing += [] if is_equal else [scope]
            self._untold = len(later)
            scopes = later
            if scopes:
                await beside.projector.catch_up()

    def _is_equal(self, beside: "_Beside", scope: Scope) -> bool | None:
        """None where they cannot be compared now: one of them has come further, or is to be made anew."""
        with suppress(FileBehind):
            digest = MemoryFile.content_digest if self._memories.index.earlier else MemoryFile.digest
            old, new = (memories.digest(scope, digest) for memories in (self._memories, beside.memories))
            if old and new and old[0] == new[0]:
                return old == new
        return None

    async def switch(self) -> None:
        """Answer from the new files from now on. Raises Misconfigured unless all is ready."""
        if self._stage is AdoptionStage.SWITCHED:
            return
        if self._beside is None or self._stage is not AdoptionStage.READY:
            raise Misconfigured(f"there is nothing to switch to: {self._stage}")
        beside = self._beside
        await beside.projector.catch_up()
        await in_thread(self.projection.turnstile.close)
        try:
            await beside.projector.catch_up()
            await in_thread(beside.close)
            await in_thread(self.projection.move_to, beside.memories.folder)
        finally:
            self.projection.turnstile.open()
        self._beside, self._stage = None, AdoptionStage.SWITCHED
        log.info("generation.switched", generation=self._memories.folder.name, part=self._part.index)

    async def close(self) -> None:
        """Give up what is not switched to yet."""
        if self._task is not None:
            await end([self._task])
            self._task = None
        if self._beside is not None:
            beside, self._beside = self._beside, None
            await in_thread(beside.projection.close)
        self._stage = AdoptionStage.NONE


class _Beside:
    """A generation that is being caught up with the log."""

    def __init__(self, memories: MemoryFolder, projection: RetrieverProjection, projector: Projector) -> None:
        self.memories = memories
        self.projector = projector
        self.projection = projection

    def close(self) -> None:
        """Write all that waits, and close all files."""
        self.projection.flush()
        self.memories.close()
