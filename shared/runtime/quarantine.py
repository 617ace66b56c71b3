"""What a live projection has put aside, for the operator: listed, and tried again once it can be read."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from faststream.nats import NatsRouter

from shared.contracts.contract import Contract
from shared.contracts.errors import MemstreamError, Poison, Unavailable
from shared.contracts.ids import Position, Scope
from shared.contracts.subjects import scope_of_subject, slot_of_subject
from shared.domain.gaps import without
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import Record, message_at
from shared.runtime.logs import log
from shared.runtime.projection_file import MISSING, QUARANTINE, ProjectionFile
from shared.runtime.projector import Aside, Recorded, decoded
from shared.runtime.tasks import in_thread
from shared.runtime.topology import MEMORY

Rebuild: TypeAlias = Callable[[Scope, Aside], Awaitable[None]]
"""Builds the rows of a scope anew, of all its events but those that are put aside."""
Released: TypeAlias = Callable[[Scope, Sequence[Recorded]], object]
"""Called in a thread when events are applied that had been put aside."""
_ERASED = "the event is not in the log any more"


class QuarantineRequest(Contract):
    """Which events are to be tried again; none: all."""

    positions: tuple[int, ...] = ()


class Tried(NamedTuple):
    """What became of an event that was tried again."""

    position: int
    applied: bool
    reason: str | None = None
    """Why not, or where nothing was to be applied any more."""


class Quarantine:
    """The events that a projection has put aside. An event that still cannot be applied stays there."""

    def __init__(
        self, file: ProjectionFile, rebuild: Rebuild, *, slots: range | None = None, released: Released | None = None
    ) -> None:
        """`slots`: those of whose people events are tried; None: everybody's."""
        self._file = file
        self._rebuild = rebuild
        self._slots = slots
        self._released = released

    async def listed(self) -> dict[str, Any]:
        """Every event that is put aside: its position, and why."""
        found = await in_thread(self._file.quarantined)
        return {"events": [{"position": position, "reason": reason} for position, reason in sorted(found.items())]}

    async def retry(self, client: Client, positions: Iterable[int] = ()) -> list[Tried]:
        """Try events again, all or these; those of a person in one go. Raises Unavailable."""
        known = await in_thread(self._file.quarantined)
        tried: list[Tried] = []
        readable: dict[Scope, list[Recorded]] = {}
        for position in sorted(set(positions or known) & set(known)):
            if (record := await _record(client, position)) is None:
                await in_thread(_release, self._file, Scope(""), {position: 0})
                tried.append(Tried(position, applied=False, reason=_ERASED))
            elif self._slots is None or record.slot in self._slots:
                try:
                    event = decoded(record)
                    readable.setdefault(record.scope, []).append(event)
                except Poison as error:
                    tried.append(Tried(position, applied=False, reason=error.message))
        for scope, events in readable.items():
            tried += await self._apply(scope, events)
        return sorted(tried)

    async def _apply(self, scope: Scope, events: Sequence[Recorded]) -> list[Tried]:
        """Build the rows of a scope with these events, too. They leave the quarantine after that: a crash tries them again."""
        aside = await in_thread(lambda: self._file.aside)
        places = {recorded.position for recorded in events}
        try:
            await self._rebuild(scope, aside._replace(positions=frozenset(aside.positions) - places))
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the rows stay as they were, and it is told
            log.warning("quarantine.not_applied", projection=self._file.name, scope=scope, exc_info=True)
            reason = error.message if isinstance(error, MemstreamError) else type(error).__name__
            return [Tried(place, applied=False, reason=reason) for place in places]
        if self._released is not None:
            await in_thread(self._released, scope, events)
        await in_thread(_release, self._file, scope, {each.position: each.event.number for each in events})
        log.info("quarantine.applied", projection=self._file.name, scope=scope, events=len(events))
        return [Tried(place, applied=True) for place in places]

    async def retry_at_start(self, client: Client) -> None:
        """Try everything again: a newer memstream may be able to read it."""
        if await in_thread(self._file.quarantined):
            try:
                await self.retry(client)
            except Unavailable as error:
                log.info("quarantine.postponed", projection=self._file.name, reason=error.message)


def document(tried: Iterable[Tried]) -> dict[str, Any]:
    """What became of events, as it is answered."""
    return {"events": [each._asdict() for each in tried]}


def make_quarantine_router(before: str, quarantine: Quarantine, client: Callable[[], Client]) -> NatsRouter:
    """A router that answers the operator about one projection's quarantine, on subjects which begin so."""
    router = NatsRouter()

    async def quarantined() -> dict[str, Any]:
        """Every event that is put aside: its position, and why."""
        return await quarantine.listed()

    async def quarantine_retry(request: QuarantineRequest) -> dict[str, Any]:
        """Try events again, all or these."""
        return document(await quarantine.retry(client(), request.positions))

    router.subscriber(f"{before}.quarantine")(quarantined)
    router.subscriber(f"{before}.quarantine_retry")(quarantine_retry)
    return router


def _release(file: ProjectionFile, scope: Scope, applied: Mapping[int, int]) -> None:
    """Take events (position to number) out of the quarantine: they are applied, and their numbers are not missing."""
    with file.transaction() as db:
        db.execute(QUARANTINE.delete().where(QUARANTINE.c.position.in_(applied)))
    if MISSING in file.keeps:
        gaps = without(file.gaps(scope), [(number, number) for number in applied.values()])
        with file.transaction() as db:
            file.save_gaps(db, {scope: gaps})
        file.tell_missing()


async def _record(client: Client, position: int) -> Record | None:
    found = await message_at(client, MEMORY, position)
    if found is None:
        return None
    subject = found.subject
    return Record(Position(position), scope_of_subject(subject), found.data, found.headers, slot_of_subject(subject))
