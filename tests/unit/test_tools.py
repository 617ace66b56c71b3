"""The memory as an agent's tools: their schemas follow from the contracts, and a call that fails says how to mend it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, cast

import pytest

from memstream.client.consolidating import Contradictions
from memstream.client.exchange import Decision
from memstream.client.memories import Memories
from memstream.tools import CONSOLIDATOR_TOOLS, TOOLS, call, definitions, openai_definitions
from shared.contracts.errors import ConfirmationNeeded, NotFound, UnknownMemory
from shared.contracts.ids import RecallId, SessionId
from shared.contracts.parts import Kind, Score
from shared.contracts.preferences import RankingOptions
from shared.contracts.queries import (
    Considered,
    ContextAnswer,
    Conversation,
    ConversationState,
    EntityAnswer,
    EpisodesAnswer,
    ExplainAnswer,
    Fate,
    ForgetPreviewAnswer,
    KnownEntity,
    LegScore,
    ListAnswer,
    MemoryDetail,
    ScoredMemory,
    SearchAnswer,
    ShowAnswer,
    Source,
    StatsAnswer,
    Verdict,
    WouldForget,
)
from tests.support.scopes import T0

S1 = SessionId("s1")
TEA = ScoredMemory(
    memory_id="fact_1",
    kind=Kind.FACT,
    text="Anna likes tea",
    number=1,
    occurred_at=T0,
    recorded_at=T0,
    tags=("taste",),
    score=Score(total=1, relevance=1, recency=1, importance=1),
)


class Person:
    """Memories that note what they are asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[object, ...], dict[str, object]]] = []
        self.error: Exception | None = None
        self.answers = dict(ANSWERS)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any method
        async def answer(*args: object, **arguments: object) -> object:
            self.asked.append((name, args, arguments))
            if self.error:
                raise self.error
            given = self.answers.get(name, Decision("x", "m", 1, Verdict.RECORDED, 7, memory_id="fact_2"))
            if isinstance(given, Exception):
                raise given
            return given

        return answer


DETAIL = MemoryDetail(memory_id="fact_1", kind=Kind.FACT, text="Anna likes tea", number=1, occurred_at=T0, recorded_at=T0)
CONSIDERED = Considered(
    memory=TEA,
    fate=Fate.GIVEN,
    place=1,
    line=1,
    legs={"lexical": LegScore(score=1, rank=1), "vector": LegScore()},
    relevance=1,
    recency=1,
    importance=1,
    confidence=1,
    total=1.23456,
    sources=(Source(memory_id="ep_1", occurred_at=T0), Source(reference="a letter")),
)
LEFT_OUT = CONSIDERED.model_copy(update={"fate": Fate.LESS_RELEVANT, "line": None})
ANSWERS: dict[str, object] = {
    "context": ContextAnswer(
        position=1,
        recall_id=RecallId("rec_1"),
        markdown="## Relevant memory",
        items=(TEA.model_copy(update={"line": 1}),),
        tokens=9,
    ),
    "would_forget": ForgetPreviewAnswer(
        position=1,
        memories=(
            WouldForget(memory_id="fact_1", kind=Kind.FACT, why="named"),
            WouldForget(memory_id="ep_1", kind=Kind.EPISODE, why="states_it"),
        ),
        events=2,
    ),
    "show": ShowAnswer(position=1, memory=DETAIL),
    "explain": ExplainAnswer(
        position=1,
        query="tea",
        at_number=1,
        computed_at=T0,
        ranking="r",
        options=RankingOptions(),
        evidence=1,
        candidates=(CONSIDERED, *[LEFT_OUT] * 7),
    ),
    "search": SearchAnswer(position=1, items=(TEA,)),
    "list": ListAnswer(position=1, items=(TEA,), next_before_number=7),
    "stats": StatsAnswer(
        position=1, memories={Kind.FACT: 1}, sessions=2, open_sessions=0, entities=3, latest_recorded_at=T0, pinned=1
    ),
    "entity": EntityAnswer(
        position=1,
        entity=KnownEntity(entity_id="ent_1", name="Anna", type="person", aliases=("Anna",), mention_count=2),
        summary="Anna likes tea",
        memories=(TEA,),
    ),
    "session": Conversation(session_id=S1, state=ConversationState.OPEN, first_seen_at=T0, turns=2, new_turns=2),
    "episodes": EpisodesAnswer(position=1, session_id=S1, is_consolidated=False, episodes=(TEA,), next_after_number=1),
    "detect_conflicts": Contradictions([TEA], []),
}
ARGUMENTS: dict[str, dict[str, object]] = {
    "search_memory": {"query": "tea", "limit": 3},
    "list_memories": {"kinds": ["fact"], "limit": 3, "before_number": 9},
    "remember_fact": {"text": "Anna likes tea", "tags": ["taste"]},
    "correct_fact": {"memory_id": "fact_1", "text": "Anna likes coffee"},
    "confirm_fact": {"memory_id": "fact_1"},
    "memory_stats": {},
    "get_entity_info": {"name": "Anna"},
    "pin_memory": {"memory_id": "fact_1"},
    "record_feedback": {"memory_id": "fact_1", "helped": False},
    "unpin_memory": {"memory_id": "fact_1"},
    "get_context": {"query": "tea", "limit": 3},
    "forget": {"memory_ids": ["fact_1"]},
    "explain": {"query": "tea"},
    "is_session_consolidated": {"session_id": "s1"},
    "get_episodes_for_consolidation": {"session_id": "s1", "after_number": 3},
    "save_facts_batch": {"session_id": "s1", "facts": [{"text": "Anna likes tea", "source_ids": ["ep_1"]}], "run_id": "r1"},
    "detect_conflicts": {"memory_id": "fact_1"},
    "resolve_conflict": {"memory_id": "fact_1", "superseded_by": "fact_2", "is_certain": False},
    "mark_session_consolidated": {"session_id": "s1", "facts": 1, "run_id": "r1"},
}


