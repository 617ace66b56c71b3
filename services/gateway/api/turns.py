"""What was said, from bots that have HTTP only."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import Field

from services.gateway.rooms import KnownBearer, PersonInBody
from services.gateway.writing import WRITES, Written
from shared.contracts.access import Right
from shared.contracts.commands import MAX_TURNS, TURNS, AddedTurn
from shared.contracts.parts import Text

router = APIRouter(tags=["conversations"])

MessagePath = Annotated[str, Path(min_length=1, max_length=256, description="The `message_id` of the turn.")]


class NewTurns(PersonInBody):
    """What was said just now in a conversation."""

    session_id: str = Field(min_length=1, max_length=256, description="The conversation.", examples=["tuesday"])
    turns: tuple[AddedTurn, ...] = Field(
        min_length=1,
        max_length=MAX_TURNS,
        description="In the order of the talk.",
        examples=[[{"role": "user", "text": "I moved to Leipzig in May."}]],
    )


class EditedTurn(PersonInBody):
    """What a message says since it was edited."""

    text: Text = Field(description="All of it.", examples=["My sister arrives on Wednesday at 9."])


@router.put("/turns/{message_id}", **WRITES)
async def edit_turn(asked: KnownBearer, writing: Written, message_id: MessagePath, edited: EditedTurn) -> Response:
    """Put another text in the place of a turn's; the old one is erased, with what was learned from it only."""
    person = asked.person(Right.WRITE, edited)
    return await writing.carry_out(person, "edit_message", {"edited_message_id": message_id, "text": edited.text})


@router.post("/turns", **WRITES)
async def add_turns(asked: KnownBearer, writing: Written, said: NewTurns) -> Response:
    """Record what was said, word for word."""
    person = asked.person(Right.WRITE, said)
    turns: list[dict[str, Any]] = [turn.model_dump(exclude_unset=True) for turn in said.turns]
    if len(turns) > 1:
        return await writing.carry_out(person, "add_turns", {"session_id": said.session_id, "turns": turns})
    [turn] = turns
    what = TURNS[turn.pop("role")].what
    writing.message_id = writing.message_id or turn.pop("message_id", None)
    return await writing.carry_out(person, what, {"session_id": said.session_id, **turn})
