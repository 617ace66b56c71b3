"""What was said once is never dated now, one bad message costs only itself, and a file of an unknown form is refused."""

from __future__ import annotations

import io
import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memstream.cli.importing import _dated, _raise_for_less, _time_of
from memstream.importers.formats import Format, detected, parse, text_in
from memstream.importers.turns import Assumed, BadRecord, Owner, Parsed
from shared.contracts.errors import Malformed

ASSUMED = Assumed(Owner("shop", "anna"))
FILE_TIME = datetime(2025, 5, 5, tzinfo=UTC)
Y2019, Y2020 = 1546300800.0, 1577836800.0


def read(document: object) -> Parsed:
    text = json.dumps(document)
    return _dated(parse(text, detected(text), ASSUMED), FILE_TIME)


def days(parsed: Parsed) -> list[str]:
    return [str(turn.occurred_at)[:10] for _, turn in parsed.turns]


def chatgpt(times: list[float | None], **more: object) -> list[dict[str, Any]]:
    mapping: dict[str, Any] = {"root": {"message": None, "parent": None, "children": ["n0"]}}
    for number, time in enumerate(times):
        message = {
            "id": f"m{number}",
            "author": {"role": "assistant" if number % 2 else "user"},
            "create_time": time,
            "content": {"content_type": "text", "parts": [f"words {number}"]},
        }
        parent = f"n{number - 1}" if number else "root"
        children = [f"n{number + 1}"] if number + 1 < len(times) else []
        mapping[f"n{number}"] = {"message": message, "parent": parent, "children": children}
    return [{"conversation_id": "c", "mapping": mapping, "current_node": f"n{len(times) - 1}", **more}]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (chatgpt([None, None], create_time=Y2020), ["2020-01-01", "2020-01-01"]),
        (chatgpt([None, None], create_time=None, update_time=Y2020), ["2020-01-01", "2020-01-01"]),
        (chatgpt([Y2019, None, None], update_time=Y2020), ["2019-01-01", "2019-01-01", "2019-01-01"]),
        (chatgpt([None, None, Y2019]), ["2019-01-01", "2019-01-01", "2019-01-01"]),
        (chatgpt([None, Y2020], create_time=Y2019), ["2019-01-01", "2020-01-01"]),
        (chatgpt([None, None]), ["2025-05-05", "2025-05-05"]),
        (
            [
                {
                    "uuid": "c",
                    "created_at": "2020-01-01T00:00:00Z",
                    "chat_messages": [{"uuid": "1", "sender": "human", "text": "a"}],
                }
            ],
            ["2020-01-01"],
        ),
        (
            {"created": Y2020, "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]},
            ["2020-01-01"] * 2,
        ),
        ({"messages": [{"role": "user", "content": "a"}]}, ["2025-05-05"]),
        ({"role": "user", "text": "a", "session_id": "s"}, ["2025-05-05"]),
    ],
)
def test_an_undated_message_is_of_its_conversation_its_neighbours_or_its_file(document: object, expected: list[str]) -> None:
    parsed = read(document)
    assert not parsed.bad
    assert days(parsed) == expected


def test_what_nobody_dates_is_refused() -> None:
    text = json.dumps({"messages": [{"role": "user", "content": "a"}]})
    parsed = _dated(parse(text, Format.OPENAI, ASSUMED), None)
    assert not parsed.turns
    assert [bad.field for bad in parsed.bad] == ["occurred_at"]


def test_the_time_of_a_file_is_when_it_was_written(tmp_path: Path) -> None:
    (file := tmp_path / "x.json").touch()
    os.utime(file, (Y2020, Y2020))
    assert _time_of(file) == datetime(2020, 1, 1, tzinfo=UTC)
    assert _time_of(Path("-")) is None


