"""`memstream mcp`, as clients of the Model Context Protocol see it: by the SDK's own client, over both transports."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent, TextResourceContents

from memstream.mcp.http import _MOST_SESSIONS
from memstream.mcp.server import INSTRUCTIONS
from memstream.tools import TOOLS
from tests.support.installations import PATIENCE_S, Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")

TRANSPORTS = pytest.mark.parametrize("transport", ["stdio", "http"])
TOKEN = "a token that nobody guesses"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def environment(installation: Installation, **more: str) -> dict[str, str]:
    return {**os.environ, "MEMSTREAM_NATS_URL": installation.settings.nats_url or "", **more}


def arguments(installation: Installation, *options: str) -> list[str]:
    return ["-m", "memstream", "mcp", "--data-dir", str(installation.settings.data_dir), *options]


@asynccontextmanager
async def http_server(
    installation: Installation, *options: str, **more: str
) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """A server over HTTP: its address and its process, which is told to stop at the end."""
    call = arguments(installation, "--transport", "http", "--port", "0", *options)
    process = await asyncio.create_subprocess_exec(sys.executable, *call, env=environment(installation, **more), stderr=-1)
    assert process.stderr
    try:
        announced = (await asyncio.wait_for(process.stderr.readline(), PATIENCE_S)).decode()
        found = re.search(r"http://\S+", announced)
        assert found, announced
        yield found[0], process
    finally:
        if process.returncode is None:
            process.terminate()
        await asyncio.wait_for(process.wait(), PATIENCE_S)


@asynccontextmanager
async def connected(transport: str, installation: Installation, *options: str) -> AsyncIterator[Client]:
    """A client of a server of its own."""
    if transport == "stdio":
        call = arguments(installation, *options)
        async with Client(
            StdioServerParameters(command=sys.executable, args=call, env=environment(installation)),
            read_timeout_seconds=PATIENCE_S,
        ) as client:
            yield client
    else:
        async with http_server(installation, *options) as (url, _), Client(url, read_timeout_seconds=PATIENCE_S) as client:
            yield client


async def told(client: Client, tool: str, **given: object) -> dict[str, Any]:
    """What a tool tells that does what it is asked."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    assert _json(result) == result.structured_content
    return _json(result)


async def refused(client: Client, tool: str, **given: object) -> dict[str, str]:
    """The error of a tool that does not."""
    result = await client.call_tool(tool, given)
    assert result.is_error, result.content
    error: dict[str, str] = _json(result)["error"]
    return error


def _json(result: CallToolResult) -> dict[str, Any]:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return dict(json.loads(content.text))


async def read(client: Client, uri: str) -> str:
    (contents,) = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


@TRANSPORTS
async def test_a_model_remembers_finds_explains_and_forgets(shared_memstream: Installation, space: str, transport: str) -> None:
    async with connected(transport, shared_memstream, "--space", space, "--user", "anna") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        kept = (await told(client, "remember_fact", text="Anna is allergic to shrimp.", tags=["food"]))["memory_id"]
        (found,) = (await told(client, "search_memory", query="shrimp"))["memories"]
        assert (found["memory_id"], found["text"]) == (kept, "Anna is allergic to shrimp.")
        assert [memory["memory_id"] for memory in (await told(client, "list_memories"))["memories"]] == [kept]
        context = await told(client, "get_context", query="Is there shrimp in it?")
        assert "Anna is allergic to shrimp." in context["context"]
        assert kept in context["memory_ids"].values()
        assert [each["memory_id"] for each in (await told(client, "explain", query="shrimp"))["given"]] == [kept]
        (would_go,) = (await told(client, "forget", memory_ids=[kept], dry_run=True))["would_forget"]
        assert would_go["text"] == "Anna is allergic to shrimp."
        assert (await told(client, "search_memory", query="shrimp"))["memories"]
        assert (await told(client, "forget", memory_ids=[kept]))["receipt"]
        assert (await told(client, "search_memory", query="shrimp"))["memories"] == []