@pytest.fixture
def person() -> Person:
    return Person()


async def called(person: Person, name: str, arguments: Mapping[str, object] | str) -> dict[str, Any]:
    return await call(cast("Memories", person), name, arguments)


def test_the_tools_can_be_imported_before_the_client() -> None:
    subprocess.run([sys.executable, "-c", "from memstream import tools; tools.definitions()"], check=True)


def test_the_specifications_tools_are_there() -> None:
    specified = {"search_memory", "remember_fact", "correct_fact", "confirm_fact", "memory_stats", "get_entity_info"}
    assert specified <= set(TOOLS)
    assert set(TOOLS) | set(CONSOLIDATOR_TOOLS) == set(ARGUMENTS)


def test_an_agent_that_learns_has_the_specifications_tools_and_the_one_that_talks_does_not() -> None:
    specified = {
        *("get_episodes_for_consolidation", "save_facts_batch", "detect_conflicts", "resolve_conflict"),
        *("mark_session_consolidated", "is_session_consolidated"),
    }
    assert {definition["name"] for definition in definitions(consolidator=True)} == specified
    assert specified.isdisjoint(definition["name"] for definition in definitions())


@pytest.mark.parametrize("definition", definitions(), ids=lambda definition: definition["name"])
def test_a_definition_needs_nothing_but_itself(definition: dict[str, Any]) -> None:
    words = json.dumps(definition)
    assert "$ref" not in words
    assert "$defs" not in words
    assert definition["description"]
    parameters = definition["parameters"]
    assert parameters["type"] == "object"
    assert parameters["additionalProperties"] is False
    assert set(parameters["required"]) <= set(parameters["properties"])
    assert all(schema["description"] for schema in parameters["properties"].values())


def test_kinds_are_listed_in_the_schema() -> None:
    kinds = TOOLS["search_memory"].parameters["properties"]["kinds"]
    assert kinds["items"]["enum"] == ["episode", "fact", "reflection", "rollup"]


def test_openai_gets_functions() -> None:
    assert [tool["function"]["name"] for tool in openai_definitions()] == list(TOOLS)
    assert {tool["type"] for tool in openai_definitions()} == {"function"}


@pytest.mark.parametrize("name", TOOLS)
async def test_every_tool_can_be_called_and_its_result_is_json(person: Person, name: str) -> None:
    result = await called(person, name, ARGUMENTS[name])
    assert "error" not in result
    assert json.loads(json.dumps(result)) == result
    ((_, _, arguments),) = person.asked
    assert set(arguments) >= set(ARGUMENTS[name])


