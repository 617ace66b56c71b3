"""Whether what was read of a text is all that it says: then another text that states the same says the same."""

from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache

from shared.contracts.parts import FactSlot
from shared.language.statements.attributes import INTAKE
from shared.language.statements.slots import ReadSlot
from shared.language.statements.subjects import DEPARTED, USER
from shared.language.text.calendar import DAYS, MONTHS
from shared.language.text.tokens import Token
from shared.language.text.wording import wording

_NUMBERS = frozenset({"number", "ordinal", "clock", "date", "series"})
_I = "i"
_QUOTED = frozenset({"allergy", INTAKE, "answer style", "answer language", "nickname"})
"""Attributes that hold beside each other, and that a profile says in the words of the whole fact."""


def is_recorded(slot: ReadSlot) -> bool:
    """True if a reading is recorded with its fact: a plain one, or one that only says of the user what lies beside others."""
    is_beside = slot.attribute in _QUOTED and slot.subject == USER and slot.negated == (slot.attribute == INTAKE)
    return slot.is_plain or (is_beside and not slot.is_implied)


def recorded(read: Sequence[ReadSlot]) -> tuple[tuple[FactSlot, ...], bool]:
    """The readings that are recorded with a fact, and whether its text says more than these."""
    kept = tuple(slot.slot for slot in read if is_recorded(slot))
    says_more = any(slot.says_more or not (slot.is_implied or is_recorded(slot)) for slot in read)
    return kept, says_more


@lru_cache(maxsize=1_024)
def says_no_more(text: str, slots: tuple[FactSlot, ...], names: tuple[str, ...] = ()) -> bool:
    """Whether a text says what these slots state and nothing else, not even a number, a day or a name. `names`: the person's.

    >>> from shared.language.statements.reading import read_slots
    >>> [says_no_more(text, read_slots(text)) for text in ("I live in York", "I moved to York in May")]
    [True, False]
    """
    from shared.language.statements.language import language_of  # noqa: PLC0415 - tables that nobody needs at the start

    read = recently_read(text, names)
    if not slots or not all(slot.is_whole for slot in read) or _stated(read) != _stated(slots):
        return False
    said = {word for slot in slots for part in _parts(slot) for word in part.casefold().split()}
    tokens = wording(text).tokens
    names_show = not language_of(frozenset(token.key for token in tokens)).tables.nouns_are_capital
    return all(token.key in said or not _is_detail(token, names_show=names_show) for token in tokens)


@lru_cache(maxsize=512)
def recently_read(text: str, names: tuple[str, ...] = (), said_on: date | None = None) -> tuple[ReadSlot, ...]:
    """What a text states; names of the person, at most two, mean them where the text says neither `I` nor `the user`."""
    from shared.language.statements.reading import read_slots  # noqa: PLC0415 - see above

    read = read_slots(text, said_on=said_on)
    if not any(names) or any(
        slot.subject.startswith(USER) and not (slot.attribute == DEPARTED or slot.is_implied) for slot in read
    ):
        return read
    user, speaker = (*names, "", "")[:2]
    return read_slots(text, speaker=speaker, user=user, said_on=said_on)


def _stated(slots: Iterable[FactSlot]) -> set[tuple[str, str | None, bool]]:
    """What slots state, whoever is meant: only whoever knows their names can tell."""
    return {(slot.attribute, slot.value, slot.negated) for slot in slots if not slot.is_implied}


def _parts(slot: FactSlot) -> list[str]:
    return [part for part in (slot.subject, slot.attribute, slot.value, slot.replaces) if part]


def _is_detail(token: Token, *, names_show: bool) -> bool:
    """Whether a word tells more than how something is stated. Where nouns have capitals, names cannot be told from them."""
    if token.kind in _NUMBERS or token.key in MONTHS or token.key in DAYS:
        return True
    return names_show and token.is_capital and not token.opens and token.key != _I