@TRANSPORTS
async def test_a_client_reads_the_summary_and_a_memory_and_fills_the_prompt(
    shared_memstream: Installation, space: str, transport: str
) -> None:
    async with connected(transport, shared_memstream, "--space", space) as client:
        (summary,) = (await client.list_resources()).resources
        assert await read(client, summary.uri) == "Nothing is known of this person yet.\n"
        kept = (await told(client, "remember_fact", text="I live in Oslo."))["memory_id"]
        assert "live in Oslo" in await read(client, summary.uri)
        (template,) = (await client.list_resource_templates()).resource_templates
        memory = json.loads(await read(client, template.uri_template.replace("{memory_id}", kept)))
        assert (memory["memory_id"], memory["manually_saved"]) == (kept, True)
        (prompt,) = (await client.list_prompts()).prompts
        (message,) = (await client.get_prompt(prompt.name, {"question": "Where do I live?"})).messages
        assert isinstance(message.content, TextContent)
        assert "live in Oslo" in message.content.text
        assert message.content.text.endswith("\n\nWhere do I live?")


async def test_what_cannot_be_read_says_what_to_do(shared_memstream: Installation, space: str) -> None:
    async with connected("stdio", shared_memstream, "--space", space) as client:
        with pytest.raises(MCPError, match="Nothing with this id is known"):
            await client.read_resource("memstream://memory/fact_0123456789")
        with pytest.raises(MCPError, match="there are memstream://summary and memstream://memory/<memory_id>"):
            await client.read_resource("memstream://everybody")
        with pytest.raises(MCPError, match="there is one prompt, recall, and it takes a question"):
            await client.get_prompt("recall", {})
        assert (await refused(client, "confirm_fact", memory_id="fact_0"))["code"] == "unknown_memory"
        assert "query: Field required" in (await refused(client, "search_memory"))["message"]
        assert "remember_fact" in (await refused(client, "write_sql"))["message"]


async def test_a_question_without_memories_stands_alone_in_the_prompt(shared_memstream: Installation, space: str) -> None:
    async with connected("stdio", shared_memstream, "--space", space) as client:
        (message,) = (await client.get_prompt("recall", {"question": "Do I like tea?"})).messages
        assert isinstance(message.content, TextContent)
        assert message.content.text == "(Nothing is remembered that has to do with this.)\n\nDo I like tea?"


@TRANSPORTS
async def test_no_call_reaches_another_person_space_or_session(
    shared_memstream: Installation, space: str, transport: str
) -> None:
    anna = ("--space", space, "--user", "anna")
    async with connected(transport, shared_memstream, *anna) as hers:
        kept = (await told(hers, "remember_fact", text="Anna's code word is Rhubarb."))["memory_id"]
    for other in (("--space", space, "--user", "bert"), ("--space", f"{space}-b", "--user", "anna")):
        async with connected(transport, shared_memstream, *other) as client:
            for forged in ({"user": "anna"}, {"user_id": "anna"}, {"space": space}, {"scope": space}, {"session_id": "s1"}):
                for tool in TOOLS:
                    error = await refused(client, tool, query="Rhubarb", **forged)
                    assert (error["code"], next(iter(forged)) in error["message"]) == ("malformed", True)
            assert (await told(client, "search_memory", query="Rhubarb"))["memories"] == []
            assert (await told(client, "list_memories"))["memories"] == []
            assert (await refused(client, "forget", memory_ids=[kept]))["code"] == "unknown_memory"
            with pytest.raises(MCPError):
                await client.read_resource(f"memstream://memory/{kept}")
            assert "Rhubarb" not in await read(client, "memstream://summary")
            assert (await refused(client, "episodes", session_id="s1"))["code"] == "unknown_type"
            assert (await refused(client, "get_episodes_for_consolidation", session_id="s1"))["code"] == "unknown_type"


def _properties(schema: object) -> set[str]:
    if isinstance(schema, Mapping):
        named = set(schema.get("properties", ()))
        return named.union(*map(_properties, schema.values()))
    return set().union(*map(_properties, schema)) if isinstance(schema, Sequence) and not isinstance(schema, str) else set()


