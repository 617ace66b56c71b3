"""The client's `add` for chat messages and its familiar verbs, through a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from memstream import MemoryClient, MemstreamError, NotFound, Verdict
from shared.contracts.parts import Kind, Role
from tests.support.installations import Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def anna(shared_memstream: Installation, space: str) -> AsyncIterator[MemoryClient]:
    settings = shared_memstream.settings
    async with MemoryClient(space=space, user="anna", url=settings.nats_url, data_dir=settings.data_dir) as memory:
        yield memory


CHAT = [
    {"role": "system", "content": "You are a shop."},
    {"role": "user", "content": "I am allergic to shrimp.", "metadata": {"channel": "web"}},
    {"role": "assistant", "content": [{"type": "text", "text": "I will keep that in mind."}]},
    {"role": "user", "content": [{"type": "text", "text": "My bike:"}, {"type": "image_url", "image_url": {"url": "x"}}]},
]


async def test_a_list_of_messages_is_one_publish_and_each_is_a_turn(anna: MemoryClient) -> None:
    receipt = await anna.add(CHAT, session_id="s1", message_id="c1", metadata={"shop": "north"})
    assert receipt.what == "add_turns"
    turns = await anna.list(after=receipt)
    assert [(each.role, each.text) for each in reversed(turns.items)] == [
        (Role.USER, "I am allergic to shrimp."),
        (Role.ASSISTANT, "I will keep that in mind."),
        (Role.USER, "My bike:\n[image]"),
    ]
    assert (await anna.outcome(await anna.add(CHAT, session_id="s1", message_id="c1"))).verdict is Verdict.UNCHANGED
    shown = await anna.show(turns.items[-1].memory_id)
    assert shown.memory.metadata == {"shop": "north", "channel": "web"}


async def test_one_message_is_the_same_as_its_text(anna: MemoryClient) -> None:
    await anna.add({"role": "user", "content": "I like tea."}, session_id="s1", message_id="m1")
    again = await anna.add("I like tea.", session_id="s1", message_id="m1")
    assert (await anna.outcome(again)).verdict is Verdict.UNCHANGED


async def test_a_command_in_a_list_is_obeyed_and_its_context_says_so(anna: MemoryClient) -> None:
    told = [{"role": "user", "content": "I like tea."}, {"role": "user", "content": "Pin that.", "id": "m2"}]
    receipt = await anna.add(told, session_id="s1")
    context = await anna.context("Pin that.", session_id="s1", message_id="m2", after=receipt)
    assert context.command is not None
    assert (context.command.name, context.command.outcome) == ("pin_that", "done")


async def test_a_list_in_which_nobody_says_anything_is_not_sent(anna: MemoryClient) -> None:
    receipt = await anna.add([{"role": "tool", "content": "{}"}, {"role": "user", "content": ""}], session_id="s1")
    assert (receipt.sequence, receipt.unsent) == (0, "says_nothing")
    assert (await anna.outcome(receipt)).verdict is Verdict.UNCHANGED


async def test_of_an_incognito_session_no_list_is_sent(anna: MemoryClient) -> None:
    await anna.start_incognito("s2")
    receipt = await anna.add(CHAT, session_id="s2")
    assert receipt.unsent == "incognito"
    assert (await anna.outcome(receipt)).verdict is Verdict.NOT_RECORDED


async def test_get_is_one_memory_or_none(anna: MemoryClient) -> None:
    kept = await anna.remember("Anna likes tea")
    assert kept.memory_id
    found = await anna.get(kept.memory_id, after=kept)
    assert found is not None
    assert found.text == "Anna likes tea"
    assert await anna.get("fact_0123456789") is None


async def test_get_all_reads_every_page(anna: MemoryClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memstream.client.familiar._PAGE", 2)
    for place in ("Rome", "Oslo", "Bern", "Riga", "Cork"):
        kept = await anna.remember(f"Anna has a friend in {place}")
    assert [each.text.split()[-1] for each in await anna.get_all(after=kept)] == ["Cork", "Riga", "Bern", "Oslo", "Rome"]
    assert len(await anna.get_all(limit=3)) == 3
    assert await anna.get_all(kinds=[Kind.EPISODE]) == []


async def test_update_corrects_delete_forgets_and_history_tells(anna: MemoryClient) -> None:
    kept = await anna.remember("Anna lives in Rome")
    assert kept.memory_id
    newer = await anna.update(kept.memory_id, "Anna lives in Oslo")
    assert newer.memory_id
    found = await anna.search("Where does Anna live?", after=newer)
    assert [item.text for item in found.items] == ["Anna lives in Oslo"]
    changes = [(each.event, each.old_memory, each.new_memory) for each in await anna.history(newer.memory_id)]
    assert changes == [("ADD", None, "Anna lives in Rome"), ("UPDATE", "Anna lives in Rome", "Anna lives in Oslo")]
    assert [each.event for each in await anna.history(kept.memory_id)] == ["ADD", "UPDATE"]
    gone = await anna.delete(newer.memory_id)
    assert await anna.get(newer.memory_id, after=gone) is None
    assert await anna.get_all(after=gone) == []
    [change] = await anna.history(newer.memory_id)
    assert (change.event, change.old_memory, change.new_memory) == ("DELETE", None, None)


async def test_what_never_was_has_no_history_and_cannot_be_updated(anna: MemoryClient) -> None:
    with pytest.raises(NotFound, match="no memory has this id"):
        await anna.history("fact_0123456789")
    with pytest.raises(MemstreamError):
        await anna.update("fact_0123456789", "Anna likes tea")


async def test_metadata_limits_what_is_found_and_goes_with_its_turn(anna: MemoryClient) -> None:
    for channel in ("web", "phone", "mail"):
        sent = await anna.add(
            f"I like tea from the {channel} shop.", session_id="s1", metadata={"channel": channel, "floor": 2}
        )
    wanted = {"channel": ["web", "phone"], "floor": 2}
    limits = {"metadata": wanted, "kinds": [Kind.EPISODE], "after": sent}
    both = {"I like tea from the web shop.", "I like tea from the phone shop."}
    assert {each.text for each in (await anna.search("tea", **limits)).items} == both  # type: ignore[arg-type]
    assert {each.text for each in (await anna.list(**limits)).items} == both  # type: ignore[arg-type]
    assert {each.text for each in await anna.get_all(**limits)} == both  # type: ignore[arg-type]
    assert {each.text for each in (await anna.context("tea", session_id="s2", **limits)).items} == both  # type: ignore[arg-type]
    [one] = await anna.get_all(metadata={"channel": "web"})
    gone = await anna.delete(one.memory_id, only=True)
    assert await anna.get_all(metadata={"channel": "web"}, after=gone) == []
    assert len(await anna.get_all(metadata=wanted)) == 1
