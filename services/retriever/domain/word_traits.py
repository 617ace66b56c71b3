"""Reads the traits of a memory's words that ranking needs, and packs them into one number for the memory's row."""

from __future__ import annotations

from services.retriever.domain.manner import plain_manner
from shared.contracts.parts import Kind, Role
from shared.language.statements.righting import is_joke, may_put_right

ASKS, HAS_DIGIT, MAY_PUT_RIGHT, JOKES = (1 << bit for bit in range(4))
"""Bits of the number. Only turns of the user have MAY_PUT_RIGHT and JOKES."""

OF_WORDS = 0xFF
OF_SELF_AT, TO_OTHER_AT, CAPITALS_AT, LENGTH_AT = 8, 16, 24, 27
"""The places of the first bits of the other fields of `PlainManner`."""

_QUESTION_MARKS = ("?", "？", "؟")
_SPACES = "\t\n\r "


def word_traits(text: str, kind: Kind, role: Role | None) -> int:
    """Return the traits of a memory's words as a number of 35 bits.

    >>> word_traits("Is it 7?", Kind.EPISODE, Role.USER) & (ASKS | HAS_DIGIT | JOKES)
    3
    """
    told, is_turn = plain_manner(text), kind is Kind.EPISODE
    found = HAS_DIGIT * told.has_digit | ASKS * (is_turn and text.rstrip(_SPACES).endswith(_QUESTION_MARKS))
    if is_turn and role is Role.USER:
        found |= MAY_PUT_RIGHT * may_put_right(text) | JOKES * is_joke(text)
    found |= told.of_self << OF_SELF_AT | told.to_other << TO_OTHER_AT
    return found | told.capitals << CAPITALS_AT | told.length << LENGTH_AT
