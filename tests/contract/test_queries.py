import typing
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from shared.contracts.commands import COMMANDS, bot_commands
from shared.contracts.contract import Contract
from shared.contracts.queries import ANSWERS, QUERIES, Asked, ContextQuery, OutcomeQuery

MODELS = [*QUERIES.values(), *ANSWERS.values()]
EMPTY: dict[str, dict[str, Any]] = {
    "context": {"query": "x"},
    "search": {"query": "x"},
    "show": {"memory_id": "ep_1"},
    "similar": {"memory_id": "ep_1"},
    "entity": {"name": "Anna"},
    "forget_preview": {"session_id": "monday"},
    "receipt": {"number": 1},
    "diff": {"since_number": 0},
    "episodes": {"session_id": "monday"},
}


def test_every_query_has_an_answer_and_every_answer_a_query() -> None:
    assert set(QUERIES) == set(ANSWERS)


@pytest.mark.parametrize(("name", "model"), QUERIES.items())
def test_every_query_is_mapped_under_its_own_name_and_has_an_answerer(name: str, model: type[Asked]) -> None:
    assert model.query_name == name
    assert model.answered_by in {"ingest", "retriever"}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_query_and_answer_is_frozen_refuses_unknown_fields_and_says_what_it_is(model: type[Contract]) -> None:
    assert model.model_config.get("frozen") is True
    assert model.model_config.get("extra") == "forbid"
    assert model.__doc__


@pytest.mark.parametrize("model", QUERIES.values(), ids=QUERIES)
def test_every_field_of_a_query_is_explained(model: type[Asked]) -> None:
    assert [name for name, info in model.model_fields.items() if not info.description] == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_query_and_answer_has_a_json_schema(model: type[Contract]) -> None:
    for mode in typing.get_args(typing.Literal["validation", "serialization"]):
        assert TypeAdapter(model).json_schema(mode=mode)["properties"]


@pytest.mark.parametrize(("name", "model"), QUERIES.items())
def test_a_query_needs_no_more_than_what_it_asks_for(name: str, model: type[Asked]) -> None:
    query = model.model_validate(EMPTY.get(name, {}))
    assert getattr(query, "min_position", 0) == 0
    assert 0 < query.timeout_s <= 30


@pytest.mark.parametrize(
    "payload",
    [
        {"query": "x", "colour": "red"},
        {"query": "x" * 16_385},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 201},
        {"query": "x", "kinds": []},
        {"query": "x", "kinds": ["dream"]},
        {"query": "x", "timeout_s": 0},
        {"query": "x", "timeout_s": 31},
        {"query": "x", "timeout_s": float("inf")},
        {"query": "x", "timeout_s": float("nan")},
        {"query": "x", "min_position": -1},
        {"query": "x", "budget_tokens": 0},
        {},
    ],
)
def test_a_query_out_of_bounds_is_refused(payload: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ContextQuery.model_validate(payload)


def test_a_query_cannot_be_changed_once_it_is_asked() -> None:
    query = OutcomeQuery(sequence=1)
    with pytest.raises(ValidationError):
        query.sequence = 2  # type: ignore[misc]


def _is_number(annotation: object) -> bool:
    plain = getattr(annotation, "__supertype__", annotation)
    return plain is int or any(map(_is_number, typing.get_args(annotation)))


@pytest.mark.parametrize(
    "kind", [*QUERIES.values(), *(COMMANDS[each] for each in bot_commands())], ids=lambda kind: kind.__name__
)
def test_every_number_that_a_bot_may_send_is_bounded(kind: type[Contract]) -> None:
    """SQLite takes none of more than 63 bits, and a query with one would fail inside memstream."""
    bounds = {name: field.metadata for name, field in kind.model_fields.items() if _is_number(field.annotation)}
    assert [name for name, found in bounds.items() if not any(hasattr(each, "le") for each in found)] == []