async def test_arguments_may_come_as_json_as_models_give_them(person: Person) -> None:
    assert "error" not in await called(person, "remember_fact", '{"text": "Anna likes tea", "tags": ["taste"]}')
    assert person.asked == [("remember", (), {"text": "Anna likes tea", "tags": ("taste",)})]
    assert "error" not in await called(person, "memory_stats", "")


async def test_a_memory_is_told_in_few_words(person: Person) -> None:
    assert (await called(person, "search_memory", {"query": "tea"}))["memories"] == [
        {"memory_id": "fact_1", "kind": "fact", "text": "Anna likes tea", "date": T0.date().isoformat(), "tags": ["taste"]}
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "code", "words"),
    [
        ("forget_everything", {}, "unknown_type", "search_memory"),
        ("search_memory", {}, "malformed", "query: Field required"),
        ("search_memory", {"query": "tea", "limit": 0}, "malformed", "limit"),
        ("search_memory", {"query": "tea", "timeout_s": 9}, "malformed", "does not take timeout_s"),
        ("remember_fact", {"text": "tea", "tags": "taste"}, "malformed", "tags"),
        ("remember_fact", {"text": "  "}, "malformed", "empty"),
        ("remember_fact", '{"text": ', "malformed", "not JSON"),
        ("remember_fact", "[]", "malformed", "must be a JSON object"),
        ("pin_memory", {"memory_id": ""}, "malformed", "memory_id"),
    ],
)
async def test_a_call_that_does_not_fit_says_how_to_mend_it(
    person: Person, name: str, arguments: dict[str, object] | str, code: str, words: str
) -> None:
    result = await called(person, name, arguments)
    assert result["error"]["code"] == code
    assert words in result["error"]["message"]
    assert person.asked == []


@pytest.mark.parametrize("error", [UnknownMemory(), NotFound("nobody of this name")])
async def test_what_cannot_be_done_is_told_and_not_raised(person: Person, error: NotFound | UnknownMemory) -> None:
    person.error = error
    result = await called(person, "confirm_fact", {"memory_id": "fact_9"})
    assert result == {"error": {"code": error.code, "message": error.message}}


async def test_a_dry_run_of_forgetting_tells_in_words_what_would_go_and_forgets_nothing(person: Person) -> None:
    result = await called(person, "forget", {"query": "tea", "dry_run": True})
    assert result == {
        "would_forget": [
            {"memory_id": "fact_1", "kind": "fact", "why": "named", "text": "Anna likes tea"},
            {"memory_id": "ep_1", "kind": "episode", "why": "states_it", "text": "Anna likes tea"},
        ]
    }
    assert [name for name, _, _ in person.asked] == ["would_forget", "show", "show"]


async def test_a_dry_run_tells_the_words_of_the_first_twenty_only(person: Person) -> None:
    many = [WouldForget(memory_id=f"fact_{n}", kind=Kind.FACT, why="named") for n in range(30)]
    person.answers["would_forget"] = ForgetPreviewAnswer(position=1, memories=tuple(many), events=30)
    result = await called(person, "forget", {"query": "tea", "dry_run": True})
    assert ["text" in each for each in result["would_forget"]] == [True] * 20 + [False] * 10


@pytest.mark.parametrize(
    "target", [{}, {"query": "tea", "memory_ids": ["fact_1"]}, {"session_id": "s1"}, {"query": "tea", "user": "bob"}]
)
async def test_forgetting_by_tool_needs_one_target_and_takes_no_session_and_no_person(
    person: Person, target: dict[str, object]
) -> None:
    assert (await called(person, "forget", target))["error"]["code"] == "malformed"
    assert person.asked == []


async def test_forgetting_by_tool_names_its_receipt(person: Person) -> None:
    person.answers["forget"] = Decision("forget", "m", 1, Verdict.RECORDED, 7, number=4)
    arguments = {"memory_ids": [], "query": "tea", "only": False, "dry_run": False}  # a strict schema has a model give all
    assert await called(person, "forget", arguments) == {"outcome": "recorded", "receipt": 4}
    assert person.asked == [("forget", (), {"memory_ids": (), "query": "tea", "only": False, "confirm": None})]


