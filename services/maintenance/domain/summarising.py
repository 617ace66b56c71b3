"""Puts what is remembered into a few lines: the port, and a summariser that chooses sentences and invents nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeAlias

from shared.contracts.ids import MemoryId
from shared.contracts.parts import Origin, Role
from shared.domain.model_tokens import TokenMeter
from shared.language.text.sentences import sentences
from shared.language.text.stating import content_words

_Runner: TypeAlias = Callable[..., Awaitable[Any]]
"""Calls a function with arguments, perhaps in a thread."""

CHOOSING = "extractive/1"
"""What chose the lines of a summary, as its origin says."""

MOST_LINES = 6
_FEWEST_WORDS = 2
_LONGEST_CHARACTERS = 300


class SummaryAim(StrEnum):
    """What a summary is for."""

    WEEK = "week"  # what a person's last days come to
    TOPIC = "topic"  # what old memories about one thing come to


class SourceText(NamedTuple):
    """A memory to summarise."""

    memory_id: MemoryId
    text: str
    occurred_at: datetime
    role: Role = Role.USER  # of a turn; a fact is what its person said
    speaker: str | None = None
    is_fact: bool = True
    weight: float = 0.5  # how much it matters, in [0, 1]


class SummaryLine(NamedTuple):
    """A line of a summary, and what it rests on."""

    text: str
    source_ids: tuple[MemoryId, ...]


class Summary(NamedTuple):
    """What memories come to, with what made it; without lines where nothing could be said."""

    lines: tuple[SummaryLine, ...]
    made_by: Origin

    @property
    def text(self) -> str:
        """One sentence or a few on each line."""
        return "\n".join(line.text for line in self.lines)

    @property
    def source_ids(self) -> tuple[MemoryId, ...]:
        """The memories that the lines rest on, each once: not what was read beside them."""
        return tuple(dict.fromkeys(source for line in self.lines for source in line.source_ids))


class Summariser(Protocol):
    """Puts memories of one person into a few lines, which say nothing that these do not."""

    async def summarise(
        self,
        sources: Sequence[SourceText],
        *,
        aim: SummaryAim,
        run_id: str,
        most_lines: int = MOST_LINES,
        meter: TokenMeter | None = None,
    ) -> Summary:
        """At most so many lines, in the order of time. Raises Unavailable where it must be tried again later."""

    async def close(self) -> None:
        """Close what it holds open."""


class SentenceChooser:
    """Chooses sentences of the sources, and changes no character of them. It needs no model."""

    def __init__(self, run: _Runner | None = None) -> None:
        self._run = run

    async def summarise(
        self,
        sources: Sequence[SourceText],
        *,
        aim: SummaryAim,  # noqa: ARG002 - a sentence is chosen alike for both
        run_id: str,
        most_lines: int = MOST_LINES,
        meter: TokenMeter | None = None,  # noqa: ARG002 - it costs nothing
    ) -> Summary:
        """The sentences that say most, in the order of time."""
        lines = await self._run(chosen, sources, most_lines) if self._run else chosen(sources, most_lines)
        return Summary(tuple(lines), Origin(extractor=CHOOSING, run_id=run_id))

    async def close(self) -> None:
        """Do nothing."""


class _Sentence(NamedTuple):
    source: SourceText
    text: str
    words: frozenset[str]


def chosen(sources: Sequence[SourceText], most: int) -> list[SummaryLine]:
    """The sentences of facts that say most, of what their person said where there are no facts, in the order of time.

    A sentence is worth the mean of log(1 + n) over its content words, where n sources have the word, plus the weight of its
    source: what came up often in what matters. Each next one is the best after its worth is multiplied by 1 - its greatest
    Jaccard similarity with those chosen: of two that say the same there is one.

    Worked: in "Ann likes tea.", "Ann drinks tea." and "Bob sails.", all of weight 0.5, `ann` and `tea` are in two sources. The
    first is worth log 3 + 0.5 = 1.60, the second (2 log 3 + log 2) / 3 + 0.5 = 1.46, the third log 2 + 0.5 = 1.19. The second
    has two of three words in common with the first, so it counts 1.46 / 3 = 0.49 then, and is chosen last.
    """
    told = sorted(sources, key=lambda each: (each.occurred_at, each.memory_id))
    often = Counter(word for source in told for word in content_words(source.text))
    candidates = list(_candidates(told))
    left = list(candidates)
    worth = {each: _worth(each, often) for each in left}
    taken: list[_Sentence] = []
    while left and len(taken) < most:
        best = max(left, key=lambda each: worth[each] * _newness(each, taken))  # of equals the first
        if not _newness(best, taken):
            break
        taken.append(best)
        left.remove(best)
    return [
        SummaryLine(each.text, (each.source.memory_id,)) for each in sorted(taken, key=lambda each: told.index(each.source))
    ]


def _candidates(told: Sequence[SourceText]) -> Iterable[_Sentence]:
    own = [source for source in told if source.is_fact] or [source for source in told if source.role is Role.USER]
    for source in own:
        for text in sentences(source.text):
            words = content_words(text)
            if len(words) >= _FEWEST_WORDS and len(text) <= _LONGEST_CHARACTERS and not text.endswith(("?", "？")):
                yield _Sentence(source, text, words)


def _worth(sentence: _Sentence, often: Counter[str]) -> float:
    return sum(math.log1p(often[word]) for word in sorted(sentence.words)) / len(sentence.words) + sentence.source.weight


def _newness(sentence: _Sentence, taken: Sequence[_Sentence]) -> float:
    return 1 - max((len(sentence.words & one.words) / len(sentence.words | one.words) for one in taken), default=0.0)
