"""A sentence in chat forgets what it means: what only sounds alike stays, and in doubt it asks first."""

from __future__ import annotations

from typing import Any

from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation
from tests.support.commands import put_right

KEPT = [
    ("I may have a gluten intolerance.", "Forget what I said about May."),
    ("My bills come to 900 a month.", "Please forget what I told you about Bill."),
    ("We stayed in a nice flat by the sea.", "Forget everything about Nice."),
    ("I got good marks in chemistry.", "forget what I said about Mark"),
    ("I had hoped to become a vet.", "Forget what I said about Hope."),
    ("My doctor wants me to take vitamin C and D.", "Forget what I told you about C++."),
    ("My rent rose again last year.", "Forget everything about Rose."),
    ("I will be a father in March.", "Forget what I said about Will."),
    ("I eat turkey every Christmas.", "Forget what I said about Turkey."),
    ("I am reading a book on bees.", "Forget what I said about Reading."),
    ("I might sue my landlord.", "Forget what I said about Sue."),
    ("My jacket is from Oslo.", "Forget what I said about Jack."),
    ("The summer house belongs to my aunt.", "Forget everything about Summer."),
    ("I used to program in Go and I go to Bergen weekly.", "Forget what I said about Gore."),
]
ASKED = [
    ("My last marriage ended in 2015, and we have a son, Ole.", "Forget my last marriage, I'm over it!"),
    ("I left my old job in May. I am a baker now.", "Forget what I said about my old job."),
    ("My flatmate moved out but I still live at 5 Elm Street.", "Forget what I said about my flatmate."),
    ("The invoice for the roof is 4000.", "Forget what I said about my invoices."),
]


async def _said(bot: Bot, user: str, text: str, message_id: str) -> dict[str, Any]:
    payload = {"session_id": "s1", "text": text, "message_id": message_id}
    sequence = await bot.send(f"send.home.{user}.user_message", payload)
    outcome: dict[str, Any] = await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequence, "timeout_s": 10})
    return outcome


async def _kept(bot: Bot, user: str, *, at: int = 0) -> list[str]:
    """The turns that are kept, once that position is known."""
    listed = await bot.ask(f"ask.home.{user}.list", {"kinds": ["episode"], "min_position": at})
    return [item["text"] for item in listed["items"]]


async def _command(bot: Bot, user: str, text: str, message_id: str) -> dict[str, Any]:
    found: dict[str, Any] = await bot.ask(
        f"ask.home.{user}.context", {"query": text, "session_id": "s1", "message_id": message_id}
    )
    return found["command"] or {}


async def test_eighteen_sentences_take_nothing_that_they_do_not_mean(installation: Installation) -> None:
    async with installation.bot() as bot:
        for number, (told, command) in enumerate([*KEPT, *ASKED]):
            user = f"user{number}"
            await _said(bot, user, told, "m1")
            await _said(bot, user, command, "m2")
            read = await _command(bot, user, command, "m2")
            assert told in await _kept(bot, user), command
            assert read["outcome"] == ("nothing_found" if number < len(KEPT) else "asked_back"), command


async def test_a_question_says_what_would_go_and_a_yes_takes_it(installation: Installation) -> None:
    async with installation.bot() as bot:
        turns = ["My sister Zorvanda is a nurse.", "I visit Zorvanda every June."]
        for number, text in enumerate(turns):
            await _said(bot, "anna", text, f"m{number}")
        await _said(bot, "anna", "I have a red bicycle.", "m8")
        await _said(bot, "anna", "Forget what I said about Zorvanda.", "m9")
        read = await _command(bot, "anna", "Forget what I said about Zorvanda.", "m9")
        assert read["outcome"] == "asked_back"
        assert read["say"].startswith("That takes 2 memories, among them: ")
        assert all(f'"{text}"' in read["say"] for text in turns)
        assert set(turns) < set(await _kept(bot, "anna"))
        yes = await _said(bot, "anna", "Yes", "m10")
        assert await _kept(bot, "anna", at=yes["position"]) == ["I have a red bicycle."]


async def test_a_correction_keeps_the_new_value_and_the_old_one_goes_from_every_file(without_grace: Installation) -> None:
    async with without_grace.bot() as bot:
        await _said(bot, "anna", "The budget is 314 zorbifers.", "m1")
        command = "Forget what I said about the budget, it's 271 now."
        await _said(bot, "anna", command, "m2")
        assert (await _command(bot, "anna", command, "m2"))["outcome"] == "done"
        listed = await bot.ask("ask.home.anna.list", {})
        assert [item["text"] for item in listed["items"]] == [put_right("the budget …", "it's 271 now")]
        await without_grace.at_rest()
        assert not found(without_grace.files.root, ["zorbifers"])
