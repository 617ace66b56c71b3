"""LangChain with a memory: its own chains and histories, a scripted model, a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory

from memstream import MemoryClient
from memstream.adapters import LangChainMemory, MemoryScope
from tests.support.adapted import QUESTION, SHRIMP, blocking_memory_of, memory_of, turns_of, unconnected
from tests.support.installations import Installation, until

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated"),  # langchain-core 1.7, gone in 2.0
]


@pytest_asyncio.fixture(loop_scope="module")
async def client(shared_memstream: Installation, space: str) -> AsyncIterator[MemoryClient]:
    async with memory_of(shared_memstream, space) as client:
        yield client


class Shop:
    """A chain with history and memory, and what its model was given."""

    def __init__(self, memory: LangChainMemory, *answers: str) -> None:
        self.given: list[list[Any]] = []
        template = ChatPromptTemplate(
            [("system", "You sell food.\n\n{memory}"), ("placeholder", "{history}"), ("human", "{input}")]
        )
        model = GenericFakeChatModel(messages=iter(answers))
        self.chain = RunnableWithMessageHistory(
            RunnablePassthrough.assign(memory=memory.context) | template | self._noted | model,
            lambda user_id, session_id, speaker: memory.history_of(MemoryScope(user_id, session_id, speaker=speaker)),
            input_messages_key="input",
            history_messages_key="history",
            history_factory_config=memory.history_config("speaker"),
        )

    def _noted(self, prompt: Any) -> Any:  # noqa: ANN401 - a prompt value
        self.given.append(prompt.to_messages())
        return prompt


def of(user_id: str, session_id: str) -> Any:  # noqa: ANN401 - a config
    return {"configurable": {"user_id": user_id, "session_id": session_id, "speaker": user_id.title()}}


async def test_a_chain_has_the_turns_of_its_session_and_what_matters_of_others(client: MemoryClient) -> None:
    shop = Shop(LangChainMemory(client), "Noted.", "What?", "Yes, leave it.")
    await shop.chain.ainvoke({"input": SHRIMP}, of("anna", "monday"))
    await shop.chain.ainvoke({"input": "Hello"}, of("anna", "tuesday"))
    answer = await shop.chain.ainvoke({"input": QUESTION}, of("anna", "tuesday"))
    assert answer.content == "Yes, leave it."
    system, *talk = shop.given[-1]
    assert SHRIMP in system.content
    assert [(message.type, message.content) for message in talk] == [("human", "Hello"), ("ai", "What?"), ("human", QUESTION)]
    said = await turns_of(client.for_user("anna"), "monday")
    assert said == [("user", SHRIMP, "Anna"), ("assistant", "Noted.", None)]


async def test_a_history_keeps_what_person_and_bot_said_and_forgets_when_it_is_cleared(client: MemoryClient) -> None:
    history = LangChainMemory(client).history("anna", "monday")
    await history.aadd_messages([SystemMessage("Be kind."), HumanMessage(SHRIMP, id="m1"), AIMessage(""), AIMessage("Noted.")])
    await history.aadd_messages([HumanMessage(SHRIMP, id="m1")])
    read = await history.aget_messages()
    assert [(message.type, message.content) for message in read] == [("human", SHRIMP), ("ai", "Noted.")]
    assert read[0].id == "m1"
    await history.aclear()
    assert await history.aget_messages() == []
    assert await turns_of(client.for_user("anna"), "monday") == []


async def test_a_history_is_read_to_its_limit_over_pages(client: MemoryClient) -> None:
    memory = LangChainMemory(client, timeout_s=60)
    turns = [HumanMessage(f"Turn number {number}") for number in range(230)]
    await memory.history("anna", "monday").aadd_messages(turns)
    read = await memory.history_of(MemoryScope("anna", "monday"), most=220).aget_messages()
    assert [message.content for message in read] == [turn.content for turn in turns[10:]]


async def test_a_tool_works_for_the_person_of_the_config(client: MemoryClient) -> None:
    tools = {tool.name: tool for tool in LangChainMemory(client, tools=("remember_fact", "search_memory")).tools()}
    assert set(tools) == {"remember_fact", "search_memory"}
    await tools["remember_fact"].ainvoke({"text": "Anna lives in Oslo"}, of("anna", "monday"))
    ours: dict[str, Any] = {}

    async def is_found() -> bool:
        ours.update(json.loads(await tools["search_memory"].ainvoke({"query": "Oslo"}, of("anna", "monday"))))
        return bool(ours["memories"])

    await until(is_found, what="it is remembered")
    theirs = json.loads(await tools["search_memory"].ainvoke({"query": "Oslo", "user_id": "anna"}, of("bob", "monday")))
    assert [each["text"] for each in ours["memories"]] == ["Anna lives in Oslo"]
    assert theirs["error"]["code"] == "malformed"


async def test_without_memory_the_bot_answers(shared_memstream: Installation, caplog: pytest.LogCaptureFixture) -> None:
    shop = Shop(LangChainMemory(unconnected(shared_memstream)), "Hello.")
    assert (await shop.chain.ainvoke({"input": QUESTION}, of("anna", "monday"))).content == "Hello."
    told = [record.getMessage().split(":")[1] for record in caplog.records if record.name == "memstream.adapters"]
    assert told == [" could not read the session", " could not recall", " could not record turns"]


async def test_a_chain_without_await_works_with_a_client_without_await(shared_memstream: Installation, space: str) -> None:
    def run() -> list[Any]:
        with blocking_memory_of(shared_memstream, space) as client:
            shop = Shop(LangChainMemory(client), "Noted.", "Yes.")
            for session, words in (("monday", SHRIMP), ("tuesday", QUESTION)):
                shop.chain.invoke({"input": words}, of("anna", session))
            return shop.given[-1]

    system, *_ = await asyncio.to_thread(run)
    assert SHRIMP in system.content
