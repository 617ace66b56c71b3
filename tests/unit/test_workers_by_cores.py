"""How many processes answer beside `up` where nobody has set it."""

from __future__ import annotations

import pytest

from services.retriever.group import workers_by_cores


@pytest.mark.parametrize(("cores", "workers"), [(1, 0), (2, 0), (3, 0), (4, 2), (7, 3), (8, 4), (64, 4)])
def test_one_for_two_cores_and_none_where_up_needs_them(cores: int, workers: int) -> None:
    assert workers_by_cores(cores) == workers
