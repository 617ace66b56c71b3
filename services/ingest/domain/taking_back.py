"""Takes back a forgetting while it waits to be erased: all that it hid is known again."""

from functools import lru_cache
from typing import NamedTuple

from services.ingest.domain.private import JUST_FORGOTTEN, OFFERS, Question
from services.ingest.domain.rollups import stood_for_again
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.errors import NothingWaits
from shared.contracts.event import EventData
from shared.contracts.ids import MemoryId
from shared.contracts.privacy import ForgettingTakenBack, TakeBack
from shared.language.commands.command import ChatCommand, ChatCommandName
from shared.language.commands.reading import read_taking_back

_ANSWERS = {ChatCommandName.CONFIRM, ChatCommandName.DECLINE}


class Waiting(NamedTuple):
    """A forgetting that can be taken back, and what comes back with it."""

    forget_id: str
    number: int  # by which its receipt is asked for
    memory_ids: tuple[MemoryId, ...]


class WishToTakeBack(NamedTuple):
    """What a turn asks to be taken back."""

    waiting: Waiting | None  # None: it is gone
    is_sure: bool  # else the person is to be asked


def wish_to_take_back(
    text: str, found: ChatCommand | None, question: Question | None, state: ScopeState, languages: tuple[str, ...]
) -> WishToTakeBack | None:
    """What a turn asks to be taken back; None if it is something else, or nothing waits. Raises Lacks.

    `found`: the command in the turn. What means little by itself, as "undo that", is understood right after a forgetting, asked
    about later in its session, and talk elsewhere.
    """
    offer = question.command if question and question.command in OFFERS else None
    whole = found if found is not None and found.name is ChatCommandName.TAKE_BACK else None
    is_settled = found is not None and found.is_sure and found.name not in _ANSWERS
    short = None if offer is None or is_settled else _read_taking_back(text, languages)
    said = short or whole
    if said is None:
        return None
    is_sure = said.is_sure and (said is whole or offer == JUST_FORGOTTEN)
    waiting = last_waiting(state)
    if waiting is not None:
        return WishToTakeBack(waiting, is_sure)
    return WishToTakeBack(None, is_sure) if is_sure and offer == JUST_FORGOTTEN else None


@lru_cache(maxsize=512)
def _read_taking_back(text: str, languages: tuple[str, ...]) -> ChatCommand | None:
    return read_taking_back(text, languages=languages)


def take_back(command: TakeBack, ruling: Ruling) -> None:
    """Take back the forgetting with this number, or the last one that waits. Raises NothingWaits."""
    found = last_waiting(ruling.state, command.number)
    if found is None:
        raise NothingWaits
    ruling.add_all(taken_back(found, ruling.state))


def taken_back(found: Waiting, state: ScopeState) -> list[EventData]:
    """The events that take a forgetting back: the roll-ups that it hid stand again for what they stood for. Raises Lacks."""
    return [ForgettingTakenBack(forget_id=found.forget_id), *stood_for_again(found.memory_ids, state)]


def last_waiting(state: ScopeState, number: int | None = None) -> Waiting | None:
    """The last forgetting that waits, or the one with this number; none of which all was forgotten otherwise since.

    Raises Lacks.
    """
    if not state.privacy.waiting:
        return None
    hidden = state.words().hidden
    last_first = sorted(state.privacy.waiting.items(), key=lambda each: -each[1])
    found = (Waiting(forget_id, at, tuple(hidden.get(forget_id, ()))) for forget_id, at in last_first if number in {None, at})
    return next((each for each in found if each.memory_ids), None)
