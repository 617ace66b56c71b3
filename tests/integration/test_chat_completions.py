"""OpenAI's client with a memory: its own requests and streams, a scripted transport, a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from openai import AsyncOpenAI, InternalServerError, OpenAI

from memstream import MemoryClient
from memstream.adapters import ChatCompletionsMemory, MemoryScope
from tests.support.adapted import QUESTION, SHRIMP, blocking_memory_of, memory_of, turns_of, unconnected
from tests.support.installations import Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")

MONDAY = MemoryScope("anna", "monday")


@pytest_asyncio.fixture(loop_scope="module")
async def client(shared_memstream: Installation, space: str) -> AsyncIterator[MemoryClient]:
    async with memory_of(shared_memstream, space) as client:
        yield client


class Endpoint:
    """What a model's endpoint is asked and answers, in the place of the network."""

    def __init__(self, *messages: str | dict[str, Any] | None) -> None:
        self._messages = iter(messages)
        self.asked: list[dict[str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        asked = json.loads(request.content)
        self.asked.append(asked)
        told = next(self._messages)
        if told is None:
            return httpx2.Response(500, json={"error": {"message": "down"}})
        message = told if isinstance(told, dict) else {"content": told}
        return self._streamed(message["content"]) if asked.get("stream") else self._whole(message)

    def _whole(self, message: dict[str, Any]) -> httpx2.Response:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
        return httpx2.Response(
            200, json={"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        )

    def _streamed(self, words: str) -> httpx2.Response:
        chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        deltas = [[{"index": 0, "delta": {"content": letter}, "finish_reason": None}] for letter in words]
        lines = [json.dumps(chunk | {"choices": choices}) for choices in (*deltas, [])]
        text = "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]"))
        return httpx2.Response(200, text=text, headers={"content-type": "text/event-stream"})

    def awaited(self) -> AsyncOpenAI:
        http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        return AsyncOpenAI(api_key="none", base_url="http://localhost", http_client=http_client, max_retries=0)

    def blocking(self) -> OpenAI:
        http_client = httpx2.Client(transport=httpx2.MockTransport(self))
        return OpenAI(api_key="none", base_url="http://localhost", http_client=http_client, max_retries=0)


def user(words: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "You sell food."}, {"role": "user", "content": words}]


def remembering(client: MemoryClient, endpoint: Endpoint) -> Callable[..., Any]:
    create: Callable[..., Any] = ChatCompletionsMemory(client).client(endpoint.awaited()).chat.completions.create
    return create


async def test_what_was_said_in_one_session_is_in_the_prompt_of_the_next(client: MemoryClient) -> None:
    endpoint = Endpoint("Noted.", "Yes, leave it.")
    create = remembering(client, endpoint)
    await create(model="m", messages=user(SHRIMP), memory=MemoryScope("anna", "monday", speaker="Anna"))
    answer = await create(model="m", messages=user(QUESTION), user="anna", metadata={"session_id": "tuesday"})
    assert answer.choices[0].message.content == "Yes, leave it."
    own, block, question = endpoint.asked[-1]["messages"]
    assert (own["content"], block["role"], question["content"]) == ("You sell food.", "system", QUESTION)
    assert SHRIMP in block["content"]
    assert "memory" not in endpoint.asked[0]
    anna = client.for_user("anna")
    assert await turns_of(anna, "monday") == [("user", SHRIMP, "Anna"), ("assistant", "Noted.", None)]
    assert await turns_of(anna, "tuesday") == [("user", QUESTION, None), ("assistant", "Yes, leave it.", None)]


async def test_the_client_that_was_given_stays_as_it_was(client: MemoryClient) -> None:
    endpoint = Endpoint("Hello.")
    own = endpoint.awaited()
    assert isinstance(ChatCompletionsMemory(client).client(own), AsyncOpenAI)
    await own.chat.completions.create(model="m", messages=[{"role": "user", "content": SHRIMP}], user="anna")
    assert endpoint.asked[0]["messages"] == [{"role": "user", "content": SHRIMP}]


async def test_a_stream_is_handed_on_as_it_comes_and_recorded_when_it_ends(client: MemoryClient) -> None:
    stream = await remembering(client, Endpoint("Noted."))(model="m", messages=user(SHRIMP), stream=True, memory=MONDAY)
    assert stream.response.status_code == 200
    assert [chunk.choices[0].delta.content async for chunk in stream if chunk.choices] == list("Noted.")
    assert await turns_of(client.for_user("anna"), "monday") == [("user", SHRIMP, None), ("assistant", "Noted.", None)]


async def test_of_a_stream_that_is_left_what_came_of_it_is_recorded(client: MemoryClient) -> None:
    create = remembering(client, Endpoint("Noted."))
    async with await create(model="m", messages=user(SHRIMP), stream=True, memory=MONDAY) as stream:
        assert (await anext(stream)).choices[0].delta.content == "N"
    assert await turns_of(client.for_user("anna"), "monday") == [("user", SHRIMP, None), ("assistant", "N", None)]


async def test_the_steps_of_one_answer_record_what_was_said_once(client: MemoryClient) -> None:
    memory = ChatCompletionsMemory(client, tools=("remember_fact",))
    call = {"id": "1", "type": "function", "function": {"name": "remember_fact", "arguments": '{"text": "Anna lives in Oslo"}'}}
    endpoint = Endpoint({"content": None, "tool_calls": [call]}, "Done.")
    create: Callable[..., Any] = memory.client(endpoint.awaited()).chat.completions.create
    messages: list[Any] = user("Remember that I live in Oslo, please")
    asked = (await create(model="m", messages=messages, tools=memory.tools(), memory=MONDAY)).choices[0].message
    messages += [asked, await memory.call(MONDAY, asked.tool_calls[0])]
    assert json.loads(messages[-1]["content"])["outcome"] == "recorded"
    await create(model="m", messages=messages, tools=memory.tools(), memory=MONDAY)
    assert [tool["function"]["name"] for tool in endpoint.asked[0]["tools"]] == ["remember_fact"]
    said = [text for _, text, _ in await turns_of(client.for_user("anna"), "monday")]
    assert said == ["Remember that I live in Oslo, please", "Done."]


async def test_a_model_that_fails_fails_as_without_memory(client: MemoryClient) -> None:
    with pytest.raises(InternalServerError):
        await remembering(client, Endpoint(None))(model="m", messages=user(SHRIMP), memory=MONDAY)
    assert await turns_of(client.for_user("anna"), "monday") == [("user", SHRIMP, None)]


async def test_without_memory_or_a_person_the_bot_answers(
    client: MemoryClient, shared_memstream: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = Endpoint("Hello.", "Hello.")
    for create, scope in (
        (remembering(unconnected(shared_memstream), endpoint), MONDAY),
        (remembering(client, endpoint), None),
    ):
        answer = await create(model="m", messages=user(QUESTION), memory=scope)
        assert answer.choices[0].message.content == "Hello."
    assert [asked["messages"] for asked in endpoint.asked] == [user(QUESTION)] * 2
    assert sum(record.name == "memstream.adapters" for record in caplog.records) == 4


async def test_any_function_that_completes_a_chat_can_have_the_memory(client: MemoryClient) -> None:
    async def completion(model: str, **options: Any) -> Any:  # noqa: ANN401 - as LiteLLM's
        message = SimpleNamespace(content=f"{model}: {len(options['messages'])} messages")
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    create = ChatCompletionsMemory(client).wrap(completion)
    await create("m", messages=user(SHRIMP), memory=MONDAY)
    await create("m", messages=user(QUESTION), memory=MemoryScope("anna", "tuesday"))
    anna = client.for_user("anna")
    assert [text for _, text, _ in await turns_of(anna, "tuesday")] == [QUESTION, "m: 3 messages"]


async def test_a_client_without_await_has_the_memory_of_one_without_await(shared_memstream: Installation, space: str) -> None:
    endpoint = Endpoint("Noted.", "Yes.", "Leave it.")

    def run() -> list[str]:
        with blocking_memory_of(shared_memstream, space) as client:
            create: Callable[..., Any] = ChatCompletionsMemory(client).client(endpoint.blocking()).chat.completions.create
            create(model="m", messages=user(SHRIMP), memory=MONDAY)
            create(model="m", messages=user(QUESTION), memory=MemoryScope("anna", "tuesday"))
            with create(model="m", messages=user(QUESTION), memory=MemoryScope("anna", "tuesday"), stream=True) as stream:
                assert "".join(chunk.choices[0].delta.content for chunk in stream if chunk.choices) == "Leave it."
            receipt = client.for_user("anna").add("Bye", session_id="other")
            return [turn.text for turn in client.for_user("anna").list(session_id="tuesday", after=receipt).items]

    said = await asyncio.to_thread(run)
    assert SHRIMP in endpoint.asked[1]["messages"][1]["content"]
    assert said == ["Leave it.", QUESTION, "Yes.", QUESTION]
