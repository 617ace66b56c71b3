"""Chooses the memories that fit a budget of tokens, and shortens long ones. The budget is a hard limit."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from services.retriever.domain.block import (
    PREAMBLE,
    SHORT_PREAMBLE,
    Entry,
    framed,
    longest_heading,
    markdown,
    plain,
    question_lines,
    same_day,
)
from services.retriever.domain.excerpt import NOTHING_ASKED, AskedWords, excerpt
from shared.contracts.ids import ConflictId
from shared.contracts.parts import Kind
from shared.contracts.queries import PendingConflict, ScoredMemory

_BYTES_PER_TOKEN = 4
_LONGEST_CHARACTERS = 600
_SENTENCE_CHARACTERS = 120
"""Few sentences are longer: an entry is shortened to no less, but for the first."""
_LEAST_CHARACTERS = 32
_TIGHT_TOKENS = 100
"""In a smaller block the preamble is short."""


class Chosen(NamedTuple):
    """The chosen entries in the order of the ranking, the questions about them, and the preamble that was counted."""

    entries: list[Entry]
    preamble: str = PREAMBLE
    questions: tuple[PendingConflict, ...] = ()

    @property
    def markdown(self) -> str:
        """The block."""
        return markdown(self.entries, self.questions, preamble=self.preamble)


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
    pending: Sequence[PendingConflict] = (),
) -> Chosen:
    """The best memories that fit. Facts and episodes each have a share; what one does not use goes to the other.

    Each may take half of what is left, so that one long text leaves room for others. A fact is counted with the heading of its
    topic and the questions about it, so the block may be a little shorter than the budget, never longer. Without `shares` the
    order alone decides.
    """
    choice = _Choice(ranked, budget_tokens, asked, pending)
    kinds = {memory.kind for memory in ranked}
    for most in (math.ceil(limit / max(len(kinds), 1)), limit) if shares else (limit,):  # the shares, then whatever is left
        for index, memory in enumerate(ranked):
            if index not in choice.entries and len(choice.entries) < limit and choice.taken[memory.kind] < most:
                choice.consider(index, memory)
    return choice.made


class _Choice:
    """Entries while they are chosen, and the tokens that are left."""

    def __init__(
        self,
        ranked: Sequence[ScoredMemory],
        budget_tokens: int | None,
        asked: AskedWords,
        pending: Sequence[PendingConflict],
    ) -> None:
        is_tight = budget_tokens is not None and budget_tokens < _TIGHT_TOKENS
        self._preamble = SHORT_PREAMBLE if is_tight else PREAMBLE
        self._left = math.inf
        if budget_tokens is not None:
            self._left = budget_tokens - estimate_tokens(framed([], preamble=self._preamble))
        self._asked = asked
        self._timed = same_day(ranked)
        self._pending = pending
        self._questions: dict[ConflictId, PendingConflict] = {}
        self.entries: dict[int, Entry] = {}
        self.taken = Counter[Kind]()

    def consider(self, index: int, memory: ScoredMemory) -> None:
        """Take a memory with the questions about it, if they fit."""
        raised = {
            each.conflict_id: each
            for each in self._pending
            if memory.memory_id in {each.older, each.newer} and each.conflict_id not in self._questions
        }
        left = self._left - estimate_tokens("\n".join(question_lines(list(raised.values()))) + "\n" * bool(raised))
        is_timed = memory.memory_id in self._timed
        if entry := _fitting(Entry(memory, "", is_timed), left, self._asked, is_first=not self.entries):
            self.entries[index] = entry
            self.taken[memory.kind] += 1
            self._questions |= raised
            self._left = left - _cost(entry)

    @property
    def made(self) -> Chosen:
        """The choice."""
        return Chosen([self.entries[index] for index in sorted(self.entries)], self._preamble, tuple(self._questions.values()))


def _fitting(entry: Entry, left: float, asked: AskedWords, *, is_first: bool) -> Entry | None:
    """The entry with the words that fit, shortened to the room that it may take; None if nothing of use fits."""
    text = plain(entry.memory.text)
    overhead = _cost(entry)
    room = (left - overhead) * _BYTES_PER_TOKEN
    if room < _LEAST_CHARACTERS and room < len(text.encode()):
        return None
    half = room / 2 - overhead * _BYTES_PER_TOKEN / 2
    most = int(min(_LONGEST_CHARACTERS, max(_SENTENCE_CHARACTERS, half)))
    least = _LEAST_CHARACTERS if is_first else _SENTENCE_CHARACTERS
    is_scarce = most < _LONGEST_CHARACTERS
    shown = excerpt(text, asked, most=most, is_scarce=is_scarce)
    while _cost(entry._replace(shown=shown)) > left:
        most = min(most - 1, int(most * room / len(shown.encode())))
        if most < least:
            return None
        shown = excerpt(text, asked, most=most, is_scarce=True)
    memory = entry.memory if shown == text else entry.memory.model_copy(update={"excerpt": shown})
    return entry._replace(memory=memory, shown=shown)


def _cost(entry: Entry) -> int:
    return estimate_tokens(entry.line + "\n" + longest_heading(entry.memory))
