"""A prompt that puts what is remembered before the person's own words: for clients where a person chooses it by hand."""

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from memstream._contracts import MemstreamError, Rejected
from memstream.mcp.context import RequestContext
from memstream.mcp.lasting import LastingClient

RECALL = "recall"
_QUESTION = "question"
_NOTHING = "(Nothing is remembered that has to do with this.)"


class MemoryPrompts:
    """Lists the prompt, and fills it from one person's memories."""

    def __init__(self, client: LastingClient, *, session_id: str | None) -> None:
        self._client = client
        self._session_id = session_id

    async def list(self, _: RequestContext, __: PaginatedRequestParams | None) -> ListPromptsResult:
        """The prompts: there is one."""
        argument = PromptArgument(name=_QUESTION, description="What you want to say or ask.", required=True)
        words = "Ask something together with what is remembered of you that matters for it."
        return ListPromptsResult(prompts=[Prompt(name=RECALL, description=words, arguments=[argument])])

    async def get(self, _: RequestContext, asked: GetPromptRequestParams) -> GetPromptResult:
        """The question with its memories above. Raises MCPError that says what to do."""
        question = (asked.arguments or {}).get(_QUESTION, "")
        if asked.name != RECALL or not question:
            raise MCPError(INVALID_PARAMS, f"there is one prompt, {RECALL}, and it takes a {_QUESTION}")
        try:
            context = await self._client.ask(lambda memories: memories.context(question, session_id=self._session_id))
        except MemstreamError as error:
            raise MCPError(INVALID_PARAMS if isinstance(error, Rejected) else INTERNAL_ERROR, error.message) from error
        text = f"{context.markdown.rstrip() or _NOTHING}\n\n{question}"
        return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))])
