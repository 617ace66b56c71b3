"""Endpoints as people run them: they refuse parameters, wrap JSON, cut it off, and have short contexts. Through real HTTP."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from services.consolidator.llm.extractor import LlmExtractor
from services.consolidator.prompts import extract_v2
from shared.contracts.errors import Misconfigured
from shared.contracts.parts import Role
from shared.domain.model_tokens import TokenUsage
from shared.runtime.chat_models.dialect import AnswerFormat
from shared.runtime.chat_models.errors import AnswerInvalid, AnswerTruncated, EndpointFailed, PageTooLong
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.metrics import REGISTRY
from tests.support.chat_endpoint import ChatEndpoint, Json, chat_endpoint, echo, known, said, stated

JSON = json.dumps({"facts": [stated("Anna lives in Oslo.", 1)]})


@pytest.fixture
def endpoint() -> Iterator[ChatEndpoint]:
    with chat_endpoint() as endpoint:
        endpoint.facts = lambda _: [stated("Anna lives in Oslo.", 1)]
        yield endpoint


@asynccontextmanager
async def learning(endpoint: ChatEndpoint, **settings: Any) -> AsyncIterator[LlmExtractor]:  # noqa: ANN401 - the extractor's own
    extractor = LlmExtractor(model="m", base_url=endpoint.url, timeout_s=5, max_retries=0, **settings)
    try:
        yield extractor
    finally:
        await extractor.close()


async def texts(endpoint: ChatEndpoint, *turns: str, **settings: Any) -> list[str]:  # noqa: ANN401 - the extractor's own
    async with learning(endpoint, **settings) as llm:
        return [fact.text for fact in await llm.extract(said(*turns or ("I live in Oslo.",)))]


def refused(why: str) -> float:
    return REGISTRY.get_sample_value("memstream_facts_refused_total", {"reason": why}) or 0.0


# --- parameters -------------------------------------------------------------------------------------------------------


async def test_temperature_can_be_left_out_and_any_parameter_sent(endpoint: ChatEndpoint) -> None:
    await texts(endpoint, temperature=None, parameters={"reasoning_effort": "low", "max_completion_tokens": 900})
    [asked] = endpoint.asked
    assert "temperature" not in asked
    assert (asked["reasoning_effort"], asked["max_completion_tokens"]) == ("low", 900)


def test_parameters_are_set_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_LLM_TEMPERATURE", "")
    monkeypatch.setenv("MEMSTREAM_LLM_PARAMETERS", '{"reasoning_effort": "low", "stop": ["###"]}')
    monkeypatch.setenv("MEMSTREAM_LLM_TOKENS_PER_DAY", "")
    settings = LlmSettings()
    assert (settings.temperature, settings.tokens_per_day) == (None, None)
    assert settings.parameters == {"reasoning_effort": "low", "stop": ["###"]}
    monkeypatch.setenv("MEMSTREAM_LLM_TEMPERATURE", "0.7")
    assert LlmSettings().temperature == 0.7


@pytest.mark.parametrize("parameter", ["model", "messages", "stream", "response_format"])
def test_a_parameter_that_is_not_for_the_operator_is_refused(endpoint: ChatEndpoint, parameter: str) -> None:
    with pytest.raises(Misconfigured, match=parameter):
        LlmExtractor(model="m", base_url=endpoint.url, parameters={parameter: 1})


async def test_a_parameter_that_the_endpoint_refuses_is_left_out_and_that_is_remembered(endpoint: ChatEndpoint) -> None:
    endpoint.refuses_parameters = ["temperature"]
    async with learning(endpoint, parameters={"top_p": 1}) as llm:
        for _ in range(2):
            assert len(await llm.extract(said("I live in Oslo."))) == 1
        assert llm.origin("run").parameters == {"top_p": 1}
    assert ["temperature" in asked for asked in endpoint.asked] == [True, False, False]
    assert all(asked["response_format"]["type"] == "json_schema" for asked in endpoint.asked)


async def test_what_newer_endpoints_call_otherwise_is_sent_under_its_newer_name(endpoint: ChatEndpoint) -> None:
    endpoint.refuses_parameters = ["max_tokens"]
    assert await texts(endpoint, parameters={"max_tokens": 800})
    assert endpoint.asked[-1]["max_completion_tokens"] == 800


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize(("refuses", "last"), [(["json_schema"], "json_object"), (["json_schema", "json_object"], None)])
async def test_structured_output_falls_back_to_what_the_endpoint_takes(
    endpoint: ChatEndpoint, refuses: list[str], last: str | None, *, names: bool
) -> None:
    endpoint.refuses_formats, endpoint.names_what_it_refuses = refuses, names
    async with learning(endpoint) as llm:
        for _ in range(2):
            assert len(await llm.extract(said("I live in Oslo."))) == 1
    assert endpoint.asked[-1].get("response_format", {}).get("type") == last
    assert len(endpoint.asked) == len(refuses) + 2
    assert json.dumps(extract_v2.SCHEMA) in endpoint.asked[-1]["messages"][0]["content"]  # the schema in words


async def test_the_form_of_the_answer_can_be_set(endpoint: ChatEndpoint) -> None:
    assert await texts(endpoint, answer_format=AnswerFormat.TEXT)
    assert "response_format" not in endpoint.asked[0]


async def test_an_endpoint_that_refuses_everything_is_asked_a_few_times_and_remembered_as_it_was(
    endpoint: ChatEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.refuses_formats, endpoint.names_what_it_refuses = ["json_schema", "json_object", "text"], False
    async with learning(endpoint) as llm:
        with caplog.at_level(logging.DEBUG), pytest.raises(EndpointFailed):
            await llm.extract(said("I live in Oslo."))
        assert llm.origin("run").parameters == {"temperature": 0}
    assert len(endpoint.asked) == 4
    assert "Oslo" not in caplog.text


# --- what stands around the JSON --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        "```json\n{}\n```",
        "```\n{}\n```\n",
        "<think>The user lives in Oslo. {maybe} [1]</think>\n{}",
        '<think>{"facts": [{"text": "a draft", "sources": [1]}]}</think>{}',
        "I think so.</think>{}",
        "<reasoning>hm</reasoning>\n```json\n{}\n```",
        "Sure! Here are the facts:\n\n{}\n\nLet me know if you need more.",
        "\ufeff  {}  ",
    ],
)
async def test_json_is_read_wherever_it_stands(endpoint: ChatEndpoint, wrap: str) -> None:
    endpoint.wrap = wrap
    assert await texts(endpoint) == ["Anna lives in Oslo."]


async def test_a_bare_list_of_facts_is_read(endpoint: ChatEndpoint) -> None:
    endpoint.content = json.dumps([stated("Anna lives in Oslo.", 1)])
    assert await texts(endpoint) == ["Anna lives in Oslo."]


async def test_an_answer_in_parts_is_read(endpoint: ChatEndpoint) -> None:
    endpoint.message = {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": JSON}]}
    assert await texts(endpoint) == ["Anna lives in Oslo."]


async def test_thoughts_without_an_answer_are_no_answer(endpoint: ChatEndpoint) -> None:
    endpoint.content = "<think>The user lives in"
    with pytest.raises(AnswerInvalid):
        await texts(endpoint)


# --- facts that are not right -----------------------------------------------------------------------------------------

MALFORMED: list[object] = [
    {"text": "Anna lives in Oslo."},
    {"sources": [1]},
    "Anna lives in Oslo.",
    None,
    stated("Anna lives in Oslo.", 1) | {"text": ["Anna", "Oslo"]},
    stated("Anna lives in Oslo.", 1) | {"sources": ["the first"]},
]


@pytest.mark.parametrize("fact", MALFORMED)
async def test_a_malformed_fact_costs_only_itself_and_is_counted(endpoint: ChatEndpoint, fact: object) -> None:
    endpoint.facts = lambda _: [cast("Json", fact), stated("Anna lives in Oslo.", 1)]
    before = refused("malformed")
    assert await texts(endpoint) == ["Anna lives in Oslo."]
    assert refused("malformed") == before + 1


@pytest.mark.parametrize("sources", [1, "1", ["1"], [1.0]])
async def test_sources_may_be_written_otherwise(endpoint: ChatEndpoint, sources: object) -> None:
    endpoint.facts = lambda _: [stated("Anna lives in Oslo.") | {"sources": sources}]
    assert await texts(endpoint) == ["Anna lives in Oslo."]


async def test_broken_json_gives_the_facts_that_are_whole(endpoint: ChatEndpoint) -> None:
    endpoint.content = f'{{"facts": [{json.dumps(stated("Anna lives in Oslo.", 1))}, {{"text": "x" "sources"}}]}}'
    assert await texts(endpoint) == ["Anna lives in Oslo."]


async def test_a_fact_without_evidence_is_refused_and_counted_without_a_word(
    endpoint: ChatEndpoint, capfd: pytest.CaptureFixture[str]
) -> None:
    endpoint.facts = lambda _: [stated("The user owns a castle in Transylvania and three tigers.", 1, confidence=0.9)]
    before = refused("no_evidence")
    assert await texts(endpoint, "I read that bees dance.") == []
    assert refused("no_evidence") == before + 1
    told = "".join(capfd.readouterr())
    assert "castle" not in told
    assert "bees" not in told


async def test_a_fact_with_wrong_ids_is_counted(endpoint: ChatEndpoint) -> None:
    endpoint.facts = lambda _: [stated("Anna lives in Oslo.", 7), stated("Anna lives in Oslo.", 0)]
    before = refused("wrong_source")
    assert await texts(endpoint) == []
    assert refused("wrong_source") == before + 2


async def test_only_what_the_user_said_is_a_source(endpoint: ChatEndpoint) -> None:
    turns = [*said("I live in Oslo."), *said("You live in Oslo!", role=Role.ASSISTANT)]
    endpoint.facts = lambda _: [stated("Anna lives in Oslo.", 2)]
    async with learning(endpoint) as llm:
        assert await llm.extract(turns) == []


async def test_the_same_fact_five_times_in_one_answer_is_one(endpoint: ChatEndpoint) -> None:
    same = [
        "Anna lives in Oslo.",
        "anna lives in oslo",
        "Anna lives in Oslo!",
        "Anna lives in Oslo now.",
        "Anna lives in Oslo.",
    ]
    endpoint.facts = lambda _: [stated(text, index) for index, text in enumerate(same, start=1)]
    async with learning(endpoint) as llm:
        [fact] = await llm.extract(said(*["I live in Oslo now."] * 5))
    assert fact.source_ids == ("ep_1", "ep_2", "ep_3", "ep_4", "ep_5")


@pytest.mark.parametrize(
    "others",
    [
        ("Anna has 2 cats.", "Anna has 3 cats."),
        ("Anna likes red wine and pasta.", "Anna likes white wine and pasta."),
        ("Anna eats meat.", "Anna does not eat meat."),
    ],
)
async def test_facts_that_differ_in_what_matters_stay_two(endpoint: ChatEndpoint, others: tuple[str, str]) -> None:
    endpoint.facts = lambda _: [stated(text, 1) for text in others]
    assert await texts(endpoint, " ".join(others)) == list(others)


# --- pages that are too long ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_page_that_is_too_long_is_halved_down_to_one_turn(endpoint: ChatEndpoint, status: int) -> None:
    endpoint.longest, endpoint.status_of_too_long, endpoint.facts = 40, status, echo
    turns = [f"I live in house number {number}." for number in range(8)]
    assert await texts(endpoint, *turns) == [f"The user says: {turn}" for turn in turns]
    assert all(asked["response_format"]["type"] == "json_schema" for asked in endpoint.asked)


async def test_an_answer_that_is_cut_off_halves_the_page(endpoint: ChatEndpoint) -> None:
    endpoint.cuts_after, endpoint.facts = 1, echo
    assert len(await texts(endpoint, "I live in Oslo.", "I work as a nurse.", "I like tea.")) == 3


async def test_of_a_single_turn_whose_answer_is_cut_off_the_whole_facts_are_taken(endpoint: ChatEndpoint) -> None:
    endpoint.cuts_after = 1
    endpoint.facts = lambda _: [stated("Anna lives in Oslo.", 1), stated("Anna likes tea.", 1)]
    assert await texts(endpoint, "I live in Oslo and like tea.") == ["Anna lives in Oslo."]
    endpoint.cuts_after = 0
    with pytest.raises(AnswerTruncated):
        await texts(endpoint, "I live in Oslo and like tea.")


async def test_a_single_turn_that_is_too_long_is_asked_for_without_what_is_known_and_then_given_up(
    endpoint: ChatEndpoint,
) -> None:
    endpoint.longest = 5
    async with learning(endpoint) as llm:
        with pytest.raises(PageTooLong):
            await llm.extract(said("I live in Oslo."), known=known("Anna lives in Bergen."))
    assert [len(endpoint.known(asked)) for asked in endpoint.asked] == [1, 0]


# --- what is known ----------------------------------------------------------------------------------------------------


async def test_the_model_sees_what_is_known_and_says_what_is_superseded(endpoint: ChatEndpoint) -> None:
    endpoint.facts = lambda _: [stated("Anna lives in Oslo.", 1, supersedes=[2])]
    async with learning(endpoint) as llm:
        [fact] = await llm.extract(said("I moved to Oslo."), known=known("Anna likes tea.", "Anna lives in Bergen."))
    assert fact.supersedes == ("fact_2",)
    shown = endpoint.known(endpoint.asked[0])
    assert [(each["known"], each["text"], each["since"]) for each in shown] == [
        (1, "Anna likes tea.", "2026-03-09"),
        (2, "Anna lives in Bergen.", "2026-03-09"),
    ]


@pytest.mark.parametrize("supersedes", [[0], [3], [99], ["x"], [1]])
async def test_nothing_that_was_not_shown_or_has_nothing_to_do_with_it_is_superseded(
    endpoint: ChatEndpoint, supersedes: list[Any]
) -> None:
    endpoint.facts = lambda _: [stated("Anna lives in Oslo.", 1, supersedes=supersedes)]
    before = refused("wrong_superseded")
    async with learning(endpoint) as llm:
        [fact] = await llm.extract(said("I moved to Oslo."), known=known("The tram was late.", "Anna lives in Bergen."))
    assert fact.supersedes == ()
    assert refused("wrong_superseded") == before + 1


async def test_slots_are_those_of_the_rules_and_those_of_the_model_that_are_listed(endpoint: ChatEndpoint) -> None:
    slots = [
        {"subject": "the user", "attribute": "Home", "value": "Oslo", "negated": False},
        {"subject": "Anna", "attribute": "home", "value": "Bergen"},
        {"subject": "user", "attribute": "ice_hockey_club", "value": "Vålerenga", "valid_from": "2026-05-01"},
        {"attribute": ""},
        "nonsense",
    ]
    endpoint.facts = lambda _: [stated("Anna lives in Oslo and skates for Vålerenga.", 1, slots=slots)]
    before = refused("wrong_slot")
    async with learning(endpoint) as llm:
        [fact] = await llm.extract(said("I live in Oslo and skate for Vålerenga"))
    found = {slot.attribute: (slot.subject, slot.value, slot.is_future) for slot in fact.slots}
    assert found == {"home": ("user", "oslo", False)}
    assert refused("wrong_slot") == before + 4  # an attribute that is not listed is none that may be asserted


async def test_a_small_model_is_asked_for_less_and_the_rules_read_the_slots(endpoint: ChatEndpoint) -> None:
    async with learning(endpoint, asks_slots=False) as llm:
        assert not llm.reads_known
        assert llm.origin("run").prompt == "extract_v2/plain"
        [fact] = await llm.extract(said("I live in Oslo."))
    assert [(slot.attribute, slot.value) for slot in fact.slots] == [("home", "oslo")]
    [asked] = endpoint.asked
    assert "slots" not in json.dumps(asked["response_format"])
    assert "supersedes" not in asked["messages"][0]["content"]


# --- what it costs ----------------------------------------------------------------------------------------------------


class Counted:
    def __init__(self) -> None:
        self.tokens: list[TokenUsage] = []

    async def require_budget(self) -> None:
        pass

    async def spent(self, usage: TokenUsage) -> None:
        self.tokens.append(usage)


@pytest.mark.parametrize("content", [None, "no JSON"])
async def test_tokens_are_counted_whatever_comes_of_them(endpoint: ChatEndpoint, content: str | None) -> None:
    endpoint.content, meter = content, Counted()
    async with learning(endpoint) as llm:
        try:
            await llm.extract(said("I live in Oslo."), meter=meter)
        except AnswerInvalid:
            assert content
    assert meter.tokens == [TokenUsage(90, 10)]


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": None}])
async def test_where_the_endpoint_does_not_say_tokens_are_estimated(endpoint: ChatEndpoint, usage: Json | None) -> None:
    endpoint.usage, meter = usage, Counted()
    async with learning(endpoint) as llm:
        await llm.extract(said("I live in Oslo."), meter=meter)
    [tokens] = meter.tokens
    assert tokens.prompt > len(extract_v2.SYSTEM) / 5
    assert tokens.completion > 10
