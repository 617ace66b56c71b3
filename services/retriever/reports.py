"""What the operator asks of the retriever: of one worker about its people, and of all of them as of one."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any

from prometheus_client import generate_latest

from services.retriever.answerer import Answerer
from services.retriever.ownership import Ownership
from services.retriever.person_files import PersonFiles
from services.retriever.store.memory_folder import MemoryFolder, add_digests
from shared.contracts.contract import Contract
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope
from shared.domain.parts import Part
from shared.runtime.asking import answer_on
from shared.runtime.comparing import LIVE_PATIENCE_S, CompareRequest, Comparison, RebuildRequest
from shared.runtime.connection import Client
from shared.runtime.measured import PROCESS, measured, told_by
from shared.runtime.memory import resident_mb
from shared.runtime.metrics import REGISTRY
from shared.runtime.projector import Aside
from shared.runtime.quarantine import Quarantine, QuarantineRequest, document
from shared.runtime.tasks import in_thread

_MOST_TRIES = 5
_TIMEOUT_S = 60.0
_LONG_TIMEOUT_S = 600.0
_METRICS_TIMEOUT_S = 2.0
_Report = dict[str, Any]


async def metrics_of(client: Client, part: Part) -> str:
    """What the worker of a part measures; nothing where it does not answer."""
    with suppress(Unavailable):
        return str((await _answered(client, part, "metrics", timeout_s=_METRICS_TIMEOUT_S))["page"])
    return ""


async def _answered(client: Client, part: Part, what: str, payload: bytes = b"", *, timeout_s: float) -> _Report:
    silence = f"the worker of part {part.index} does not answer"
    return await answer_on(client, f"{before_part(part)}.{what}", payload, silence=silence, timeout_s=timeout_s)


def before_part(part: Part) -> str:
    """What stands before the subjects on which a worker reports of its part."""
    return f"admin.retriever.part.{part.count}.{part.index}"


class PartReports:
    """Reports of one worker, about the people of its part."""

    def __init__(self, answerer: Answerer, files: PersonFiles, memories: MemoryFolder, ownership: Ownership) -> None:
        self._answerer = answerer
        self._files = files
        self._memories = memories
        self._ownership = ownership
        self._quarantine = Quarantine(
            memories.index, self._rebuild, slots=ownership.part.slots, released=memories.index.note_released
        )

    async def quarantined(self) -> _Report:
        """Every event that is put aside, of all people: its position, and why."""
        return await self._quarantine.listed()

    async def retry(self, request: QuarantineRequest) -> _Report:
        """Try events of this part's people again."""
        return document(await self._quarantine.retry(self._files.connected, request.positions))

    async def retry_at_start(self) -> None:
        """Try everything again: a newer memstream may be able to read it."""
        await self._quarantine.retry_at_start(self._files.connected)

    async def _rebuild(self, scope: Scope, aside: Aside) -> None:
        await self._files.rebuilds.rebuild(self._files.connected, scope, aside)

    async def status(self) -> _Report:
        """How many files are to be rebuilt after something was erased, how many recalls are to be sent, and the worker."""
        waiting = await in_thread(self._memories.index.scopes_to_rebuild)
        slots = self._ownership.part.slots
        worker = {
            "slots": [slots[0], slots[-1]],
            "pid": os.getpid(),
            "memory_mb": resident_mb(),
            "position": self._files.position,
            "stands_in": self._ownership.stands_in,
        }
        return {"to_replay": len(waiting), "to_record": self._answerer.unrecorded, "workers": [worker]}

    async def metrics(self) -> _Report:
        """What this process measures, where it is the worker's own: a stand-in has the page on which it is added up."""
        return {"page": "" if self._ownership.stands_in else (await in_thread(generate_latest, REGISTRY)).decode()}

    async def measured(self) -> _Report:
        """What this process measures, as numbers."""
        return told_by([(PROCESS, await in_thread(measured))])

    async def digests(self) -> _Report:
        """The projection digest and the content digest of everything applied so far to these people, and the position."""
        return await self._files.digests()

    async def compare(self, request: CompareRequest) -> _Report:
        """Compare the files of those of these people who are of this part; people whom nobody knows are of the first."""
        known = await in_thread(self._memories.index.last, request.scopes)
        slots = {scope: known[scope].slot if scope in known else 0 for scope in request.scopes}
        own = tuple(scope for scope in request.scopes if slots[scope] in self._ownership.part.slots)
        compare = self._files.rebuilds.compare
        return (await compare(self._files.connected, CompareRequest(scopes=own), patience_s=LIVE_PATIENCE_S))._asdict()

    async def rebuild(self, request: RebuildRequest) -> _Report:
        """Build the files of those of these people anew who are of this part, and compare each with the old one."""
        known = await in_thread(self._memories.index.last, request.scopes)
        own = [scope for scope in known if known[scope].slot in self._ownership.part.slots]
        rebuild = partial(self._files.rebuilds.rebuild_compared, self._files.connected, in_any_case=request.in_any_case)
        are_equal = {scope: await rebuild(scope) for scope in own}
        differing = [str(scope) for scope, is_equal in are_equal.items() if is_equal is False]
        untold = sum(is_equal is None for is_equal in are_equal.values())
        rebuilt = len(own) - (0 if request.in_any_case else len(differing))
        return Comparison(len(own) - untold, differing, untold)._asdict() | {"rebuilt": rebuilt}


