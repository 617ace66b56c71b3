"""Four months with one person: what is known, what is not true any more, what is asked back, and what a prompt is given.

The conversation and what a reader would say of it are in tests/support/golden_conversation.toml.
"""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.processes import Bot, Installation

_WRITTEN = Path(__file__).parent.parent / "support" / "golden_conversation.toml"
MONTHS: list[dict[str, Any]] = tomllib.loads(_WRITTEN.read_text(encoding="utf-8"))["month"]
NAMES = [str(month["name"]) for month in MONTHS]


def _cases(kind: str) -> list[Any]:
    """Each thing of a kind that a reader says at the end of a month, with the month's name."""
    said = [(month["name"], each["query"] if kind == "ask" else each) for month in MONTHS for each in month[kind]]
    return [pytest.param(*case, id=" ".join(case)) for case in said]


_BETWEEN_TURNS = timedelta(seconds=40)
_DAN = "home.dan"


@dataclass
class Known:
    """What was answered at the end of a month."""

    facts: list[dict[str, Any]]
    contexts: dict[str, dict[str, Any]] = field(default_factory=dict)  # by question


@dataclass
class Played:
    """The answers at the end of each month: given then, and given after all of them for then."""

    then: dict[str, Known] = field(default_factory=dict)
    as_of: dict[str, Known] = field(default_factory=dict)

    def told(self, month: str, when: str) -> Known:
        """By the name of the month, and `then` or `as of then`."""
        return (self.then if when == "then" else self.as_of)[month]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return asyncio.run(_played(tmp_path_factory.mktemp("dan") / "data"))


async def _played(folder: Path) -> Played:
    running = Installation(folder, environment={"MEMSTREAM_EMBEDDER_KIND": "minilm"})
    await running.start()
    try:
        async with running.bot() as bot:
            return await _play(running, bot)
    finally:
        await running.stop()


async def _play(running: Installation, bot: Bot) -> Played:
    played, ends = Played(), dict[str, str]()
    for month in MONTHS:
        for session in month["session"]:
            await _say(bot, session)
            await running.learned()
        ends[month["name"]] = datetime.now(UTC).isoformat()
        played.then[month["name"]] = await _known(bot, month)
    for month in MONTHS:
        played.as_of[month["name"]] = await _known(bot, month, as_of=ends[month["name"]])
    return played


async def _say(bot: Bot, session: Mapping[str, Any]) -> None:
    """Say all turns of a session at its time, and end it."""
    began = session["at"]
    name = f"{began:%Y-%m-%d}"
    for number, said in enumerate(session["turns"]):
        what = "agent_response" if said.startswith("Bot: ") else "user_message"
        at = (began + number * _BETWEEN_TURNS).isoformat()
        turn = {"session_id": name, "text": said.removeprefix("Bot: "), "message_id": f"{name}/{number}", "occurred_at": at}
        await bot.send(f"send.{_DAN}.{what}", turn)
    sequence = await bot.send(f"send.{_DAN}.end_session", {"session_id": name})
    await bot.ask(f"ask.{_DAN}.outcome", {"sequence": sequence, "timeout_s": 30})


async def _known(bot: Bot, month: Mapping[str, Any], **then: str) -> Known:
    wanted = {"kinds": ["fact"], "status": "all", "limit": 500, "timeout_s": 30, **then}
    known = Known((await bot.ask(f"ask.{_DAN}.list", wanted))["items"])
    for ask in month["ask"]:
        question = {"query": ask["query"], "record": False, "timeout_s": 30, **then}
        known.contexts[ask["query"]] = await bot.ask(f"ask.{_DAN}.context", question)
    return known


def _month(name: str) -> dict[str, Any]:
    return next(month for month in MONTHS if month["name"] == name)


def _stated(facts: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """What the active facts state as true: values by subject and attribute, but for those that a newer fact has outdated."""
    found: dict[str, set[str]] = {}
    for fact in (each for each in facts if each["status"] == "active"):
        for place, slot in enumerate(fact["slots"]):
            is_open = slot["is_doubtful"] or slot["is_future"]
            if not (slot["negated"] or is_open or place in fact["outdated_slots"]):
                found.setdefault(f"{slot['subject']} {slot['attribute']}", set()).add(slot["value"])
    return found


def _ended(facts: Sequence[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """The texts of facts that do not hold any more, in whole or in part, each with what stands in its place."""
    texts = {fact["memory_id"]: fact["text"] for fact in facts}
    return {
        (fact["text"], texts[newer])
        for fact in facts
        for newer in ([fact["superseded_by"]] if fact["status"] == "superseded" else fact["outdated_by"])
    }


WHENS = pytest.mark.parametrize("when", ["then", "as of then"])


@WHENS
@pytest.mark.parametrize(("name", "about"), _cases("holds"))
def test_at_the_end_of_each_month_the_facts_state_what_holds(played: Played, name: str, about: str, when: str) -> None:
    assert _stated(played.told(name, when).facts).get(about, set()) == set(_month(name)["holds"][about])


@WHENS
@pytest.mark.parametrize(("name", "old"), _cases("ended"))
def test_at_the_end_of_each_month_what_ended_names_what_ended_it(played: Played, name: str, old: str, when: str) -> None:
    assert any(_is_of(pair, old, _month(name)["ended"][old]) for pair in _ended(played.told(name, when).facts))


@WHENS
@pytest.mark.parametrize("name", NAMES)
def test_at_the_end_of_each_month_nothing_else_has_ended(played: Played, name: str, when: str) -> None:
    expected: dict[str, str] = _month(name)["ended"]
    ended = _ended(played.told(name, when).facts)
    assert [pair for pair in ended if not any(_is_of(pair, old, new) for old, new in expected.items())] == []


def _is_of(pair: tuple[str, str], old: str, new: str) -> bool:
    return bool(re.search(old, pair[0], re.IGNORECASE) and re.search(new, pair[1], re.IGNORECASE))


@WHENS
@pytest.mark.parametrize("name", NAMES)
def test_at_the_end_of_each_month_doubts_are_questions(played: Played, name: str, when: str) -> None:
    expected: list[str] = _month(name).get("questions", [])
    contexts = played.told(name, when).contexts.values()
    asked = {pending["question"] for context in contexts for pending in context["pending"]}
    assert len(asked) == len(expected), asked
    assert all(any(re.search(words, question, re.IGNORECASE) for question in asked) for words in expected)
    assert all(pending["question"] in context["markdown"] for context in contexts for pending in context["pending"])


@WHENS
@pytest.mark.parametrize(("name", "query"), _cases("ask"))
def test_the_context_says_first_what_holds_and_marks_what_does_not(played: Played, name: str, query: str, when: str) -> None:
    ask = next(each for each in _month(name)["ask"] if each["query"] == query)
    context = played.told(name, when).contexts[query]
    lines = [line.casefold() for line in context["markdown"].splitlines() if line.startswith("- ")]
    first = ask["first"].casefold()
    assert first in context["items"][0]["text"].casefold()
    told = next(place for place, line in enumerate(lines) if first in line)
    for words in map(str.casefold, ask.get("outdated", ())):
        old = [place for place, line in enumerate(lines) if words in line and first not in line]
        assert [lines[place] for place in old if place < told or "outdated" not in lines[place]] == []
