"""Compares a person's file with one that is made of what the log holds now."""

from contextlib import closing
from pathlib import Path

from services.retriever.store.forgetting_events import place_of_user_forgotten
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import FileBehind, FileDamaged, MemoryFolder
from shared.contracts.ids import Scope
from shared.runtime.comparing import CompareRequest, Comparison, compare, folder_within, is_settled
from shared.runtime.connection import Client
from shared.runtime.projector import Recorded, read_scope
from shared.runtime.tasks import in_thread


class FileComparison:
    """Compares the files of a folder; each is made again under `scratch`, and deleted."""

    def __init__(self, client: Client, memories: MemoryFolder, scratch: Path) -> None:
        self._client = client
        self._memories = memories
        self._scratch = scratch

    async def of(self, request: CompareRequest, *, patience_s: float = 0.0) -> Comparison:
        """Compare the files of these people. Raises ProjectionDamaged where somebody else changed the index."""
        await in_thread(self._memories.index.require_tallied)
        return await compare(request.scopes, self._differs, _file_of, patience_s=patience_s)

    async def _differs(self, scope: Scope) -> bool | None:
        """True if the file does not hold what the log says; None while it is about to be made anew."""
        applied = await in_thread(lambda: self._memories.index.position)
        known, now = await in_thread(self._now, scope)
        recorded = await read_scope(self._client, scope, aside=await in_thread(lambda: self._memories.index.aside))
        events = [each for each in recorded if each.event.is_of_person]
        if recorded and not (events or known):  # of the installation itself nobody has a file
            return False
        if any(each.event.number > known and each.position <= applied for each in events):
            return True
        if now is None or not events or scope in self._memories.index.scopes_to_rebuild():
            return None
        number, digest = now
        if not is_settled(events, number):
            return None
        return await in_thread(self._rebuilt, [each for each in events if each.event.number <= number]) != digest

    def _now(self, scope: Scope) -> tuple[int, tuple[int, str] | None]:
        """The number of the last event that the index knows, and that of the file with its digest.

        None for a file that lacks events after a crash: it is built again when it is asked for.
        """
        known = self._memories.index.number(scope)
        try:
            with self._memories.reading(scope) as file:
                return known, (file.number, file.digest() if file.is_sound() else "") if file else None
        except FileDamaged:
            return known, (known, "")
        except FileBehind:
            return known, None

    def _rebuilt(self, events: list[Recorded]) -> str:
        with folder_within(self._scratch) as folder, closing(MemoryFile(folder / "memories.db")) as file:
            file.apply(events[place_of_user_forgotten(events) or 0 :], allow_gaps=True)
            return file.digest()


def _file_of(scope: Scope) -> str:
    return f"retriever/memories/{scope[:2]}/{scope}.db"
