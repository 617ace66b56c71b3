"""Four months with one person: what is known, what is not true any more, what is asked back, and what a prompt is given.

The conversations and what a reader would say of them are in tests/support/golden_*.toml.
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

_WRITTEN = sorted((Path(__file__).parent.parent / "support").glob("golden_*.toml"))
pytestmark = pytest.mark.nightly  # they are lived through with the real embedder, in a minute and a half

TALKS: dict[str, list[dict[str, Any]]] = {
    path.stem.removeprefix("golden_"): tomllib.loads(path.read_text(encoding="utf-8"))["month"] for path in _WRITTEN
}
"""The months of each conversation, by whose it is."""
MONTHS = [pytest.param(whose, month["name"], id=f"{whose} {month['name']}") for whose, talk in TALKS.items() for month in talk]


def _cases(kind: str) -> list[Any]:
    """Each thing of a kind that a reader says at the end of a month, with whose month it is, and its name."""
    said = [
        (whose, month["name"], each["query"] if kind == "ask" else each)
        for whose, talk in TALKS.items()
        for month in talk
        for each in month[kind]
    ]
    return [pytest.param(*case, id=" ".join(case)) for case in said]


_BETWEEN_TURNS = timedelta(seconds=40)


@dataclass
class Known:
    """What was answered at the end of a month."""

    facts: list[dict[str, Any]]
    contexts: dict[str, dict[str, Any]] = field(default_factory=dict)  # by question


@dataclass
class Played:
    """The answers at the end of each month: given then, and given after all of them for then."""

    then: dict[tuple[str, str], Known] = field(default_factory=dict)  # by whose month it is, and its name
    as_of: dict[tuple[str, str], Known] = field(default_factory=dict)

    def told(self, whose: str, month: str, when: str) -> Known:
        """By whose month it is, its name, and `then` or `as of then`."""
        return (self.then if when == "then" else self.as_of)[whose, month]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return asyncio.run(_played(tmp_path_factory.mktemp("golden") / "data"))


async def _played(folder: Path) -> Played:
    running = Installation(folder, environment={"MEMSTREAM_EMBEDDER_KIND": "minilm"})
    await running.start()
    try:
        async with running.bot() as bot:
            played = Played()
            for whose in TALKS:
                await _play(running, bot, whose, played)
            return played
    finally:
        await running.stop()


async def _play(running: Installation, bot: Bot, whose: str, played: Played) -> None:
    """Have a conversation, and note what is answered at the end of each month, and after all for then."""
    ends: dict[str, str] = {}
    for month in TALKS[whose]:
        for session in month["session"]:
            await _say(bot, whose, session)
            await running.learned()
        ends[month["name"]] = datetime.now(UTC).isoformat()
        played.then[whose, month["name"]] = await _known(bot, whose, month)
    for month in TALKS[whose]:
        played.as_of[whose, month["name"]] = await _known(bot, whose, month, as_of=ends[month["name"]])


async def _say(bot: Bot, whose: str, session: Mapping[str, Any]) -> None:
    """Say all turns of a session at its time, and end it."""
    began = session["at"]
    name = f"{began:%Y-%m-%d}"
    for number, said in enumerate(session["turns"]):
        what = "agent_response" if said.startswith("Bot: ") else "user_message"
        at = (began + number * _BETWEEN_TURNS).isoformat()
        turn = {"session_id": name, "text": said.removeprefix("Bot: "), "message_id": f"{name}/{number}", "occurred_at": at}
        await bot.send(f"send.home.{whose}.{what}", turn)
    sequence = await bot.send(f"send.home.{whose}.end_session", {"session_id": name})
    await bot.ask(f"ask.home.{whose}.outcome", {"sequence": sequence, "timeout_s": 30})


async def _known(bot: Bot, whose: str, month: Mapping[str, Any], **then: str) -> Known:
    wanted = {"kinds": ["fact"], "status": "all", "limit": 500, "timeout_s": 30, **then}
    known = Known((await bot.ask(f"ask.home.{whose}.list", wanted))["items"])
    for ask in month["ask"]:
        question = {"query": ask["query"], "record": False, "timeout_s": 30, **then}
        known.contexts[ask["query"]] = await bot.ask(f"ask.home.{whose}.context", question)
    return known


def _month(whose: str, name: str) -> dict[str, Any]:
    return next(month for month in TALKS[whose] if month["name"] == name)


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
@pytest.mark.parametrize(("whose", "name", "about"), _cases("holds"))
def test_at_the_end_of_each_month_the_facts_state_what_holds(
    played: Played, whose: str, name: str, about: str, when: str
) -> None:
    assert _stated(played.told(whose, name, when).facts).get(about, set()) == set(_month(whose, name)["holds"][about])


@WHENS
@pytest.mark.parametrize(("whose", "name", "old"), _cases("ended"))
def test_at_the_end_of_each_month_what_ended_names_what_ended_it(
    played: Played, whose: str, name: str, old: str, when: str
) -> None:
    assert any(_is_of(pair, old, _month(whose, name)["ended"][old]) for pair in _ended(played.told(whose, name, when).facts))


@WHENS
@pytest.mark.parametrize(("whose", "name"), MONTHS)
def test_at_the_end_of_each_month_nothing_else_has_ended(played: Played, whose: str, name: str, when: str) -> None:
    expected: dict[str, str] = _month(whose, name)["ended"]
    ended = _ended(played.told(whose, name, when).facts)
    assert [pair for pair in ended if not any(_is_of(pair, old, new) for old, new in expected.items())] == []


def _is_of(pair: tuple[str, str], old: str, new: str) -> bool:
    return bool(re.search(old, pair[0], re.IGNORECASE) and re.search(new, pair[1], re.IGNORECASE))


@WHENS
@pytest.mark.parametrize(("whose", "name"), MONTHS)
def test_at_the_end_of_each_month_doubts_are_questions(played: Played, whose: str, name: str, when: str) -> None:
    expected: list[str] = _month(whose, name).get("questions", [])
    contexts = played.told(whose, name, when).contexts.values()
    asked = {pending["question"] for context in contexts for pending in context["pending"]}
    assert len(asked) == len(expected), asked
    assert all(any(re.search(words, question, re.IGNORECASE) for question in asked) for words in expected)
    assert all(pending["question"] in context["markdown"] for context in contexts for pending in context["pending"])


@WHENS
@pytest.mark.parametrize(("whose", "name", "query"), _cases("ask"))
def test_the_context_says_first_what_holds_and_marks_what_does_not(
    played: Played, whose: str, name: str, query: str, when: str
) -> None:
    ask = next(each for each in _month(whose, name)["ask"] if each["query"] == query)
    context = played.told(whose, name, when).contexts[query]
    lines = [line.casefold() for line in context["markdown"].splitlines() if line.startswith("- ")]
    first = ask["first"].casefold()
    assert first in context["items"][0]["text"].casefold()
    told = next(place for place, line in enumerate(lines) if first in line)
    for words in map(str.casefold, ask.get("outdated", ())):
        old = [place for place, line in enumerate(lines) if words in line and first not in line]
        assert [lines[place] for place in old if place < told or "outdated" not in lines[place]] == []
