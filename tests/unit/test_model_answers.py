"""What a model writes as JSON is read where one thing only can be meant, and is a failure otherwise, never an empty answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from services.consolidator.domain.model_answers import read_answer
from services.consolidator.domain.model_facts import AnswerReader, Refusal
from tests.support.chat_endpoint import said

FACT: dict[str, Any] = {
    "text": "The user keeps two rabbits.",
    "sources": [1],
    "kinds": [],
    "asked_to_remember": False,
    "confidence": 0.9,
    "slots": [],
    "supersedes": [],
}
WHOLE = json.dumps({"facts": [FACT, FACT]})


@pytest.mark.parametrize(
    "broken",
    [
        WHOLE.replace("two rabbits", "two\nrabbits"),
        WHOLE.replace("two rabbits", "two\trabbits"),
        WHOLE.replace("two rabbits", "two\x01rabbits"),
        WHOLE.replace("false", "False"),
        WHOLE.replace("false", "None"),
        WHOLE.replace("[1], ", "[1] "),
        WHOLE.replace("0.9, ", "0.9 "),
        WHOLE.replace('rabbits.", ', 'rabbits." '),
        WHOLE.replace("}, {", "} {"),
        WHOLE.replace("]}, ", "],}, "),
        WHOLE.replace("}]", "},]"),
        WHOLE.replace('"sources"', "sources").replace('"facts"', "facts"),
        "Here you are:\n```json\n" + WHOLE.replace("false", "False") + "\n```",
        json.dumps({"facts": json.dumps([FACT, FACT])}),
    ],
)
def test_what_is_broken_and_plain_is_read_whole(broken: str) -> None:
    facts = read_answer(broken)
    assert facts is not None
    assert len(facts) == 2
    assert all(" ".join(fact["text"].split()).replace("\x01", " ") == FACT["text"] for fact in facts)
    assert all(fact["sources"] == [1] for fact in facts)


@pytest.mark.parametrize("words", ["True, False and None", "a, ] b", "{key: 1}", '"quoted" "twice"', "1 2 }{"])
def test_what_stands_in_a_string_stays(words: str) -> None:
    broken = json.dumps({"facts": [{"text": words, "sources": [1]}]}).replace("]}]}", "],}]}")
    assert read_answer(broken) == [{"text": words, "sources": [1]}]


@pytest.mark.parametrize(
    "broken",
    ['{"facts": [{"text": "The user says "hi" to all", "sources": [1]}]}', '{"facts": [{"text": "a', '{"facts": {', "none"],
)
def test_what_cannot_be_read_is_no_empty_answer(broken: str) -> None:
    assert not read_answer(broken)
    assert read_answer(broken) is None


def test_an_empty_list_is_an_answer() -> None:
    assert read_answer('{"facts": []}') == []


@pytest.mark.parametrize(
    "odd",
    [
        {"slots": None},
        {"slots": "none"},
        {"slots": {"subject": "user", "attribute": "pet", "value": "rabbits"}},
        {"confidence": "high"},
        {"confidence": None},
        {"confidence": []},
        {"asked_to_remember": None},
        {"asked_to_remember": "maybe"},
        {"kinds": None},
        {"kinds": [1, None]},
        {"kinds": {"a": 1}},
        {"supersedes": "no"},
        {"supersedes": None},
        {"sources": "1"},
        {"sources": ["turn 1"]},
        {"sources": 1},
    ],
)
def test_only_text_and_sources_are_essential(odd: dict[str, Any]) -> None:
    reader = AnswerReader(turns := said("I keep two rabbits."))
    assert reader.read([{**FACT, **odd}], turns, ())
    assert [fact.text for fact in reader.taken] == [FACT["text"]]


def test_a_fact_may_be_named_fact_or_stand_alone() -> None:
    named = {"fact": FACT["text"], "sources": [1]}
    for answer in (json.dumps({"facts": [named]}), json.dumps(named), json.dumps({"facts": named}), json.dumps([named])):
        reader = AnswerReader(turns := said("I keep two rabbits."))
        assert reader.read(read_answer(answer) or [], turns, ())
        assert [fact.text for fact in reader.taken] == [FACT["text"]]


@pytest.mark.parametrize("fact", ["The user keeps two rabbits.", {"text": FACT["text"]}, {**FACT, "sources": None}])
def test_a_fact_without_text_or_sources_is_not_taken(fact: object) -> None:
    reader = AnswerReader(turns := said("I keep two rabbits."))
    reader.read([fact], turns, ())
    assert not reader.taken
    assert set(reader.refused) <= {Refusal.MALFORMED, Refusal.SOURCE}