class WholeReports:
    """Reports of all workers as of one, made of what each says about its part."""

    def __init__(self, own: PartReports, part: Part, client: Callable[[], Client]) -> None:
        self._own = own
        self._part = part
        self._client = client

    async def status(self) -> _Report:
        """What waits at all workers, added up, and each of them."""
        told = await self._of_each(self._own.status, "status")
        return {
            **{waiting: sum(each[waiting] for each in told) for waiting in ("to_replay", "to_record")},
            "workers": [worker for each in told for worker in each["workers"]],
        }

    async def quarantined(self) -> _Report:
        """Every event that is put aside."""
        return await self._own.quarantined()

    async def retry(self, request: QuarantineRequest) -> _Report:
        """Try events again: each worker those of its people."""
        told = await self._of_each(lambda: self._own.retry(request), "quarantine_retry", request)
        return {"events": sorted((event for each in told for event in each["events"]), key=itemgetter("position"))}

    async def measured(self) -> _Report:
        """What each worker that answers measures, as numbers."""
        told = await asyncio.gather(*(self._measured_by(part) for part in Part.each(self._part.count)))
        return {"processes": [process for each in told for process in each["processes"]]}

    async def _measured_by(self, part: Part) -> _Report:
        if part == self._part:
            return await self._own.measured()
        with suppress(Unavailable):
            return await _answered(self._client(), part, "measured", timeout_s=_METRICS_TIMEOUT_S)
        return {"processes": []}

    async def compare(self, request: CompareRequest) -> _Report:
        """Compare the files of these people."""
        told = await self._of_each(lambda: self._own.compare(request), "compare", request)
        return _summed(told)

    async def rebuild(self, request: RebuildRequest) -> _Report:
        """Build the files of these people anew."""
        own = partial(self._own.rebuild, request)
        told = await self._of_each(own, "rebuild", request, timeout_s=_LONG_TIMEOUT_S)
        return {**_summed(told), "rebuilt": sum(each["rebuilt"] for each in told)}

    async def digests(self) -> _Report:
        """The projection digest and the content digest of everything applied so far, and the position."""
        for _ in range(_MOST_TRIES):
            told = await self._of_each(self._own.digests, "digests", timeout_s=_LONG_TIMEOUT_S)
            if len({each["position"] for each in told}) == 1:
                added = {kind: add_digests(each[kind] for each in told) for kind in ("projection", "content")}
                return {"position": told[0]["position"], **added}
        raise Unavailable("events keep coming; ask again when it is quieter")

    async def _of_each(
        self,
        own: Callable[[], Awaitable[_Report]],
        what: str,
        request: Contract | None = None,
        *,
        timeout_s: float = _TIMEOUT_S,
    ) -> list[_Report]:
        others = [part for part in Part.each(self._part.count) if part != self._part]
        return await asyncio.gather(own(), *(self._asked(part, what, request, timeout_s=timeout_s) for part in others))

    async def _asked(self, part: Part, what: str, request: Contract | None, *, timeout_s: float = _TIMEOUT_S) -> _Report:
        payload = request.model_dump_json().encode() if request else b""
        return await _answered(self._client(), part, what, payload, timeout_s=timeout_s)


def _summed(told: list[_Report]) -> _Report:
    """The comparisons of all workers as one."""
    return {
        "compared": sum(each["compared"] for each in told),
        "differing": [file for each in told for file in each["differing"]],
        "untold": sum(each["untold"] for each in told),
    }
