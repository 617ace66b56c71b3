"""The memory as tools for an agent: function definitions for any framework, and one `call` that runs them.

The schemas are generated from the contracts. Source: memory-system.md, "Agent tools".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError
from pydantic_core import from_json

from memstream import tool_answers
from memstream._contracts import (
    ConfirmationNeeded,
    ConfirmedTarget,
    ConfirmFact,
    ContextQuery,
    Contract,
    CorrectFact,
    EntityQuery,
    EpisodesQuery,
    ForgetPreviewAnswer,
    ListQuery,
    Malformed,
    MarkSessionConsolidated,
    MemstreamError,
    NotFound,
    Pin,
    RecordFeedback,
    RememberFact,
    ResolveConflict,
    SaveFactsBatch,
    SearchQuery,
    ShowQuery,
    StatsQuery,
    UnknownType,
    Unpin,
    harmless_each,
)

if TYPE_CHECKING:  # the client imports this module
    from memstream.client.exchange import Decision
    from memstream.client.remembering import Remembering

_MOST_TEXTS = 20
"""Of what would be forgotten so many memories are told in words."""


class ForgettingByTool(ConfirmedTarget):
    """What a model asks to be forgotten."""

    query: str | None = Field(
        default=None,
        min_length=1,
        max_length=1024,
        description="Every memory that holds all of these words, stop words left out.",
    )
    dry_run: bool = Field(default=False, description="True: nothing is forgotten; the answer tells what would be.")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what a model is told of it, which fields of which contract it takes, and what it calls."""

    name: str
    description: str
    contract: type[Contract]
    fields: tuple[str, ...]
    method: str | Callable[..., Awaitable[Any]]
    """A method of the client by its name, or a function of a person's memories and the arguments."""

    told: Callable[[Any], dict[str, Any]]
    """Turns the answer into what the model gets."""

    is_of_session: bool = False
    """True if the session in which the model talks goes along, which it neither knows nor chooses."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        schema = self.contract.model_json_schema()
        properties = {name: _plain(schema["properties"][name], schema.get("$defs", {})) for name in self.fields}
        required = [name for name in self.fields if name in schema.get("required", ())]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the contract understands them. Raises Malformed."""
        if unknown := sorted(set(given) - set(self.fields)):
            raise Malformed(f"{self.name} takes {', '.join(self.fields) or 'nothing'}; it does not take {', '.join(unknown)}")
        required = {name for name, field in self.contract.model_fields.items() if field.is_required()}
        given = {name: self._listed(name, value) for name, value in given.items() if value is not None or name in required}
        try:
            valid = self.contract.model_validate(given)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False, include_context=False)
            words = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems)
            raise Malformed(f"{self.name} does not fit: {words.replace('a valid tuple', 'a list')}") from error
        return {name: getattr(valid, name) for name in given}

    def _listed(self, name: str, value: object) -> object:
        """The list that a model wrote as JSON in a string, where a list is wanted."""
        if not isinstance(value, str) or not value.lstrip().startswith("["):
            return value
        schema = self.parameters["properties"][name]
        if "array" not in {each.get("type") for each in (schema, *schema.get("anyOf", ()))}:
            return value
        with suppress(ValueError):
            return from_json(value)
        return value

    async def run(self, memories: Remembering, arguments: Mapping[str, Any], session_id: str | None) -> dict[str, Any]:
        """Do what it is for. Raises the MemstreamError that says why it cannot be done."""
        given = self.arguments(arguments)
        if session_id and self.is_of_session:
            given["session_id"] = session_id
        if isinstance(self.method, str):
            return self.told(await getattr(memories, self.method)(**given))
        return self.told(await self.method(memories, **given))


_BLOCK = "context"
"""The answer that is a whole block, harmless between its marks."""


async def call(
    memories: Remembering, name: str, arguments: Mapping[str, Any] | str | None, *, session_id: str | None = None
) -> dict[str, Any]:
    """Run a tool; `arguments` is an object or its JSON, as models give it, or nothing. The result is JSON.

    `session_id` is the session in which the model talks: `get_context` leaves it out, and facts name it as where they came up.
    What cannot be done is told in the result, as `{"error": {"code": ..., "message": ...}}`: the model can mend its call.
    """
    try:
        tool = TOOLS.get(name) or CONSOLIDATOR_TOOLS.get(name)
        if tool is None:
            raise UnknownType(f"no tool has this name; there are {', '.join((*TOOLS, *CONSOLIDATOR_TOOLS))}")
        told = await tool.run(memories, _object(arguments), session_id)
        return {key: value if key == _BLOCK else harmless_each(value) for key, value in told.items()}
    except MemstreamError as error:
        return {"error": {"code": error.code, "message": error.message}}


