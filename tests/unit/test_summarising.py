"""Summaries: sentences are chosen and not changed; a model's lines rest on what they cite, or are dropped."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from services.maintenance.app import make_summariser
from services.maintenance.domain.grounded_lines import grounded_lines
from services.maintenance.domain.summarising import CHOOSING, SentenceChooser, SourceText, SummaryAim, chosen
from services.maintenance.llm.summariser import ModelSummariser
from services.maintenance.prompts import summarise_v1
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Role
from shared.domain.model_tokens import TokenUsage
from shared.language.text.sentences import sentences
from shared.runtime.chat_models.errors import BudgetSpent
from shared.runtime.chat_models.factory import make_chat_model
from shared.runtime.chat_models.settings import LlmSettings
from tests.support.chat_endpoint import ChatEndpoint, chat_endpoint
from tests.support.scopes import T0

WORDS = ["ann", "tea", "oslo", "boat", "Maya", "violin", "Portuguese", "42", "is", "not", "marathon"]


def told(*texts: str, role: Role = Role.USER, is_fact: bool = True) -> list[SourceText]:
    return [
        SourceText(MemoryId(f"fact_{index:024x}"), text, T0 + timedelta(hours=index), role, is_fact=is_fact)
        for index, text in enumerate(texts)
    ]


def texts_of(sources: list[SourceText], most: int = 6) -> list[str]:
    return [line.text for line in chosen(sources, most)]


def answered(*lines: tuple[str, list[int]]) -> str:
    return json.dumps({"lines": [{"text": text, "sources": sources} for text, sources in lines]})


def test_what_came_up_often_is_chosen_and_of_two_that_say_the_same_one() -> None:
    sources = told("Ann likes tea.", "Ann drinks tea.", "Bob sails.")
    assert texts_of(sources, 2) == ["Ann likes tea.", "Bob sails."]
    assert texts_of(sources, 3) == ["Ann likes tea.", "Ann drinks tea.", "Bob sails."]
    assert texts_of(told("Ann likes green tea.", "Ann likes green tea."), 2) == ["Ann likes green tea."]


def test_questions_and_what_is_said_beside_facts_are_not_chosen() -> None:
    sources = [*told("Does Ann like green tea?", "Ann moved to Oslo."), *told("I moved house to Oslo.", is_fact=False)]
    assert texts_of(sources) == ["Ann moved to Oslo."]


def test_without_facts_only_what_the_person_said_is_chosen() -> None:
    sources = [
        *told("I started rowing on Sundays.", is_fact=False),
        *told("Rowing on Sundays sounds great, Ann.", role=Role.ASSISTANT, is_fact=False),
    ]
    assert texts_of(sources) == ["I started rowing on Sundays."]


SOURCES = st.lists(
    st.builds(
        lambda words, mark, hour, weight: (" ".join(words) + mark, hour, weight),
        st.lists(st.sampled_from(WORDS), max_size=8),
        st.sampled_from([".", "!", "?", ". Ann sails a boat.", "\n"]),
        st.integers(0, 3),
        st.floats(0, 1),
    ),
    max_size=12,
)


@given(SOURCES, st.integers(1, 8), st.randoms(use_true_random=False))
def test_a_chosen_line_is_a_whole_sentence_of_its_source_whatever_the_order(
    said: list[tuple[str, int, float]], most: int, dice: object
) -> None:
    sources = [
        SourceText(MemoryId(f"fact_{index:024x}"), text, T0 + timedelta(hours=hour), weight=weight)
        for index, (text, hour, weight) in enumerate(said)
    ]
    lines = chosen(sources, most)
    by_id = {source.memory_id: source for source in sources}
    assert len(lines) <= most
    assert len(lines) == len({line.text for line in lines})
    for line in lines:
        [source_id] = line.source_ids
        assert line.text in sentences(by_id[source_id].text)
    times = [by_id[line.source_ids[0]].occurred_at for line in lines]
    assert times == sorted(times)
    dice.shuffle(shuffled := list(sources))  # type: ignore[attr-defined]
    assert chosen(shuffled, most) == lines


def test_a_models_line_that_says_more_than_its_sources_is_dropped() -> None:
    sources = told("Ann moved to Oslo.", "Ann plays the violin on Sundays.")
    lines = grounded_lines(
        answered(
            ("Ann moved to Oslo.", [1]),
            ("Ann moved to Bergen.", [1]),  # a name that nobody said
            ("Ann pays 900 crowns for her flat.", [1]),  # a number that nobody said
            ("Ann plays the violin on Sundays.", [1]),  # not what this source says
            ("Ann plays the violin on Sundays.", [9]),  # no such source
            ("Ann plays the violin on Sundays.", []),
            ("Ann plays the violin on Sundays.", [True]),
        ),
        sources,
        6,
    )
    assert lines == [(("Ann moved to Oslo."), (sources[0].memory_id,))]


def test_what_only_the_assistant_said_is_no_source() -> None:
    sources = told("You should move to Oslo, Ann.", role=Role.ASSISTANT, is_fact=False)
    assert grounded_lines(answered(("Ann should move to Oslo.", [1])), sources, 6) == []


@pytest.mark.parametrize("text", ["", "no JSON", "[1, 2]", '{"lines": 3}', '{"lines": ["a", {"text": 1}, {"text": "a"}]}'])
def test_an_answer_that_is_not_what_was_asked_for_gives_no_line(text: str) -> None:
    assert grounded_lines(text, told("Ann moved to Oslo."), 6) == []


@pytest.fixture
def endpoint() -> Iterator[ChatEndpoint]:
    with chat_endpoint() as endpoint:
        yield endpoint


@pytest.fixture
async def summariser(endpoint: ChatEndpoint) -> AsyncIterator[ModelSummariser]:
    llm = LlmSettings(model="some-model", api_key=SecretStr("k"), base_url=endpoint.url, max_retries=0)
    made = ModelSummariser(make_chat_model(llm))
    yield made
    await made.close()


class Metered:
    """Counts tokens, or says that there are none left."""

    def __init__(self, *, is_spent: bool = False) -> None:
        self.is_spent = is_spent
        self.used: list[TokenUsage] = []

    async def require_budget(self) -> None:
        if self.is_spent:
            raise BudgetSpent

    async def spent(self, usage: TokenUsage) -> None:
        self.used.append(usage)


async def test_a_models_lines_are_taken_with_what_they_cost(summariser: ModelSummariser, endpoint: ChatEndpoint) -> None:
    endpoint.content = answered(("Ann moved to Oslo and plays the violin.", [1, 2]))
    meter = Metered()
    sources = told("Ann moved to Oslo.", "Ann plays the violin on Sundays.")
    summary = await summariser.summarise(sources, aim=SummaryAim.WEEK, run_id="r", meter=meter)
    assert summary.text == "Ann moved to Oslo and plays the violin."
    assert summary.source_ids == tuple(source.memory_id for source in sources)
    made_by = summary.made_by
    assert (made_by.extractor, made_by.model, made_by.prompt) == ("llm", "some-model", summarise_v1.VERSION)
    assert meter.used == [TokenUsage(90, 10)]
    assert endpoint.asked[0]["response_format"]["json_schema"]["schema"] == summarise_v1.SCHEMA


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": 500},
        {"content": "no"},
        {"content": answered(("Ann moved to Bergen.", [1]))},
        {"finish_reason": "content_filter"},
    ],
    ids=["down", "no JSON", "invented", "refused"],
)
async def test_where_the_model_says_nothing_that_holds_sentences_are_chosen_and_it_is_said_so(
    summariser: ModelSummariser, endpoint: ChatEndpoint, wrong: dict[str, object]
) -> None:
    for name, value in wrong.items():
        setattr(endpoint, name, value)
    summary = await summariser.summarise(told("Ann moved to Oslo."), aim=SummaryAim.WEEK, run_id="r")
    assert (summary.text, summary.made_by.extractor) == ("Ann moved to Oslo.", CHOOSING)


async def test_where_the_tokens_of_the_day_are_spent_no_model_is_asked(
    summariser: ModelSummariser, endpoint: ChatEndpoint
) -> None:
    summary = await summariser.summarise(
        told("Ann moved to Oslo."), aim=SummaryAim.WEEK, run_id="r", meter=Metered(is_spent=True)
    )
    assert (summary.made_by.extractor, endpoint.asked) == (CHOOSING, [])


async def test_of_sources_that_are_too_long_together_the_later_half_is_asked_about(
    summariser: ModelSummariser, endpoint: ChatEndpoint
) -> None:
    endpoint.longest = 40
    endpoint.content = answered(("Ann plays the violin on Sundays.", [1]))
    sources = told("Ann moved to Oslo.", "Ann plays the violin on Sundays.")
    summary = await summariser.summarise(sources, aim=SummaryAim.WEEK, run_id="r")
    assert summary.source_ids == (sources[1].memory_id,)


async def test_without_a_model_there_is_a_summariser_that_says_that_it_chooses() -> None:
    summariser = make_summariser(LlmSettings(model=None))
    assert isinstance(summariser, SentenceChooser)
    summary = await summariser.summarise([], aim=SummaryAim.WEEK, run_id="r")
    assert (summary.lines, summary.text, summary.made_by.extractor) == ((), "", CHOOSING)
