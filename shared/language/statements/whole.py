"""Tells what to record of a text's slots, and whether they are all that it says, so that another text may say no more."""

from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from shared.contracts.parts import FactSlot
from shared.language.statements.slots import ReadSlot


def recorded(read: Sequence[ReadSlot]) -> tuple[tuple[FactSlot, ...], bool]:
    """Return the slots to record with a fact, and whether its text says more than these."""
    return tuple(slot.slot for slot in read), any(slot.says_more for slot in read)


@lru_cache(maxsize=1_024)
def says_no_more(text: str, slots: tuple[FactSlot, ...], names: tuple[str, ...] = ()) -> bool:
    """Return True if a text says what these slots state and nothing else, not even a day. `names`: the person's.

    >>> from shared.language.statements.reading import read_slots
    >>> [says_no_more(text, read_slots(text)) for text in ("I live in York", "I live in York, and it rains in May")]
    [True, False]
    """
    read = recently_read(text, names)
    return bool(read) and all(slot.is_whole for slot in read) and _stated(read) == _stated(slots)


@lru_cache(maxsize=512)
def recently_read(text: str, names: tuple[str, ...] = (), said_on: date | None = None) -> tuple[ReadSlot, ...]:
    """Return the slots of a text. `names`: at most two of the person's, who may tell of themselves by name."""
    from shared.language.statements.reading import read_slots  # noqa: PLC0415 - tables that nobody needs at the start

    user, speaker = (*names, "", "")[:2]
    return read_slots(text, speaker=speaker, user=user, said_on=said_on)


def _stated(slots: Sequence[FactSlot]) -> set[tuple[str, str | None, bool]]:
    """Return the attributes and values of slots without their subjects, which may be one person under two names."""
    return {(slot.attribute, slot.value, slot.negated) for slot in slots if not slot.is_implied}
