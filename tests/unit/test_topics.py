"""Memories about one thing are one cluster, whatever else is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
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


LINKED: list[tuple[tuple[int, int, int], tuple[float, int, int], list[list[int]]]] = [
    ((1, 18, 3), (0.4, 2, 16), [[0, 8, 10, 12], [1, 15, 17], [2, 14], [3, 4], [5, 6, 9, 16]]),
    ((2, 24, 4), (0.5, 2, 5), [[0, 18], [2, 7], [3, 16], [4, 13, 23], [6, 10], [11, 20]]),
    (
        (3, 30, 5),
        (0.3, 3, 6),
        [[0, 4, 10, 19, 22], [6, 13, 18, 20], [7, 11, 14, 17, 25, 26], [8, 15, 21, 28], [24, 27, 29]],
    ),
    ((4, 12, 2), (0.6, 2, 4), [[1, 11], [3, 6], [5, 8]]),
    (
        (5, 26, 26),
        (0.2, 2, 8),
        [[1, 24], [2, 4, 12, 18], [3, 8], [5, 16, 21], [6, 19, 23], [7, 13], [9, 10, 17, 20, 25], [11, 15, 22]],
    ),
]
"""Random vectors by seed, number and topics, the limits, and the clusters that scipy 1.17 makes of them by `average`."""


@pytest.mark.parametrize(("drawn", "limits", "expected"), LINKED)
def test_clusters_are_those_of_average_linkage(
    drawn: tuple[int, int, int], limits: tuple[float, int, int], expected: list[list[int]]
) -> None:
    seed, number, topics = drawn
    cosine, least, most = limits
    random = np.random.default_rng(seed)
    centres = random.normal(size=(topics, DIMENSIONS)) / 4
    rows = centres[random.integers(0, topics, number)] + 0.35 * random.normal(size=(number, DIMENSIONS))
    assert clusters(unit_rows(*rows), cosine=cosine, least=least, most=most) == expected


def test_of_equally_near_memories_the_first_join_first() -> None:
    same = unit_rows(*(np.eye(DIMENSIONS)[place % 2] for place in range(10)))
    assert clusters(same, cosine=0.5, least=2, most=4) == [[0, 2, 4, 6], [1, 3, 5, 7]]


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
