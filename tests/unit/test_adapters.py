"""What all adapters stand on: who a run is about, what was said, steps that never break a run, imports that wait."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import memstream.adapters as package
from memstream import MemoryClient, MemstreamError
from memstream.adapters.agent_memory import AgentMemory
from memstream.adapters.scope import MemoryScope, scope_of
from memstream.adapters.spoken import last_words, new_words
from memstream.adapters.steps import MemoryStep, as_text, calling, hearing
from memstream.tools import TOOLS
from shared.contracts.errors import Misconfigured, Unavailable

FRAMEWORKS = {"agents", "langchain_core", "langgraph", "openai", "pydantic_ai"}
MOST_LINES_OF_AN_ADAPTER = 100
SCOPE = MemoryScope("anna", "monday")


def unread(modules: str, framework: str) -> str:
    """What importing says where a framework is not installed."""
    code = f"import sys; sys.modules[{framework!r}] = None; from memstream.adapters import {modules}"
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True).stderr.splitlines()[-1]


def test_no_framework_is_imported_before_its_adapter_is() -> None:
    code = "import json, sys; from memstream.adapters import MemoryScope; print(json.dumps(list(sys.modules)))"
    modules = json.loads(subprocess.check_output([sys.executable, "-c", code]))
    assert FRAMEWORKS.isdisjoint(modules)
    assert "memstream.client" not in modules


@pytest.mark.parametrize(
    ("adapter", "framework", "extra"),
    [
        ("OpenAIAgentsMemory", "agents", "openai-agents"),
        ("LangGraphMemory", "langgraph", "langgraph"),
        ("LangChainMemory", "langchain_core", "langchain"),
        ("PydanticAIMemory", "pydantic_ai", "pydantic-ai"),
    ],
)
def test_an_adapter_without_its_framework_names_the_extra(adapter: str, framework: str, extra: str) -> None:
    words = f"ImportError: memstream[{extra}] is needed for this adapter: pip install 'memstream[{extra}]'"
    assert unread(adapter, framework) == words


def test_every_adapter_that_is_promised_is_there() -> None:
    assert all(getattr(package, name) for name in package.__all__)
    with pytest.raises(AttributeError):
        _ = package.NoSuchMemory


def test_an_adapter_has_at_most_100_lines() -> None:
    folder = Path(str(package.__file__)).parent
    lines = {file.name: len(file.read_text("utf-8").splitlines()) for file in folder.glob("*.py") if file.stem != "steps"}
    assert {name: count for name, count in lines.items() if count > MOST_LINES_OF_AN_ADAPTER} == {}


@dataclass
class Chat:
    user: int
    conversation_id: str
    speaker: str = ""


@pytest.mark.parametrize(
    ("context", "scope"),
    [
        (SCOPE, SCOPE),
        ({"user_id": "anna", "session_id": "monday"}, SCOPE),
        ({"user": "anna", "thread_id": "monday", "space": "theirs"}, SCOPE),
        (Chat(7, "c1"), MemoryScope("7", "c1")),
        (Chat(7, "c1", "Anna"), MemoryScope("7", "c1", speaker="Anna")),
        ({"user_id": "anna", "session_id": "monday", "message_id": 9}, MemoryScope("anna", "monday", message_id="9")),
    ],
)
def test_a_run_context_tells_who_speaks_in_which_session_but_no_space(context: object, scope: MemoryScope) -> None:
    assert scope_of(context) == scope


@pytest.mark.parametrize(
    ("context", "missing"),
    [
        (None, "user_id"),
        ({"user_id": "", "session_id": "s1"}, "user_id"),
        ({"user_id": "anna"}, "session_id"),
        ({"user_id": object(), "session_id": "s1"}, "user_id"),
    ],
)
def test_a_run_context_that_tells_too_little_is_refused(context: object, missing: str) -> None:
    with pytest.raises(Misconfigured, match=missing):
        scope_of(context)


ASKED = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": [{"type": "input_text", "text": "I eat"}, {"type": "image_url", "image_url": {}}]},
    SimpleNamespace(type="human", content="no shrimp"),
]


def test_new_words_are_those_of_the_person_since_the_bot_spoke() -> None:
    assert new_words(ASKED) == "I eat\nno shrimp"
    assert new_words([*ASKED, {"role": "tool", "content": "{}"}]) == ""
    assert new_words([]) == ""


def test_the_last_words_are_the_persons_whoever_spoke_after_them() -> None:
    assert last_words([*ASKED, {"role": "assistant", "content": None}, {"role": "tool", "content": "{}"}]) == "no shrimp"
    assert last_words(ASKED[1:2]) == ""


def test_an_answer_that_is_no_text_is_told_as_json() -> None:
    assert as_text("Hello") == "Hello"
    assert as_text({"ok": True}) == '{"ok":true}'


def memory(**options: Any) -> AgentMemory:  # noqa: ANN401 - AgentMemory's own
    """A memory whose client was never connected: what fails here fails in the step, or for want of a connection."""
    return AgentMemory(MemoryClient(url="nats://127.0.0.1:1", password="none"), **options)


def thinking(work: Callable[[], Coroutine[Any, Any, str]]) -> MemoryStep[str]:
    return MemoryStep("think", lambda _memories, _scope: work(), "nothing")


async def broken() -> str:
    raise ValueError("I am allergic to shrimp")


async def refused() -> str:
    raise Unavailable


async def endless() -> str:
    await asyncio.sleep(3600)
    return "too late"


@pytest.mark.parametrize(
    ("work", "reason"),
    [(broken, "ValueError"), (refused, str(Unavailable())), (endless, "TimeoutError")],
)
async def test_what_fails_is_logged_without_what_was_said_and_the_run_goes_on(
    work: Callable[[], Coroutine[Any, Any, str]], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert await memory(timeout_s=0.05).attempt(SCOPE, thinking(work)) == "nothing"
    assert [(each.name, each.levelno, each.getMessage()) for each in caplog.records] == [
        ("memstream.adapters", logging.WARNING, f"memory.skipped: could not think: {reason}")
    ]


@pytest.mark.parametrize(("work", "error"), [(broken, ValueError), (refused, Unavailable), (endless, TimeoutError)])
async def test_what_fails_is_raised_where_that_is_wanted(
    work: Callable[[], Coroutine[Any, Any, str]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        await memory(timeout_s=0.05, on_error="raise").attempt(SCOPE, thinking(work))


async def test_a_run_that_is_cancelled_is_not_taken_for_a_memory_that_failed() -> None:
    running = asyncio.create_task(memory().attempt(SCOPE, thinking(endless)))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_run_without_a_person_goes_on_without_memory(caplog: pytest.LogCaptureFixture) -> None:
    assert await memory().attempt({"session_id": "s1"}, hearing("Hello")) == ""
    assert "no user_id or user" in caplog.text


async def test_a_tool_that_cannot_be_run_tells_the_model_to_go_on() -> None:
    result = await memory().attempt(SCOPE, calling("memory_stats", {}))
    assert result["error"]["code"] in {"unavailable", "not_connected"}


def test_a_client_with_await_does_nothing_without_it_and_says_so() -> None:
    with pytest.raises(MemstreamError, match="SyncMemoryClient"):
        memory(on_error="raise").attempt_now(SCOPE, hearing("Hello"))


def test_the_model_gets_the_tools_that_were_chosen_in_their_usual_order() -> None:
    assert [each["name"] for each in memory().definitions] == list(TOOLS)
    chosen = memory(tools=("forget", "search_memory")).definitions
    assert [each["name"] for each in chosen] == ["search_memory", "forget"]


def test_a_tool_that_there_is_not_is_refused_at_once() -> None:
    with pytest.raises(Misconfigured, match="serch_memory"):
        memory(tools=("serch_memory",))
