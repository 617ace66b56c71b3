"""What the operator asks of ingest: of one about its part, and of all of them as of one."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from itertools import chain
from typing import Any

from faststream.nats import NatsRouter

from services.ingest.others import Others
from services.ingest.rejected import DeadLetters
from services.ingest.store import Store
from shared.contracts.commands import LearningPreview
from shared.runtime.comparing import CompareRequest, Comparison
from shared.runtime.measured import PROCESS, measured, told_by
from shared.runtime.tasks import in_thread

_IngestReport = dict[str, Any]


class IngestPartReports:
    """What one ingest says of the people for whom it decides."""

    def __init__(
        self,
        store: Store,
        letters: DeadLetters,
        compared: Callable[[CompareRequest], Awaitable[Comparison]],
        backlog: Callable[[], Awaitable[dict[str, int]]],
        changes: Callable[[LearningPreview], Awaitable[list[dict[str, Any]] | None]],
    ) -> None:
        self._store = store
        self._letters = letters
        self._compared = compared
        self._backlog = backlog
        self._changes = changes

    async def digests(self) -> _IngestReport:
        """The projection digest of everything decided so far."""
        return dict(self._store.digests())

    async def status(self) -> _IngestReport:
        """The numbers of people: of whom something is being erased, waits to be, and whose rows are to be made anew."""
        waiting = {each.scope for each in await in_thread(self._store.waiting)}
        erasing = await in_thread(self._store.to_erase)
        return {"erasing": len(erasing), "waiting": len(waiting), "to_rebuild": len(self._store.scopes_to_rebuild())}

    async def backlog(self) -> _IngestReport:
        """How many messages each lane has not decided. Raises Unavailable until that is known."""
        return dict(await self._backlog())

    async def lost_letters(self) -> _IngestReport:
        """The number of dead letters of each bot that were not kept since the start."""
        return dict(self._letters.lost)

    async def compare(self, request: CompareRequest) -> _IngestReport:
        """Compare the rows of these people with the log."""
        return (await self._compared(request))._asdict()

    async def preview(self, request: LearningPreview) -> _IngestReport:
        """The changes to which something learned would lead; None where another decides for its person."""
        return {"changes": await self._changes(request)}

    async def measured(self) -> _IngestReport:
        """What this process measures, as numbers."""
        return told_by([(PROCESS, await in_thread(measured))])


class IngestReports:
    """What all ingests say, as of one."""

    def __init__(self, own: IngestPartReports, others: Others) -> None:
        self._own = own
        self._others = others

    async def digests(self) -> dict[str, str | int]:
        """The projection digest of everything decided so far."""
        told = [await self._own.digests(), *await self._others.ask("digests")]
        if len(told) == 1:
            return told[0]
        joined = sha256("".join(str(each["projection"]) for each in told).encode()).hexdigest()
        return {"position": max(int(each["position"]) for each in told), "projection": joined}

    async def status(self) -> dict[str, int]:
        """The numbers of people: of whom something is being erased, waits to be, and whose rows are to be made anew."""
        return await self._added(self._own.status)

    async def backlog(self) -> dict[str, int]:
        """How many messages each lane has not decided. Raises Unavailable until that is known."""
        return await self._added(self._own.backlog)

    async def lost_letters(self) -> dict[str, int]:
        """The number of dead letters of each bot that were not kept since the start."""
        return await self._added(self._own.lost_letters)

    async def compare(self, request: CompareRequest) -> dict[str, Any]:
        """Compare the rows of these people with the log: each ingest tells of those of its part."""
        told = [await self._own.compare(request), *await self._others.ask("compare", request)]
        if len(told) == 1:
            return told[0]
        compared = sum(each["compared"] for each in told)
        differing = [file for each in told for file in each["differing"]]
        return {"compared": compared, "differing": differing, "untold": len(request.scopes) - compared}

    async def preview(self, request: LearningPreview) -> dict[str, Any]:
        """The changes to which something learned would lead: one ingest tells."""
        told = [await self._own.preview(request), *await self._others.ask("preview", request)]
        return next(each for each in told if each["changes"] is not None)

    async def measured(self) -> dict[str, Any]:
        """What each ingest that answers measures, as numbers."""
        told = [await self._own.measured(), *await self._others.ask_who_answers("measured")]
        found = {process["process"]: process for each in told for process in each["processes"]}
        return {"processes": list(found.values())}

    async def _added(self, own: Callable[[], Awaitable[_IngestReport]]) -> dict[str, int]:
        told = [await own(), *await self._others.ask(own.__name__)]
        return {name: sum(each.get(name, 0) for each in told) for name in dict.fromkeys(chain(*told))}


def report_router(reports: IngestPartReports | IngestReports, before: str) -> NatsRouter:
    """A router that answers the operator on subjects which begin so."""
    router = NatsRouter()
    told = (reports.digests, reports.status, reports.backlog, reports.lost_letters, reports.compare, reports.measured)
    for answer in (*told, reports.preview):
        router.subscriber(f"{before}.{answer.__name__}")(answer)
    return router