async def test_what_is_in_doubt_is_shown_before_it_is_forgotten(person: Person) -> None:
    person.answers["forget"] = ConfirmationNeeded()
    preview = person.answers["would_forget"]
    assert isinstance(preview, ForgetPreviewAnswer)
    person.answers["would_forget"] = preview.model_copy(update={"token": "a" * 32})
    result = await called(person, "forget", {"query": "tea"})
    assert [each["memory_id"] for each in result["would_forget"]] == ["fact_1", "ep_1"]
    assert result["confirm"] == "a" * 32


async def test_an_explanation_tells_what_was_given_and_the_best_of_what_was_left_out(person: Person) -> None:
    result = await called(person, "explain", {"query": "tea"})
    assert result["given"] == [
        {
            "memory_id": "fact_1",
            "kind": "fact",
            "text": "Anna likes tea",
            "date": T0.date().isoformat(),
            "tags": ["taste"],
            "score": 1.235,
            "found_by": ["lexical"],
            "fate": "given",
            "sources": [{"memory_id": "ep_1", "said_on": T0.date().isoformat()}, {"reference": "a letter"}],
        }
    ]
    assert [each["fate"] for each in result["left_out"]] == ["less_relevant"] * 5


async def test_a_context_is_told_with_the_ids_that_its_numbers_stand_for(person: Person) -> None:
    result = await called(person, "get_context", {"query": "tea"})
    assert result == {"context": "## Relevant memory", "memory_ids": {"1": "fact_1"}}


@pytest.mark.parametrize("name", ["get_context", "explain", "remember_fact", "correct_fact"])
async def test_the_session_of_the_talk_goes_along_where_it_matters(person: Person, name: str) -> None:
    await call(cast("Memories", person), name, ARGUMENTS[name], session_id="today")
    assert person.asked[0][2]["session_id"] == "today"


@pytest.mark.parametrize("name", ["search_memory", "forget", "pin_memory", "memory_stats"])
async def test_the_session_of_the_talk_goes_nowhere_else(person: Person, name: str) -> None:
    await call(cast("Memories", person), name, ARGUMENTS[name], session_id="today")
    assert "session_id" not in person.asked[0][2]


async def test_a_bug_is_raised_and_not_told_to_a_model(person: Person) -> None:
    person.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        await called(person, "memory_stats", {})


@pytest.mark.parametrize(
    ("name", "arguments", "taken"),
    [
        ("search_memory", {"query": "tea", "kinds": None, "limit": None, "rolled_up": None}, {}),
        ("search_memory", {"query": "tea", "kinds": '["fact"]'}, {"kinds": (Kind.FACT,)}),
        ("remember_fact", {"text": "Anna likes mate", "tags": None}, {}),
        ("remember_fact", {"text": "Anna likes mate", "tags": '["drink", "hot"]'}, {"tags": ("drink", "hot")}),
        ("remember_fact", {"text": '["drink"]'}, {}),
        ("forget", {"query": "cocoa", "memory_ids": None, "only": None, "dry_run": True}, {"dry_run": True}),
        ("forget", {"memory_ids": '["fact_1"]', "dry_run": True}, {"dry_run": True}),
    ],
)
def test_null_is_absent_and_a_list_may_come_as_json(name: str, arguments: dict[str, Any], taken: dict[str, Any]) -> None:
    found = TOOLS[name].arguments(arguments)
    assert None not in found.values()
    assert found.items() >= taken.items()


@pytest.mark.parametrize("arguments", [None, "", "{}", {}, "null"])
async def test_no_arguments_are_none(arguments: Any) -> None:  # noqa: ANN401 - whatever a model sends
    assert "error" not in await call(cast("Memories", Person()), "memory_stats", arguments)


@pytest.mark.parametrize("arguments", [[], 7, "[]", "{", '"x"', {"query": None}, {"query": "tea", "kinds": "fact, turn"}])
async def test_whatever_a_model_sends_is_answered(arguments: Any) -> None:  # noqa: ANN401
    told = await call(cast("Memories", Person()), "search_memory", arguments)
    assert told["error"]["code"] == "malformed"
    assert "tuple" not in told["error"]["message"]
