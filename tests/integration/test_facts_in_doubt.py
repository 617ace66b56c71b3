"""Doubt, undoing and an agent that learns by itself, through a real server: the client, the tools and the services."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio

from memstream import MemoryClient, Rejected, Verdict
from memstream.client import Memories
from services.consolidator.app import Consolidator
from services.consolidator.domain.rules import RuleExtractor
from services.consolidator.settings import ConsolidatorSettings
from services.ingest.app import build as build_ingest
from services.ingest.rebuild import rebuild as rebuild_ingest
from services.ingest.store import Store
from services.retriever.app import build as build_retriever
from services.retriever.rebuild import rebuild as rebuild_retriever
from shared.contracts.parts import Standing
from shared.contracts.queries import Conversation, ConversationState
from shared.runtime.service import Service
from tests.acceptance.everywhere import found
from tests.support.installations import Installation, serving, until

RARE = ["Quixeldra", "Bramblethwick"]


@asynccontextmanager
async def memstream(installation: Installation, **settings: Any) -> AsyncIterator[MemoryClient]:  # noqa: ANN401 - the consolidator's
    """ingest, the retriever and the consolidator in this process, and Anna's client."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
        consolidator = Consolidator(installation.settings, ConsolidatorSettings(**settings), RuleExtractor())
        services: list[Service] = [build_ingest(installation.settings), build_retriever(installation.settings), consolidator]
    async with (
        serving(*services),
        MemoryClient(space="home", user="anna", url=installation.server.url, data_dir=installation.settings.data_dir) as memory,
    ):
        yield memory


@pytest_asyncio.fixture
async def anna(own_server: Installation) -> AsyncIterator[MemoryClient]:
    async with memstream(own_server) as memory:
        yield memory


async def doubtful(memory: Memories) -> tuple[str, str, str]:
    """Leeds was brought back beside York: the ids of both facts and of the question."""
    older = await memory.remember("I live in Leeds.")
    newer = await memory.remember("I live in York now.")
    restored = await memory.restore(older.memory_id or "")
    [asked] = (await memory.conflicts(after=restored)).conflicts
    assert (asked.older, asked.newer) == (older.memory_id, newer.memory_id)
    return asked.older, asked.newer, asked.conflict_id


async def learned(memory: Memories, session_id: str) -> Conversation:
    """The session, once it is learned from."""

    async def is_learned() -> bool:
        return (await memory.session(session_id)).state is ConversationState.CONSOLIDATED

    await until(is_learned, what=f"{session_id} is learned from")
    return await memory.session(session_id)


async def test_doubt_is_asked_about_and_an_answer_in_chat_settles_it(anna: MemoryClient) -> None:
    older, newer, _ = await doubtful(anna)
    context = await anna.context("Where do I live?", session_id="s1")
    assert [each.question for each in context.pending] == ["Do you live in York now?"]
    assert "Do you live in York now?" in context.markdown
    await anna.add("Where do I live?", session_id="s1", message_id="m1")
    await anna.add("By the way, do you live in York these days?", session_id="s1", role="assistant", message_id="m2")
    said = await anna.add("yep, York", session_id="s1", message_id="m3")
    assert (await anna.conflicts(after=said)).conflicts == ()
    assert (await anna.show(older)).memory.superseded_by == newer
    assert (await anna.context("Where do I live?", session_id="s2")).pending == ()
    assert any(item.text == "yep, York" for item in (await anna.list(session_id="s1")).items)


async def test_an_answer_by_command_ends_what_does_not_hold_and_a_wrong_id_is_refused(anna: MemoryClient) -> None:
    older, newer, conflict = await doubtful(anna)
    answered = await anna.answer_conflict(conflict, "older")
    assert (await anna.show(newer, after=answered)).memory.superseded_by == older
    assert (await anna.answer_conflict(conflict, "newer")).verdict is Verdict.UNCHANGED
    with pytest.raises(Rejected):
        await anna.answer_conflict("conf_0", "newer")


async def test_a_run_of_the_consolidator_is_taken_back_and_not_made_again(anna: MemoryClient) -> None:
    leeds = await anna.remember("I live in Leeds.")
    await anna.add("I moved to York last week.", session_id="s1", message_id="m1")
    ended = await anna.end_session("s1")
    await anna.stats(after=ended)
    [run] = (await learned(anna, "s1")).runs
    assert (await anna.show(leeds.memory_id or "")).memory.status is Standing.SUPERSEDED
    undone = await anna.undo(run.run_id)
    assert (await anna.show(leeds.memory_id or "", after=undone)).memory.status is Standing.ACTIVE
    assert [item.text for item in (await anna.list(kinds=["fact"])).items] == ["I live in Leeds."]
    assert (await anna.session("s1")).state is ConversationState.CONSOLIDATED
    assert (await anna.undo(run.run_id)).verdict is Verdict.UNCHANGED
    with pytest.raises(Rejected):
        await anna.undo("run-of-nobody")


