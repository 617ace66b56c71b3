"""A person's hand on the memory, through a real server: the client and the tools."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from memstream import MemoryClient, MemstreamError, NotFound, PersonSettings, Rejected, Verdict
from memstream.client import Memories
from shared.contracts.parts import Kind, Standing
from tests.support.installations import Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def anna(shared_memstream: Installation, space: str) -> AsyncIterator[MemoryClient]:
    settings = shared_memstream.settings
    async with MemoryClient(space=space, user="anna", url=settings.nats_url, data_dir=settings.data_dir) as memory:
        yield memory


async def remembered(anna: Memories, text: str = "Anna likes tea", **more: Any) -> str:  # noqa: ANN401 - as `remember` has it
    decision = await anna.remember(text, **more)
    assert decision.memory_id
    return decision.memory_id


async def test_a_correction_is_found_in_the_place_of_what_was_wrong(anna: MemoryClient) -> None:
    wrong = await remembered(anna, "Anna lives in Rome", tags=["home"])
    decision = await anna.correct(wrong, "Anna lives in Oslo")
    assert decision.verdict is Verdict.RECORDED
    assert decision.memory_id not in {None, wrong}
    found = await anna.search("Where does Anna live?", after=decision)
    assert [item.text for item in found.items] == ["Anna lives in Oslo"]
    old = (await anna.show(wrong)).memory
    assert (old.status, old.superseded_by) == (Standing.SUPERSEDED, decision.memory_id)
    new = (await anna.show(decision.memory_id or "")).memory
    assert (new.supersedes, new.tags) == (wrong, ("home",))
    assert [memory.text for memory in new.chain] == ["Anna lives in Rome", "Anna lives in Oslo"]
    back = await anna.restore(wrong)
    assert (await anna.show(wrong, after=back)).memory.status is Standing.ACTIVE


async def test_what_is_told_again_is_counted_and_its_words_are_kept(anna: MemoryClient) -> None:
    first = await remembered(anna, "Anna likes green tea")
    again = await anna.remember("anna likes  GREEN tea!")
    tea = (await anna.show(first, after=again)).memory
    assert (tea.repeat_count, tea.text) == (1, "Anna likes green tea")
    assert [repeat.text for repeat in tea.repeats] == ["anna likes  GREEN tea!"]
    assert tea.importance == pytest.approx(min(1.0, sum(tea.importance_parts.values())))


async def test_pins_and_confirmations_are_seen_at_once_and_twice_is_unchanged(anna: MemoryClient) -> None:
    tea = await remembered(anna)
    pinned = await anna.pin(tea)
    assert [item.memory_id for item in (await anna.list(pinned=True, after=pinned)).items] == [tea]
    assert (await anna.pin(tea)).verdict is Verdict.UNCHANGED
    unpinned = await anna.unpin(tea)
    assert (await anna.list(pinned=True, after=unpinned)).items == ()
    confirmed = await anna.confirm(tea)
    assert (await anna.show(tea, after=confirmed)).memory.decay_rate == 0


async def test_a_memory_that_is_not_known_is_refused_in_plain_words(anna: MemoryClient) -> None:
    with pytest.raises(Rejected, match="No memory with this id"):
        await anna.pin("fact_nowhere")
    with pytest.raises(NotFound):
        await anna.entity("Zoe")


async def test_settings_change_and_fall_back(anna: MemoryClient) -> None:
    changed = await anna.change_settings({"time_zone": "Europe/Berlin", "soft_cap": 50})
    stats = await anna.stats(after=changed)
    assert stats.settings == PersonSettings(time_zone="Europe/Berlin", soft_cap=50)
    assert stats.soft_cap == 50
    fallen_back = await anna.change_settings(unset=["soft_cap"])
    assert (await anna.stats(after=fallen_back)).settings.soft_cap is None
    with pytest.raises(MemstreamError, match="time zone"):
        await anna.change_settings({"time_zone": "Mars/Olympus"})


async def test_over_the_cap_the_weakest_fact_is_retired_and_comes_back_when_restored(anna: MemoryClient) -> None:
    await anna.change_settings({"soft_cap": 2})
    for number in range(2):
        await remembered(anna, f"Anna has {number + 3} boats")
    stats = await anna.stats(after=await anna.remember("Anna sails to Crete"))
    assert stats.soft_cap == 2
    assert stats.memories[Kind.FACT] >= 2


async def test_an_agent_uses_the_tools(anna: MemoryClient) -> None:
    told = await anna.call("remember_fact", {"text": "@ben is Anna's brother", "tags": ["family"]})
    assert told["outcome"] == "recorded"
    await anna.summary(min_position=(await anna.pin(told["memory_id"])).position)
    (item,) = (await anna.call("search_memory", {"query": "brother"}))["memories"]
    assert (item["memory_id"], item["tags"], item["pinned"]) == (told["memory_id"], ["family"], True)
    corrected = await anna.call("correct_fact", {"memory_id": told["memory_id"], "text": "@ben is Anna's cousin"})
    await anna.stats(min_position=(await anna.confirm(corrected["memory_id"])).position)
    profile = await anna.call("get_entity_info", '{"name": "Ben"}')
    assert (profile["name"], profile["summary"]) == ("ben", "@ben is Anna's cousin")
    assert (await anna.call("memory_stats", {}))["memories"]["fact"] == 1
    assert (await anna.call("pin_memory", {"memory_id": "fact_nowhere"}))["error"]["code"] == "unknown_memory"
