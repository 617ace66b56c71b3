"""A person who asks what is remembered is told it, in the words of the memories."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from memstream import Memories, MemoryClient
from shared.contracts.queries import CommandAnswer
from tests.support.installations import Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHRIMP, OSLO = "I am allergic to shrimp.", "I live in Oslo."


@pytest_asyncio.fixture(loop_scope="module")
async def anna(shared_memstream: Installation, space: str) -> AsyncIterator[Memories]:
    settings = shared_memstream.settings
    async with MemoryClient(space=space, user="anna", url=settings.nats_url, data_dir=settings.data_dir) as client:
        yield client


async def reply(anna: Memories, words: str, session_id: str = "tuesday") -> CommandAnswer:
    said = await anna.add(words, session_id=session_id, message_id=f"asked {words}")
    context = await anna.context(words, session_id=session_id, message_id=f"asked {words}", after=said)
    assert context.command is not None
    return context.command


@pytest.mark.parametrize("session_id", ["monday", "tuesday"])
@pytest.mark.parametrize("words", ["What do you remember about me?", "Hey! What do you know about me?", "Show me my memories"])
async def test_all_is_told_to_who_asks_for_all(anna: Memories, words: str, session_id: str) -> None:
    for text in (SHRIMP, OSLO):
        await anna.add(text, session_id="monday")
    await anna.add("Noted, Anna.", role="assistant", session_id="monday")
    told = await reply(anna, words, session_id)
    assert told.outcome == "done"
    first, *lines = told.say.splitlines()
    assert first == "This is what I remember about you:"
    assert set(lines) == {f"- {SHRIMP}", f"- {OSLO}"}
    assert len(told.memory_ids) == 2


async def test_a_topic_is_told_of(anna: Memories) -> None:
    for text in (SHRIMP, OSLO):
        await anna.add(text, session_id="monday")
    told = (await reply(anna, "What do you remember about shrimp?")).say
    assert told == f"This is what I remember about shrimp:\n- {SHRIMP}"


async def test_of_this_chat_only_this_chat_is_told(anna: Memories) -> None:
    await anna.add(SHRIMP, session_id="monday")
    assert (await reply(anna, "What do you remember from this chat?")).say == "I remember nothing from this chat."
    await anna.add(OSLO, session_id="tuesday")
    told = await reply(anna, "What did you learn from this conversation?")
    assert told.say == f"This is what I remember from this chat:\n- {OSLO}"


@pytest.mark.parametrize("about", ["me", "my parrot"])
async def test_who_said_nothing_is_told_so(anna: Memories, about: str) -> None:
    told = await reply(anna, f"What do you remember about {about}?")
    assert (told.outcome, told.memory_ids) == ("nothing_found", ())
    assert told.say == f"I remember nothing about {about.replace('me', 'you')}."


async def test_what_is_forgotten_is_not_told(anna: Memories) -> None:
    for text in (SHRIMP, OSLO):
        await anna.add(text, session_id="monday")
    await anna.forget(query="shrimp")
    assert (await reply(anna, "What do you remember about me?")).say == f"This is what I remember about you:\n- {OSLO}"


async def test_nothing_is_told_while_memory_is_off(anna: Memories) -> None:
    await anna.add(SHRIMP, session_id="monday")
    await reply(anna, "Turn memory off", "monday")
    said = await anna.add("What do you remember about me?", session_id="monday", message_id="m9")
    context = await anna.context("What do you remember about me?", session_id="monday", message_id="m9", after=said)
    assert (context.items, context.command) == ((), None)
