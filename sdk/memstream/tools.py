"""The memory as tools for an agent: function definitions for any framework, and one `call` that runs them.

The schemas are generated from the contracts. Source: memory-system.md, "Agent tools".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import from_json

from memstream._contracts import (
    ConfirmFact,
    Contract,
    Conversation,
    ConversationState,
    CorrectFact,
    EntityAnswer,
    EntityQuery,
    EpisodesAnswer,
    EpisodesQuery,
    Malformed,
    MarkSessionConsolidated,
    Memory,
    MemstreamError,
    Pin,
    RememberFact,
    ResolveConflict,
    SaveFactsBatch,
    SearchAnswer,
    SearchQuery,
    ShowQuery,
    StatsAnswer,
    StatsQuery,
    UnknownType,
    Unpin,
)

if TYPE_CHECKING:  # the client imports this module
    from memstream.client.consolidating import Contradictions
    from memstream.client.exchange import Decision
    from memstream.client.remembering import Remembering


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what a model is told of it, which fields of which contract it takes, and the client's method that it calls."""

    name: str
    description: str
    contract: type[Contract]
    fields: tuple[str, ...]
    method: str
    told: Callable[[Any], dict[str, Any]]
    """Turns the method's answer into what the model gets."""

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
        try:
            valid = self.contract.model_validate(given)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False, include_context=False)
            words = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems)
            raise Malformed(f"{self.name} does not fit: {words}") from error
        return {name: getattr(valid, name) for name in given}


