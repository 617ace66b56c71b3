"""Cuts echoes out of turns before facts are learned from them: what memstream had handed out is no evidence."""

import re
from collections.abc import Sequence

from shared.contracts.parts import Echo

MARK = "[omitted]"
"""Replaces an echo. The embedded rules skip a sentence with it, for the rest may mean nothing without the echo."""

_HAS_WORD = re.compile(r"\w")
_MARKS = "[.!?…。！？]"
_SENTENCE_END = re.compile(rf"(?<!{_MARKS}){_MARKS}++[\"'”’)\]]*+(?:[ \t]*+\[\w++\])?[.!?…]*+$")


def without_echoes(text: str, echoes: Sequence[Echo]) -> str:
    """The text with a mark in place of each echo; empty if it is nothing but echoes.

    >>> without_echoes("As I said, I like tea. And you?", [Echo(memory_id="fact_1", start=11, end=22)])
    'As I said, [omitted]. And you?'
    """
    pieces, reached, is_new = [], 0, False
    for echo in sorted(echoes, key=lambda echo: echo.start):
        before, echoed = text[reached : echo.start], text[max(reached, echo.start) : echo.end]
        pieces += [before, f"{MARK}." if _SENTENCE_END.search(echoed) else MARK]
        is_new = is_new or bool(_HAS_WORD.search(before))
        reached = max(reached, echo.end)
    rest = text[reached:]
    return "".join([*pieces, rest]).strip() if is_new or not echoes or _HAS_WORD.search(rest) else ""
