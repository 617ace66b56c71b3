"""Judges whether anything that was found answers the question at all, by the signs of docs/adr/0036."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from services.retriever.domain.candidate import Candidate
from services.retriever.domain.evidence import FoundBeside, Holding, Signs, evidence, least_evidence, signs
from shared.language.questions.aims import AskingAim


class AskedOfMemory(NamedTuple):
    """What of a question decides how much evidence it wants."""

    text: str
    speakers: Collection[str]
    aim: AskingAim
    abstain_below: float
    is_understood: bool = True  # by the model that made its vector


class EvidenceVerdict(NamedTuple):
    """How much speaks for an answer, how much must, and of what it was made; without signs nothing was to be withheld."""

    evidence: float = 1.0
    least: float = 0.0
    signs: Signs | None = None


def judged(asked: AskedOfMemory, best: Sequence[Candidate], held: Mapping[str, Holding], *, memories: int) -> EvidenceVerdict:
    """The verdict about the best of so many memories. `held`: who holds which term; without terms vectors decide."""
    if not best or not asked.abstain_below:
        return EvidenceVerdict()
    is_of_time = any("time" in candidate.legs for candidate in best)
    found = FoundBeside(memories, _trusted_cosine(asked, best), is_of_time)
    told = signs(asked.text, held, names=asked.speakers, found=found)
    least = least_evidence(
        asked.aim, asked.abstain_below, is_of_speaker=bool(asked.speakers), has_vectors=told.near is not None
    )
    return EvidenceVerdict(evidence(told), least, told)


def _trusted_cosine(asked: AskedOfMemory, best: Sequence[Candidate]) -> float | None:
    """The best cosine, if it says something: to a model that does not know their language, any two texts are alike."""
    if not asked.is_understood and asked.aim is not AskingAim.PERSON:
        return None
    return max((candidate.cosine for candidate in best if candidate.cosine is not None), default=None)
