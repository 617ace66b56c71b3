"""What would be known and answered with other settings; nothing live is changed by asking that."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from memstream import MemoryClient
from memstream.cli.launching import build
from memstream.cli.session import CliSession
from memstream.cli.whatif import whatif_of
from memstream.cli.whatif_asking import people_of
from shared.contracts.events import MemoriesRecalled
from shared.contracts.ids import Space, User
from shared.contracts.queries import ConversationState
from shared.runtime.connection import operator_connection
from shared.runtime.side_folder import path_of_side
from shared.runtime.topology import identify_log
from tests.support.installations import Installation, events_of, serving, until

STATEMENTS = (
    *(
        "I live in Leeds.",
        "I moved to York last week.",
        "My dog is called Rufus.",
        "Rufus died in spring.",
        "My boss is Petra.",
    ),
    *("Petra left, Omar is my boss now.", "I work at a bakery.", "I am allergic to shrimp.", "My sister Nora lives in Ghent."),
    *("Nora moved to Bruges.", "I keep bees behind the mill.", "I don't eat meat any more."),
)
SAID = ("My sister Nora lives in Ghent.", "I keep bees behind the mill.", "The heron nests by the canal.", "I play the cello.")


@asynccontextmanager
async def talked(own_server: Installation, *more: str) -> AsyncIterator[tuple[CliSession, MemoryClient]]:
    """Anna has said something, and a bot has asked twice what is known, for turns of hers."""
    settings = own_server.settings
    async with (
        serving(*(build(name, settings) for name in ("ingest", "retriever", *more))),
        MemoryClient(space="home", user="anna", url=settings.nats_url, data_dir=settings.data_dir) as anna,
    ):
        for number, text in enumerate(SAID):
            last = await anna.add(text, session_id="first", message_id=f"said-{number}")
        await anna.remember("Nora is allergic to nuts.", tags=["health"])
        await anna.stats(after=last)
        for number, text in enumerate(("Where does Nora live?", "Where do I keep bees?")):
            asked = await anna.add(text, session_id="second", message_id=f"asks-{number}")
            await anna.context(text, session_id="second", message_id=f"asks-{number}", after=asked)
        await until(lambda: recorded(own_server), what="both recalls are recorded")
        yield CliSession(settings, space="home", user="anna"), anna


async def recorded(server: Installation) -> bool:
    async with server.connected("operator") as client:
        events = await events_of(client, server.keys.scope_of(Space("home"), User("anna")), "anna")
    return sum(len(event.data.recalls) for event in events if isinstance(event.data, MemoriesRecalled)) == 2


async def end_of_log(session: CliSession) -> int:
    async with operator_connection(session.settings) as client:
        return (await identify_log(client)).last_position


async def test_recorded_questions_are_asked_again_as_of_then_with_another_ranking(own_server: Installation) -> None:
    async with talked(own_server) as (session, _):
        before = await end_of_log(session)
        same, none = [
            await whatif_of(session, "anna", ranking, {}, 20, is_replayed=False) for ranking in ({}, {"abstain_below": 1.0})
        ]
        assert [(each.turn_id, each.is_any, each.is_reproduced) for each in same.contexts] == [
            ("asks-0", False, True),
            ("asks-1", False, True),
        ]
        assert [(each.turn_id, each.gained) for each in none.contexts] == [("asks-0", ()), ("asks-1", ())]
        assert "said-0" in {named.name for named in none.contexts[0].lost}
        assert await people_of(session) == ["anna"]
        assert await end_of_log(session) == before


@pytest.mark.nightly
async def test_what_somebody_said_is_replayed_with_other_settings_and_compared(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    async with talked(own_server, "consolidator", "maintenance") as (session, anna):
        await anna.add("My brother Max is a baker.", session_id="third")
        await anna.end_session("third")
        await anna.add("My neighbour Ida keeps geese.", session_id="fourth")
        for words in ("Nora lives in Ghent", "Max is a baker"):
            await until(partial(known, anna, words), what=f"{words} is learned")
        before = await end_of_log(session)
        settings = {"MEMSTREAM_EMBEDDER_KIND": "hashing"}
        found = await whatif_of(session, None, {}, settings, 20, is_replayed=True)
        [facts] = found.facts
        assert (facts.user, facts.lost, facts.gained) == ("anna", (), ())
        assert facts.same >= 2
        assert [each.turn_id for each in found.contexts] == ["asks-0", "asks-1"]
        assert await end_of_log(session) == before
        assert not path_of_side(session.files).exists()


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
async def test_what_is_learned_anew_by_the_same_rules_is_what_was_learned(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    settings, chance = own_server.settings, random.Random(seed)
    told = [(text, f"s{number // 3}") for number, text in enumerate(chance.sample(STATEMENTS, len(STATEMENTS)))]
    async with (
        serving(*(build(name, settings) for name in ("ingest", "retriever", "consolidator", "maintenance"))),
        MemoryClient(space="home", user="anna", url=settings.nats_url, data_dir=settings.data_dir) as anna,
    ):
        for session in dict.fromkeys(session for _, session in told):
            for text in (text for text, of in told if of == session):
                await anna.add(text, session_id=session)
            await anna.end_session(session)
            await until(partial(is_consolidated, anna, session), what=f"{session} is learned from")
        found = await whatif_of(CliSession(settings, space="home", user="anna"), "anna", {}, {}, 20, is_replayed=True)
    [facts] = found.facts
    assert (facts.lost, facts.gained) == ((), ())
    assert facts.same > 3


async def is_consolidated(memory: MemoryClient, session: str) -> bool:
    found = await memory.sessions(session_id=session)
    return [each.state for each in found.sessions] == [ConversationState.CONSOLIDATED]


async def known(memory: MemoryClient, words: str) -> bool:
    return any(words in item.text for item in (await memory.list(kinds=["fact"])).items)
