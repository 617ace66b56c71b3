"""What a bot with a memory is given in small tasks, through the real path, with the embedded embedder."""

from __future__ import annotations

from typing import Any

import pytest

from memstream.evaluation.task import all_tasks
from tests.evals.commands import evaluated

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def scores() -> dict[str, Any]:
    played: dict[str, Any] = evaluated("tasks")
    return played


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [task.name for task in all_tasks()])
def test_with_memory_every_check_of_the_task_holds(scores: dict[str, Any], name: str) -> None:
    task = scores["by_task"][name]
    assert task["problem"] is None
    assert task["missed"] == []


def test_without_memory_no_task_passes(scores: dict[str, Any]) -> None:
    assert scores["tasks"] == len(all_tasks()) >= 20
    assert scores["passed_without_memory"] == 0
    assert scores["checks"] - scores["telling_checks"] == scores["checks_passed_without_memory"]
