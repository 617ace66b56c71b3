import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.consolidator.domain.kinds import FactTag
from services.maintenance.domain.proposals import MOST_TAGS, proposal, topics
from shared.contracts.parts import Kind
from shared.contracts.queries import SimilarMemory
from shared.domain.importance import KIND_TAGS, LASTING_TAGS
from tests.support.scopes import T0


def near(cosine: float, *tags: str, number: int = 1) -> SimilarMemory:
    return SimilarMemory(
        memory_id=f"fact_{number}",
        kind=Kind.FACT,
        text="A fact",
        number=number,
        occurred_at=T0,
        recorded_at=T0,
        tags=tags,
        cosine_similarity=cosine,
    )


def test_what_two_neighbours_share_is_proposed_most_shared_first() -> None:
    found = proposal([near(0.9, "tea"), near(0.8, "tea", "milk"), near(0.7, "milk")])
    assert found is not None
    assert (found.tags, found.confidence) == (("tea", "milk"), 0.8)


@pytest.mark.parametrize(
    "neighbours",
    [
        [],
        [near(0.9, "tea")],
        [near(0.9, "tea"), near(0.8, "milk")],
        [near(0.9, "tea", "tea")],
        [near(0.9, "tea"), near(0.59, "tea")],
        [near(0.9, "preference"), near(0.9, "preference")],
        [near(0.9, "tea"), *(near(0.9 - n / 100, str(n)) for n in range(1, 5)), near(0.8, "tea")],  # the sixth has no say
    ],
)
def test_what_fewer_than_two_of_the_five_nearest_share_is_not(neighbours: list[SimilarMemory]) -> None:
    assert proposal(neighbours) is None


neighbour = st.builds(
    lambda cosine, tags, number: near(cosine, *tags, number=number),
    st.floats(-1, 1),
    st.lists(st.sampled_from(["tea", "milk", "boat", "rome", "plan"]), max_size=4),
    st.integers(1, 99),
)


@given(st.lists(neighbour, max_size=8, unique_by=lambda one: one.number))
def test_a_proposal_is_small_sure_and_does_not_depend_on_the_order(neighbours: list[SimilarMemory]) -> None:
    found = proposal(neighbours)
    assert found == proposal(neighbours[::-1])
    if found is not None:
        assert 0 < len(found.tags) <= MOST_TAGS
        assert 0.6 <= found.confidence <= 1
        assert KIND_TAGS.isdisjoint(found.tags)


def test_the_kinds_of_the_rules_are_no_topics() -> None:
    assert frozenset(FactTag) == KIND_TAGS
    assert LASTING_TAGS < KIND_TAGS
    assert topics(["preference", "tea", "tea", "asked_to_remember"]) == 1
