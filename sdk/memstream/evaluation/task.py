"""A task: what is said and done, what is asked afterwards, and checks of the answer that need no model.

Each is a TOML file in `tasks/`; the steps of `small_talk.toml` come before those of every task.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from importlib import resources
from typing import Any, Final

from pydantic import Field, ValidationError, model_validator

from memstream.evaluation.checks import ContextCheck
from shared.contracts.contract import Contract
from shared.contracts.errors import Malformed
from shared.contracts.parts import Kind
from shared.contracts.queries import DEFAULT_BUDGET_TOKENS

_ASSISTANT: Final = "Bot: "
_NOON: Final = time(12)
_MOMENTS_AGO: Final = timedelta(minutes=5)


class Step(Contract):
    """Something that a person or a bot does."""

    user: str = "anna"  # whose memory; every task has persons of its own
    space: str = "home"  # in which space


class SayStep(Step):
    """A conversation."""

    session: str  # its id; the same session again is the same messages again
    speaker: str = "Anna"  # the name of the person; empty: messages carry none
    turns: tuple[str, ...] = Field(min_length=1)  # what was said; after `Bot: ` by the assistant
    days_ago: int | None = Field(default=None, ge=0)  # when, counted from today
    on: date | None = None  # when, as a date
    incognito: bool = False  # whether the session is incognito

    @model_validator(mode="after")
    def _has_one_time(self) -> SayStep:
        if (self.days_ago is None) == (self.on is None):
            raise ValueError("a conversation has either days_ago or on")
        return self

    def began(self, now: datetime) -> datetime:
        """Noon of its day, in the zone of `now`; of today: five minutes ago."""
        if self.days_ago == 0:
            return now - _MOMENTS_AGO
        day = self.on or (now - timedelta(days=self.days_ago or 0)).date()
        return datetime.combine(day, _NOON, now.tzinfo)

    @property
    def lines(self) -> list[tuple[bool, str]]:
        """Each turn: whether the assistant said it, and the words."""
        return [(turn.startswith(_ASSISTANT), turn.removeprefix(_ASSISTANT)) for turn in self.turns]


class RememberStep(Step):
    """A fact saved by hand."""

    remember: str  # the fact


class CorrectStep(Step):
    """A fact corrected."""

    correct: str  # words of the fact that is wrong
    text: str = Field(alias="with")  # the right one


class PinStep(Step):
    """A fact pinned."""

    pin: str  # words of the fact


class ForgetStep(Step):
    """A memory forgotten, and what says it."""

    forget: str  # words of a fact, else of a turn


class SettingsStep(Step):
    """Settings of the person changed."""

    settings: dict[str, Any]  # as in change_settings


class WaitStep(Step):
    """A wait until everything that was said is learned."""

    wait: bool


Action = SayStep | RememberStep | CorrectStep | PinStep | ForgetStep | SettingsStep
"""Everything that is done, in the order of the file."""


class AskStep(Step):
    """A question, and what must be true of its context."""

    query: str  # the question
    session: str | None = None  # the current session
    kinds: tuple[Kind, ...] = (Kind.FACT, Kind.EPISODE)  # what to look for
    budget_tokens: int = Field(default=DEFAULT_BUDGET_TOKENS, ge=1)  # most tokens of the block
    contains: tuple[str, ...] = ()  # words that the block must hold, each a check
    lacks: tuple[str, ...] = ()  # words that it must not hold, each a check
    first: str | None = None  # words of the first item
    within: dict[str, int] = Field(default_factory=dict)  # words of an item, and within how many from the top
    above: tuple[tuple[str, str], ...] = ()  # words of an item, and of one that stands lower
    abstains: bool | None = None  # whether the context is empty

    @property
    def checks(self) -> list[ContextCheck]:
        """Every check of this question."""
        within = {self.first: 1, **self.within} if self.first else self.within
        return [
            *(ContextCheck.contains(words) for words in self.contains),
            *(ContextCheck.lacks(words) for words in self.lacks),
            *(ContextCheck.within(words, most) for words, most in within.items()),
            *(ContextCheck.above(higher, lower) for higher, lower in self.above),
            *([] if self.abstains is None else [ContextCheck.abstains(wanted=self.abstains)]),
        ]


class _Script(Contract):
    play: tuple[Action | WaitStep, ...] = Field(min_length=1)  # the steps, in order


class Task(_Script):
    """A task."""

    name: str  # the file's
    about: str  # what it shows
    ask: tuple[AskStep, ...] = Field(min_length=1)  # the questions, once everything is learned

    @property
    def rounds(self) -> list[list[Action]]:
        """The steps between the waits."""
        rounds: list[list[Action]] = [[]]
        for step in self.play:
            if isinstance(step, WaitStep):
                rounds.append([])
            else:
                rounds[-1].append(step)
        return rounds


def small_talk() -> Sequence[Action]:
    """The steps that come before those of every task: chat that no question is about."""
    script = _Script.model_validate(tomllib.loads((_files() / "small_talk.toml").read_text("utf-8")))
    return [step for step in script.play if not isinstance(step, WaitStep)]


def all_tasks() -> list[Task]:
    """Every task, by name. Raises Malformed."""
    return _tasks_in("tasks")


def all_chats() -> list[Task]:
    """Every chat, by name: long talk with a bot, in which the answer to each question stands once. Raises Malformed."""
    return _tasks_in("chats")


def _tasks_in(folder: str) -> list[Task]:
    files = [file for file in (_files() / folder).iterdir() if file.name.endswith(".toml")]
    return [
        parse(file.name.removesuffix(".toml"), file.read_text("utf-8")) for file in sorted(files, key=lambda each: each.name)
    ]


def parse(name: str, text: str) -> Task:
    """The task of a file. Raises Malformed."""
    try:
        return Task.model_validate({"name": name, **tomllib.loads(text)})
    except (ValidationError, tomllib.TOMLDecodeError) as error:
        raise Malformed(f"the task {name} does not fit: {error}") from error


def _files() -> Any:  # noqa: ANN401 - Traversable moved between the Pythons that we support
    return resources.files("memstream.evaluation")
