"""Chooses the memories that fit a budget of tokens, and shortens long ones. The budget is a hard limit."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from services.retriever.domain.block import PREAMBLE, SHORT_PREAMBLE, Entry, framed, line, longest_heading, markdown, plain
from services.retriever.domain.excerpt import NOTHING_ASKED, AskedWords, excerpt
from shared.contracts.queries import ScoredMemory

_BYTES_PER_TOKEN = 4
_LONGEST_CHARACTERS = 600
_SENTENCE_CHARACTERS = 120
"""Few sentences are longer: an entry is shortened to no less, but for the first."""
_LEAST_CHARACTERS = 32
_TIGHT_TOKENS = 100
"""In a smaller block the preamble is short."""


class Chosen(NamedTuple):
    """The chosen entries, in the order of the ranking, and the preamble that was counted."""

    entries: list[Entry]
    preamble: str = PREAMBLE

    @property
    def markdown(self) -> str:
        """The block."""
        return markdown(self.entries, preamble=self.preamble)


def estimate_tokens(text: str) -> int:
    """A quarter of the UTF-8 bytes, rounded up: within about 15 % for English, on the safe side for other scripts."""
    return math.ceil(len(text.encode()) / _BYTES_PER_TOKEN)


def choose(
    ranked: Sequence[ScoredMemory],
    *,
    limit: int,
    budget_tokens: int | None,
    asked: AskedWords = NOTHING_ASKED,
    shares: bool = True,
) -> Chosen:
    """The best memories that fit. Facts and episodes each have a share; what one does not use goes to the other.

    Each may take half of what is left, so that one long text leaves room for others. A fact is counted with the heading of its
    topic, so the block may be a little shorter than the budget, never longer. Without `shares` the order alone decides.
    """
    preamble = SHORT_PREAMBLE if budget_tokens is not None and budget_tokens < _TIGHT_TOKENS else PREAMBLE
    left = math.inf if budget_tokens is None else budget_tokens - estimate_tokens(framed([], preamble=preamble))
    kinds = {memory.kind for memory in ranked}
    taken = dict.fromkeys(kinds, 0)
    chosen: dict[int, Entry] = {}
    for most in (math.ceil(limit / max(len(kinds), 1)), limit) if shares else (limit,):  # the shares, then whatever is left
        for index, memory in enumerate(ranked):
            if index in chosen or len(chosen) >= limit or taken[memory.kind] >= most:
                continue
            if entry := _fitting(memory, left, asked, is_first=not chosen):
                chosen[index] = entry
                taken[memory.kind] += 1
                left -= _cost(memory, entry.shown)
    return Chosen([chosen[index] for index in sorted(chosen)], preamble)


def _fitting(memory: ScoredMemory, left: float, asked: AskedWords, *, is_first: bool) -> Entry | None:
    """The entry of a memory, shortened to the room that it may take; None if nothing of use fits."""
    text = plain(memory.text)
    overhead = _cost(memory, "")
    room = (left - overhead) * _BYTES_PER_TOKEN
    if room < _LEAST_CHARACTERS and room < len(text.encode()):
        return None
    half = room / 2 - overhead * _BYTES_PER_TOKEN / 2
    most = int(min(_LONGEST_CHARACTERS, max(_SENTENCE_CHARACTERS, half)))
    least = _LEAST_CHARACTERS if is_first else _SENTENCE_CHARACTERS
    is_scarce = most < _LONGEST_CHARACTERS
    shown = excerpt(text, asked, most=most, is_scarce=is_scarce)
    while _cost(memory, shown) > left:
        most = min(most - 1, int(most * room / len(shown.encode())))
        if most < least:
            return None
        shown = excerpt(text, asked, most=most, is_scarce=True)
    return Entry(memory if shown == text else memory.model_copy(update={"excerpt": shown}), shown)


def _cost(memory: ScoredMemory, shown: str) -> int:
    return estimate_tokens(line(memory, shown) + "\n" + longest_heading(memory))
