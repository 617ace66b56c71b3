"""The trail of what was done, and moving a person's memories to another space, name or installation."""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from memstream._contracts import (
    EXPORT_VERSION,
    MAX_RECORDS,
    AuditAnswer,
    AuditQuery,
    ExportAnswer,
    ExportQuery,
    ImportedRecord,
    Malformed,
    NotRecorded,
    Verdict,
)
from memstream.batches import batches_of_groups
from memstream.client.exchange import DEFAULT_TIMEOUT_S, Exchange

_PAGE_TIMEOUT_S = 15.0
_DECIDED_WITHIN_S = 30.0


@dataclass(frozen=True, slots=True)
class ImportedExport:
    """The result of importing an export."""

    records: int
    pages: dict[str, int]
    """Messages by what became of them: recorded, unchanged (all was known), not_recorded (all is forgotten here)."""
    position: int
    exported_digest: str | None
    content_digest: str | None

    @property
    def is_equal(self) -> bool:
        """True if what is remembered now equals the export; false if more was known here, or part of it was forgotten."""
        return self.exported_digest == self.content_digest


class AuditAndExport(Exchange):
    """Audit, export and import."""

    async def audit(
        self,
        *,
        since: datetime | None = None,
        types: Iterable[str] = (),
        everything: bool = False,
        limit: int = 100,
        before_number: int | None = None,
        timeout_s: float = _PAGE_TIMEOUT_S,
    ) -> AuditAnswer:
        """Who did what, newest first, without text; the next page begins at `before_number=answer.next_before_number`.

        Turns, vectors, enrichments and recalls are left out unless `everything`, or named in `types`.
        """
        return await self._ask(AuditQuery, AuditAnswer, locals())

    async def export(self, *, min_position: int = 0, timeout_s: float = _PAGE_TIMEOUT_S) -> AsyncIterator[str]:
        """Everything that is remembered of this person, as lines of JSON; the first says what it is and its digest."""
        page = await self._page({"min_position": min_position}, timeout_s)
        header = {
            "memstream_export": EXPORT_VERSION,
            "space": self._space,
            "user": self._user,
            "content_digest": page.content_digest,
        }
        yield json.dumps(header, ensure_ascii=False)
        while True:
            for record in page.records:
                yield record.model_dump_json(exclude_none=True)
            if page.next_after_position is None:
                return
            following = {"after_position": page.next_after_position, "through_position": page.through_position}
            page = await self._page(following, timeout_s)

    async def import_export(self, lines: Iterable[str]) -> ImportedExport:
        """Take in the lines of an export, for this person; the same again changes nothing. All are read before any is sent.

        Raises Malformed, naming the line; MemoryOff where this person wants nothing remembered.
        """
        digest, records = read_export(lines)
        pages = {verdict.value: 0 for verdict in Verdict if verdict is not Verdict.REJECTED}
        position = 0
        for page in batches_of_groups(records, most=MAX_RECORDS, belongs=belongs):
            try:
                decided = await self.decide("import_memories", {"records": page}, timeout_s=_DECIDED_WITHIN_S)
            except NotRecorded as error:
                if error.code != "forgotten":
                    raise
                pages[Verdict.NOT_RECORDED.value] += 1
            else:
                pages[decided.verdict.value] += 1
                position = max(position, decided.position)
        now = (await self._page({"limit": 1, "min_position": position}, _PAGE_TIMEOUT_S)).content_digest
        return ImportedExport(len(records), pages, position, digest, now)

    async def _page(self, fields: dict[str, Any], timeout_s: float = DEFAULT_TIMEOUT_S) -> ExportAnswer:
        return await self._ask(ExportQuery, ExportAnswer, {**fields, "timeout_s": timeout_s})


def read_export(lines: Iterable[str]) -> tuple[str | None, list[ImportedRecord]]:
    """The digest and the records of an export. Raises Malformed, naming the line but not quoting it."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    digest = read_header(next(numbered, (1, "{}")))
    return digest, [read_record(number, line) for number, line in numbered]


def read_header(first: tuple[int, str]) -> str | None:
    """The digest that the first line of an export tells. Raises Malformed where it is none."""
    header = _object(*first)
    if header.get("memstream_export") != EXPORT_VERSION:
        raise Malformed(f"this is no export of version {EXPORT_VERSION}: its first line must say memstream_export")
    digest = header.get("content_digest")
    return digest if isinstance(digest, str) else None


def belongs(record: ImportedRecord, before: ImportedRecord) -> bool:
    """Whether a record says what followed from the one before it: a fact is sent together with what it has ended."""
    return record.command_id == before.command_id and not record.said.makes


def read_record(number: int, line: str) -> ImportedRecord:
    """The record of a line. Raises Malformed, naming the line but not quoting it."""
    try:
        return ImportedRecord.model_validate(_object(number, line))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise Malformed(f"line {number}: {problem['msg']}") from error


def _object(number: int, line: str) -> dict[str, Any]:
    try:
        document = from_json(line)
    except ValueError as error:
        raise Malformed(f"line {number} is not JSON") from error
    if not isinstance(document, dict):
        raise Malformed(f"line {number} is no JSON object")
    return document
