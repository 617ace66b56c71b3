"""Conversations in which every fact worth keeping is annotated, and how well the embedded rules find them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import Field

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.kinds import FactTag
from services.consolidator.domain.rules import facts
from shared.contracts.commands import ExtractedFact
from shared.contracts.contract import Contract
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Role

FOLDER = Path(__file__).parent / "annotated"
BEGAN = datetime(2026, 3, 9, 12, tzinfo=UTC)
"""A Monday."""

_CORRECTED = re.compile(r".*(?:, and put it right|, und berichtigte|, y corrigió|, puis a corrigé) ?: ?")
"""What a correction puts right stands behind these words."""
_ROLES = {"user": Role.USER, "bot": Role.ASSISTANT}


class AnnotatedFact(Contract):
    """Something that a reader would keep."""

    states: tuple[str, ...] = Field(min_length=1, description="Words that all stand in it, lower case; `|` parts alternatives.")
    without: tuple[str, ...] = Field(default=(), description="Words that make it wrong: what was corrected.")
    optional: bool = Field(default=False, description="Right if it is learned, and no loss if it is not.")

    def is_stated_by(self, fact: ExtractedFact) -> bool:
        """True if a learned fact states this one, and nothing that was corrected; of a correction what it puts right counts."""
        lower = fact.text.lower()
        holds = what_holds(fact).lower()
        return all(any(each in lower for each in words.split("|")) for words in self.states) and not any(
            wrong in holds for wrong in self.without
        )


class AnnotatedTalk(Contract):
    """A conversation and its facts."""

    language: str
    speaker: str | None = None
    talk: str = Field(description="A turn to a line, `user:` or `bot:` before it.")
    facts: tuple[AnnotatedFact, ...]

    def turns(self) -> list[SaidTurn]:
        """The turns, a minute apart."""
        return said_turns(self.talk, self.speaker)


@dataclass(frozen=True, slots=True)
class Score:
    """What was learned of a conversation, beside what was to learn."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    found: int
    missed: tuple[AnnotatedFact, ...]

    @property
    def precision(self) -> float:
        """The share of the learned facts that are right."""
        return len(self.right) / max(1, len(self.right) + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of the facts that had to be learned which were."""
        return self.found / max(1, self.found + len(self.missed))

    def __add__(self, other: Score) -> Score:
        """Both conversations together."""
        return Score(self.right + other.right, self.wrong + other.wrong, self.found + other.found, self.missed + other.missed)


def what_holds(fact: ExtractedFact) -> str:
    """Return the text of a fact; of a correction only what it puts right, since the wrong words are quoted before it."""
    return _CORRECTED.sub("", fact.text, count=1) if FactTag.CORRECTION in fact.tags else fact.text


def said_turns(talk: str, speaker: str | None = None) -> list[SaidTurn]:
    """The turns of a conversation that is written a turn to a line."""
    split = [line.split(": ", 1) for line in talk.strip().splitlines()]
    return [
        SaidTurn(
            MemoryId(f"ep_{number}"),
            number=number,
            role=_ROLES[who],
            speaker=speaker if who == "user" else None,
            text=text,
            occurred_at=BEGAN + timedelta(minutes=number),
        )
        for number, (who, text) in enumerate(split, start=1)
    ]


def talks(folder: Path = FOLDER, pattern: str = "*.toml") -> dict[str, AnnotatedTalk]:
    """The annotated conversations by their names."""
    return {
        path.stem: AnnotatedTalk.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob(pattern))
    }


def score(talk: AnnotatedTalk) -> Score:
    """What the embedded rules learn of a conversation."""
    learned = facts(talk.turns())
    right = [fact for fact in learned if any(each.is_stated_by(fact) for each in talk.facts)]
    due = [each for each in talk.facts if not each.optional]
    missed = tuple(each for each in due if not any(each.is_stated_by(fact) for fact in right))
    wrong = tuple(fact.text for fact in learned if fact not in right)
    return Score(tuple(fact.text for fact in right), wrong, len(due) - len(missed), missed)
