"""Pydantic AI with a memory: its own agents and capabilities, a scripted model, a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memstream import MemoryClient, MemstreamError
from memstream.adapters import MemoryScope, PydanticAIMemory
from tests.support.adapted import QUESTION, SHRIMP, blocking_memory_of, memory_of, turns_of, unconnected
from tests.support.installations import Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def client(shared_memstream: Installation, space: str) -> AsyncIterator[MemoryClient]:
    async with memory_of(shared_memstream, space) as client:
        yield client


class Script:
    """A model that answers what it was told to, and notes what it was asked."""

    def __init__(self, *parts: TextPart | ToolCallPart) -> None:
        self._parts = iter(parts)
        self.asked: list[list[ModelMessage]] = []
        self.instructions: list[str | None] = []

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self._answer, stream_function=self._stream)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append(list(messages))
        self.instructions.append(info.instructions)
        return ModelResponse(parts=[next(self._parts)])

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        (part,) = self._answer(messages, info).parts
        assert isinstance(part, TextPart)
        for letter in part.content:
            yield letter


def shopkeeper(memory: PydanticAIMemory, script: Script) -> Agent[object]:
    return Agent(script.model, deps_type=object, instructions="You sell food.", capabilities=[memory])


async def test_what_was_said_in_one_session_is_in_the_prompt_of_the_next(client: MemoryClient) -> None:
    script = Script(TextPart("Noted."), TextPart("Yes, leave it."))
    agent = shopkeeper(PydanticAIMemory(client), script)
    await agent.run(SHRIMP, deps=MemoryScope("anna", "monday", speaker="Anna"))
    result = await agent.run(QUESTION, deps=MemoryScope("anna", "tuesday"))
    assert result.output == "Yes, leave it."
    told = script.instructions[-1] or ""
    assert told.startswith("You sell food.")
    assert SHRIMP in told
    anna = client.for_user("anna")
    assert await turns_of(anna, "monday") == [("user", SHRIMP, "Anna"), ("assistant", "Noted.", None)]
    assert await turns_of(anna, "tuesday") == [("user", QUESTION, None), ("assistant", "Yes, leave it.", None)]


async def test_runs_at_the_same_time_have_each_the_memory_of_its_person(client: MemoryClient) -> None:
    script = Script(*(TextPart("Noted.") for _ in range(6)))
    agent = shopkeeper(PydanticAIMemory(client), script)
    people = {"anna": SHRIMP, "bob": "I am allergic to nuts.", "eve": "I am allergic to milk."}
    for user, words in people.items():
        await agent.run(words, deps={"user_id": user, "session_id": "monday"})
    await asyncio.gather(*(agent.run("What am I allergic to?", deps=MemoryScope(user, "tuesday")) for user in people))
    for told in script.instructions[3:]:
        assert sum(words in (told or "") for words in people.values()) == 1


async def test_a_stream_is_recorded_as_well(client: MemoryClient) -> None:
    agent = shopkeeper(PydanticAIMemory(client), Script(TextPart("Noted.")))
    async with agent.run_stream(SHRIMP, deps=MemoryScope("anna", "monday")) as run:
        assert await run.get_output() == "Noted."
    assert await turns_of(client.for_user("anna"), "monday") == [("user", SHRIMP, None), ("assistant", "Noted.", None)]


async def test_a_structured_answer_is_recorded_as_json(client: MemoryClient) -> None:
    class Advice(BaseModel):
        may_eat: bool

    script = Script(ToolCallPart("final_result", {"may_eat": False}))
    agent = Agent(script.model, deps_type=object, output_type=Advice, capabilities=[PydanticAIMemory(client)])
    await agent.run(["Is there", " shrimp in it?"], deps=MemoryScope("anna", "monday"))
    said = await turns_of(client.for_user("anna"), "monday")
    assert said == [("user", "Is there\n shrimp in it?", None), ("assistant", '{"may_eat":false}', None)]


async def test_a_model_uses_tools_for_nobody_but_the_person_of_the_run(client: MemoryClient) -> None:
    script = Script(
        ToolCallPart("remember_fact", {"text": "Anna lives in Oslo"}),
        ToolCallPart("search_memory", {"query": "Oslo", "user": "bob"}),
        ToolCallPart("search_memory", {"query": "Oslo", "limit": 1}),
        TextPart("Done."),
    )
    await shopkeeper(PydanticAIMemory(client), script).run("Remember it", deps=MemoryScope("anna", "monday"))
    requests = [message for message in script.asked[-1] if isinstance(message, ModelRequest)]
    returned: list[Any] = [part.content for request in requests for part in request.parts if isinstance(part, ToolReturnPart)]
    remembered, refused, found = returned
    assert remembered["outcome"] == "recorded"
    assert refused["error"]["code"] == "malformed"
    assert [each["text"] for each in found["memories"]] == ["Anna lives in Oslo"]


async def test_without_memory_the_bot_answers_and_the_log_says_why(
    shared_memstream: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script(TextPart("Hello."), TextPart("Hello."))
    agent = shopkeeper(PydanticAIMemory(unconnected(shared_memstream)), script)
    assert (await agent.run(QUESTION, deps=MemoryScope("anna", "monday"))).output == "Hello."
    assert script.instructions == ["You sell food."]
    assert sum(record.name == "memstream.adapters" for record in caplog.records) == 2
    with pytest.raises(MemstreamError):
        await shopkeeper(PydanticAIMemory(unconnected(shared_memstream), on_error="raise"), script).run(QUESTION)


async def test_a_run_without_await_works_with_a_client_without_await(shared_memstream: Installation, space: str) -> None:
    def run() -> str | None:
        with blocking_memory_of(shared_memstream, space) as client, asyncio.Runner() as loops:
            asyncio.set_event_loop(loops.get_loop())
            script = Script(TextPart("Noted."), TextPart("Yes."))
            agent = shopkeeper(PydanticAIMemory(client), script)
            agent.run_sync(SHRIMP, deps=MemoryScope("anna", "monday"))
            agent.run_sync(QUESTION, deps=MemoryScope("anna", "tuesday"))
            return script.instructions[-1]

    assert SHRIMP in (await asyncio.to_thread(run) or "")
