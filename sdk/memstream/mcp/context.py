"""What a handler is told of the request that it answers."""

from typing import Any, TypeAlias

from mcp.server.context import ServerRequestContext

RequestContext: TypeAlias = ServerRequestContext[Any]
