"""Export and import, both streamed: however much somebody has, the gateway holds a page of it."""

from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from memstream.batches import batches_of_groups
from memstream.client.exporting import belongs, read_header, read_record
from services.gateway.answers import MinPosition, json_answer
from services.gateway.people import Person
from services.gateway.rooms import MayRead, MayWrite, rooms_of
from shared.contracts.contract import Contract
from shared.contracts.errors import Forgotten, TooLarge
from shared.contracts.moving import MAX_RECORDS, ImportedRecord
from shared.contracts.queries import ExportAnswer, ExportQuery, Verdict

router = APIRouter(tags=["moving"])

_NDJSON = "application/x-ndjson"
_LONGEST_LINE = 2_097_152
_DECIDED_WITHIN_S = 30.0
_MB = 1_000_000
_LINES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The lines of an export.",
        "content": {_NDJSON: {"schema": {"type": "string"}}},
    }
}


class ImportResult(Contract):
    """What became of an import."""

    records: int
    pages: dict[str, int] = Field(description="Messages by what became of them: recorded, unchanged or not_recorded.")
    position: int = Field(description="Give it as `min_position` to a query that must know this.")
    exported_digest: str | None = Field(description="Of all that was exported.")
    content_digest: str | None = Field(description="Of all that is remembered now; equal where no more was known.")


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"description": "Lines of JSON.", "content": {_NDJSON: {"schema": {"type": "string"}}}}},
)
async def export(person: MayRead, min_position: MinPosition = 0) -> Response:
    """Everything that is remembered of this person, as lines of JSON; the first says what it is."""
    lines = person.memories.export(min_position=min_position)
    first = await anext(lines)  # what cannot be exported is said before the answer begins

    async def all_lines() -> AsyncIterator[str]:
        yield f"{first}\n"
        async for line in lines:
            yield f"{line}\n"

    headers = {"content-disposition": 'attachment; filename="memory.jsonl"'}
    return StreamingResponse(all_lines(), media_type=_NDJSON, headers=headers)


@router.post("/import", response_model=ImportResult, openapi_extra=_LINES)
async def import_lines(person: MayWrite, request: Request) -> Response:
    """Take in the lines of an export, for this person; the same again changes nothing.

    What comes before a line that does not fit is taken in.
    """
    most_bytes = rooms_of(request).settings.max_import_mb * _MB
    lines = _lines_of(request.stream(), most_bytes=most_bytes)
    digest = read_header(await _first(lines))
    taken = _Import(person)
    async for number, line in lines:
        await taken.add(read_record(number, line))
    return json_answer((await taken.end(digest)).model_dump_json().encode())


class _Import:
    """Sends records page by page, and holds those of one page."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._held: list[ImportedRecord] = []
        self._records = 0
        self._position = 0
        self._pages = {verdict.value: 0 for verdict in Verdict if verdict is not Verdict.REJECTED}

    async def add(self, record: ImportedRecord) -> None:
        """Take a record; what belongs together is sent together."""
        self._held.append(record)
        self._records += 1
        if len(self._held) > MAX_RECORDS:
            *whole, self._held = batches_of_groups(self._held, most=MAX_RECORDS, belongs=belongs)
            for page in whole:
                await self._send(page)

    async def end(self, digest: str | None) -> ImportResult:
        """Send what is left, and tell the result."""
        for page in batches_of_groups(self._held, most=MAX_RECORDS, belongs=belongs):
            await self._send(page)
        asked = ExportQuery(limit=1, min_position=self._position)
        now = ExportAnswer.model_validate_json(await self._person.ask(asked), extra="ignore")
        return ImportResult(
            records=self._records,
            pages=self._pages,
            position=self._position,
            exported_digest=digest,
            content_digest=now.content_digest,
        )

    async def _send(self, page: list[ImportedRecord]) -> None:
        fields = {"records": page}
        try:
            decided = await self._person.memories.decide("import_memories", fields, timeout_s=_DECIDED_WITHIN_S)
        except Forgotten:
            self._pages[Verdict.NOT_RECORDED.value] += 1
        else:
            self._pages[decided.verdict.value] += 1
            self._position = max(self._position, decided.position)


async def _first(lines: AsyncIterator[tuple[int, str]]) -> tuple[int, str]:
    """The first line; of an import without any, one that says nothing."""
    async for line in lines:  # `anext` with a default ends in a SystemError where there is none (Python 3.11)
        return line
    return 1, "{}"


async def _lines_of(chunks: AsyncIterator[bytes], *, most_bytes: int) -> AsyncIterator[tuple[int, str]]:
    """The lines that say something, with their numbers. Raises TooLarge."""
    number, seen, rest = 0, 0, b""
    async for chunk in chunks:
        seen += len(chunk)
        if seen > most_bytes:
            raise TooLarge(f"an import has at most {most_bytes // _MB} MB here; send it in parts, each with the first line")
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            number += 1
            if line.strip():
                yield number, line.decode("utf-8", "replace")
        if len(rest) > _LONGEST_LINE:
            raise TooLarge(f"line {number + 1} has more than {_LONGEST_LINE} bytes")
    if rest.strip():
        yield number + 1, rest.decode("utf-8", "replace")
