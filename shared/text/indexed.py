"""What is indexed of a turn: its words with who said it and when. The same for the full text and for the vector."""

from __future__ import annotations

import re
from datetime import datetime

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

UNSPACED = (
    "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"  # Han, kana
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul: particles are written together with the word
)
"""For a character class: the characters of scripts in which no space tells where a word ends."""

_UNSPACED = re.compile(f"[{UNSPACED}]")


def spaced(text: str) -> str:
    """The text with each character of such scripts as a word of its own: a pair of them is looked for as a phrase.

    >>> spaced("I ♥ 寿司!")
    'I ♥  寿  司 !'
    """
    return _UNSPACED.sub(r" \g<0> ", text)


def said(speaker: str | None, text: str) -> str:
    """A turn with the name of who said it.

    >>> said("Anna", "I like eels.")
    'Anna: I like eels.'
    """
    return f"{speaker}: {text}" if speaker else text


def date_words(day: datetime) -> str:
    """A moment as words of a date, so that "in May 2023" finds it.

    >>> date_words(datetime(2023, 5, 8))
    '8 May 2023'
    """
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def text_to_embed(*, speaker: str | None, text: str) -> str:
    """What a memory's vector is made of: without the speaker 29 % of the evidence is found, with it 46 %."""
    return said(speaker, text)
