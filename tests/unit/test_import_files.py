"""What is read of the files of other programs: who said what, when and where; and what is wrong with the rest."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memstream.importers.formats import Format, detected, documents, parse, text_in
from memstream.importers.turns import Assumed, Owner, Parsed
from shared.contracts.errors import Malformed

SAMPLES = Path(__file__).parents[1] / "support" / "imports"
ME = Owner("home", "me")
ASSUMED = Assumed(ME)


def sample(name: str, *, assumed: Assumed = ASSUMED) -> Parsed:
    return read(text_in((SAMPLES / name).read_bytes()), assumed=assumed)


def read(text: str, *, assumed: Assumed = ASSUMED) -> Parsed:
    return parse(text, detected(text), assumed)


def said(parsed: Parsed) -> list[tuple[str, str, str]]:
    return [(turn.session_id, turn.role, turn.text) for _, turn in parsed.turns]


def at(hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(2024, 5, 1, hour, minute, second, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("conversations.json", Format.CHATGPT),
        ("claude.json", Format.CLAUDE),
        ("openai.jsonl", Format.OPENAI),
        ("mem0.json", Format.MEM0),
        ("store.json", Format.LANGGRAPH),
        ("checkpoints.json", Format.LANGGRAPH),
        ("turns.csv", Format.CSV),
        ("turns.jsonl", Format.JSONL),
    ],
)
def test_the_form_of_a_file_shows_in_its_content(name: str, form: Format) -> None:
    assert detected(text_in((SAMPLES / name).read_bytes())) is form


def test_an_export_of_memstream_and_a_locomo_file_are_known_too() -> None:
    assert detected('{"memstream_export": 1}\n{"record_id": "x"}\n') is Format.EXPORT
    assert detected('[{"sample_id": "a", "conversation": {}}]') is Format.LOCOMO
    with pytest.raises(Malformed, match="--format"):
        detected('[{"something": "else"}]')


def test_of_a_chatgpt_conversation_the_branch_that_was_shown_last_counts() -> None:
    parsed = sample("conversations.json")
    assert said(parsed) == [
        ("c-1", "user", "[image]\nI live in York with my cat Miso"),
        ("c-1", "assistant", "York is lovely"),
    ]
    assert [turn.message_id for _, turn in parsed.turns] == ["n2b", "n4b"]
    assert parsed.turns[0].turn.occurred_at == at(9, 40, 11)
    assert (parsed.left_out, parsed.bad) == (2, [])  # a hidden message, and one to a tool


def test_without_a_current_node_the_newest_leaf_ends_the_branch() -> None:
    [document] = json.loads((SAMPLES / "conversations.json").read_text())
    del document["current_node"]
    assert [text for *_, text in said(read(json.dumps([document])))][-1] == "York is lovely"


def test_a_mapping_that_goes_in_a_circle_ends() -> None:
    [document] = json.loads((SAMPLES / "conversations.json").read_text())
    document["mapping"]["root"]["parent"] = "n4b"
    assert len(said(read(json.dumps([document])))) == 2


def test_the_archive_of_an_export_is_read_as_the_file_in_it() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("export/conversations.json", (SAMPLES / "conversations.json").read_bytes())
        archive.writestr("chat.html", "<html>")
    assert text_in(packed.getvalue()) == (SAMPLES / "conversations.json").read_text()
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("chat.html", "<html>")
    with pytest.raises(Malformed, match=r"no conversations\.json"):
        text_in(empty.getvalue())
    with pytest.raises(Malformed, match="cannot be read"):
        text_in(packed.getvalue()[:60])


def test_of_claude_words_are_kept_and_thoughts_are_not() -> None:
    parsed = sample("claude.json")
    assert said(parsed) == [("cl-1", "user", "I like oolong"), ("cl-1", "assistant", "Noted")]
    assert [turn.occurred_at for _, turn in parsed.turns] == [at(10, 0), at(10, 0, 5)]


def test_of_claude_the_branch_that_was_shown_last_counts_where_it_is_said() -> None:
    told = [
        {"uuid": "a", "sender": "human", "text": "one", "parent_message_uuid": "0"},
        {"uuid": "b", "sender": "assistant", "text": "first try", "parent_message_uuid": "a"},
        {"uuid": "c", "sender": "assistant", "text": "second try", "parent_message_uuid": "a"},
    ]
    document = {"uuid": "x", "chat_messages": told, "current_leaf_message_uuid": "c"}
    assert [text for *_, text in said(read(json.dumps([document])))] == ["one", "second try"]


def test_messages_as_openai_has_them_are_a_conversation_a_line() -> None:
    parsed = sample("openai.jsonl")
    assert [(role, text) for _, role, text in said(parsed)] == [
        ("system", "Be kind"),
        ("user", "My dog is Rex\n[image]"),
        ("assistant", "Hi Rex"),
    ]
    assert len({session for session, *_ in said(parsed)}) == 1
    assert [bad.told for bad in parsed.bad] == ["line 2: messages: there is no list of messages"]
    assert said(sample("openai.jsonl")) == said(parsed)


def test_a_list_of_messages_is_one_conversation() -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    assert [role for _, role, _ in said(read(json.dumps(messages)))] == ["user", "assistant"]


def test_memories_of_mem0_are_facts_of_their_users_at_their_time() -> None:
    [(owner, record)] = sample("mem0.json").facts
    assert owner == Owner("home", "alice")
    assert record.occurred_at == datetime(2024, 7, 26, 15, 44, 41, 39788, tzinfo=UTC)
    assert record.data["text"] == "Likes to play cricket on weekends"
    assert record.data["tags"] == ["hobbies"]
    assert sample("mem0.json").facts == [(owner, record)], "the same ids at every reading"


def test_items_of_a_langgraph_store_are_facts_of_the_person_in_their_namespace() -> None:
    [(owner, record)] = sample("store.json").facts
    assert (owner.user, record.data["text"], record.occurred_at.day) == ("bob", "Bob plays the oboe", 2)
    item = {"namespace": ["memories"], "key": "k", "value": {"kind": "Memory", "content": {"content": "Likes tea"}}}
    [(owner, record)] = read(json.dumps([item])).facts
    assert (owner, record.data["text"]) == (ME, "Likes tea")


def test_of_a_langgraph_thread_the_newest_state_counts_with_the_time_of_each_message() -> None:
    parsed = sample("checkpoints.json")
    assert [owner.user for owner, _ in parsed.turns] == ["cleo", "cleo"]
    assert said(parsed) == [("t1", "user", "I am Cleo"), ("t1", "assistant", "Hi Cleo")]
    assert [turn.occurred_at for _, turn in parsed.turns] == [at(10, 0), at(10, 0, 3)]


def test_columns_of_csv_that_nobody_knows_become_metadata() -> None:
    [(_, turn)] = sample("turns.csv").turns
    assert (turn.text, turn.metadata, turn.occurred_at) == ("I play, chess", {"channel": "web"}, at(10, 0))
    with pytest.raises(Malformed, match="first row"):
        read("a,b\n1,2\n")
    assert said(read("role;text;session\nuser;hello;s\n")) == [("s", "user", "hello")]


def test_a_time_without_a_zone_is_read_in_the_zone_that_is_said() -> None:
    assert sample("turns.csv").bad[0].told.startswith("line 3: occurred_at: the time names no zone")
    parsed = sample("turns.csv", assumed=ASSUMED._replace(zone=ZoneInfo("Europe/Berlin")))
    assert parsed.turns[1].turn.occurred_at == at(8, 0, 5)


@pytest.mark.parametrize(
    "value", ["2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00", 1714557600, 1714557600000, "1714557600"]
)
def test_times_come_in_many_forms(value: object) -> None:
    line = json.dumps({"session_id": "s", "role": "user", "text": "x", "timestamp": value})
    assert read(line).turns[0].turn.occurred_at == at(10, 0)


BAD: list[tuple[dict[str, Any], str | None]] = [
    ({"role": "user", "text": "x"}, "session_id"),
    ({"role": "narrator", "text": "x", "session_id": "s"}, "role"),
    ({"role": "user", "text": "", "session_id": "s"}, "text"),
    ({"role": "user", "text": "x", "session_id": "s", "timestamp": "yesterday"}, "occurred_at"),
    ({"role": "user", "text": "x", "session_id": "s", "user": 7}, "user"),
    ({"role": "user", "text": "x", "session_id": "s", "mood": "good"}, "mood"),
]


@pytest.mark.parametrize(("record", "field"), BAD, ids=[str(field) for _, field in BAD])
def test_a_bad_line_is_named_with_its_field_and_kept_as_it_was(record: dict[str, Any], field: str) -> None:
    good = '{"role": "user", "text": "x", "session_id": "s"}'
    parsed = read("\n".join((good, json.dumps(record), good)))
    [bad] = parsed.bad
    assert (bad.place, bad.field, bad.record) == ("line 2", field, json.dumps(record))
    assert bad.reason
    assert len(parsed.turns) == 2


def test_what_is_mended_in_a_file_leaves_the_other_turns_their_ids() -> None:
    lines = [json.dumps({"role": "user", "text": text, "session_id": "s"}) for text in ("one", "two", "two")]
    ids = {turn.message_id for _, turn in read("\n".join(lines)).turns}
    assert len(ids) == 3
    mended = json.dumps({"role": "user", "text": "zero", "session_id": "s"})
    assert ids < {turn.message_id for _, turn in read("\n".join((mended, *lines))).turns}


def test_a_session_can_be_said_for_turns_that_name_none() -> None:
    parsed = read('{"role": "user", "text": "x"}', assumed=ASSUMED._replace(session_id="s"))
    assert said(parsed) == [("s", "user", "x")]


@pytest.mark.parametrize(
    "form", [each for each in Format if each not in {Format.AUTO, Format.EXPORT, Format.LOCOMO, Format.CSV}]
)
@pytest.mark.parametrize(
    "text", ["", "[1, null, [], {}]", '{"mapping": 3}', "nonsense", '[{"messages": [3]}, {"chat_messages": [3]}]']
)
def test_whatever_a_file_holds_its_records_are_bad_and_nothing_else_happens(form: Format, text: str) -> None:
    parsed = parse(text, form, ASSUMED)
    assert not parsed.turns
    assert not parsed.facts
    assert bool(parsed.bad) == bool(text)


def test_an_archive_that_is_much_smaller_than_what_it_holds_is_not_unpacked() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b" " * 10_000_000)
    with pytest.raises(Malformed, match="larger than 1 GiB, or than 200 times"):
        text_in(packed.getvalue())


@pytest.mark.parametrize("deep", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"text": ' * 100_000])
def test_of_a_line_that_is_nested_too_deeply_only_that_line_is_refused(deep: str) -> None:
    lines = [json.dumps({"text": text, "session_id": "s", "role": "user"}) for text in ("one", "two")]
    text = "\n".join([lines[0], deep, lines[1]])
    assert [place for place, _ in documents(text)] == ["line 1", "line 2", "line 3"]
    assert detected(text) is Format.JSONL
    parsed = parse(text, Format.JSONL, ASSUMED)
    assert len(parsed.turns) == 2
    assert len(parsed.bad) == 1
    assert list(documents(deep)) == [("line 1", deep)]