def definitions(*, consolidator: bool = False) -> list[dict[str, Any]]:
    """The tools as `{"name": ..., "description": ..., "parameters": <JSON schema>}`.

    With `consolidator` those of an agent that learns from conversations itself, which the one that talks does not get.
    """
    tools = (CONSOLIDATOR_TOOLS if consolidator else TOOLS).values()
    return [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in tools]


def openai_definitions(*, consolidator: bool = False) -> list[dict[str, Any]]:
    """The tools, as the `tools` of OpenAI-compatible chat completions."""
    return [{"type": "function", "function": definition} for definition in definitions(consolidator=consolidator)]


def _object(arguments: object) -> Mapping[str, Any]:
    try:
        document = from_json(arguments or "{}") if isinstance(arguments, str) else arguments
    except ValueError as error:
        raise Malformed(f"the arguments are not JSON: {error}") from error
    if document is None:
        return {}
    if not isinstance(document, Mapping):
        raise Malformed("the arguments must be a JSON object")
    return document


def _plain(schema: Any, definitions: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any piece of a JSON schema
    """A JSON schema without references and titles: not every framework follows them."""
    if isinstance(schema, list):
        return [_plain(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if reference := schema.get("$ref"):
        named = definitions[reference.rpartition("/")[2]]
        return _plain({**named, **{key: value for key, value in schema.items() if key != "$ref"}}, definitions)
    return {key: _plain(value, definitions) for key, value in schema.items() if key != "title"}


async def _forget(
    memories: Remembering,
    *,
    memory_ids: Iterable[str] = (),
    query: str | None = None,
    only: bool = False,
    confirm: str | None = None,
    dry_run: bool = False,
) -> tuple[ForgetPreviewAnswer, dict[str, str]] | Decision:
    """Forget, or tell what would be forgotten, with the words of the first memories, where that is to be confirmed first."""
    if not dry_run:
        with suppress(ConfirmationNeeded):
            return await memories.forget(memory_ids=memory_ids, query=query, only=only, confirm=confirm)
    preview = await memories.would_forget(memory_ids=memory_ids, query=query, only=only)
    shown = [each.memory_id for each in preview.memories[:_MOST_TEXTS]]
    return preview, {memory_id: text for memory_id in shown if (text := await _text(memories, memory_id))}


async def _text(memories: Remembering, memory_id: str) -> str | None:
    try:
        return (await memories.show(memory_id)).memory.text
    except NotFound:  # it was only just recorded, or is forgotten already
        return None


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search_memory",
            "Search what is remembered of this person: facts, and what was said word for word. Use it before you ask the person"
            " again, and to find the memory_id that other tools need.",
            SearchQuery,
            ("query", "kinds", "limit", "rolled_up"),
            "search",
            tool_answers.of_found,
        ),
        Tool(
            "list_memories",
            "What is remembered of this person, newest first, a page at a time. Use it when they want to see it all. For the"
            " next page give before_number what the last one said as next_before_number.",
            ListQuery,
            ("kinds", "limit", "before_number"),
            "list",
            tool_answers.of_page,
        ),
        Tool(
            "get_context",
            "What is remembered that matters for a question, as a block to read: the best of it, with what is outdated or in"
            " doubt marked. The numbers in brackets stand for the memory_ids.",
            ContextQuery,
            ("query", "limit"),
            "context",
            tool_answers.of_context,
            is_of_session=True,
        ),
        Tool(
            "remember_fact",
            "Keep a fact about this person when they ask for it, or when it will matter in later conversations. One fact a"
            " call, in a sentence that makes sense on its own.",
            RememberFact,
            ("text", "tags"),
            "remember",
            tool_answers.of_decision,
            is_of_session=True,
        ),
        Tool(
            "correct_fact",
            "Put a right fact in the place of a wrong one. The old one stays readable from the new one.",
            CorrectFact,
            ("memory_id", "text", "tags"),
            "correct",
            tool_answers.of_decision,
            is_of_session=True,
        ),
        Tool(
            "confirm_fact",
            "Mark a fact as certain, when the person has confirmed it: it does not fade any more.",
            ConfirmFact,
            ("memory_id",),
            "confirm",
            tool_answers.of_decision,
        ),
        Tool(
            "memory_stats",
            "How much is remembered of this person, and since when nothing new.",
            StatsQuery,
            (),
            "stats",
            tool_answers.of_counts,
        ),
        Tool(
            "get_entity_info",
            "Everything that is known of a person, a place, a project or a thing, by its name.",
            EntityQuery,
            ("name", "limit"),
            "entity",
            tool_answers.of_profile,
        ),
        Tool(
            "pin_memory",
            "Keep a memory for good, when the person asks for it.",
            Pin,
            ("memory_id",),
            "pin",
            tool_answers.of_decision,
        ),
        Tool(
            "unpin_memory",
            "Let a pinned memory be kept like any other again.",
            Unpin,
            ("memory_id",),
            "unpin",
            tool_answers.of_decision,
        ),
        Tool(
            "record_feedback",
            "Say whether a memory that was recalled helped with your answer, by its memory_id. Say so when the person praises"
            " or rejects an answer that rests on it. It is counted; the memory stays as it is.",
            RecordFeedback,
            ("memory_id", "helped"),
            "feedback",
            tool_answers.of_decision,
        ),
        Tool(
            "forget",
            "Forget memories for good, when the person asks for it: by memory_ids, or by a query all that hold its words."
            " Call it with dry_run first, tell the person what would go, and call it without once they agree. With a memory go"
            " its duplicates, the turns that state it and what rests on it, unless only is true. Where it answers with"
            " would_forget and confirm, nothing is forgotten yet: show it, and give confirm back once the person agrees.",
            ForgettingByTool,
            ("memory_ids", "query", "only", "confirm", "dry_run"),
            _forget,
            tool_answers.of_forgetting,
        ),
        Tool(
            "explain",
            "Why a question brings up what it does: the memories that are given and some that are left out, each with its"
            " score, how it was found and the turns that it rests on. Use it when the person asks how you know something.",
            ContextQuery,
            ("query", "limit"),
            "explain",
            tool_answers.of_explanation,
            is_of_session=True,
        ),
    )
}
"""Every tool by its name."""

