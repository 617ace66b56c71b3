"""Every metric is counted somewhere, seen to move by a test, and bounded in its labels; none of it holds a word."""

from __future__ import annotations

import pytest

from docs.measured import LABELS, Metric, counted_in, declared, seen_by


@pytest.mark.parametrize("metric", declared(), ids=lambda metric: str(metric.name))
def test_a_metric_is_counted_and_a_test_sees_it_move(metric: Metric) -> None:
    assert counted_in(metric), "nothing counts it"
    assert seen_by(metric), "no test sees it move"
    assert metric.about.endswith((".", "alarm.")), metric.about


def test_each_label_says_what_bounds_it() -> None:
    used = {label for metric in declared() for label in metric.labels}
    assert used == LABELS.keys()
    assert list(LABELS) == sorted(LABELS)
