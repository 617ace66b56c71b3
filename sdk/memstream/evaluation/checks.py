"""Checks of a context that need no model: words that it holds or lacks, and what stands where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Given:
    """The context that a bot was given to answer from; empty where there is no memory."""

    block: str = ""
    items: tuple[str, ...] = ()  # their texts, best first


@dataclass(frozen=True, slots=True)
class ContextCheck:
    """One thing that must be true of a context. Case does not count."""

    name: str
    holds: Callable[[Given], bool]

    @property
    def is_telling(self) -> bool:
        """True if an empty context fails this check: else the check says nothing of what memory gives."""
        return not self.holds(Given())

    @classmethod
    def contains(cls, words: str) -> ContextCheck:
        """The block holds the words.

        >>> ContextCheck.contains("tea").holds(Given("- Anna likes Tea."))
        True
        """
        return cls(f"contains {words!r}", lambda given: _in(words, given.block))

    @classmethod
    def lacks(cls, words: str) -> ContextCheck:
        """Neither the block nor an item holds the words."""
        return cls(f"lacks {words!r}", lambda given: not any(_in(words, text) for text in (given.block, *given.items)))

    @classmethod
    def within(cls, words: str, most: int) -> ContextCheck:
        """One of the first items holds the words."""
        return cls(f"{words!r} in the first {most}", lambda given: any(_in(words, text) for text in given.items[:most]))

    @classmethod
    def above(cls, higher: str, lower: str) -> ContextCheck:
        """An item holds the first words; none above it, nor itself, holds the second."""
        return cls(f"{higher!r} above {lower!r}", lambda given: _stands_above(given.items, higher, lower))

    @classmethod
    def abstains(cls, *, wanted: bool) -> ContextCheck:
        """The context is empty, or is not."""
        return cls("abstains" if wanted else "answers", lambda given: (not given.items and not given.block) == wanted)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check, with memory and without."""

    task: str
    query: str
    check: str
    with_memory: bool
    without_memory: bool


def checked(task: str, query: str, checks: Sequence[ContextCheck], given: Given) -> list[Checked]:
    """Every check of a question, on what was given and on nothing."""
    return [Checked(task, query, check.name, check.holds(given), check.holds(Given())) for check in checks]


def score(outcomes: Mapping[str, Sequence[Checked]], problems: Mapping[str, str]) -> dict[str, Any]:
    """The whole result, JSON-ready. A task with a problem could not be played, and counts as failed."""
    every = [outcome for of_task in outcomes.values() for outcome in of_task]
    telling = [outcome for outcome in every if not outcome.without_memory]
    tasks = {name: _of_task(of_task, problems.get(name)) for name, of_task in outcomes.items()}
    return {
        "tasks": len(tasks),
        "passed": sum(task["passed"] for task in tasks.values()),
        "passed_without_memory": sum(task["passed_without_memory"] for task in tasks.values()),
        "checks": len(every),
        "checks_passed": sum(outcome.with_memory for outcome in every),
        "checks_passed_without_memory": len(every) - len(telling),
        "telling_checks": len(telling),
        "telling_checks_passed": sum(outcome.with_memory for outcome in telling),
        "by_task": tasks,
    }


def _of_task(outcomes: Sequence[Checked], problem: str | None) -> dict[str, Any]:
    missed = [f"{each.query} {each.check}" for each in outcomes if not each.with_memory]
    return {
        "passed": problem is None and not missed,
        "passed_without_memory": all(each.without_memory for each in outcomes),
        "checks": len(outcomes),
        "checks_passed": sum(each.with_memory for each in outcomes),
        "checks_passed_without_memory": sum(each.without_memory for each in outcomes),
        "missed": missed,
        "problem": problem,
    }


def _in(words: str, text: str) -> bool:
    return words.casefold() in " ".join(text.casefold().split())


def _stands_above(items: Sequence[str], higher: str, lower: str) -> bool:
    for text in items:
        if _in(lower, text):
            return False
        if _in(higher, text):
            return True
    return False
