"""Facts as a model states them, and what of them is taken: what is malformed, unfounded or a repeat costs only itself."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from services.consolidator.domain.extraction import KnownFact, SaidTurn
from services.consolidator.domain.kinds import FactTag
from services.consolidator.domain.model_slots import StatedSlot, founded_slots
from services.consolidator.domain.repeated_facts import FactWording
from shared.contracts.commands import ExtractedFact
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Role
from shared.language.statements.grounding import Grounds
from shared.language.text.stating import content_words

_LONGEST_FACT_CHARACTERS = 1_000
_MOST_SOURCES = 64
_MOST_SUPERSEDED = 16
_USUAL_CONFIDENCE = 0.8
_NUMBER = re.compile(r"\d+")
_KINDS = frozenset(tag.value for tag in FactTag if tag is not FactTag.ASKED)


class Refusal(StrEnum):
    """Why a fact of a model, or a part of it, was not taken."""

    MALFORMED = "malformed"  # not of the schema
    EMPTY = "says_nothing_or_everything"
    SOURCE = "wrong_source"  # it names no turn of the user's among those it read
    EVIDENCE = "no_evidence"  # its words do not rest on its sources
    REPEAT = "repeat"  # the same fact was stated before in the answer
    SUPERSEDED = "wrong_superseded"  # it supersedes what was not shown, or has nothing to do with it
    SLOT = "wrong_slot"  # a value that the fact does not state


def _as_list(value: object) -> object:
    return [value] if isinstance(value, int | str | dict) else value or []


def _as_indexes(value: object) -> object:
    """The numbers of turns, also of `"turn 1"`."""
    listed = _as_list(value)
    found = (_NUMBER.search(each) if isinstance(each, str) else each for each in listed) if isinstance(listed, list) else ()
    return [each[0] if isinstance(each, re.Match) else each for each in found]


def _or(default: Any) -> WrapValidator:  # noqa: ANN401 - of the type of its field
    """Returns the default where a value is not of its field: only text and sources are essential."""

    def take(value: object, handler: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401
        try:
            return handler(value)
        except ValidationError:
            return default

    return WrapValidator(take)


class AnsweredFact(BaseModel):
    """A fact of an answer; whatever else the model wrote into it is left out."""

    text: str = Field(validation_alias=AliasChoices("text", "fact"))
    sources: Annotated[list[int], BeforeValidator(_as_indexes)]
    kinds: Annotated[list[Any], BeforeValidator(_as_list), _or([])] = Field(default_factory=list)
    asked_to_remember: Annotated[bool, _or(default=False)] = False
    confidence: Annotated[float, Field(allow_inf_nan=False), _or(_USUAL_CONFIDENCE)] = _USUAL_CONFIDENCE
    slots: Annotated[list[Any], BeforeValidator(_as_list), _or([])] = Field(default_factory=list)
    supersedes: Annotated[list[Any], BeforeValidator(_as_list), _or([])] = Field(default_factory=list)


@dataclass(frozen=True)
class AnswerReader:
    """Takes the facts of the answers about one page, and counts what it refuses of them."""

    turns: Sequence[SaidTurn]
    taken: list[ExtractedFact] = field(default_factory=list)
    refused: Counter[Refusal] = field(default_factory=Counter)
    _wordings: list[FactWording] = field(default_factory=list)  # of what was taken, in its order

    def read(self, facts: Sequence[Any], turns: Sequence[SaidTurn], known: Sequence[KnownFact]) -> bool:
        """Take what can be taken of an answer about these turns and known facts; False if all its facts are malformed."""
        stated = [_stated(each) for each in facts]
        self._refuse(Refusal.MALFORMED, stated.count(None))
        for each in stated:
            if each is not None:
                self._take(each, turns, known)
        return not facts or any(each is not None for each in stated)

    def _take(self, stated: AnsweredFact, turns: Sequence[SaidTurn], known: Sequence[KnownFact]) -> None:
        text = " ".join(stated.text.split())
        if not 0 < len(text) <= _LONGEST_FACT_CHARACTERS:
            return self._refuse(Refusal.EMPTY)
        cited = [turns[index - 1] for index in sorted(set(stated.sources)) if 1 <= index <= len(turns)][:_MOST_SOURCES]
        if not any(turn.role is Role.USER for turn in cited):
            return self._refuse(Refusal.SOURCE)
        if not Grounds.of(cited, self.turns, (fact.text for fact in known)).supports(text):
            return self._refuse(Refusal.EVIDENCE)
        return self._add(self._fact(text, stated, cited, known))

    def _fact(self, text: str, stated: AnsweredFact, cited: Sequence[SaidTurn], known: Sequence[KnownFact]) -> ExtractedFact:
        tags = [FactTag(kind) for kind in dict.fromkeys(map(str, stated.kinds)) if kind in _KINDS]
        occurred_at = max(turn.occurred_at for turn in cited)
        confidence = min(max(stated.confidence, 0.0), 1.0)
        return ExtractedFact(
            text=text,
            source_ids=tuple(turn.memory_id for turn in cited),
            tags=(*tags, *([FactTag.ASKED] if stated.asked_to_remember else [])),
            confidence=confidence,
            occurred_at=occurred_at,
            slots=self._slots(text, stated, cited, occurred_at),
            supersedes=self._superseded(text, stated, cited, known),
        )

    def _slots(self, text: str, stated: AnsweredFact, cited: Sequence[SaidTurn], said_at: datetime) -> tuple[Any, ...]:
        wanted = [StatedSlot.read(each) for each in stated.slots]
        speaker = next((turn.speaker for turn in cited if turn.role is Role.USER), None)
        slots, refused = founded_slots(text, wanted, speaker=speaker, said_at=said_at)
        self._refuse(Refusal.SLOT, refused)
        return slots

    def _superseded(
        self, text: str, stated: AnsweredFact, cited: Sequence[SaidTurn], known: Sequence[KnownFact]
    ) -> tuple[MemoryId, ...]:
        """The known facts that it says it supersedes, if they have to do with it or with its sources."""
        said = content_words("\n".join((text, *(turn.text for turn in cited))))
        found: list[MemoryId] = []
        for index in stated.supersedes:
            old = known[index - 1] if isinstance(index, int) and 1 <= index <= len(known) else None
            if old is None or said.isdisjoint(content_words(old.text)):
                self._refuse(Refusal.SUPERSEDED)
            else:
                found.append(old.memory_id)
        return tuple(dict.fromkeys(found))[:_MOST_SUPERSEDED]

    def _add(self, fact: ExtractedFact) -> None:
        """Take a fact; one that says what another one says gives its sources to that one."""
        wording = FactWording.of(fact.text)
        place = next((place for place, before in enumerate(self._wordings) if before.is_like(wording)), None)
        if place is None:
            self.taken.append(fact)
            return self._wordings.append(wording)
        before = self.taken[place]
        sources = tuple(dict.fromkeys((*before.source_ids, *fact.source_ids)))[:_MOST_SOURCES]
        superseded = tuple(dict.fromkeys((*before.supersedes, *fact.supersedes)))[:_MOST_SUPERSEDED]
        fuller = max((before, self._wordings[place]), (fact, wording), key=lambda each: len(each[1].words))
        self.taken[place] = fuller[0].model_copy(update={"source_ids": sources, "supersedes": superseded})
        self._wordings[place] = fuller[1]
        return self._refuse(Refusal.REPEAT)

    def _refuse(self, why: Refusal, count: int = 1) -> None:
        if count:
            self.refused[why] += count


def _stated(fact: object) -> AnsweredFact | None:
    try:
        return AnsweredFact.model_validate(fact)
    except ValidationError:
        return None
