"""Messages as chat APIs have them: what counts as said."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from memstream import MemstreamError
from memstream.client.chat_messages import turns_of


def said(content: object, **more: Any) -> str | None:  # noqa: ANN401 - any field of a message
    turns = list(turns_of([{"role": "user", "content": content, **more}]))
    return turns[0]["text"] if turns else None


def test_user_and_assistant_are_said_in_order_and_prompts_and_tools_are_not() -> None:
    chat = [
        {"role": "system", "content": "You are helpful."},
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "I like tea."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "buy"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "{}"},
        {"role": "assistant", "content": "Noted."},
    ]
    assert [(turn["role"], turn["text"]) for turn in turns_of(chat)] == [("user", "I like tea."), ("assistant", "Noted.")]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("tea", "tea"),
        ([{"type": "text", "text": "tea"}], "tea"),
        ([{"type": "input_text", "text": "tea"}, {"type": "output_text", "text": "please"}], "tea\nplease"),
        (["tea", "please"], "tea\nplease"),
        ([{"type": "refusal", "refusal": "I cannot."}], "I cannot."),
        ([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}], "[image]"),
        ([{"type": "image_url", "image_url": {"url": "https://x/y"}, "caption": "a red bike"}], "[image: a red bike]"),
        ([{"type": "text", "text": "Mine:"}, {"type": "image", "source": {}, "alt": "a bike"}], "Mine:\n[image: a bike]"),
        ([{"type": "input_audio", "input_audio": {"data": "AAAA", "transcript": "I like tea"}}], "[audio: I like tea]"),
        ([{"type": "input_audio", "input_audio": {"data": "AAAA"}}], "[audio]"),
        ([{"type": "file", "file": {"filename": "lease.pdf"}}], "[file: lease.pdf]"),
        ([{"type": "tool_use", "name": "buy"}, {"type": "text", "text": "Done."}], "Done."),
        ([{"type": "thinking", "thinking": "hm"}], None),
        ([], None),
        ("  ", None),
        (None, None),
    ],
)  # fmt: skip
def test_content_is_a_text_or_parts(content: object, text: str | None) -> None:
    assert said(content) == text


def test_what_audio_says_is_said() -> None:
    assert said(None, audio={"id": "a1", "transcript": "I like tea."}) == "I like tea."


def test_a_message_keeps_its_id_name_time_and_metadata() -> None:
    [turn] = turns_of([{"role": "human", "content": "tea", "id": "m1", "name": "Anna", "metadata": {"channel": "web"}}])
    assert turn == {"role": "user", "text": "tea", "message_id": "m1", "speaker": "Anna", "metadata": {"channel": "web"}}


def test_an_sdks_own_object_is_a_message() -> None:
    class Answer(BaseModel):
        role: str = "assistant"
        content: str = "Noted."

    assert [turn["text"] for turn in turns_of([Answer()])] == ["Noted."]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"role": "wizard", "content": "tea"}, r"messages\.0\.role must be one of user"),
        ({"content": "tea"}, r"messages\.0\.role"),
        ({"role": "user", "content": 7}, r"messages\.0\.content must be a text or a list"),
        ({"role": "user", "content": [7]}, r"messages\.0\.content\.0 must be"),
        ("tea", r"messages\.0 must be"),
    ],
)
def test_what_is_no_message_is_named(message: Any, reason: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(MemstreamError, match=reason):
        list(turns_of([message]))


@pytest.mark.parametrize(
    "message",
    [
        {"content": [{"type": "text", "text": {"value": "I live in Bergen", "annotations": []}}]},
        {"content": [{"type": "text", "text": ["I live in Bergen"]}]},
        {"parts": [{"type": "text", "text": "I live in Bergen"}]},
        {"parts": [{"text": "I live in Bergen"}]},
        {"content": None, "parts": [{"type": "step-start"}, {"type": "text", "text": "I live in Bergen"}]},
        {"text": ["I live in Bergen"]},
        {"content": ["I live in Bergen"]},
    ],
)
def test_the_words_are_found_in_every_usual_shape(message: dict[str, Any]) -> None:
    assert [turn["text"] for turn in turns_of([{"role": "user", **message}])] == ["I live in Bergen"]


@pytest.mark.parametrize(
    "message",
    [
        {"message": "I live in Bergen"},
        {},
        {"content": [{"type": "text", "text": {"words": "I live in Bergen"}}]},
        {"content": [{"type": "text", "text": 7}]},
        {"content": [{"type": "paragraph", "text": "I live in Bergen"}]},
        {"content": {"value": "I live in Bergen"}},
        {"content": b"I live in Bergen"},
        {"content": 7},
    ],
)
def test_an_unknown_shape_is_refused_and_never_recorded_as_python_writes_it(message: dict[str, Any]) -> None:
    with pytest.raises(MemstreamError):
        list(turns_of([{"role": "user", **message}]))


def test_thoughts_are_not_said() -> None:
    parts = [{"type": "reasoning", "text": "hmm"}, {"type": "text", "text": "Noted."}]
    assert [turn["text"] for turn in turns_of([{"role": "assistant", "parts": parts}])] == ["Noted."]
