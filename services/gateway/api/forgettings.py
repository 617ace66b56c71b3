"""Forgetting: what would go, having it go, and the receipt."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field

from services.gateway.answers import answered, json_answer, query
from services.gateway.rooms import MayForget, MayRead
from services.gateway.writing import WRITES, Written
from shared.contracts.contract import Contract
from shared.contracts.errors import ConfirmationNeeded, outcome_of
from shared.contracts.privacy import ConfirmedTarget
from shared.contracts.queries import ForgetPreviewAnswer, ForgetPreviewQuery, ReceiptAnswer, ReceiptQuery

router = APIRouter(tags=["forgetting"])

_UNCONFIRMED = {409: {"model": ForgetPreviewAnswer, "description": "Nothing is forgotten before it is confirmed."}}


class WaitingForgetting(Contract):
    """A forgetting that waits to be erased."""

    number: int | None = Field(default=None, ge=1, description="As its receipt is asked for; null: the last one.")


@router.post("/forget/preview", response_model=ForgetPreviewAnswer)
async def preview(person: MayRead, asked: ForgetPreviewQuery) -> Response:
    """What would be forgotten, and why; nothing is changed."""
    return await answered(person, asked)


@router.post("/forget", **WRITES | {"responses": WRITES["responses"] | _UNCONFIRMED})
async def forget(person: MayForget, writing: Written, target: ConfirmedTarget) -> Response:
    """Forget memories, a message, a session, or what holds these words. `number` names the receipt.

    409, with what would go: some of what the words find is not surely meant; `token`, sent as `confirm`, takes all of it.
    """
    if target.query and not target.confirm:
        would = await person.memories.would_forget(query=target.query, only=target.only)
        if would.token:
            return json_answer(would.model_dump_json().encode(), outcome_of(ConfirmationNeeded()).http_status)
    return await writing.carry_out(person, "forget", target.model_dump(exclude_unset=True))


@router.post("/forget/everything", **WRITES)
async def forget_person(person: MayForget, writing: Written) -> Response:
    """Forget everything about this person in this space."""
    return await writing.carry_out(person, "forget_user", {})


@router.post("/forget/take-back", **WRITES)
async def take_back(person: MayForget, writing: Written, waiting: WaitingForgetting) -> Response:
    """Take back what was forgotten in chat, while it waits to be erased."""
    return await writing.carry_out(person, "take_back", {"number": waiting.number})


@router.get("/receipts/{number}", response_model=ReceiptAnswer)
async def receipt(person: MayRead, number: Annotated[int, Path(ge=1, le=2**53, description="Of the forgetting.")]) -> Response:
    """How far a forgetting has come, and its receipt."""
    return await answered(person, query(ReceiptQuery, number=number))
