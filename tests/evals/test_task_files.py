"""The tasks themselves: each can fail, and none can be passed by a bot that remembers nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstream.evaluation.checks import ContextCheck, Given, checked, score
from memstream.evaluation.task import SayStep, Task, all_tasks, parse, small_talk
from shared.contracts.errors import Malformed

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
_TASKS = all_tasks()


@pytest.mark.parametrize("task", _TASKS, ids=lambda task: task.name)
def test_an_empty_context_fails_every_task(task: Task) -> None:
    assert any(check.is_telling for ask in task.ask for check in ask.checks)


@pytest.mark.parametrize("task", _TASKS, ids=lambda task: task.name)
def test_every_question_has_a_check(task: Task) -> None:
    assert all(ask.checks for ask in task.ask)


@pytest.mark.parametrize("task", _TASKS, ids=lambda task: task.name)
def test_small_talk_answers_no_question(task: Task) -> None:
    talk = Given(items=tuple(turn for step in small_talk() if isinstance(step, SayStep) for turn in step.turns))
    wanted = [words for ask in task.ask for words in (*ask.contains, *ask.lacks)]
    assert not [words for words in wanted if not ContextCheck.lacks(words).holds(talk)]


@pytest.mark.parametrize(
    "text",
    [
        "about = 'no questions'\n[[play]]\nremember = 'tea'\n",
        "about = 'a misspelt step'\n[[play]]\nremembers = 'tea'\n[[ask]]\nquery = 'tea?'\n",
        "about = 'no time'\n[[play]]\nsession = 's'\nturns = ['tea']\n[[ask]]\nquery = 'tea?'\n",
        "about = ",
    ],
)
def test_a_task_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="the task odd does not fit"):
        parse("odd", text)


def test_what_is_said_today_was_said_a_moment_ago() -> None:
    today = SayStep(session="s", turns=("tea",), days_ago=0)
    assert NOW > today.began(NOW) > NOW.replace(hour=8)
    assert SayStep(session="s", turns=("tea",), days_ago=7).began(NOW) == datetime(2026, 11, 16, 12, tzinfo=UTC)


def test_the_lower_one_may_be_missing_but_the_higher_one_may_not() -> None:
    check = ContextCheck.above("new", "old")
    assert check.holds(Given(items=("a new one", "an old one")))
    assert check.holds(Given(items=("a new one",)))
    assert not check.holds(Given(items=("an old one", "a new one")))
    assert not check.holds(Given(items=("another",)))


def test_what_an_empty_context_passes_is_counted_apart() -> None:
    checks = [ContextCheck.contains("tea"), ContextCheck.lacks("coffee")]
    result = score({"drinks": checked("drinks", "tea?", checks, Given("Anna likes coffee and tea", ("coffee and tea",)))}, {})
    assert (result["checks"], result["checks_passed"], result["checks_passed_without_memory"]) == (2, 1, 1)
    assert (result["telling_checks"], result["telling_checks_passed"], result["passed"]) == (1, 1, 0)
    assert result["by_task"]["drinks"]["missed"] == ["tea? lacks 'coffee'"]


def test_a_task_that_could_not_be_played_has_failed() -> None:
    passing = checked("drinks", "tea?", [ContextCheck.contains("tea")], Given("tea", ("tea",)))
    assert score({"drinks": passing}, {"drinks": "not_found: no fact says 'tea'"})["passed"] == 0
