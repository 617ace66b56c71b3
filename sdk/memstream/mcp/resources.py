"""What is known of one person, as resources: a summary to read, and every memory by its id."""

from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)
from pydantic_core import to_json

from memstream._contracts import MemstreamError, NotFound, Rejected, harmless_each
from memstream.client.memories import Memories
from memstream.mcp.context import RequestContext
from memstream.mcp.lasting import LastingClient

SUMMARY = "memstream://summary"
MEMORY = "memstream://memory/"
_NOTHING = "Nothing is known of this person yet.\n"


class MemoryResources:
    """Lists and reads the resources of one person."""

    def __init__(self, client: LastingClient) -> None:
        self._client = client

    async def list(self, _: RequestContext, __: PaginatedRequestParams | None) -> ListResourcesResult:
        """The resources with a fixed address: the summary."""
        words = "What is known of the person, by topic."
        return ListResourcesResult(
            resources=[Resource(name="summary", uri=SUMMARY, description=words, mime_type="text/markdown")]
        )

    async def templates(self, _: RequestContext, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        """A memory by its id."""
        words = "One memory with its corrections, repeats, sources and scores, by the id that tools tell or its beginning."
        uri = f"{MEMORY}{{memory_id}}"
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(name="memory", uri_template=uri, description=words, mime_type="application/json")
            ]
        )

    async def read(self, _: RequestContext, asked: ReadResourceRequestParams) -> ReadResourceResult:
        """The contents. Raises MCPError that says what to do where there are none."""
        try:
            contents = await self._client.ask(lambda memories: _contents(memories, asked.uri))
        except MemstreamError as error:
            code = INVALID_PARAMS if isinstance(error, NotFound | Rejected) else INTERNAL_ERROR
            raise MCPError(code, error.message, {"uri": asked.uri, "code": error.code}) from error
        return ReadResourceResult(contents=[contents])


async def _contents(memories: Memories, uri: str) -> TextResourceContents:
    if uri == SUMMARY:
        page = (await memories.summary()).markdown or _NOTHING
        return TextResourceContents(uri=uri, mime_type="text/markdown", text=page)
    if not uri.startswith(MEMORY):
        raise NotFound(f"there is no such resource; there are {SUMMARY} and {MEMORY}<memory_id>")
    found = (await memories.show(unquote(uri.removeprefix(MEMORY)))).memory
    told = harmless_each(found.model_dump(mode="json", exclude_defaults=True))
    return TextResourceContents(uri=uri, mime_type="application/json", text=to_json(told).decode())
