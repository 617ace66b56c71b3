"""A search, a context and a list can be limited by tags, entities, metadata and time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from services.retriever import assembly
from services.retriever.store import read_memories
from services.retriever.store.narrowing import among
from shared.contracts.commands import RememberFact, UserMessage
from shared.contracts.ids import MessageId, RecallId, SessionId
from shared.contracts.queries import ListQuery, SearchQuery
from tests.support.files import Shelved, question, shelved
from tests.support.scopes import T0

LATER = T0 + timedelta(days=1)


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    file = shelved(tmp_path / "anna.db")
    _say(file, "I drink tea in Lisbon", channel="web", place={"floor": 2})
    _say(file, "I drink tea with Ben", channel="phone", priority=1, who=["Ben", "Eva"])
    file.know("Anna likes green tea", "Drinks", "morning")
    file.know("Anna buys tea on Fridays", "drinks", now=LATER)
    return file


def _say(file: Shelved, text: str, **metadata: Any) -> None:  # noqa: ANN401 - a bot's own JSON
    message = MessageId(f"m{file.log.sent + 1}")
    file.tell(UserMessage(session_id=SessionId("s1"), text=text, message_id=message, metadata=metadata))


CASES: list[tuple[dict[str, Any], set[str]]] = [
    ({"tags": ["drinks"]}, {"Anna likes green tea", "Anna buys tea on Fridays"}),
    ({"tags": ["drinks", "MORNING"]}, {"Anna likes green tea"}),
    ({"tags": ["food"]}, set()),
    ({"entities": ["Ben"]}, {"I drink tea with Ben"}),
    ({"entities": ["Nobody"]}, set()),
    ({"metadata": {"channel": "web"}}, {"I drink tea in Lisbon"}),
    ({"metadata": {"channel": "phone", "priority": 1}}, {"I drink tea with Ben"}),
    ({"metadata": {"priority": "1"}}, set()),
    ({"metadata": {"channel": ["web", "phone"]}}, {"I drink tea in Lisbon", "I drink tea with Ben"}),
    ({"metadata": {"channel": ["web", "phone"], "priority": [1, 2]}}, {"I drink tea with Ben"}),
    ({"metadata": {"channel": ["fax"]}}, set()),
    ({"metadata": {"channel": []}}, set()),
    ({"metadata": {"priority": ["1"]}}, set()),
    ({"metadata": {"place": [{"floor": 1}, {"floor": 2}]}}, {"I drink tea in Lisbon"}),
    ({"metadata": {"who": ["Ben", "Eva"]}}, {"I drink tea with Ben"}),
    ({"metadata": {"who": ["Ben"]}}, set()),
    ({"metadata": {"place": {"floor": 2}}}, {"I drink tea in Lisbon"}),
    ({"occurred_after": LATER}, {"Anna buys tea on Fridays"}),
    ({"occurred_before": LATER, "tags": ["drinks"]}, {"Anna likes green tea"}),
]


@pytest.mark.parametrize(("only", "found"), CASES)
def test_a_query_is_limited_to_what_all_of_it_is_true_of(file: Shelved, only: dict[str, Any], found: set[str]) -> None:
    with file.connected() as db:
        numbers = among(db, SearchQuery(query="tea", **only))
        asked = question("tea").limited_to(numbers)
        searched = assembly.search(file.searched(db), asked, position=1).items
        context = assembly.context(file.searched(db), asked, recall_id=RecallId("rec_1"), position=1, budget_tokens=None).items
        listed = read_memories.page(db, ListQuery(**only), 1).items
    assert {item.text for item in searched} == found
    assert {item.text for item in context} == found
    assert {item.text for item in listed} == found


def test_a_fact_is_limited_by_the_metadata_of_the_turn_that_it_rests_on(file: Shelved) -> None:
    turn = file.log.events[-1]
    [said] = [str(each.data.subject) for each in file.log.events if getattr(each.data, "text", "") == "I drink tea in Lisbon"]
    file.tell(RememberFact(text="Anna knows Lisbon", source_ids=(said,)))
    with file.connected() as db:
        listed = read_memories.page(db, ListQuery(metadata={"channel": "web"}), int(turn.number)).items
    assert {item.text for item in listed} == {"I drink tea in Lisbon", "Anna knows Lisbon"}


def test_without_a_limit_nothing_is_looked_up(file: Shelved) -> None:
    with file.connected() as db:
        assert among(db, SearchQuery(query="tea")) is None