async def call(memories: Remembering, name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    """Run a tool; `arguments` is an object or its JSON, as models give it. The result is JSON.

    What cannot be done is told in the result, as `{"error": {"code": ..., "message": ...}}`: the model can mend its call.
    """
    try:
        tool = TOOLS.get(name) or CONSOLIDATOR_TOOLS.get(name)
        if tool is None:
            raise UnknownType(f"no tool has this name; there are {', '.join((*TOOLS, *CONSOLIDATOR_TOOLS))}")
        return tool.told(await getattr(memories, tool.method)(**tool.arguments(_object(arguments))))
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


def _object(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        return arguments
    try:
        document = from_json(arguments or "{}")
    except ValueError as error:
        raise Malformed(f"the arguments are not JSON: {error}") from error
    if not isinstance(document, dict):
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


def _memory(memory: Memory) -> dict[str, Any]:
    """The fields of a memory that a model needs; empty ones are left out."""
    told = {
        "memory_id": memory.memory_id,
        "kind": memory.kind.value,
        "text": memory.text,
        "date": memory.occurred_at.date().isoformat(),
        "said_by": memory.speaker or (memory.role.value if memory.role else None),
        "tags": list(memory.tags),
        "pinned": memory.pinned,
        "outdated": memory.outdated.value if memory.outdated else None,
        "outdated_by": list(memory.outdated_by),
        "in_doubt": bool(memory.conflict_ids),
    }
    return {key: value for key, value in told.items() if value}


def _decision(decision: Decision) -> dict[str, Any]:
    outcome = {"outcome": decision.verdict.value}
    return outcome | ({"memory_id": decision.memory_id} if decision.memory_id else {})


def _profile(answer: EntityAnswer) -> dict[str, Any]:
    return {
        "name": answer.entity.name,
        "type": answer.entity.type,
        "aliases": list(answer.entity.aliases),
        "mentions": answer.entity.mention_count,
        "summary": answer.summary,
        "memories": [_memory(memory) for memory in answer.memories],
        "may_also_mean": [other.name for other in answer.others],
    }


def _found(answer: SearchAnswer) -> dict[str, Any]:
    return {"memories": [_memory(item) for item in answer.items]}


def _turns(answer: EpisodesAnswer) -> dict[str, Any]:
    said = [_memory(turn) for turn in answer.episodes if turn.text]
    told = {"is_consolidated": answer.is_consolidated, "episodes": said}
    return told | ({"next_after_number": answer.next_after_number} if answer.next_after_number else {})


def _state(session: Conversation) -> dict[str, Any]:
    told = {"state": session.state.value, "new_turns": session.new_turns, "runs": [run.run_id for run in session.runs]}
    return {"is_consolidated": session.state is ConversationState.CONSOLIDATED} | told


def _contradictions(found: Contradictions) -> dict[str, Any]:
    pending = [each.model_dump(mode="json", include={"conflict_id", "question", "older", "newer"}) for each in found.pending]
    return {"may_contradict": [_memory(memory) for memory in found.nearest], "pending": pending}


def _counts(answer: StatsAnswer) -> dict[str, Any]:
    told = {"memories", "pinned", "entities", "sessions", "latest_recorded_at"}
    return answer.model_dump(mode="json", include=told)


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search_memory",
            "Search what is remembered of this person: facts, and what was said word for word. Use it before you ask the person"
            " again, and to find the memory_id that other tools need.",
            SearchQuery,
            ("query", "kinds", "limit"),
            "search",
            _found,
        ),
        Tool(
            "remember_fact",
            "Keep a fact about this person when they ask for it, or when it will matter in later conversations. One fact a"
            " call, in a sentence that makes sense on its own.",
            RememberFact,
            ("text", "tags"),
            "remember",
            _decision,
        ),
        Tool(
            "correct_fact",
            "Put a right fact in the place of a wrong one. The old one stays readable from the new one.",
            CorrectFact,
            ("memory_id", "text", "tags"),
            "correct",
            _decision,
        ),
        Tool(
            "confirm_fact",
            "Mark a fact as certain, when the person has confirmed it: it does not fade any more.",
            ConfirmFact,
            ("memory_id",),
            "confirm",
            _decision,
        ),
        Tool(
            "memory_stats",
            "How much is remembered of this person, and since when nothing new.",
            StatsQuery,
            (),
            "stats",
            _counts,
        ),
        Tool(
            "get_entity_info",
            "Everything that is known of a person, a place, a project or a thing, by its name.",
            EntityQuery,
            ("name", "limit"),
            "entity",
            _profile,
        ),
        Tool("pin_memory", "Keep a memory for good, when the person asks for it.", Pin, ("memory_id",), "pin", _decision),
        Tool("unpin_memory", "Let a pinned memory be kept like any other again.", Unpin, ("memory_id",), "unpin", _decision),
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
            _state,
        ),
        Tool(
            "get_episodes_for_consolidation",
            "The turns of a session that nothing was learned from yet, 30 a page, oldest first. For the next page give"
            " after_number what the last one said as next_after_number.",
            EpisodesQuery,
            ("session_id", "after_number"),
            "episodes",
            _turns,
        ),
        Tool(
            "save_facts_batch",
            "Keep the facts that a session teaches. Each is a sentence that makes sense on its own, and names the turns that"
            " state it by their memory_id; one that does not rest on the user's words in them is not kept. Known facts count as"
            " repeated; what a fact contradicts ends by itself.",
            SaveFactsBatch,
            ("session_id", "facts", "run_id"),
            "save_facts_batch",
            _decision,
        ),
        Tool(
            "detect_conflicts",
            "The known facts nearest to a fact, which may contradict it, and the questions that are open about it.",
            ShowQuery,
            ("memory_id",),
            "detect_conflicts",
            _contradictions,
        ),
        Tool(
            "resolve_conflict",
            "Say that one fact does not hold any more because another one does. Where you are not sure, set is_certain to"
            " false: the person is asked.",
            ResolveConflict,
            ("memory_id", "superseded_by", "is_certain"),
            "resolve_conflict",
            _decision,
        ),
        Tool(
            "mark_session_consolidated",
            "Say that all is learned that a session taught. Call it last, with the run_id of its batches.",
            MarkSessionConsolidated,
            ("session_id", "facts", "run_id"),
            "mark_session_consolidated",
            _decision,
        ),
    )
}
"""The tools of an agent that learns from conversations itself, by name. Whoever talks with the person does not need them."""
