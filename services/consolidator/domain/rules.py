"""The embedded extractor: what users say of themselves, sentence by sentence, in the third person. It cannot invent.

A fact is the user's own sentence, with the speaker's name for `I` and a date beside `yesterday`; or two sentences if the
second depends on the first; or a sentence with the user's correction applied. What is in doubt is left out: the turn itself
stays in memory anyway. English only; of other languages it learns nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from services.consolidator.domain.dates import resolved
from services.consolidator.domain.extraction import MOST_FACTS, SaidTurn
from services.consolidator.domain.voice import third_person
from shared.contracts.commands import ExtractedFact
from shared.contracts.parts import Origin, Role
from shared.text.words import words_of

if TYPE_CHECKING:
    from services.consolidator.domain.reading import FactDraft

VERSION = "rules/1"

_MOST_SOURCES = 64
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|not sure|I think|I guess|I suppose|hopefully|apparently)\b", re.IGNORECASE
)
_HEDGED = 0.2
_LEAST = 0.1


class RuleExtractor:
    """Extractor without model and network; equal turns give equal facts."""

    def origin(self, run_id: str) -> Origin:
        """The version of the rules, without model and prompt."""
        return Origin(extractor=VERSION, run_id=run_id)

    async def extract(self, turns: Sequence[SaidTurn]) -> list[ExtractedFact]:
        """The facts that the user's turns state, in their order. Never raises."""
        return facts(turns)

    async def close(self) -> None:
        """Do nothing: the rules hold no resources."""


def facts(turns: Sequence[SaidTurn]) -> list[ExtractedFact]:
    """The facts that the user's turns state; the assistant's and the system's state none."""
    from services.consolidator.domain.reading import TurnReader  # noqa: PLC0415 - patterns that nobody needs at the start

    reader = TurnReader()
    for turn in turns:
        if turn.role is Role.USER:
            reader.read(turn)
    return _most_certain(_without_repeats(_written(draft) for draft in reader.drafts))


def _written(draft: FactDraft) -> ExtractedFact:
    turns = sorted(
        {turn.number: turn for said in draft.statements for turn in said.turns}.values(),
        key=lambda turn: (turn.occurred_at, turn.number),
    )
    words = [resolved(said.words, said.turns[0].occurred_at.date()) for said in draft.statements]
    hedged = any(map(_HEDGE.search, words))
    return ExtractedFact(
        text=third_person(words, draft.statements[0].turns[0].speaker),
        source_ids=tuple(turn.memory_id for turn in turns)[:_MOST_SOURCES],
        tags=tuple(draft.tags),
        confidence=round(max(draft.confidence - hedged * _HEDGED, _LEAST), 3),
        occurred_at=turns[-1].occurred_at,
    )


def _without_repeats(written: Iterable[ExtractedFact]) -> list[ExtractedFact]:
    """The facts without repeats: of those that differ only in case and punctuation the first, with the sources of all."""
    kept: dict[tuple[str, ...], ExtractedFact] = {}
    for fact in written:
        key = tuple(word.folded for word in words_of(fact.text))
        first = kept.setdefault(key, fact)
        sources = tuple(dict.fromkeys((*first.source_ids, *fact.source_ids)))[:_MOST_SOURCES]
        kept[key] = first.model_copy(update={"source_ids": sources})
    return list(kept.values())


def _most_certain(found: list[ExtractedFact]) -> list[ExtractedFact]:
    """The `MOST_FACTS` facts of the highest confidence, in their order."""
    surest = sorted(range(len(found)), key=lambda index: -found[index].confidence)[:MOST_FACTS]
    return [found[index] for index in sorted(surest)]
