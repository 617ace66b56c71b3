"""Compares the rows of a person in a worklist with those that the log gives now."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from shared.contracts.ids import Position, Scope
from shared.runtime.comparing import CompareRequest, Comparison, compare, folder_within, is_settled
from shared.runtime.connection import Client
from shared.runtime.keys import load_keys
from shared.runtime.projector import Recorded, read_scope
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread
from shared.runtime.worklist import Worklist, opened_worklist


class WorklistComparison:
    """Compares a worklist; the rows of each person are made again in a folder of its own, which is deleted."""

    def __init__(self, client: Client, store: Worklist, make: Callable[[Path], Worklist], scratch: Path) -> None:
        self._client = client
        self._store = store
        self._make = make
        self._scratch = scratch

    async def of(self, request: CompareRequest, *, patience_s: float = 0.0) -> Comparison:
        """Compare the rows of these people. Raises ProjectionDamaged where somebody else changed what the log does not tell."""
        await in_thread(self._store.require_tallied)
        file = f"{self._store.name}/{self._store.name}.db"
        return await compare(request.scopes, self._differs, lambda _: file, patience_s=patience_s)

    async def _differs(self, scope: Scope) -> bool | None:
        digest, position = await in_thread(self._now, scope)
        events = await read_scope(self._client, scope, aside=await in_thread(lambda: self._store.aside))
        seen = [recorded for recorded in events if recorded.position <= position]
        if not seen or scope in self._store.scopes_to_rebuild() or not is_settled(events, seen[-1].event.number):
            return None
        return await in_thread(self._rebuilt, scope, seen) != digest

    def _now(self, scope: Scope) -> tuple[str, int]:
        return self._store.scope_digest(scope), self._store.position

    def _rebuilt(self, scope: Scope, events: Sequence[Recorded]) -> str:
        with folder_within(self._scratch) as folder, closing(self._make(folder)) as store:
            store.apply(events, Position(events[-1].position))
            return store.scope_digest(scope)


async def compare_worklist(
    make: type[Worklist], runtime: RuntimeSettings, client: Client, request: CompareRequest
) -> Comparison:
    """Compare a worklist as it lies in the data folder. Its service must not run meanwhile."""
    digester, scratch = load_keys(runtime.files.keys).digester, runtime.files.scratch(make.name)
    with closing(opened_worklist(make, runtime)) as store:
        return await WorklistComparison(client, store, lambda folder: make(folder, digester), scratch).of(request)