async def test_an_agent_learns_by_itself_and_the_service_leaves_it_the_session(own_server: Installation) -> None:
    async with memstream(own_server, by="agent") as anna:
        await anna.add("I moved to York last week.", session_id="s1", message_id="m1")
        ended = await anna.end_session("s1")
        await anna.outcome(ended)
        old = await anna.remember("The user's flat is above a bakery.")
        state = await anna.call("is_session_consolidated", {"session_id": "s1"})
        assert (state["is_consolidated"], state["new_turns"]) == (False, 1)
        read = await anna.call("get_episodes_for_consolidation", {"session_id": "s1"})
        [turn] = read["episodes"]
        facts = [{"text": "The user lives in York.", "source_ids": [turn["memory_id"]], "tags": ["home"]}]
        saved = await anna.call("save_facts_batch", json.dumps({"session_id": "s1", "facts": facts, "run_id": "mine"}))
        assert saved["outcome"] == "recorded"
        await anna.show(saved["memory_id"], min_position=(await anna.stats()).position)
        near = await anna.call("detect_conflicts", {"memory_id": saved["memory_id"]})
        assert set(near) == {"may_contradict", "pending"}
        resolved = {"memory_id": old.memory_id, "superseded_by": saved["memory_id"]}
        assert (await anna.call("resolve_conflict", resolved))["outcome"] == "recorded"
        mark = {"session_id": "s1", "facts": 1, "run_id": "mine"}
        assert (await anna.call("mark_session_consolidated", mark))["outcome"] == "recorded"
        assert (await anna.call("is_session_consolidated", {"session_id": "s1"}))["runs"] == ["mine"]
        wrong = await anna.call("save_facts_batch", {"session_id": "s1", "facts": [facts[0] | {"source_ids": ["ep_0"]}]})
        assert wrong["error"]["code"] == "unknown_memory"
        undone = await anna.undo("mine")
        assert (await anna.show(saved["memory_id"], after=undone)).memory.ended_because == "undone"


async def test_a_question_about_what_is_forgotten_is_gone_everywhere_and_digests_are_those_of_a_rebuild(
    own_server: Installation,
) -> None:
    root = own_server.settings.data_dir
    async with memstream(own_server) as anna:
        older = await anna.remember("I met Quixeldra Bramblethwick in May.")
        newer = await anna.remember("I have never met Quixeldra Bramblethwick.")
        [asked] = (await anna.conflicts(after=newer)).conflicts
        assert "Bramblethwick" in asked.question
        forgetting = await anna.forget(memory_ids=[newer.memory_id or "", older.memory_id or ""])
        assert (await anna.conflicts(after=forgetting)).conflicts == ()
        assert (await anna.context("Whom did I meet in May?")).pending == ()

        async def is_erased() -> bool:
            return (await anna.forgetting(forgetting.number or 0)).state == "done" and not found(root, RARE)

        await until(is_erased, what="no byte is left")
        await doubtful(anna)
        await anna.stats()
    assert not found(root, RARE)
    live = Store(own_server.settings.files.projection("ingest"), own_server.keys.digester)
    digest = live.digest()
    live.close()
    assert await rebuild_ingest(own_server.settings) == digest
    await rebuild_retriever(own_server.settings)
    async with memstream(own_server) as anna:
        [asked] = (await anna.conflicts()).conflicts
        assert asked.question == "Do you live in York now?"


async def test_what_is_in_doubt_or_undone_is_taken_along_to_another_person(anna: MemoryClient) -> None:
    _, _, conflict = await doubtful(anna)
    await anna.remember("My cat is called Tom.")
    doubted = await anna.remember("I think my cat is called Tim.")
    await anna.undo(memory_id=doubted.memory_id)
    lines = [line async for line in anna.export(min_position=(await anna.stats()).position)]
    ben = anna.for_user("ben")
    taken = await ben.import_export(lines)
    assert taken.records == len(lines) - 1
    [asked] = (await ben.conflicts()).conflicts
    assert (asked.conflict_id, asked.question) == (conflict, "Do you live in York now?")
    assert (await ben.show(doubted.memory_id or "")).memory.ended_because == "undone"