@pytest.mark.parametrize(
    "document",
    [
        {"messages": [{"role": "user", "content": "I live in Turku."}, {"content": "no role"}]},
        {"messages": [{"role": "user", "content": "I live in Turku."}, None]},
        {"messages": ["words", {"role": "user", "content": "I live in Turku."}]},
        [{"uuid": "g", "chat_messages": [{"uuid": "m1", "text": "I live in Turku.", "sender": "human"}, None]}],
        [{"uuid": "g", "chat_messages": [{"uuid": "m1", "text": "I live in Turku.", "sender": "human"}, {"text": "x"}]}],
    ],
)
def test_a_bad_message_costs_only_itself_and_is_named(document: object) -> None:
    parsed = read(document)
    assert [turn.text for _, turn in parsed.turns] == ["I live in Turku."]
    assert len(parsed.bad) == 1
    with pytest.raises(Malformed, match="1 record could not be imported"):
        _raise_for_less(parsed)


def test_a_node_that_is_null_ends_a_branch_and_nothing_else() -> None:
    document = chatgpt([Y2020, Y2020])
    document[0]["mapping"]["root"] = None
    assert len(read(document).turns) == 2


def test_a_file_without_turns_is_an_error_and_one_of_known_turns_is_none() -> None:
    with pytest.raises(Malformed, match="holds no turns"):
        _raise_for_less(Parsed())
    _raise_for_less(read({"messages": [{"role": "user", "content": "a"}]}))


def test_the_summary_counts_reasons() -> None:
    bad = [BadRecord(f"line {number}", "role", "missing", None) for number in range(3)] + [
        BadRecord("line 4", None, "not JSON", "")
    ]
    with pytest.raises(Malformed, match=r"4 records could not be imported: role: missing \(3\); not JSON \(1\)"):
        _raise_for_less(Parsed(bad=bad))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(
            {
                "name": "Ben",
                "type": "personal_chat",
                "id": 1,
                "messages": [{"id": 1, "type": "message", "from": "Ben", "text": "hi"}],
            }
        ),
        json.dumps(
            {"guild": {}, "channel": {}, "messages": [{"id": "1", "type": "Default", "content": "hi", "author": {"name": "b"}}]}
        ),
        json.dumps(
            {"conversationId": "l1", "messages": [{"messageId": "a", "sender": "User", "isCreatedByUser": True, "text": "hi"}]}
        ),
        json.dumps([{"type": "message", "user": "U1", "text": "hi", "ts": "1577836800.0"}]),
        "[12/03/2024, 10:15:00] Ben: hi\n[12/03/2024, 10:16:00] Eve: yo",
    ],
    ids=["telegram", "discord", "librechat", "slack", "whatsapp"],
)
def test_a_file_of_an_unknown_form_is_told_which_are_known(text: str) -> None:
    with pytest.raises(Malformed, match="chatgpt, claude, openai"):
        detected(text)


def test_a_text_that_is_no_table_is_told_what_csv_needs() -> None:
    with pytest.raises(Malformed, match="first row"):
        parse(text := "12/03/2024, 10:15 - Ben: hi", detected(text), ASSUMED)


@pytest.mark.parametrize(
    "names",
    [
        ["conversations.json"],
        ["conversations-000.json", "conversations-001.json", "conversations-002.json"],
        ["export/conversations-0.json", "export/conversations-1.json"],
    ],
)
def test_an_archive_is_read_with_all_its_parts(names: list[str]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("user.json", "{}")
        for number, name in enumerate(names):
            archive.writestr(name, json.dumps([{**chatgpt([Y2020])[0], "conversation_id": f"c{number}"}]))
    text = text_in(packed.getvalue())
    parsed = parse(text, detected(text), ASSUMED)
    assert len(parsed.turns) == len(names)
    assert {turn.session_id for _, turn in parsed.turns} == {f"c{number}" for number in range(len(names))}


def test_an_archive_with_a_broken_part_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("conversations-000.json", "[]")
        archive.writestr("conversations-001.json", "[")
    with pytest.raises(Malformed, match="not JSON"):
        text_in(packed.getvalue())
