"""What another space of the person gives, as an answer shows it: nothing of it tells of what is not shared. Pure."""

from collections.abc import Iterator, Sequence

from services.retriever.domain.idle_turns import says_the_same
from shared.contracts.queries import ScoredMemory

_TOLD = (
    *("memory_id", "kind", "text", "occurred_at", "recorded_at", "role", "speaker"),
    *("outdated", "valid_until", "confidence", "importance", "score", "by_now"),
)
"""All that is shown of a memory of another space. Its session, message, sources, number and tags would tell of the rest."""


def as_given(memory: ScoredMemory, *, tags: Sequence[str], origin: str) -> ScoredMemory:
    """The memory as another space is given it, with the tags by which it is shared."""
    told = {name: getattr(memory, name) for name in _TOLD}
    return ScoredMemory(**told, number=0, tags=tuple(tags), origin=origin)


def with_given(own: Sequence[ScoredMemory], given: Sequence[ScoredMemory]) -> list[ScoredMemory]:
    """What is the space's own, in its order, with what it is given between, by score; nothing that its own says in these words.

    The scores are comparable: both were given by the same ranking to the same question.
    """
    new = [each for each in given if not any(says_the_same(each.text, mine.text) for mine in own)]
    return list(_merged(own, sorted(new, key=lambda each: -each.score.total))) if new else list(own)


def _merged(own: Sequence[ScoredMemory], given: Sequence[ScoredMemory]) -> Iterator[ScoredMemory]:
    place = 0
    for each in given:
        while place < len(own) and own[place].score.total >= each.score.total:
            yield own[place]
            place += 1
        yield each
    yield from own[place:]
