"""Memories about one thing are one cluster, whatever else is there."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from services.maintenance.domain.topics import clusters

DIMENSIONS = 16


def unit_rows(*rows: NDArray[Any]) -> Any:  # noqa: ANN401 - an array
    """Vectors of length 1."""
    stacked = np.stack(rows)
    return (stacked / np.linalg.norm(stacked, axis=1, keepdims=True)).astype(np.float32)


def about(topic: int, *, seed: int) -> Any:  # noqa: ANN401 - an array
    """A vector near the axis of a topic."""
    return np.eye(DIMENSIONS)[topic] + 0.1 * np.random.default_rng(seed).normal(size=DIMENSIONS)


def test_each_topic_is_a_cluster_and_what_is_alone_is_in_none() -> None:
    vectors = unit_rows(*(about(place % 3, seed=place) for place in range(12)), about(7, seed=99))
    found = clusters(vectors, cosine=0.5, least=4, most=16)
    assert found == [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]


def test_few_are_no_topic() -> None:
    assert clusters(unit_rows(about(0, seed=1), about(0, seed=2)), cosine=0.5, least=4, most=16) == []
    assert clusters(np.zeros((0, DIMENSIONS), np.float32), cosine=0.5, least=2, most=16) == []


def test_a_vector_without_direction_is_like_nothing() -> None:
    vectors = np.vstack([unit_rows(*(about(0, seed=each) for each in range(4))), np.zeros((1, DIMENSIONS), np.float32)])
    assert clusters(vectors, cosine=0.5, least=2, most=16) == [[0, 1, 2, 3]]


@given(topics=st.lists(st.integers(0, 3), min_size=2, max_size=40), most=st.integers(2, 12), seed=st.integers(0, 1000))
def test_no_memory_is_in_two_clusters_and_none_is_too_large(topics: list[int], most: int, seed: int) -> None:
    vectors = unit_rows(*(about(topic, seed=seed + place) for place, topic in enumerate(topics)))
    found = clusters(vectors, cosine=0.4, least=2, most=most)
    assert all(2 <= len(each) <= most for each in found)
    members = [place for each in found for place in each]
    assert len(members) == len(set(members))


@given(topics=st.lists(st.integers(0, 3), min_size=2, max_size=40), seed=st.integers(0, 1000))
def test_what_is_left_when_a_cluster_is_taken_away_clusters_as_before(topics: list[int], seed: int) -> None:
    """A run that is killed after a roll-up finds the others as they were."""
    vectors = unit_rows(*(about(topic, seed=seed + place) for place, topic in enumerate(topics)))
    found = clusters(vectors, cosine=0.4, least=2, most=64)
    if found:
        left = [place for place in range(len(topics)) if place not in found[0]]
        again = clusters(vectors[left], cosine=0.4, least=2, most=64) if len(left) > 1 else []
        assert {tuple(left[place] for place in each) for each in again} >= {tuple(each) for each in found[1:]}
