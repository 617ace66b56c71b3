"""The embedded extractor: what users say of themselves, sentence by sentence. It cannot invent.

A fact is a plain English statement in the third person, or a quotation in the person's own words, in every language alike. Its
slots are those of plain statements only. The turn itself stays in memory anyway.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from services.consolidator.domain.extraction import MOST_FACTS, KnownFacts, SaidTurn
from shared.contracts.commands import ExtractedFact
from shared.contracts.parts import FactSlot, Origin, Role
from shared.contracts.portions import portions
from shared.domain.model_tokens import TokenMeter
from shared.language.statements.subjects import USER
from shared.language.statements.whole import recorded
from shared.language.text.words import words_of

if TYPE_CHECKING:
    from services.consolidator.domain.reading import FactDraft, TurnReader

VERSION = "rules/2"

_MOST_SOURCES = 64
_MOST_SLOTS = 32
_LONGEST_NAME = 200
_AT_ONCE = 4_000
"""Characters; of longer turns one."""
Runner: TypeAlias = Callable[..., Awaitable[Any]]
"""Calls a function with arguments, perhaps in a thread."""


async def _at_once(work: Callable[..., Any], *args: object) -> Any:  # noqa: ANN401 - whatever the work returns
    return work(*args)


class RuleExtractor:
    """Extractor without model and network; equal turns give equal facts, where the same is known."""

    reads_known = False
    _run: Runner = staticmethod(_at_once)

    @classmethod
    def run_by(cls, run: Runner) -> Self:
        """An extractor whose work is run in this way."""
        extractor = cls()
        extractor._run = run
        return extractor

    def origin(self, run_id: str) -> Origin:
        """The version of the rules, without model and prompt."""
        return Origin(extractor=VERSION, run_id=run_id)

    async def extract(
        self,
        turns: Sequence[SaidTurn],
        *,
        known: KnownFacts | None = None,  # noqa: ARG002 - what ends what is decided where the facts are recorded
        meter: TokenMeter | None = None,  # noqa: ARG002 - they cost nothing
    ) -> list[ExtractedFact]:
        """The facts that the user's turns state, in their order. Never raises."""
        reader: TurnReader = await self._run(_reader, turns)
        for some in portions(turns, lambda turn: len(turn.text), most_weight=_AT_ONCE):
            await self._run(reader.take_in, some)
        found: list[ExtractedFact] = await self._run(_facts, reader.drafts, _speakers(turns))
        return found

    async def close(self) -> None:
        """Do nothing: the rules hold no resources."""


def facts(turns: Sequence[SaidTurn]) -> list[ExtractedFact]:
    """The facts that the user's turns state; the assistant's questions only tell what an answer means."""
    reader = _reader(turns)
    reader.take_in(turns)
    return _facts(reader.drafts, _speakers(turns))


def _facts(drafts: Sequence[FactDraft], speakers: Collection[str]) -> list[ExtractedFact]:
    written = (_written(draft, is_group=len(speakers) > 1) for draft in drafts)
    found = _without_repeats(written)
    surest = sorted(range(len(found)), key=lambda index: -found[index].confidence)[:MOST_FACTS]
    return [found[index] for index in sorted(surest)]


def _speakers(turns: Sequence[SaidTurn]) -> set[str]:
    """The names of those who speak to the bot."""
    return {turn.speaker for turn in turns if turn.role is Role.USER and turn.speaker}


def _named(slot: FactSlot, speaker: str) -> FactSlot:
    """The slot of the user as one of the speaker by name, where several speak: one is not who another is."""
    owner, mark, rest = slot.subject.partition("'s ")
    named = f"{speaker.casefold()}{mark}{rest}"[:_LONGEST_NAME]
    return slot.model_copy(update={"subject": named}) if owner == USER else slot


def _reader(turns: Sequence[SaidTurn]) -> TurnReader:
    from services.consolidator.domain.reading import TurnReader  # noqa: PLC0415 - tables that nobody needs at the start

    return TurnReader.of_language(turns)


def _written(draft: FactDraft, *, is_group: bool) -> ExtractedFact:
    stated, says_more = recorded(draft.slots)
    speaker = draft.turns[0].speaker
    stated = tuple(_named(slot, speaker) for slot in stated) if is_group and speaker else stated
    turns = sorted(draft.turns, key=lambda turn: (turn.occurred_at, turn.number))
    return ExtractedFact(
        text=draft.write(),
        source_ids=tuple(turn.memory_id for turn in turns)[:_MOST_SOURCES],
        tags=tuple(draft.tags),
        confidence=draft.confidence,
        occurred_at=turns[-1].occurred_at,
        slots=stated[:_MOST_SLOTS],
        says_more=says_more,
        is_whole=draft.is_plain,
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
