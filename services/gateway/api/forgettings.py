"""Forgetting: what would go, having it go, and the receipt."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field

from services.gateway.answers import answered, query
from services.gateway.rooms import MayForget, MayRead
from services.gateway.writing import WRITES, Written
from shared.contracts.contract import Contract
from shared.contracts.privacy import ForgetTarget
from shared.contracts.queries import ForgetPreviewAnswer, ForgetPreviewQuery, ReceiptAnswer, ReceiptQuery

router = APIRouter(tags=["forgetting"])


class WaitingForgetting(Contract):
    """A forgetting that waits to be erased."""

    number: int | None = Field(default=None, ge=1, description="As its receipt is asked for; null: the last one.")


@router.post("/forget/preview", response_model=ForgetPreviewAnswer)
async def preview(person: MayRead, asked: ForgetPreviewQuery) -> Response:
    """What would be forgotten, and why; nothing is changed."""
    return await answered(person, asked)


@router.post("/forget", **WRITES)
async def forget(person: MayForget, writing: Written, target: ForgetTarget) -> Response:
    """Forget memories, a message, a session, or what holds these words. `number` names the receipt."""
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
