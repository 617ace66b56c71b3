"""Chooses the memories that fit a budget of tokens, and shortens long ones. The budget is a hard limit."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import NamedTuple

from services.retriever.domain.block import (
    PREAMBLE,
    SHORT_PREAMBLE,
    Entry,
    framed,
    markdown,
    question_lines,
    same_day,
)
from services.retriever.domain.estimating import BYTES_PER_TOKEN
from services.retriever.domain.excerpt import NOTHING_ASKED, AskedWords, excerpt
from services.retriever.domain.profile import profile_line
from shared.contracts.ids import ConflictId
from shared.contracts.prompt_safety import harmless
from shared.contracts.queries import PendingConflict, ProfileEntry, ScoredMemory

_LONGEST_CHARACTERS = 600
_FIRST_LINES, _LATER_CHARACTERS = 10, 240
"""Later lines are shorter: they give the sentences that matter, and leave room for others."""
_SENTENCE_CHARACTERS = 120
"""Few sentences are longer: an entry is shortened to no less, but for the first."""
_LEAST_CHARACTERS = 32
_TIGHT_TOKENS = 100
"""In a smaller block the preamble is short."""

NOTHING_LEFT_OUT: Mapping[str, str] = MappingProxyType({})


class Chosen(NamedTuple):
    """The chosen entries in the order of the block, the questions about them, and what stands above them and was counted."""

    entries: list[Entry]
    preamble: str = PREAMBLE
    questions: tuple[PendingConflict, ...] = ()
    profile: tuple[ProfileEntry, ...] = ()

    @property
    def markdown(self) -> str:
        """The block."""
        return markdown(self.entries, self.questions, preamble=self.preamble, first=profile_line(self.profile))

    @property
    def items(self) -> tuple[ScoredMemory, ...]:
        """The memories, each with the number of its line."""
        return tuple(entry.memory.replaced(line=number) for number, entry in enumerate(self.entries, start=1))


def choose(
    ranked: Iterable[ScoredMemory],
    *,
    limit: int,
    budget_tokens: int | None,
    asked: AskedWords = NOTHING_ASKED,
    pending: Sequence[PendingConflict] = (),
    said_by: Mapping[str, str] = NOTHING_LEFT_OUT,
    profile: tuple[ProfileEntry, ...] = (),
    timed: Collection[str] | None = None,
    zone: tzinfo = UTC,
) -> Chosen:
    """The best memories that fit, at most `limit`; what does not hold any more stands below what holds in its place.

    `said_by`: of memories that are not among them, by id, the one that says the same. `profile` stands above them all.
    `timed`: what `same_day` says of the ranked, where that is known; then no more of them are taken than are looked at.

    Each may take half of what is left, so that one long text leaves room for others. A fact is counted with the questions about
    it, so the block may be a little shorter than the budget, never longer.
    """
    if timed is None:
        ranked = list(ranked)
        timed = same_day(ranked)
    choice = _Choice(timed, budget_tokens, asked, pending, first=profile_line(profile), zone=zone)
    for memory in ranked:
        if len(choice.entries) == limit:
            break
        choice.consider(memory)
    return Chosen(_beside(choice.entries, said_by), choice.preamble, tuple(choice.questions.values()), profile)


class _Choice:
    """Entries while they are chosen, and the bytes that are left."""

    def __init__(
        self,
        timed: Collection[str],
        budget_tokens: int | None,
        asked: AskedWords,
        pending: Sequence[PendingConflict],
        *,
        first: str,
        zone: tzinfo,
    ) -> None:
        is_tight = budget_tokens is not None and budget_tokens < _TIGHT_TOKENS
        self.preamble = SHORT_PREAMBLE if is_tight else PREAMBLE
        self._left = math.inf
        if budget_tokens is not None:
            self._left = budget_tokens * BYTES_PER_TOKEN - _bytes(framed([first] if first else [], preamble=self.preamble))
        self._asked = asked
        self._timed = timed
        self._zone = zone
        self._pending = pending
        self.questions: dict[ConflictId, PendingConflict] = {}
        self.entries: list[Entry] = []

    def consider(self, memory: ScoredMemory) -> None:
        """Take a memory with the questions about it, if they fit."""
        number = len(self.entries) + 1
        raised = {
            each.conflict_id: each
            for each in self._pending
            if memory.memory_id in {each.older, each.newer} and each.conflict_id not in self.questions
        }
        left = self._left - (_bytes("\n".join(question_lines(list(raised.values()))) + "\n") if raised else 0)
        blank = Entry.of(memory, is_timed=memory.memory_id in self._timed, zone=self._zone)
        frame = _bytes(blank.line(number) + "\n")
        if entry := _fitting(blank, left - frame, self._asked, number, frame=frame):
            self.entries.append(entry)
            self.questions |= raised
            self._left = left - frame - _bytes(entry.shown)


def _beside(entries: Sequence[Entry], said_by: Mapping[str, str]) -> list[Entry]:
    """The entries with each that does not hold any more right below what holds in its place, if that stands above it."""
    places = {entry.memory.memory_id: place for place, entry in enumerate(entries)}

    def place(entry: Entry) -> tuple[int, bool]:
        own = places[entry.memory.memory_id]
        heirs = (said_by.get(each, each) for each in entry.memory.outdated_by)
        above = [places[heir] for heir in heirs if places.get(heir, own) < own]
        return (max(above), True) if above else (own, False)

    return sorted(entries, key=place)


def _fitting(entry: Entry, room: float, asked: AskedWords, number: int, *, frame: int) -> Entry | None:
    """The entry with the words that fit into the room, shortened to what it may take of it; None if nothing of use fits.

    `frame`: the bytes of its line without words.
    """
    text = harmless(entry.memory.excerpt or entry.memory.text)
    if room < _LEAST_CHARACTERS and room < _bytes(text):
        return None
    longest = _LONGEST_CHARACTERS if number <= _FIRST_LINES else _LATER_CHARACTERS
    most = int(min(longest, max(_SENTENCE_CHARACTERS, (room - frame) / 2)))
    least = _LEAST_CHARACTERS if number == 1 else _SENTENCE_CHARACTERS
    is_scarce = most < _LONGEST_CHARACTERS
    shown = excerpt(text, asked, most=most, is_scarce=is_scarce)
    while _bytes(shown) > room:
        most = min(most - 1, int(most * room / _bytes(shown)))
        if most < least:
            return None
        shown = excerpt(text, asked, most=most, is_scarce=True)
    memory = entry.memory if shown == text else entry.memory.replaced(excerpt=shown)
    return entry._replace(memory=memory, shown=shown)


def _bytes(text: str) -> int:
    return len(text.encode())