CONSOLIDATOR_TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "is_session_consolidated",
            "Whether everything that was said in a session is learned from already. Ask it before anything else.",
            EpisodesQuery,
            ("session_id",),
            "session",
            tool_answers.of_state,
        ),
        Tool(
            "get_episodes_for_consolidation",
            "The turns of a session that nothing was learned from yet, 30 a page, oldest first. For the next page give"
            " after_number what the last one said as next_after_number.",
            EpisodesQuery,
            ("session_id", "after_number"),
            "episodes",
            tool_answers.of_turns,
        ),
        Tool(
            "save_facts_batch",
            "Keep the facts that a session teaches. Each is a sentence that makes sense on its own, and names the turns that"
            " state it by their memory_id; one that does not rest on the user's words in them is not kept. Known facts count as"
            " repeated; what a fact contradicts ends by itself.",
            SaveFactsBatch,
            ("session_id", "facts", "run_id"),
            "save_facts_batch",
            tool_answers.of_decision,
        ),
        Tool(
            "detect_conflicts",
            "The known facts nearest to a fact, which may contradict it, and the questions that are open about it.",
            ShowQuery,
            ("memory_id",),
            "detect_conflicts",
            tool_answers.of_contradictions,
        ),
        Tool(
            "resolve_conflict",
            "Say that one fact does not hold any more because another one does. Where you are not sure, set is_certain to"
            " false: the person is asked.",
            ResolveConflict,
            ("memory_id", "superseded_by", "is_certain"),
            "resolve_conflict",
            tool_answers.of_decision,
        ),
        Tool(
            "mark_session_consolidated",
            "Say that all is learned that a session taught. Call it last, with the run_id of its batches.",
            MarkSessionConsolidated,
            ("session_id", "facts", "run_id"),
            "mark_session_consolidated",
            tool_answers.of_decision,
        ),
    )
}
"""The tools of an agent that learns from conversations itself, by name. Whoever talks with the person does not need them."""
