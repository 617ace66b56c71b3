"""The OpenAI Agents SDK with a memory: its own runner and hooks, a scripted model, a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message, function_call

from memstream import MemoryClient, MemstreamError
from memstream.adapters import MemoryScope, OpenAIAgentsMemory
from tests.support.adapted import QUESTION, SHRIMP, blocking_memory_of, memory_of, turns_of, unconnected
from tests.support.installations import Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")

OFFLINE = RunConfig(tracing_disabled=True)


@pytest_asyncio.fixture(loop_scope="module")
async def client(shared_memstream: Installation, space: str) -> AsyncIterator[MemoryClient]:
    async with memory_of(shared_memstream, space) as client:
        yield client


def shopkeeper(memory: OpenAIAgentsMemory, model: ScriptedModel) -> Agent[Any]:
    return Agent(name="shop", instructions=memory.instructions("You sell food."), tools=memory.tools(), model=model)


def answering(*texts: str) -> ScriptedModel:
    return ScriptedModel([[assistant_message(text)] for text in texts])


def prompt_of(model: ScriptedModel) -> str:
    call = model.last_call
    assert call
    return call.system_instructions or ""


async def test_what_was_said_in_one_session_is_in_the_prompt_of_the_next(client: MemoryClient) -> None:
    memory, model = OpenAIAgentsMemory(client), answering("Noted.", "Yes, leave it.")
    agent = shopkeeper(memory, model)
    monday, tuesday = MemoryScope("anna", "monday", speaker="Anna"), MemoryScope("anna", "tuesday")
    await Runner.run(agent, SHRIMP, context=monday, hooks=memory, run_config=OFFLINE)
    result = await Runner.run(agent, QUESTION, context=tuesday, hooks=memory, run_config=OFFLINE)
    assert result.final_output == "Yes, leave it."
    assert prompt_of(model).startswith("You sell food.\n\n## Relevant memory")
    assert SHRIMP in prompt_of(model)
    anna = client.for_user("anna")
    assert await turns_of(anna, "monday") == [("user", SHRIMP, "Anna"), ("assistant", "Noted.", None)]
    assert await turns_of(anna, "tuesday") == [("user", QUESTION, None), ("assistant", "Yes, leave it.", None)]


async def test_a_context_of_the_bots_own_tells_who_speaks(client: MemoryClient) -> None:
    @dataclass
    class Chat:
        user_id: int
        session_id: str
        basket: list[str]

    memory = OpenAIAgentsMemory(client)
    await Runner.run(
        shopkeeper(memory, answering("Noted.")), SHRIMP, context=Chat(7, "monday", []), hooks=memory, run_config=OFFLINE
    )
    assert len(await turns_of(client.for_user("7"), "monday")) == 2


async def test_a_stream_is_recorded_as_well(client: MemoryClient) -> None:
    memory, model = OpenAIAgentsMemory(client), answering("Noted.")
    run = Runner.run_streamed(
        shopkeeper(memory, model), SHRIMP, context=MemoryScope("anna", "monday"), hooks=memory, run_config=OFFLINE
    )
    assert [event async for event in run.stream_events()]
    assert await turns_of(client.for_user("anna"), "monday") == [("user", SHRIMP, None), ("assistant", "Noted.", None)]


async def test_a_run_of_many_steps_and_agents_records_what_was_said_once(client: MemoryClient) -> None:
    memory = OpenAIAgentsMemory(client)
    cook = Agent[Any](name="cook", instructions=memory.instructions("You cook."), model=answering("Soup."))
    first = ScriptedModel(
        [
            [function_call("memory_stats", {}, call_id="1")],
            [function_call("transfer_to_cook", {}, call_id="2")],
        ]
    )
    shop = shopkeeper(memory, first).clone(handoffs=[cook])
    history = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": SHRIMP},
    ]
    scope = MemoryScope("anna", "monday")
    await Runner.run(shop, history, context=scope, hooks=memory, run_config=OFFLINE)  # type: ignore[arg-type]
    assert await turns_of(client.for_user("anna"), "monday") == [("user", SHRIMP, None), ("assistant", "Soup.", None)]


async def test_what_a_model_tells_an_agent_that_serves_as_a_tool_was_said_by_nobody(client: MemoryClient) -> None:
    memory = OpenAIAgentsMemory(client)
    expert = Agent[Any](name="expert", instructions=memory.instructions(), model=answering("No shrimp."))
    steps = [[function_call("ask", {"input": "Look for shrimp"}, call_id="1")], [assistant_message("Fine.")]]
    shop = shopkeeper(memory, ScriptedModel(steps)).clone(tools=[expert.as_tool("ask", "Ask the expert")])
    await Runner.run(shop, QUESTION, context=MemoryScope("anna", "monday"), hooks=memory, run_config=OFFLINE)
    assert await turns_of(client.for_user("anna"), "monday") == [("user", QUESTION, None), ("assistant", "Fine.", None)]


async def test_a_model_remembers_and_forgets_by_tools_for_nobody_but_the_person_of_the_run(client: MemoryClient) -> None:
    memory = OpenAIAgentsMemory(client)
    model = ScriptedModel(
        [
            [function_call("remember_fact", {"text": "Anna lives in Oslo", "tags": []}, call_id="1")],
            [function_call("search_memory", {"query": "Oslo", "user": "bob"}, call_id="2")],
            [function_call("forget", {"query": "Oslo", "dry_run": True}, call_id="3")],
            [assistant_message("Done.")],
        ]
    )
    scope = MemoryScope("anna", "monday")
    await Runner.run(shopkeeper(memory, model), "Remember it", context=scope, hooks=memory, run_config=OFFLINE)
    assert model.last_call
    items: list[Any] = list(model.last_call.input)
    outputs = [json.loads(item["output"]) for item in items if item.get("type") == "function_call_output"]
    remembered, refused, preview = outputs
    assert remembered["outcome"] == "recorded"
    assert refused["error"]["code"] == "malformed"
    assert [each["text"] for each in preview["would_forget"]] == ["Anna lives in Oslo"]
    assert (await client.for_user("anna").show(remembered["memory_id"])).memory.session_id == "monday"


async def test_a_command_in_chat_is_carried_out_and_the_model_is_told_what_to_say(client: MemoryClient) -> None:
    memory, model = OpenAIAgentsMemory(client), answering("Noted.", "It is off.")
    agent, scope = shopkeeper(memory, model), MemoryScope("anna", "monday")
    await Runner.run(agent, SHRIMP, context=scope, hooks=memory, run_config=OFFLINE)
    await Runner.run(agent, "Turn memory off.", context=scope, hooks=memory, run_config=OFFLINE)
    assert "Tell the person: " in prompt_of(model)


async def test_without_memory_the_bot_answers_and_the_log_says_why(
    shared_memstream: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    memory, model = OpenAIAgentsMemory(unconnected(shared_memstream)), answering("Hello.")
    agent, scope = shopkeeper(memory, model), MemoryScope("anna", "monday")
    result = await Runner.run(agent, QUESTION, context=scope, hooks=memory, run_config=OFFLINE)
    assert result.final_output == "Hello."
    assert prompt_of(model) == "You sell food."
    told = [record.getMessage() for record in caplog.records if record.name == "memstream.adapters"]
    assert [words.split(":")[1] for words in told] == [" could not hear what was said", " could not record what was answered"]
    assert QUESTION not in "".join(told)


async def test_whoever_wants_it_gets_the_error(shared_memstream: Installation) -> None:
    memory = OpenAIAgentsMemory(unconnected(shared_memstream), on_error="raise")
    agent, scope = shopkeeper(memory, answering("Hello.")), MemoryScope("anna", "monday")
    with pytest.raises(MemstreamError):
        await Runner.run(agent, QUESTION, context=scope, hooks=memory, run_config=OFFLINE)


async def test_a_run_without_await_works_with_a_client_without_await(shared_memstream: Installation, space: str) -> None:
    def run() -> str:
        with blocking_memory_of(shared_memstream, space) as client, asyncio.Runner() as loops:
            asyncio.set_event_loop(loops.get_loop())  # the SDK would leave its own open
            memory, model = OpenAIAgentsMemory(client), answering("Noted.", "Yes.")
            agent = shopkeeper(memory, model)
            for session, words in (("monday", SHRIMP), ("tuesday", QUESTION)):
                Runner.run_sync(agent, words, context=MemoryScope("anna", session), hooks=memory, run_config=OFFLINE)
            return prompt_of(model)

    assert SHRIMP in await asyncio.to_thread(run)
