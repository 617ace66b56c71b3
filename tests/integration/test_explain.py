"""Why a context was as it was: computed again as of then, with what was left out and where it came from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from shared.contracts.errors import Malformed, NotFound
from tests.support.installations import Installation, until
from tests.support.services import Answering, answering

USER = "anna"
QUESTION = "Where did we see the heron?"


@pytest_asyncio.fixture
async def running(own_server: Installation) -> AsyncIterator[Answering]:
    async with answering(own_server, space="home") as running:
        yield running


async def recorded(running: Answering, **more: object) -> dict[str, Any]:
    """A context whose recall is in the log."""
    context = await running.bot.ask(USER, "context", {"query": QUESTION, **more})

    async def is_known() -> bool:
        try:
            await explained(running, recall_id=context["recall_id"], query=QUESTION)
        except NotFound:
            return False
        return True

    await until(is_known, what="the recall is recorded")
    return context


async def explained(running: Answering, **query: object) -> dict[str, Any]:
    return await running.bot.ask(USER, "explain", query)


def by_text(explanation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {candidate["memory"]["text"]: candidate for candidate in explanation["candidates"]}


def scratch_files(server: Installation) -> list[Path]:
    scratch = server.settings.files.projection("retriever") / "scratch"
    return [path for path in scratch.rglob("*") if path.is_file()]


async def test_a_recall_is_explained_as_of_then(running: Answering, own_server: Installation) -> None:
    await running.bot.said(USER, "We saw a heron by the lake", "s1", message_id="m1")
    asked = await running.bot.said(USER, QUESTION, "s2", message_id="q1")
    context = await recorded(running, session_id="s2", message_id="q1", min_position=asked.position)
    await running.bot.said(USER, "We saw a heron, a heron, a heron by the canal", "s3", message_id="m2")
    explanation = await explained(running, recall_id=context["recall_id"])
    assert explanation["query"] == QUESTION
    assert explanation["reproduced"] is True
    assert explanation["at_number"] == asked.number
    candidates = by_text(explanation)
    assert set(candidates) == {"We saw a heron by the lake", QUESTION}
    lake = candidates["We saw a heron by the lake"]
    assert (lake["fate"], lake["place"], lake["legs"]["lexical"]) == ("given", 1, {"score": 1.0, "rank": 1})
    assert lake["total"] == context["items"][0]["score"]["total"]
    assert lake["memory"]["message_id"] == "m1"
    assert (candidates[QUESTION]["fate"], candidates[QUESTION]["place"]) == ("current_session", None)
    assert scratch_files(own_server) == []


async def test_the_settings_of_then_count(running: Answering) -> None:
    said = await running.bot.said(USER, "We saw a heron by the lake", message_id="m1")
    context = await recorded(running, min_position=said.position, limit=1, ranking={"beta": 2.0, "abstain_below": 0})
    explanation = await explained(running, recall_id=context["recall_id"], query=QUESTION)
    assert (explanation["options"]["beta"], explanation["reproduced"]) == (2.0, True)


async def test_a_recall_holds_no_words(running: Answering) -> None:
    said = await running.bot.said(USER, "We saw a heron by the lake", message_id="m1")
    context = await recorded(running, min_position=said.position)
    with pytest.raises(NotFound, match="give the question again as `query`"):
        await explained(running, recall_id=context["recall_id"])
    unrecorded = await recorded(running, message_id="never-sent")
    with pytest.raises(NotFound, match="is not recorded"):
        await explained(running, recall_id=unrecorded["recall_id"])


async def test_nothing_to_do_with_it_is_abstained(running: Answering) -> None:
    said = await running.bot.said(USER, "We saw a heron by the lake in the long evening", message_id="m1")
    words = "Explain lake formation chemistry thermodynamics entropy photosynthesis mitochondria"
    explanation = await explained(running, query=words, ranking={"abstain_below": 0.9}, min_position=said.position)
    assert explanation["abstained"] is True
    assert [candidate["fate"] for candidate in explanation["candidates"]] == ["abstained"]
    assert explanation["evidence"] < 0.9


async def test_small_talk_is_told_as_such(running: Answering) -> None:
    said = await running.bot.said(USER, "We saw a heron by the lake", message_id="m1")
    explanation = await explained(running, query="Good night!", min_position=said.position)
    assert (explanation["abstained"], explanation["is_small_talk"], explanation["candidates"]) == (True, True, [])
    asked = await explained(running, query=QUESTION, min_position=said.position)
    assert asked["is_small_talk"] is False


async def test_a_fact_leads_to_its_messages(running: Answering) -> None:
    turn = await running.bot.said(USER, "We moved house", "s1", message_id="m1")
    fact = {"text": "Anna lives by the harbour", "source_ids": [turn.memory_id, "letter-7"]}
    saved = await running.bot.outcome(USER, sequence=await running.bot.send(USER, "remember_fact", fact))
    explanation = await explained(running, query="Who lives by the harbour?", min_position=saved.position)
    [message, letter] = by_text(explanation)["Anna lives by the harbour"]["sources"]
    assert (message["memory_id"], message["message_id"], message["session_id"]) == (turn.memory_id, "m1", "s1")
    assert letter["reference"] == "letter-7"


async def test_as_of_a_number_later_events_are_unknown(running: Answering, own_server: Installation) -> None:
    first = await running.bot.said(USER, "We saw a heron by the lake", "s1")
    last = await running.bot.said(USER, "We saw a heron by the canal", "s2")
    now = await explained(running, query="heron", min_position=last.position)
    then = await explained(running, query="heron", at_number=first.number)
    assert len(now["candidates"]) == 2
    assert list(by_text(then)) == ["We saw a heron by the lake"]
    assert scratch_files(own_server) == []


@pytest.mark.parametrize(
    ("query", "error"),
    [({}, Malformed), ({"recall_id": "rec_unknown", "query": "x"}, NotFound), ({"query": "x", "at_number": -1}, Malformed)],
)
async def test_what_cannot_be_explained_is_a_clear_error(
    running: Answering, query: dict[str, object], error: type[Exception]
) -> None:
    said = await running.bot.said(USER, "We saw a heron")
    await running.bot.ask(USER, "list", {"min_position": said.position})  # from now on the person is known
    with pytest.raises(error):
        await explained(running, **query)


async def test_of_a_stranger_nothing_is_known(running: Answering) -> None:
    with pytest.raises(NotFound):
        await running.bot.ask("ben", "explain", {"query": "heron"})


async def test_what_is_forgotten_is_forgotten_in_the_past_too(running: Answering) -> None:
    lake = await running.bot.said(USER, "We saw a heron by the lake", "s1")
    canal = await running.bot.said(USER, "We saw a heron by the canal", "s2")
    forget = {"memory_ids": [lake.memory_id], "only": True}
    gone = await running.bot.outcome(USER, sequence=await running.bot.send(USER, "forget", forget))
    assert gone.verdict == "recorded"
    then = await explained(running, query="heron", at_number=canal.number, min_position=gone.position)
    assert list(by_text(then)) == ["We saw a heron by the canal"]


async def test_nothing_is_explained_while_memory_is_off(running: Answering) -> None:
    await running.bot.said(USER, "We saw a heron by the lake", "s1")
    off = await running.bot.outcome(
        USER, sequence=await running.bot.send(USER, "change_settings", {"settings": {"memory_enabled": False}})
    )
    with pytest.raises(NotFound, match="memory is off"):
        await explained(running, query="heron", min_position=off.position)
