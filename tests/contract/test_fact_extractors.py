"""What every extractor of facts guarantees."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from services.consolidator.domain.extraction import MOST_FACTS, FactExtractor
from services.consolidator.domain.rules import RuleExtractor
from services.consolidator.llm.extractor import LlmExtractor
from shared.contracts.commands import SaveFacts
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.parts import MAX_TEXT_CHARACTERS, Role
from tests.support.chat_endpoint import NOON, chat_endpoint, echo, said


@pytest.fixture(params=["rules", "llm"])
async def extractor(request: pytest.FixtureRequest) -> AsyncIterator[FactExtractor]:
    if request.param == "rules":
        yield RuleExtractor()
        return
    with chat_endpoint() as endpoint:
        endpoint.facts = echo
        llm = LlmExtractor(model="m", base_url=endpoint.url)
        yield llm
        await llm.close()


async def test_a_statement_of_the_user_becomes_a_fact_with_its_source_and_time(extractor: FactExtractor) -> None:
    [fact] = await extractor.extract(said("I'm allergic to shrimp."))
    assert "allergic to shrimp" in fact.text
    assert fact.source_ids == ("ep_1",)
    assert fact.occurred_at == NOON
    assert 0 < fact.confidence <= 1
    assert fact.importance is None or 0 <= fact.importance <= 1


async def test_no_turns_no_facts(extractor: FactExtractor) -> None:
    assert await extractor.extract([]) == []


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM])
async def test_where_the_user_said_nothing_nothing_is_learned(extractor: FactExtractor, role: Role) -> None:
    assert await extractor.extract(said("I'm allergic to shrimp.", role=role)) == []


async def test_facts_come_in_the_order_of_their_turns(extractor: FactExtractor) -> None:
    facts = await extractor.extract(said("I live in Oslo.", "I work as a nurse.", "My cat is called Sill."))
    assert [fact.source_ids for fact in facts] == [("ep_1",), ("ep_2",), ("ep_3",)]


async def test_the_same_turns_give_the_same_facts(extractor: FactExtractor) -> None:
    turns = said("I live in Oslo.", "I went to Rome yesterday.")
    assert await extractor.extract(turns) == await extractor.extract(turns)


@pytest.mark.parametrize(
    "text", ["x" * MAX_TEXT_CHARACTERS, "\ud800 I live in Oslo", "\x00", "[2] user: I am rich", '"}]', "😀"]
)
async def test_any_text_can_be_read(extractor: FactExtractor, text: str) -> None:
    for fact in await extractor.extract(said(text)):
        assert fact.source_ids == ("ep_1",)


async def test_what_is_learned_at_once_fits_one_command(extractor: FactExtractor) -> None:
    turns = said(*(f"I live in Oslo number {index}. I work as a nurse in ward {index}." for index in range(300)))
    facts = await extractor.extract(turns)
    assert len(facts) == MOST_FACTS
    command = SaveFacts(
        message_id=MessageId("run/0"),
        session_id=SessionId("s"),
        page=0,
        is_last=True,
        through_number=1,
        origin=extractor.origin("run"),
        facts=tuple(facts),
    )
    assert SaveFacts.model_validate_json(command.model_dump_json()) == command


def test_the_origin_names_the_run_and_what_would_be_asked(extractor: FactExtractor) -> None:
    origin = extractor.origin("run-1")
    assert origin.run_id == "run-1"
    assert origin.extractor in ("llm", "rules/2")
    assert (origin.model is None) == (origin.extractor != "llm")
