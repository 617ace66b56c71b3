"""Compares what a projection holds of each person with what the log says now."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from shared.contracts.contract import Contract
from shared.contracts.ids import Scope
from shared.contracts.privacy import (
    ForgettingCompleted,
    ForgettingTakenBack,
    GraceEnded,
    MemoryForgotten,
    UserForgotten,
)
from shared.runtime.ids import new_token
from shared.runtime.private_files import private_folder
from shared.runtime.projector import Recorded

Differs = Callable[[Scope], Awaitable[bool | None]]
"""Whether the rows of a person differ from those that the log gives; None where that cannot be told now."""

_MOST_TRIES = 3
"""Events that come between two looks make rows differ; those that are damaged differ again."""

OF_FORGETTING = (ForgettingCompleted, ForgettingTakenBack, GraceEnded, MemoryForgotten, UserForgotten)
"""The events by which something is erased, or is not after all."""

LIVE_PATIENCE_S = 2.0
"""A service that runs reads the end of an erasure, or makes rows anew, in a moment: it waits so long for all of them."""

_AGAIN_S = 0.05


class CompareRequest(Contract):
    """Which people's rows to compare with the log."""

    scopes: tuple[Scope, ...] = Field(max_length=1_000, description="The keyed hashes of persons and spaces.")


class RebuildRequest(CompareRequest):
    """Whose files to build anew."""

    in_any_case: bool = Field(default=False, description="Replace also a file that differs from the new one.")


class Comparison(NamedTuple):
    """How many people were compared, which files differ from the log, and of how many people it could not be told."""

    compared: int
    differing: list[str]
    untold: int


async def compare(
    scopes: Iterable[Scope], differs: Differs, file_of: Callable[[Scope], str], *, patience_s: float
) -> Comparison:
    """Compare the rows of these people one after the other. `file_of`: the path of a person's file in the data folder.

    For `patience_s` it looks again at those of whom it cannot be told.
    """
    clock = asyncio.get_running_loop().time
    until = clock() + patience_s
    results = {scope: await _differs(scope, differs) for scope in scopes}
    while (left := [scope for scope, result in results.items() if result is None]) and clock() < until:
        await asyncio.sleep(_AGAIN_S)
        results |= {scope: await _differs(scope, differs) for scope in left}
    told = [scope for scope, result in results.items() if result is not None]
    differing = dict.fromkeys(file_of(scope) for scope in told if results[scope])
    return Comparison(len(told), list(differing), len(results) - len(told))


@contextmanager
def folder_within(scratch: Path) -> Iterator[Path]:
    """A folder to make rows anew in, which is deleted with all that lies in it."""
    folder = scratch / new_token()
    private_folder(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def is_settled(events: Sequence[Recorded], number: int) -> bool:
    """False while something of a person is being erased, or was or is taken back, and a projection has not seen it yet.

    `number`: the last event that the projection has applied. What waits to be erased is hidden, and can be compared.
    """
    begun: dict[str, bool] = {}  # whether it waits no more, by forgetting
    for event in (each.event for each in events):
        match event.data:
            case MemoryForgotten(forget_id=forget_id, erase_at=erase_at):
                begun[forget_id] = erase_at is None
            case UserForgotten(forget_id=forget_id) | GraceEnded(forget_id=forget_id):
                begun[forget_id] = True
            case ForgettingCompleted(forget_id=forget_id) | ForgettingTakenBack(forget_id=forget_id) if event.number <= number:
                begun.pop(forget_id, None)
            case ForgettingCompleted() | ForgettingTakenBack():
                return False
            case _:
                pass
    return not any(begun.values())


async def _differs(scope: Scope, differs: Differs) -> bool | None:
    result = None
    for _ in range(_MOST_TRIES):
        result = await differs(scope)
        if not result:
            return result
    return result