async def test_no_tool_has_an_argument_that_says_whose_memories() -> None:
    schemas = [tool.parameters for tool in TOOLS.values()]
    assert "memory_id" in _properties(schemas)
    assert _properties(schemas).isdisjoint({"space", "user", "user_id", "session", "session_id", "scope", "bot", "speaker"})


async def test_the_instructions_name_tools_that_exist() -> None:
    assert set(re.findall(r"\b(?:\w+_\w+|forget)\b", INSTRUCTIONS)) - {"dry_run"} <= set(TOOLS)


async def test_what_was_kept_in_the_session_that_is_served_is_left_out_of_its_context(
    shared_memstream: Installation, space: str
) -> None:
    async with connected("stdio", shared_memstream, "--space", space, "--session", "today") as client:
        await told(client, "remember_fact", text="Anna drinks mate.")
        assert "mate" not in (await told(client, "get_context", query="What does Anna drink?"))["context"]
    async with connected("stdio", shared_memstream, "--space", space, "--session", "tomorrow") as client:
        assert "mate" in (await told(client, "get_context", query="What does Anna drink?"))["context"]


async def test_a_server_that_only_reads_offers_nothing_else(shared_memstream: Installation, space: str) -> None:
    async with connected("stdio", shared_memstream, "--space", space, "--read-only") as client:
        offered = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(TOOLS) - set(offered) == {
            *("remember_fact", "correct_fact", "confirm_fact", "pin_memory", "unpin_memory", "record_feedback"),
            "forget",
        }
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in offered.values())
        assert (await refused(client, "remember_fact", text="Anna likes tea"))["code"] == "unknown_type"
    async with connected("stdio", shared_memstream, "--space", space) as client:
        offered = {tool.name: tool for tool in (await client.list_tools()).tools}
        destroys = [name for name, tool in offered.items() if tool.annotations and tool.annotations.destructive_hint]
        assert destroys == ["forget"]


async def test_standard_output_carries_the_protocol_and_nothing_else(shared_memstream: Installation, tmp_path: Path) -> None:
    called = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_stats", "arguments": {}}}
    lines = [json.dumps(HELLO), '{"jsonrpc":"2.0","method":"notifications/initialized"}', json.dumps(called), "no JSON"]
    for folder in (shared_memstream.settings.data_dir, tmp_path / "nothing"):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "memstream", "--verbose", "mcp", "--data-dir", str(folder)),
            env=os.environ | {"MEMSTREAM_LOG_LEVEL": "debug", "PYTHONWARNINGS": "default"},
            stdin=-1,
            stdout=-1,
            stderr=-1,
        )
        assert process.stdin
        assert process.stdout
        process.stdin.write("\n".join([*lines, ""]).encode())
        answers = [json.loads(await asyncio.wait_for(process.stdout.readline(), PATIENCE_S)) for _ in range(2)]
        assert [answer["jsonrpc"] for answer in answers] == ["2.0", "2.0"]
        assert {answer["id"] for answer in answers} == {1, 2}
        process.stdin.close()
        assert await asyncio.wait_for(process.stdout.read(), PATIENCE_S) == b""
        assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0


async def test_a_tool_says_what_to_do_while_memstream_does_not_run(tmp_path: Path) -> None:
    call = ["-m", "memstream", "mcp", "--data-dir", str(tmp_path / "nothing")]
    async with Client(StdioServerParameters(command=sys.executable, args=call), read_timeout_seconds=PATIENCE_S) as client:
        assert (await client.list_tools()).tools
        assert "run `memstream up`" in (await refused(client, "memory_stats"))["message"]
        with pytest.raises(MCPError, match="run `memstream up`"):
            await client.read_resource("memstream://summary")
        with pytest.raises(MCPError, match="run `memstream up`"):
            await client.get_prompt("recall", {"question": "tea?"})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
