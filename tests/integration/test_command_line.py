"""The command line at a person's memory: what it does, prints and exits with."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass

import pytest

from tests.support.forks import Printed, printed
from tests.support.installations import Installation, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True)
class Person:
    """Whose memory it is, and where."""

    installation: Installation
    space: str


@pytest.fixture
def anna(shared_memstream: Installation, space: str) -> Person:
    return Person(shared_memstream, space)


async def cli(person: Person, *args: str) -> Printed:
    return await operator_cli(person, *args, "--space", person.space, "--user", "anna")


async def operator_cli(person: Person, *args: str) -> Printed:
    settings = person.installation.settings
    environment = {**os.environ, "MEMSTREAM_NATS_URL": settings.nats_url or "", "COLUMNS": "200"}
    return await asyncio.to_thread(printed, "memstream", *args, "--data-dir", str(settings.data_dir), environment=environment)


async def test_the_command_line_remembers_corrects_and_shows(anna: Person) -> None:
    wrong = (await cli(anna, "remember", "Anna lives in Rome", "--tag", "home", "--json")).document["memory_id"]
    corrected = await cli(anna, "correct", wrong, "Anna lives in Oslo")
    assert corrected.code == 0, corrected.err
    assert corrected.out.startswith("corrected; the right one is fact_")
    right = corrected.out.split()[-1]
    assert (await cli(anna, "pin", right)).out == "pinned\n"
    assert (await cli(anna, "pin", right)).out == "unchanged: it was so already\n"
    listed = (await cli(anna, "list", "--pinned")).out
    assert right in listed
    assert wrong not in listed
    assert wrong in (await cli(anna, "list", "--superseded")).out
    shown = (await cli(anna, "show", wrong)).out
    assert "Anna lives in Rome" in shown
    assert "corrections, oldest first" in shown
    assert "Anna lives in Oslo" in shown
    assert "Anna lives in Oslo (pinned)" in (await cli(anna, "summary")).out
    assert [(await cli(anna, *call)).out for call in (("unpin", right), ("confirm", right), ("restore", wrong))] == [
        "not pinned any more\n",
        "confirmed\n",
        "restored\n",
    ]


async def test_the_command_line_asks_about_doubt_and_takes_the_answer(anna: Person) -> None:
    assert (await cli(anna, "conflicts")).out == "nothing is in doubt\n"
    older = (await cli(anna, "remember", "I live in Leeds.", "--json")).document["memory_id"]
    await cli(anna, "remember", "I live in York now.")
    await cli(anna, "restore", older)
    listed = await cli(anna, "conflicts")
    assert "Do you live in York now?" in listed.out
    asked = listed.out.split()[0]
    assert asked.startswith("conf_")
    assert (await cli(anna, "answer", asked[:12], "newer")).out == "answered\n"
    assert (await cli(anna, "answer", asked, "older")).out.startswith("unchanged")
    assert older in (await cli(anna, "list", "--superseded")).out
    assert (await cli(anna, "answer", "conf_0", "newer")).err.startswith("error: unknown_conflict")


async def test_the_command_line_takes_a_recording_back_and_says_what_that_changed(anna: Person) -> None:
    older = (await cli(anna, "remember", "I live in Leeds.", "--json")).document["memory_id"]
    newer = (await cli(anna, "remember", "I live in York.", "--json")).document["memory_id"]
    undone = await cli(anna, "undo", newer[:12])
    assert undone.out == f"{older}  holds again\n{newer}  retired\n2 changes taken back\n"
    assert (await cli(anna, "undo", newer)).out == "unchanged: nothing of it is left to take back\n"
    assert "undone" in (await cli(anna, "show", newer)).out
    assert (await cli(anna, "undo", "run-of-nobody")).err.startswith("error: unknown_run")
    assert (await cli(anna, "sessions", "list")).out == "nothing was said yet\n"


async def test_the_command_line_says_that_a_fact_is_known_already(anna: Person) -> None:
    first = await cli(anna, "remember", "Anna likes tea")
    assert first.out.startswith("remembered as fact_")
    again = await cli(anna, "remember", "Anna likes tea!")
    assert again.out == first.out.replace("remembered", "known already").removesuffix("\n") + "; told 2 times\n"
    assert (await cli(anna, "remember", "Anna likes tea", "--json")).document["told"] == 3


async def test_the_command_line_takes_the_beginning_of_an_id(anna: Person) -> None:
    whole = (await cli(anna, "remember", "Anna likes tea", "--json")).document["memory_id"]
    found = await cli(anna, "search", "tea")
    short = next(word for word in found.out.split() if word.startswith("fact_"))
    assert whole.startswith(short)
    assert len(short) < len(whole)
    assert (await cli(anna, "pin", short)).out == "pinned\n"
    assert (await cli(anna, "show", short, "--json")).document["memory"]["memory_id"] == whole
    right = (await cli(anna, "correct", short, "Anna likes coffee", "--json")).document["memory_id"]
    assert (await cli(anna, "forget", right[:13], "--only", "--dry-run", "--json")).document["memories"][0][
        "memory_id"
    ] == right
    assert (await cli(anna, "show", "fact_")).code == 4


async def test_a_recorded_context_names_its_recall(anna: Person) -> None:
    await cli(anna, "remember", "Anna likes tea")
    assert "recall" not in (await cli(anna, "context", "tea")).out
    shown = await cli(anna, "context", "tea", "--record")
    recall = next(word for word in shown.out.split() if word.startswith("rec_"))
    assert "the same as recorded" in (await explained(anna, recall)).out


async def test_the_command_line_finds_by_metadata_and_says_of_whom_a_context_speaks(anna: Person) -> None:
    for channel, floor in (("web", 1), ("phone", 2)):
        told = {"channel": channel, "floor": floor}
        turn = {"session_id": channel, "text": f"I drink tea on floor {floor}", "metadata": told}
        await cli(anna, "send", "user_message", json.dumps(turn))
    await cli(anna, "remember", "The user is coeliac")
    for command in (("search", "tea"), ("context", "tea"), ("list",), ("explain", "tea")):
        found = (await cli(anna, *command, "--where", "channel=phone", "--where", "floor=2")).out
        assert "floor 2" in found, command
        assert "floor 1" not in found, command
    either = (await cli(anna, "list", "--where", "channel=phone", "--where", "channel=web")).out
    assert "floor 1" in either
    assert "floor 2" in either
    assert "Invalid value: --where takes name=value" in (await cli(anna, "search", "tea", "--where", "channel")).err
    specified = (await cli(anna, "context", "coeliac, or tea?", "--preset", "specification")).out
    assert "coeliac" in specified
    assert "floor" not in specified
    assert "of the person: condition coeliac [fact_" in (await cli(anna, "explain", "tea")).out


async def explained(person: Person, recall_id: str) -> Printed:
    """The recall is recorded a moment after the answer."""
    found: list[Printed] = []

    async def is_there() -> bool:
        found.append(await cli(person, "explain", "tea", "--recall", recall_id))
        return found[-1].code != 4

    await until(is_there, what="the recall is recorded")
    return found[-1]


async def test_the_command_line_shows_an_entity(anna: Person) -> None:
    assert (await cli(anna, "remember", "@ben likes eels")).code == 0
    shown = await cli(anna, "entity", "Ben")
    assert "ben (person, mentioned 1 time)" in shown.out
    assert "@ben likes eels" in shown.out


async def test_the_command_line_sets_shows_and_unsets_settings(anna: Person) -> None:
    changed = await cli(anna, "settings", "set", "soft_cap=50", "time_zone=Europe/Berlin", "ranking.alpha=0.5", "--json")
    assert changed.code == 0, changed.err
    assert (changed.document["soft_cap"], changed.document["ranking"]["alpha"]) == (50, 0.5)
    added = (await cli(anna, "settings", "set", "ranking.beta=0.2", "--json")).document
    assert (added["ranking"]["alpha"], added["ranking"]["beta"]) == (0.5, 0.2)
    assert (await cli(anna, "settings", "unset", "soft_cap", "--json")).document["soft_cap"] is None
    shown = (await cli(anna, "settings", "show")).out
    assert "Europe/Berlin" in shown
    assert "default" in shown


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("pin", "fact_nowhere"), 3, "unknown_memory: "),
        (("show", "fact_nowhere"), 4, "Nothing with this id"),
        (("entity", "Zoe"), 4, "nobody and nothing of this name"),
        (("list", "--retired", "--all"), 2, "give one of"),
        (("ask", "nonsense"), 3, "no query has this name; known are audit, conflicts, context"),
        (("settings", "set", "colour=red"), 3, "expected NAME=VALUE"),
        (("settings", "set", "time_zone=Mars/Olympus"), 3, "no such time zone"),
        (("settings", "unset", "colour"), 3, "names a setting that does not exist"),
    ],
)
async def test_the_command_line_says_what_is_wrong_with_its_exit_code(
    anna: Person, args: tuple[str, ...], code: int, words: str
) -> None:
    await cli(anna, "remember", "Anna likes tea")
    printed = await cli(anna, *args)
    assert (printed.code, printed.out) == (code, "")
    assert words in printed.err
    assert len(printed.err.splitlines()) == 1
