"""What is read of files in LoCoMo's format, and what is said of those that are not."""

import copy
from typing import Any

import pytest

from memstream._contracts import Malformed, Role
from memstream.importers.locomo import parse

SAMPLE: dict[str, Any] = {
    "sample_id": "c1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I have a cat"},
            {"speaker": "Zoe", "dia_id": "D1:2", "text": "Nice"},
        ],
    },
    "qa": [{"question": "What pet?", "answer": "a cat", "evidence": ["D1:1; D1:02"], "category": 4}],
}


def changed(*path: str | int, to: object) -> dict[str, Any]:
    """The sample with another value at this place."""
    sample: Any = copy.deepcopy(SAMPLE)
    place = sample
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return dict(sample)


def test_turns_questions_and_evidence_are_read() -> None:
    [read] = parse([SAMPLE])
    assert [(turn.speaker, turn.role, turn.text) for turn in read.turns] == [
        ("Ann", Role.USER, "I have a cat"),
        ("Zoe", Role.ASSISTANT, "Nice"),
    ]
    assert [question.evidence for question in read.questions] == [("D1:1", "D1:2")]


def test_a_picture_without_words_is_its_caption() -> None:
    picture = {"speaker": "Ann", "dia_id": "D1:1", "img_url": ["http://x/y.png"], "blip_caption": "a photo of a cat"}
    [read] = parse([changed("conversation", "session_1", 0, to=picture)])
    assert read.turns[0].text == "[image: a photo of a cat]"


def test_a_turn_is_of_the_session_in_which_it_stands_whatever_its_id_says() -> None:
    second = {
        "session_2_date_time": "1:56 pm on 9 May, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D1:9", "text": "Bye"}],
    }
    [read] = parse([changed("conversation", to=SAMPLE["conversation"] | second)])
    assert read.sessions_of(["D1:9", "D1:1"]) == {"session_1", "session_2"}
    assert read.sessions_of(["D1:9", "D7:7"]) == {"session_2"}


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        (changed("conversation", to={}) | {"qa": []} | {"conversation": {"session_1": []}}, "lacks 'session_1_date_time'"),
        (changed("conversation", "session_1_date_time", to="some day"), "some day"),
        (changed("conversation", "session_1", 0, to={"speaker": "Ann", "dia_id": "D1:1"}), "lacks 'text'"),
        (changed("conversation", "session_1", 0, to={"dia_id": "D1:1", "text": "x"}), "lacks 'speaker'"),
        (changed("qa", 0, to={"question": "x"}), "lacks 'category'"),
        ({"qa": []}, "lacks 'conversation'"),
        ("text", "is not an object"),
        (None, "is not an object"),
    ],
)
def test_the_error_names_the_conversation_and_what_it_lacks(sample: object, why: str) -> None:
    with pytest.raises(Malformed, match=f"conversation 2.*{why}"):
        parse([SAMPLE, sample])
