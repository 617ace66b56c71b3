"""Proposes topics for a fact from those of its nearest neighbours.

Source: ../reference/memory-upgrade-spec.md, "Metadata Enrichment": "use embedding neighbors to propose tags".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.contracts.queries import SimilarMemory
from shared.domain.importance import KIND_TAGS

METHOD = "neighbours/1"
NEAREST = 5
LEAST_COSINE = 0.6
LEAST_SHARING = 2
MOST_TAGS = 3
ENOUGH_TOPICS = 2
"""A fact with so many topics gets no proposals."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Topics for a fact, those that most neighbours share first, with a confidence."""

    tags: tuple[str, ...]
    confidence: float  # mean cosine of the neighbours that share them, in [0, 1]


def proposal(neighbours: Sequence[SimilarMemory]) -> Proposal | None:
    """The topics that at least two of the five nearest neighbours share, at a cosine of 0.6 or more; None if there are none.

    Worked: neighbours at 0.9, 0.8 and 0.7 with the tags {tea}, {tea, milk} and {milk}: tea has 0.9 + 0.8, milk 0.8 + 0.7, so
    both are proposed, tea first, with (0.9 + 0.8 + 0.8 + 0.7) / 4 = 0.8.
    """
    near = [one for one in sorted(neighbours, key=_nearest)[:NEAREST] if one.cosine_similarity >= LEAST_COSINE]
    sharing: dict[str, list[float]] = {}
    for one in near:
        for tag in dict.fromkeys(one.tags):
            if tag not in KIND_TAGS:
                sharing.setdefault(tag, []).append(one.cosine_similarity)
    shared = {tag: cosines for tag, cosines in sharing.items() if len(cosines) >= LEAST_SHARING}
    if not shared:
        return None
    best = sorted(shared, key=lambda tag: (-len(shared[tag]), -sum(shared[tag]), tag))[:MOST_TAGS]
    cosines = [cosine for tag in best for cosine in shared[tag]]
    return Proposal(tuple(best), round(min(sum(cosines) / len(cosines), 1.0), 3))


def topics(tags: Sequence[str]) -> int:
    """The number of tags that are topics."""
    return len(set(tags) - KIND_TAGS)


def _nearest(one: SimilarMemory) -> tuple[float, int]:
    return -one.cosine_similarity, one.number
