"""Memories one by one: listed, made, shown, pinned, corrected, confirmed, restored, forgotten."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query, Response
from pydantic import Field
from pydantic_core import from_json, to_json

from services.gateway.answers import Cursor, MinPosition, answered, before, json_answer, page_of, query
from services.gateway.rooms import KnownBearer, MayForget, MayRead, MayWrite, PersonInBody
from services.gateway.writing import WRITES, Written
from shared.contracts.access import Right
from shared.contracts.contract import Contract, Utc
from shared.contracts.memories import Memory, Repeat
from shared.contracts.parts import Identifier, Kind, Standing, Text
from shared.contracts.queries import ListQuery, ShowAnswer, ShowQuery, SimilarAnswer, SimilarQuery

router = APIRouter(prefix="/entries", tags=["entries"])

MemoryPath = Annotated[str, Path(min_length=1, max_length=256, description="As a list, a search or a context names it.")]


class EntryPage(Contract):
    """A page of memories, newest first."""

    items: tuple[Memory, ...]
    next_cursor: str | None = Field(default=None, description="`cursor` of the next page; null: no more.")
    position: int = Field(description="The person's last event that is known.")


class NewEntry(PersonInBody):
    """Something to be kept."""

    text: Text = Field(description="The fact, in words that make sense on their own.", examples=["I am allergic to peanuts"])
    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="Topics.", examples=[["health"]])
    manually_saved: bool = Field(
        default=False,
        description="True: never trimmed, and kept even if it was just forgotten. False: a fact like one that was learned.",
    )
    session_id: str | None = Field(default=None, min_length=1, max_length=256, description="Where it came up.")
    source_ids: tuple[Identifier, ...] = Field(default=(), max_length=64, description="Memories or outside references.")
    occurred_at: Utc | None = Field(default=None, description="When it became true or was said; else now.")


class NewWording(PersonInBody):
    """A fact as it is right."""

    text: Text = Field(description="The fact as it is right.", examples=["I am allergic to hazelnuts"])
    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="Topics; those of the old fact are kept.")
    session_id: str | None = Field(default=None, min_length=1, max_length=256, description="Where it came up.")


class EntryHistory(Contract):
    """What a memory was before, how it came to be, and how it ended."""

    memory_id: str
    chain: tuple[Memory, ...] = Field(description="Its corrections, oldest first, itself included; empty: none.")
    repeats: tuple[Repeat, ...] = Field(description="When it was told again.")
    sources: tuple[Memory, ...] = Field(description="What it was learned from.")
    superseded_by: str | None = None
    outdated_by: tuple[str, ...] = ()
    ended_at: Utc | None = None
    ended_because: str | None = None


@router.get("", response_model=EntryPage)
async def list_entries(
    person: MayRead,
    *,
    pinned: Annotated[bool | None, Query(description="True: only pinned ones; false: only others.")] = None,
    manually_saved: Annotated[bool | None, Query(description="True: only those saved by hand; false: only others.")] = None,
    kind: Annotated[list[Kind] | None, Query(description="fact, episode; by default both.")] = None,
    status: Annotated[Standing | Literal["all"], Query(description="Which of them.")] = Standing.ACTIVE,
    tag: Annotated[list[Identifier] | None, Query(max_length=32, description="Only with all of these tags.")] = None,
    entity: Annotated[
        list[Identifier] | None, Query(max_length=32, description="Only those that mention all of these.")
    ] = None,
    session_id: Annotated[str | None, Query(max_length=256, description="Only of this session.")] = None,
    occurred_after: Annotated[datetime | None, Query(description="Only what was said at this moment or later.")] = None,
    occurred_before: Annotated[datetime | None, Query(description="Only what was said before this moment.")] = None,
    as_of: Annotated[datetime | None, Query(description="As of this moment: what was known then.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="Most items of a page.")] = 50,
    cursor: Cursor = None,
    min_position: MinPosition = 0,
) -> Response:
    """Memories in the order in which they were learned, newest first."""
    asked = query(
        ListQuery,
        pinned=pinned,
        manually_saved=manually_saved,
        kinds=kind or None,
        status=status,
        tags=tag,
        entities=entity,
        session_id=session_id,
        occurred_after=occurred_after,
        occurred_before=occurred_before,
        as_of=as_of,
        limit=limit,
        before_number=before(cursor),
        min_position=min_position,
    )
    return await page_of(person, asked)


@router.post("", **WRITES)
async def create_entry(asked: KnownBearer, writing: Written, entry: NewEntry) -> Response:
    """Keep something. One that is known already is counted as a repeat; one just forgotten comes back only by hand."""
    person = asked.person(Right.WRITE, entry)
    fields: dict[str, Any] = entry.model_dump(exclude={"space", "user"}, exclude_none=True)
    return await writing.carry_out(person, "remember_fact", fields)


@router.get("/{memory_id}", response_model=ShowAnswer)
async def show_entry(person: MayRead, memory_id: MemoryPath, min_position: MinPosition = 0) -> Response:
    """One memory with everything that is known of it."""
    return await answered(person, query(ShowQuery, memory_id=memory_id, min_position=min_position))


@router.get("/{memory_id}/history", response_model=EntryHistory)
async def history(person: MayRead, memory_id: MemoryPath, min_position: MinPosition = 0) -> Response:
    """What a memory was before, from where it is known, and how it ended."""
    answer = from_json(await person.ask(query(ShowQuery, memory_id=memory_id, min_position=min_position)))
    return json_answer(to_json({name: answer["memory"].get(name) for name in EntryHistory.model_fields}))


@router.get("/{memory_id}/similar", response_model=SimilarAnswer)
async def similar(
    person: MayRead, memory_id: MemoryPath, limit: Annotated[int, Query(ge=1, le=50, description="Most items.")] = 5
) -> Response:
    """The memories most like it, by their vectors."""
    return await answered(person, query(SimilarQuery, memory_id=memory_id, limit=limit))


@router.post("/{memory_id}/pin", **WRITES)
async def pin(person: MayWrite, writing: Written, memory_id: MemoryPath) -> Response:
    """Keep it, whatever the cap and the decay say."""
    return await writing.carry_out(person, "pin", {"memory_id": memory_id})


@router.delete("/{memory_id}/pin", **WRITES)
async def unpin(person: MayWrite, writing: Written, memory_id: MemoryPath) -> Response:
    """Keep it like any other."""
    return await writing.carry_out(person, "unpin", {"memory_id": memory_id})


@router.post("/{memory_id}/correct", **WRITES)
async def correct(
    asked: KnownBearer, writing: Written, memory_id: MemoryPath, correction: Annotated[NewWording, Body()]
) -> Response:
    """Put this text in the place of a fact that is wrong; the old one stays readable from it."""
    person = asked.person(Right.WRITE, correction)
    fields = correction.model_dump(exclude={"space", "user"}, exclude_none=True)
    return await writing.carry_out(person, "correct_fact", {"memory_id": memory_id, **fields})


@router.post("/{memory_id}/confirm", **WRITES)
async def confirm(person: MayWrite, writing: Written, memory_id: MemoryPath) -> Response:
    """Say that a fact is certain: it does not decay any more."""
    return await writing.carry_out(person, "confirm_fact", {"memory_id": memory_id})


@router.post("/{memory_id}/restore", **WRITES)
async def restore(person: MayWrite, writing: Written, memory_id: MemoryPath) -> Response:
    """Bring back a memory that was retired or superseded."""
    return await writing.carry_out(person, "restore", {"memory_id": memory_id})


@router.delete("/{memory_id}", **WRITES)
async def forget_entry(
    person: MayForget,
    writing: Written,
    memory_id: MemoryPath,
    only: Annotated[bool, Query(description="True: only this; else also what says it, and what rests on it alone.")] = False,  # noqa: FBT002
) -> Response:
    """Forget it: hidden at once, then erased; for 24 hours only a save by hand brings it back. `number` names the receipt."""
    return await writing.carry_out(person, "forget", {"memory_ids": [memory_id], "only": only})