async def test_a_server_that_is_told_to_stop_ends_at_once(shared_memstream: Installation, number: signal.Signals) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments(shared_memstream), env=environment(shared_memstream), stdin=-1, stdout=-1, stderr=-1
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(HELLO).encode() + b"\n")
    assert await asyncio.wait_for(process.stdout.readline(), PATIENCE_S)
    process.send_signal(number)
    assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0
    async with http_server(shared_memstream) as (url, served), Client(url) as client:
        assert (await client.list_tools()).tools
        served.send_signal(number)
        assert await asyncio.wait_for(served.wait(), PATIENCE_S) == 0


async def posted(url: str, **headers: str) -> int:
    """The status of a first request with these headers."""
    usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient() as client:
        return (await client.post(url, headers=usual | headers, content=json.dumps(HELLO))).status_code


async def test_of_more_sessions_than_are_kept_the_one_that_was_asked_longest_ago_ends(shared_memstream: Installation) -> None:
    usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    async with http_server(shared_memstream) as (url, _), httpx2.AsyncClient(headers=usual, timeout=PATIENCE_S) as client:

        async def begun() -> str:
            answer = await client.post(url, content=json.dumps(HELLO))
            assert answer.status_code == 200
            return str(answer.headers["mcp-session-id"])

        async def asked(session: str) -> int:
            headers = {"mcp-session-id": session}
            ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
            return int((await client.post(url, headers=headers, content=json.dumps(ping))).status_code)

        first, second = await begun(), await begun()
        for _ in range(_MOST_SESSIONS - 2):
            await begun()
        assert await asked(first) == 200
        last = await begun()
        assert [await asked(session) for session in (second, first, last)] == [404, 200, 200]


async def test_a_web_page_cannot_ask(shared_memstream: Installation) -> None:
    async with http_server(shared_memstream) as (url, _):
        assert await posted(url) == 200
        assert await posted(url, origin="https://evil.example") == 403
        assert await posted(url, origin="http://localhost:3000") == 403
        assert await posted(url, host="evil.example") == 421  # a name that was made to lead to the loopback
        assert await posted(url, **{"content-type": "text/plain"}) == 400  # what a page may send without asking before
    allowed = ("--allow-origin", "http://localhost:3000", "--allow-host", "memory.lan:*")
    async with http_server(shared_memstream, *allowed) as (url, _):
        assert await posted(url, origin="http://localhost:3000", host="memory.lan:8643") == 200
        assert await posted(url, origin="http://localhost:3001") == 403


async def test_who_does_not_know_the_token_cannot_ask(shared_memstream: Installation, space: str) -> None:
    async with http_server(shared_memstream, "--space", space, MEMSTREAM_MCP_TOKEN=TOKEN) as (url, _):
        assert [
            await posted(url),
            await posted(url, authorization="Bearer guessed"),
            await posted(url, authorization="Basic x"),
        ] == [401] * 3
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=headers) as http, Client(streamable_http_client(url, http_client=http)) as client:
            assert await told(client, "memory_stats")


@pytest.mark.parametrize(
    ("options", "token", "words"),
    [
        (("--transport", "pigeon"), "", "there is no transport pigeon; choose one of stdio, http"),
        (("--transport", "http", "--host", "0.0.0.0"), "", "set MEMSTREAM_MCP_TOKEN, or use 127.0.0.1"),
        (("--transport", "http"), "short", "at least 16 characters"),
        (("--transport", "http", "--host", "192.0.2.1"), TOKEN, "choose another port"),
    ],
)
async def test_what_would_not_be_safe_or_cannot_be_is_refused_in_one_line(
    tmp_path: Path, options: tuple[str, ...], token: str, words: str
) -> None:
    call = ["-m", "memstream", "mcp", "--data-dir", str(tmp_path), *options]
    told_by = os.environ | ({"MEMSTREAM_MCP_TOKEN": token} if token else {})
    process = await asyncio.create_subprocess_exec(sys.executable, *call, env=told_by, stdin=-3, stdout=-1, stderr=-1)
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert (process.returncode, out) != (0, b"")
    assert words in err.decode()
    assert err.decode().count("\n") == 1
