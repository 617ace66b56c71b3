"""What was refused can be looked at, mended, sent again and erased by the operator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memstream.cli.dead_letters import WantedLetters, letters
from shared.contracts.ids import Space, User
from shared.runtime.topology import REJECTED
from tests.integration.test_command_line import Person, cli, operator_cli
from tests.support.installations import Bot, Installation, events_of, texts_of, until
from tests.support.live_folder import look_through

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def anna(shared_memstream: Installation, space: str) -> Person:
    return Person(shared_memstream, space)


async def refused(anna: Person, payload: object, what: str = "user_message") -> None:
    async with anna.installation.connected("bot") as client:
        bot = Bot(client, anna.space)
        outcome = await bot.outcome("anna", sequence=await bot.send("anna", what, json.dumps(payload).encode()))
    assert outcome.verdict == "rejected"


async def listed(anna: Person, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((await cli(anna, "rejected", "list", "--json", *options)).out)
    return found


async def recorded(anna: Person) -> list[Any]:
    async with anna.installation.connected("operator") as client:
        return await events_of(client, anna.installation.keys.scope_of(Space(anna.space), User("anna")), "anna")


def files_with(root: Path, word: bytes) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file() and word in path.read_bytes()]


async def test_a_refused_message_is_mended_and_sent_again(anna: Person, tmp_path: Path) -> None:
    await refused(anna, {"session": "s1", "text": "I keep bees."})
    (letter,) = await listed(anna)
    assert (letter["user"], letter["what"], letter["code"]) == ("anna", "user_message", "malformed")
    shown = await operator_cli(anna, "rejected", "show", str(letter["number"]))
    assert "I keep bees." in shown.out
    again = await cli(anna, "rejected", "retry", str(letter["number"]))
    assert again.code == 3
    assert "refused again (malformed)" in again.err
    (newer,) = await listed(anna)
    assert newer["number"] > letter["number"], "the letter of the second try stands in the place of the first"
    mended = tmp_path / "mended.json"
    mended.write_text(json.dumps({"session_id": "s1", "text": "I keep bees."}))
    sent = await cli(anna, "rejected", "retry", str(newer["number"]), "--with", str(mended))
    assert sent.code == 0, sent.err
    assert "recorded" in sent.out
    assert await listed(anna) == []
    (turn,) = [event for event in await recorded(anna) if event.type == "episode_recorded"]
    assert turn.data.text == "I keep bees."
    assert turn.occurred_at.isoformat() == newer["at"], "it happened when it was sent first"


async def test_what_is_dropped_leaves_no_byte(anna: Person) -> None:
    await refused(anna, {"session": "s1", "text": "My cat is Zwirbelfix."})
    (letter,) = await listed(anna, "--code", "malformed")
    assert await listed(anna, "--code", "too_large") == []
    assert (await cli(anna, "rejected", "erase")).code == 2, "nothing is dropped that nobody named"
    assert (await cli(anna, "rejected", "erase", str(letter["number"]))).out == "1 message erased\n"
    missing = await cli(anna, "rejected", "erase", str(letter["number"]))
    assert (missing.code, await listed(anna)) == (4, [])

    def is_gone() -> bool:  # from SEND, too, once all lanes have decided
        return look_through(anna.installation.settings.data_dir, lambda root: files_with(root, b"Zwirbelfix")) == []

    await until(is_gone, what="no byte is left")


async def test_of_several_what_cannot_be_sent_is_left_and_named(anna: Person) -> None:
    await refused(anna, {"session_id": "s1"}, "no_such_command")
    await refused(anna, {"memory_id": "fact_1"}, "pin")
    results = await cli(anna, "rejected", "retry", "--all", "--json")
    assert {each["verdict"] for each in json.loads(results.out)} == {"left", "rejected"}
    assert len(await listed(anna)) == 2


async def test_letters_of_others_are_not_touched(anna: Person, shared_memstream: Installation) -> None:
    await refused(anna, {"text": 5})
    async with shared_memstream.connected("operator") as client:
        before = (await client.jetstream().stream_info(REJECTED)).state.messages
        assert [letter async for letter in letters(client, WantedLetters(space=anna.space, user="bert"))] == []
    assert (await cli(anna, "rejected", "erase", "--all")).out == "1 message erased\n"
    async with shared_memstream.connected("operator") as client:
        assert (await client.jetstream().stream_info(REJECTED)).state.messages == before - 1
    assert texts_of(await recorded(anna)) == []


async def test_what_is_learned_of_a_session_that_was_forgotten_meanwhile_leaves_nothing(anna: Person) -> None:
    """A run was at work on it: what it sends names the person again, and says what they had forgotten."""
    async with anna.installation.connected("bot") as client:
        bot = Bot(client, anna.space)
        said = await bot.said("anna", "I met Zwirbelfix.", "sess-Wuthermoor")
        await bot.outcome("anna", sequence=await bot.send("anna", "forget_user", {}))
        learned = {"text": "Anna met Zwirbelfix.", "source_ids": [said.memory_id], "confidence": 0.9}
        late = {"session_id": "sess-Wuthermoor", "facts": [learned], "run_id": "mine"}
        outcome = await bot.outcome("anna", sequence=await bot.send("anna", "save_facts_batch", late))
    assert (outcome.verdict, outcome.code) == ("not_recorded", "forgotten")
    assert await listed(anna) == []
    assert {event.user for event in await recorded(anna)} == {""}
