"""Reads a person's part of the log: for the audit of what was done, and for the export of what is remembered."""

from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

from services.retriever.domain.audit_trail import LEFT_OUT, entry_of
from services.retriever.domain.exporting import Exporter
from services.retriever.person_files import PersonFile, PersonFiles, Reading
from services.retriever.store.memory_file import NOTHING_KNOWN
from shared.contracts.contract import Contract
from shared.contracts.errors import Malformed
from shared.contracts.events import EVENTS
from shared.contracts.moving import RECORD_TYPES, ImportedRecord
from shared.contracts.queries import AuditAnswer, AuditEntry, AuditQuery, ExportAnswer, ExportQuery
from shared.contracts.subjects import memory_subject, slot_of
from shared.domain.sealing import Seal
from shared.runtime.asking import Asker
from shared.runtime.eventlog.read import LogReader
from shared.runtime.projector import Recorded, decoded, without_taken_back

M = TypeVar("M", bound=Contract)
_PAGE_BYTES = 600_000
"""A reply must fit the server's largest message, 1 MiB; one event alone always does."""

_BATCH = 250
_IN_ORDER = tuple(name for name in RECORD_TYPES if name != "settings_changed")
_OF_EXPORTS = ("memory_forgotten", "forgetting_taken_back", "user_forgotten", "session_consolidated", "settings_changed")


class History:
    """Answers `audit` and `export`."""

    def __init__(self, files: PersonFiles) -> None:
        self._files = files

    async def audit(self, asker: Asker, query: AuditQuery) -> AuditAnswer:
        """A page of the audit, newest first. Reads the person's events from the first: a log is read forwards only."""
        unknown = [name for name in query.types if name not in EVENTS]
        if unknown:
            raise Malformed("`types` names an event that does not exist; docs/events.md lists them")
        types = query.types or [name for name in EVENTS if query.everything or name not in LEFT_OUT]
        entries: deque[AuditEntry] = deque(maxlen=query.limit + 1)
        async with self._files.of_now(asker, query), aclosing(self._events(asker, types)) as events:
            async for recorded, _ in events:
                event = recorded.event
                if query.before_number is not None and event.number >= query.before_number:
                    break
                if query.since is None or event.recorded_at >= query.since:
                    entries.append(entry_of(event, is_limited=asker.by_number))
        newest = list(entries)[-query.limit :][::-1]
        following = newest[-1].number if len(entries) > query.limit else None
        return AuditAnswer(position=await self._files.told(asker), entries=tuple(newest), next_before_number=following)

    async def export(self, asker: Asker, query: ExportQuery) -> ExportAnswer:
        """A page of the export. A bot that is limited to spaces gets its positions sealed, and gives them back so."""
        seal = Seal("position", asker.names, self._files.keys.digester) if asker.by_number else None
        if seal:
            query = _with_each(query, ("after_position", "through_position"), seal.opened)
        if query.after_position and query.through_position is None:
            raise Malformed("give through_position too, as the first page told it; else nothing says where the export ends")
        async with self._files.of_now(asker, query) as file:
            page = await self._page(asker, query, file)
        return _with_each(page, ("through_position", "next_after_position"), seal.sealed) if seal else page

    async def _page(self, asker: Asker, query: ExportQuery, file: PersonFile) -> ExportAnswer:
        """A page of the export. What is forgotten is left out as soon as it is hidden."""
        is_first = query.after_position == 0
        found = await file.read(_state_of) if is_first else None
        digest, through = found or (NOTHING_KNOWN, 0)
        if query.through_position is not None:
            through = query.through_position
        said = without_taken_back([each async for each, _ in self._events(asker, _OF_EXPORTS)])
        exporter = Exporter([(each.event, each.position <= through) for each in said])
        records, following = await self._records(asker, query, exporter, through)
        settings = exporter.settings()
        if settings and following is None:
            if len(records) < query.limit:
                records.append(settings)
            else:  # it stands alone on the last page
                following = through
        return ExportAnswer(
            position=await self._files.told(asker),
            content_digest=digest if is_first else None,
            through_position=through,
            records=tuple(records),
            next_after_position=following,
        )

    async def _records(
        self, asker: Asker, query: ExportQuery, exporter: Exporter, through: int
    ) -> tuple[list[ImportedRecord], int | None]:
        """The records of a page, without the settings; and the position after which the next page begins, if there is one."""
        records: list[ImportedRecord] = []
        size, last = 0, query.after_position
        async with aclosing(self._events(asker, _IN_ORDER, after=query.after_position)) as events:
            async for recorded, length in events:
                if recorded.position > through:
                    break
                if records and (len(records) >= query.limit or size + length > _PAGE_BYTES):
                    return records, last
                last = recorded.position
                if record := exporter.record(recorded.event):
                    records.append(record)
                    size += length
        return records, None

    async def _events(self, asker: Asker, types: Sequence[str], *, after: int = 0) -> AsyncGenerator[tuple[Recorded, int]]:
        """The events of these types that the log holds of a person, each with its length in bytes."""
        scope, slot = self._files.scope_of(asker), slot_of(asker.user)
        subjects = [memory_subject(slot, scope, name) for name in types]
        reader = LogReader(self._files.connected, after=after, subjects=subjects, batch=_BATCH)
        async with aclosing(reader.to_end()) as batches:
            async for batch in batches:
                for record in batch:
                    yield decoded(record), len(record.data)


def _with_each(message: M, names: Sequence[str], change: Callable[[int], int]) -> M:
    """The message with these of its numbers changed; 0 and None stay."""
    return message.model_copy(update={name: change(number) for name in names if (number := getattr(message, name))})


def _state_of(reading: Reading) -> tuple[str, int]:
    return reading.file.content_digest(), reading.file.position
