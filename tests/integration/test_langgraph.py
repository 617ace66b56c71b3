"""LangGraph with a memory: its own graphs, nodes and checkpoints, a scripted model, a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from memstream import MemoryClient
from memstream.adapters import LangGraphMemory, MemoryScope
from tests.support.adapted import QUESTION, SHRIMP, blocking_memory_of, memory_of, turns_of, unconnected
from tests.support.installations import Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def client(shared_memstream: Installation, space: str) -> AsyncIterator[MemoryClient]:
    async with memory_of(shared_memstream, space) as client:
        yield client


class State(MessagesState):
    memory: str


@dataclass(frozen=True, slots=True)
class Caller:
    """A context of the bot's own."""

    user_id: str
    speaker: str


class Shop:
    """A graph: recall, the model with its tools, record."""

    def __init__(self, memory: LangGraphMemory, *answers: AIMessage | str) -> None:
        self.model = GenericFakeChatModel(messages=iter(answers))
        self.prompts: list[str] = []
        builder: StateGraph[State, Any] = StateGraph(State)
        builder.add_node("recall", memory.recall)
        builder.add_node("model", self._answer)
        builder.add_node("tools", ToolNode(memory.tools()))
        builder.add_node("record", memory.record)
        builder.add_edge(START, "recall").add_edge("recall", "model").add_edge("tools", "model").add_edge("record", END)
        builder.add_conditional_edges("model", tools_condition, {"tools": "tools", END: "record"})
        self.graph = builder.compile(checkpointer=InMemorySaver())

    def _answer(self, state: State) -> dict[str, Any]:
        self.prompts.append(state["memory"])
        return {"messages": self.model.invoke([SystemMessage(state["memory"]), *state["messages"]])}


def asked(words: str) -> Any:  # noqa: ANN401 - the graph's input
    return {"messages": [HumanMessage(words)]}


def thread(name: str, **more: str) -> Any:  # noqa: ANN401 - the graph's config
    return {"configurable": {"thread_id": name, **more}}


async def test_what_was_said_in_one_thread_is_in_the_prompt_of_the_next(client: MemoryClient) -> None:
    shop = Shop(LangGraphMemory(client), "Noted.", "Yes, leave it.", "You are welcome.")
    await shop.graph.ainvoke(asked(SHRIMP), thread("monday"), context=Caller("anna", "Anna"))
    await shop.graph.ainvoke(asked(QUESTION), thread("tuesday", user_id="anna"))
    await shop.graph.ainvoke(asked("Thanks!"), thread("thread-2"), context=MemoryScope("anna", "tuesday"))
    assert shop.prompts[0] == ""
    assert SHRIMP in shop.prompts[1]
    anna = client.for_user("anna")
    assert await turns_of(anna, "monday") == [("user", SHRIMP, "Anna"), ("assistant", "Noted.", None)]
    assert [text for _, text, _ in await turns_of(anna, "tuesday")] == [
        *(QUESTION, "Yes, leave it."),
        *("Thanks!", "You are welcome."),
    ]


async def test_a_function_of_the_bots_own_tells_who_speaks(client: MemoryClient) -> None:
    @dataclass
    class Ticket:
        customer: str
        number: int

    def scope_of(ticket: Ticket) -> MemoryScope:
        return MemoryScope(ticket.customer, f"ticket {ticket.number}")

    shop = Shop(LangGraphMemory(client, scope_of=scope_of), "Noted.")
    await shop.graph.ainvoke(asked(SHRIMP), thread("monday"), context=Ticket("anna", 7))
    assert len(await turns_of(client.for_user("anna"), "ticket 7")) == 2


async def test_a_graph_that_is_run_again_from_a_checkpoint_records_nothing_twice(client: MemoryClient) -> None:
    shop = Shop(LangGraphMemory(client), "Noted.", "Noted, again.")
    config = thread("monday", user_id="anna")
    await shop.graph.ainvoke(asked(SHRIMP), config)
    before = [state async for state in shop.graph.aget_state_history(config) if state.next == ("recall",)]
    again = before[0].config["configurable"] | config["configurable"]
    await shop.graph.ainvoke(None, {"configurable": again})
    said = await turns_of(client.for_user("anna"), "monday")
    assert said == [("user", SHRIMP, None), ("assistant", "Noted.", None), ("assistant", "Noted, again.", None)]


async def test_a_stream_is_recorded_as_well(client: MemoryClient) -> None:
    shop = Shop(LangGraphMemory(client), "Noted well.")
    config = thread("monday", user_id="anna")
    assert len([part async for part in shop.graph.astream(asked(SHRIMP), config, stream_mode="messages")]) > 1
    assert await turns_of(client.for_user("anna"), "monday") == [("user", SHRIMP, None), ("assistant", "Noted well.", None)]


async def test_a_model_uses_tools_for_nobody_but_the_person_of_the_run(client: MemoryClient) -> None:
    def calling(name: str, **arguments: Any) -> AIMessage:  # noqa: ANN401 - of any tool
        return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"{name}-{len(arguments)}"}])

    shop = Shop(
        LangGraphMemory(client),
        calling("remember_fact", text="Anna lives in Oslo"),
        calling("search_memory", query="Oslo", user="bob"),
        calling("forget", query="Oslo"),
        "Done.",
    )
    result = await shop.graph.ainvoke(asked("Remember it"), thread("monday"), context=Caller("anna", "Anna"))
    outputs = [json.loads(message.text) for message in result["messages"] if isinstance(message, ToolMessage)]
    remembered, refused, forgotten = outputs
    assert remembered["outcome"] == "recorded"
    assert refused["error"]["code"] == "malformed"
    assert forgotten["outcome"] == "recorded"
    assert (await client.for_user("anna").forgetting(forgotten["receipt"])).memories == 1
    said = await turns_of(client.for_user("anna"), "monday")
    assert [text for _, text, _ in said] == ["Remember it", "Done."]


async def test_without_memory_or_a_person_the_bot_answers(
    client: MemoryClient, shared_memstream: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    down = Shop(LangGraphMemory(unconnected(shared_memstream)), "Hello.")
    result = await down.graph.ainvoke(asked(QUESTION), thread("monday", user_id="anna"))
    assert result["messages"][-1].content == "Hello."
    nobody = Shop(LangGraphMemory(client), "Hello.")
    result = await nobody.graph.ainvoke(asked(QUESTION), thread("monday"))
    assert result["messages"][-1].content == "Hello."
    told = [record.getMessage() for record in caplog.records if record.name == "memstream.adapters"]
    assert len(told) == 4
    assert "has no user_id or user" in told[-1]


async def test_a_graph_without_await_works_with_a_client_without_await(shared_memstream: Installation, space: str) -> None:
    def run() -> list[str]:
        with blocking_memory_of(shared_memstream, space) as client:
            shop = Shop(LangGraphMemory(client), "Noted.", "Yes.")
            for name, words in (("monday", SHRIMP), ("tuesday", QUESTION)):
                shop.graph.invoke(asked(words), thread(name, user_id="anna"))
            return shop.prompts

    assert SHRIMP in (await asyncio.to_thread(run))[-1]
