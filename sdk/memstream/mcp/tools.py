"""The tools of `memstream.tools`, as the protocol has them."""

from typing import Any

from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ToolOfProtocol
from pydantic_core import to_json

from memstream._contracts import Asked, ForgetTarget, MemstreamError, Unavailable, UnknownType
from memstream.client.memories import Memories
from memstream.mcp.context import RequestContext
from memstream.mcp.lasting import LastingClient
from memstream.tools import TOOLS, Tool


class MemoryTools:
    """Lists the tools for one person's memories, and calls them."""

    def __init__(self, client: LastingClient, *, session_id: str | None, is_read_only: bool) -> None:
        self._client = client
        self._session_id = session_id
        self._tools = {name: tool for name, tool in TOOLS.items() if _only_reads(tool) or not is_read_only}

    async def list(self, _: RequestContext, __: PaginatedRequestParams | None) -> ListToolsResult:
        """The tools that are offered, which never change while the server runs."""
        return ListToolsResult(tools=[_described(tool) for tool in self._tools.values()])

    async def call(self, _: RequestContext, asked: CallToolRequestParams) -> CallToolResult:
        """The result of a tool. What cannot be done is an error of the tool, which says what to do: a model can read it."""
        try:
            return _result(await self._called(asked.name, asked.arguments or {}))
        except MemstreamError as error:
            return _result({"error": {"code": error.code, "message": error.message}})

    async def _called(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name not in self._tools:  # those of an agent that learns, which take any session, are not offered here
            raise UnknownType(f"no tool has this name; there are {', '.join(self._tools)}")

        async def call(memories: Memories) -> dict[str, Any]:
            result = await memories.call(name, arguments, session_id=self._session_id)
            if result.get("error", {}).get("code") == Unavailable.code:
                raise Unavailable(result["error"]["message"])
            return result

        return await self._client.ask(call)


def _described(tool: Tool) -> ToolOfProtocol:
    reads = _only_reads(tool)
    hints = ToolAnnotations(
        read_only_hint=reads, destructive_hint=not reads and issubclass(tool.contract, ForgetTarget), open_world_hint=False
    )
    return ToolOfProtocol(name=tool.name, description=tool.description, input_schema=tool.parameters, annotations=hints)


def _only_reads(tool: Tool) -> bool:
    return issubclass(tool.contract, Asked)


def _result(told: dict[str, Any]) -> CallToolResult:
    """What a tool told, as data and as the JSON of it for clients that read no data."""
    text = TextContent(type="text", text=to_json(told).decode())
    return CallToolResult(content=[text], structured_content=told, is_error="error" in told)
