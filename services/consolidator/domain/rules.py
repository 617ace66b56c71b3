"""The embedded extractor: what users say of themselves, sentence by sentence. It cannot invent.

A fact is a statement with its slots: in English in the third person, with the speaker's name for `I` and a date beside
`yesterday`; in German, Spanish and French in the speaker's own words, quoted. It may be two sentences if the second depends on
the first, an answer with what its question asked, or a sentence with the user's correction applied. What is in doubt is left
out: the turn itself stays in memory anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from services.consolidator.domain.extraction import MOST_FACTS, KnownFacts, SaidTurn
from services.consolidator.domain.tokens import TokenMeter
from shared.contracts.commands import ExtractedFact
from shared.contracts.parts import Origin
from shared.statements.whole import says_no_more
from shared.text.words import words_of

if TYPE_CHECKING:
    from services.consolidator.domain.drafts import FactDraft
    from services.consolidator.domain.reading import TurnReader

VERSION = "rules/2"

_MOST_SOURCES = 64
_MOST_SLOTS = 32
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|not sure|I think|I guess|I suppose|hopefully|apparently)\b", re.IGNORECASE
)
_HEDGED = 0.2
_LEAST = 0.1


class RuleExtractor:
    """Extractor without model and network; equal turns give equal facts, where the same is known."""

    reads_known = True

    def origin(self, run_id: str) -> Origin:
        """The version of the rules, without model and prompt."""
        return Origin(extractor=VERSION, run_id=run_id)

    async def extract(
        self,
        turns: Sequence[SaidTurn],
        *,
        known: KnownFacts | None = None,
        meter: TokenMeter | None = None,  # noqa: ARG002 - they cost nothing
    ) -> list[ExtractedFact]:
        """The facts that the user's turns state, in their order. Never raises."""
        from services.consolidator.domain.outdating import changes, drafts_with_outdated  # noqa: PLC0415 - see below

        reader = _read(turns)
        told = changes(reader) if known else []
        facts_known = await known.live() if known and told else ()
        drafts = drafts_with_outdated(reader, told, facts_known) if facts_known else reader.drafts
        return _most_certain(_without_repeats(map(_written, drafts)))

    async def close(self) -> None:
        """Do nothing: the rules hold no resources."""


def facts(turns: Sequence[SaidTurn]) -> list[ExtractedFact]:
    """The facts that the user's turns state; the assistant's questions only tell what an answer means."""
    return _most_certain(_without_repeats(map(_written, _read(turns).drafts)))


def _read(turns: Sequence[SaidTurn]) -> TurnReader:
    from services.consolidator.domain.reading import TurnReader  # noqa: PLC0415 - patterns that nobody needs at the start

    return TurnReader.of(turns)


def _written(draft: FactDraft) -> ExtractedFact:
    first, slots = draft.statements[0], draft.slots()
    is_hedged = any(_HEDGE.search(said.words) for said in draft.statements) or any(slot.is_doubtful for slot in slots)
    return ExtractedFact(
        text=draft.told(),
        source_ids=tuple(turn.memory_id for turn in draft.turns)[:_MOST_SOURCES],
        tags=tuple(draft.tags),
        confidence=round(max(draft.confidence - is_hedged * _HEDGED, _LEAST), 3),
        occurred_at=draft.turns[-1].occurred_at,
        slots=tuple(slot.slot for slot in slots)[:_MOST_SLOTS],
        supersedes=draft.supersedes,
        is_whole=len(draft.statements) == 1 and says_no_more(first.dated, slots, (first.speaker or "",)),
    )


def _without_repeats(written: Iterable[ExtractedFact]) -> list[ExtractedFact]:
    """The facts without repeats: of those that differ only in case and punctuation the first, with the sources of all."""
    kept: dict[tuple[str, ...], ExtractedFact] = {}
    for fact in written:
        key = tuple(word.folded for word in words_of(fact.text))
        first = kept.setdefault(key, fact)
        sources = tuple(dict.fromkeys((*first.source_ids, *fact.source_ids)))[:_MOST_SOURCES]
        superseded = tuple(dict.fromkeys((*first.supersedes, *fact.supersedes)))[:_MOST_SOURCES]
        kept[key] = first.model_copy(update={"source_ids": sources, "supersedes": superseded})
    return list(kept.values())


def _most_certain(found: list[ExtractedFact]) -> list[ExtractedFact]:
    """The `MOST_FACTS` facts of the highest confidence, in their order."""
    surest = sorted(range(len(found)), key=lambda index: -found[index].confidence)[:MOST_FACTS]
    return [found[index] for index in sorted(surest)]
