import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from shared.contracts.command import Channel, Command
from shared.contracts.commands import (
    COMMANDS,
    MAX_PAYLOAD_BYTES,
    EndSession,
    ImportedTurn,
    Turn,
    UserMessage,
    bot_commands,
    parse_command,
)
from shared.contracts.contract import Contract
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Malformed, Rejected, TooLarge, UnknownType, UnsupportedVersion, WrongChannel
from shared.contracts.events import EVENTS, decode
from shared.contracts.parts import RecalledItem, Score
from tests.support.commands import agent_says, end, import_of, recall, remember, system_says, user_says
from tests.support.paper import PaperLog

SECRET = "xylophone"
TURN = {"session_id": "s1", "text": SECRET}
PARTS: list[type[Contract]] = [ImportedTurn, RecalledItem, Score]


def parse(payload: object, *, what: str = "user_message", channel: str = "send") -> Command:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return parse_command(channel=channel, what=what, payload=raw)


def turn(**more: object) -> dict[str, Any]:
    return TURN | more


@pytest.mark.parametrize(("what", "model"), COMMANDS.items())
def test_every_command_is_mapped_under_its_own_name_with_channel_and_sender(what: str, model: type[Command]) -> None:
    assert model.what == what
    assert model.channel in set(Channel)
    assert model.sender


def test_bots_may_send_these_and_no_others() -> None:
    assert set(bot_commands()) == {
        "user_message",
        "agent_response",
        "system_message",
        "add_turns",
        "edit_message",
        "import_turns",
        "import_memories",
        "remember_fact",
        "correct_fact",
        "confirm_fact",
        "pin",
        "unpin",
        "record_feedback",
        "restore",
        "change_settings",
        "end_session",
        "answer_conflict",
        "merge_entities",
        "unmerge_entities",
        "share_tag",
        "unshare_tag",
        "undo",
        "redo",
        "resolve_conflict",
        "save_facts_batch",
        "mark_session_consolidated",
        "forget",
        "forget_user",
        "take_back",
        "start_incognito",
        "end_incognito",
    }


@pytest.mark.parametrize("model", [*COMMANDS.values(), *PARTS], ids=lambda model: model.__name__)
def test_every_command_is_frozen_refuses_unknown_fields_and_says_what_it_is(model: type[Contract]) -> None:
    assert model.model_config.get("frozen") is True
    assert model.model_config.get("extra") == "forbid"
    assert model.__doc__


@pytest.mark.parametrize("model", [*COMMANDS.values(), ImportedTurn], ids=lambda model: model.__name__)
def test_every_field_of_a_command_is_explained(model: type[Contract]) -> None:
    assert [name for name, info in model.model_fields.items() if not info.description] == []


@pytest.mark.parametrize("model", COMMANDS.values(), ids=COMMANDS)
def test_a_command_has_a_json_schema(model: type[Command]) -> None:
    assert TypeAdapter(model).json_schema()["additionalProperties"] is False


@pytest.mark.parametrize(
    "command", [user_says(), agent_says(), system_says(), import_of([user_says()]), remember(), end(), recall()]
)
def test_a_command_survives_the_wire(command: Command) -> None:
    payload = command.model_dump_json().encode()
    assert parse_command(channel=command.channel, what=command.what, payload=payload) == command


def test_a_turn_of_an_import_can_say_all_that_a_live_turn_can() -> None:
    assert set(ImportedTurn.model_fields) - {"role"} == set(Turn.model_fields) - {"version"}


def nested(depth: int) -> object:
    document: object = SECRET
    for _ in range(depth):
        document = [document]
    return document


WRONG: dict[str, tuple[object, type[Rejected]]] = {
    "nothing": (b"", Malformed),
    "half a document": (b'{"session_id": "s1", "text": "xylophone"', Malformed),
    "two documents": (b'{"session_id": "s1", "text": "xylophone"} {}', Malformed),
    "only text": (b"xylophone", Malformed),
    "a string": (SECRET, Malformed),
    "a list": ([SECRET], Malformed),
    "a number": (7, Malformed),
    "null": (None, Malformed),
    "byte order mark": (b"\xef\xbb\xbf" + json.dumps(TURN).encode(), Malformed),
    "utf-16": (json.dumps(TURN).encode("utf-16"), Malformed),
    "latin-1": ('{"session_id": "s1", "text": "xylophone é"}'.encode("latin-1"), Malformed),
    "no session": ({"text": SECRET}, Malformed),
    "no text": ({"session_id": SECRET}, Malformed),
    "an unknown field": (turn(sesion_id=SECRET), Malformed),
    "empty session": (turn(session_id=""), Malformed),
    "session too long": (turn(session_id=SECRET * 50), Malformed),
    "session is a number": (turn(session_id=7), Malformed),
    "empty text": (turn(text=""), Malformed),
    "text of white space": (turn(text=" \n\u00a0\u2003"), Malformed),
    "text is a list": (turn(text=[SECRET]), Malformed),
    "text is null": (turn(text=None), Malformed),
    "text too large": (turn(text=SECRET * 8_000), TooLarge),
    "metadata too large": (turn(metadata={"note": SECRET * 2_000}), TooLarge),
    "metadata is a list": (turn(metadata=[SECRET]), Malformed),
    "metadata not finite": (b'{"session_id": "s1", "text": "xylophone", "metadata": {"a": NaN}}', Malformed),
    "metadata infinite": (b'{"session_id": "s1", "text": "xylophone", "metadata": {"a": 1e999}}', Malformed),
    "metadata too deep": (turn(metadata={"a": nested(300)}), Malformed),
    "metadata nested too deep": (turn(metadata={"a": nested(16)}), TooLarge),
    "payload too large": (turn(text=SECRET, metadata={"a": "x" * MAX_PAYLOAD_BYTES}), TooLarge),
    "version of the future": (turn(version=2), UnsupportedVersion),
    "version of the future as text": (turn(version="2"), UnsupportedVersion),
    "version of the future as a float": (turn(version=2.0), UnsupportedVersion),
    "a version that never was": (turn(version=0), Malformed),
    "a negative version": (turn(version=-1), Malformed),
    "version is a word": (turn(version=SECRET), Malformed),
    "moment without zone": (turn(occurred_at="2026-05-03T09:00:00"), Malformed),
    "moment is a word": (turn(occurred_at=SECRET), Malformed),
    "no such day": (turn(occurred_at="2026-02-30T09:00:00Z"), Malformed),
    "moment before all time": (turn(occurred_at="0001-01-01T00:00:00+12:00"), Malformed),
    "moment after all time": (turn(occurred_at="9999-12-31T23:59:59-12:00"), Malformed),
    "empty message id": (turn(message_id=""), Malformed),
    "message id too long": (turn(message_id=SECRET * 50), Malformed),
    "message id is a number": (turn(message_id=7), Malformed),
    "empty speaker": (turn(speaker=""), Malformed),
    "speaker too long": (turn(speaker=SECRET * 50), Malformed),
}


@pytest.mark.parametrize(("payload", "error"), WRONG.values(), ids=WRONG)
def test_a_wrong_payload_is_refused_with_what_to_do_and_without_its_text(payload: object, error: type[Rejected]) -> None:
    with pytest.raises(Rejected) as caught:
        parse(payload)
    assert type(caught.value) is error
    assert SECRET not in caught.value.message
    assert len(caught.value.message) > 20
    assert "for further information visit" not in caught.value.message.lower()


def test_the_name_of_an_unknown_field_may_be_text_too() -> None:
    """A bot that spreads a dictionary of words into its payload must not find them in a reason."""
    with pytest.raises(Malformed) as caught:
        parse(turn(**{f"I play the {SECRET}": True}))
    assert SECRET not in caught.value.message


WHAT_TO_DO = {
    "nothing": "not JSON",
    "a list": '{"session_id": "...", "text": "..."}',
    "no session": "session_id",
    "an unknown field": "Known fields: version, message_id, session_id, text",
    "empty text": "text",
    "text too large": "at most 65536; split it",
    "metadata too large": "keep references",
    "payload too large": "split it",
    "version of the future": "send version 1",
    "moment without zone": "occurred_at: Input should have timezone info",
}


@pytest.mark.parametrize(("case", "hint"), WHAT_TO_DO.items())
def test_the_reason_says_what_to_do(case: str, hint: str) -> None:
    with pytest.raises(Rejected) as caught:
        parse(WRONG[case][0])
    assert hint in caught.value.message


def test_the_known_fields_are_told_only_where_one_is_unknown() -> None:
    with pytest.raises(Malformed) as caught:
        parse(WRONG["no session"][0])
    assert "Known fields" not in caught.value.message


def test_an_unknown_command_is_answered_with_the_known_ones_that_a_bot_may_send() -> None:
    with pytest.raises(UnknownType) as caught:
        parse(TURN, what=SECRET)
    assert SECRET not in caught.value.message
    assert all(what in caught.value.message for what in bot_commands())
    assert "record_recall" not in caught.value.message


@pytest.mark.parametrize("what", [what for what, model in COMMANDS.items() if model.channel is Channel.WORK])
def test_a_command_of_the_services_is_refused_on_send(what: str) -> None:
    with pytest.raises(WrongChannel, match=f"only {COMMANDS[what].sender} may use"):
        parse(recall().model_dump(mode="json"), what=what)


def test_a_bots_command_is_refused_on_work() -> None:
    with pytest.raises(WrongChannel, match=r"belongs on send\.<space>\.<user>\.user_message"):
        parse(TURN, channel="work")


@pytest.mark.parametrize(
    ("what", "payload"),
    [
        ("import_turns", {"turns": []}),
        ("import_turns", {"turns": [turn(role="user")] * 501}),
        ("import_turns", {"turns": [turn(role=SECRET)]}),
        ("import_turns", {"turns": [turn()]}),
        ("import_turns", {"turns": [turn(role="user", occurred_at="9999-12-31T23:59:59-12:00")]}),
        ("remember_fact", {"text": ""}),
        ("remember_fact", {"text": SECRET, "tags": ["x"] * 33}),
        ("remember_fact", {"text": SECRET, "source_ids": [""]}),
        ("end_session", {}),
    ],
)
def test_every_other_command_refuses_what_does_not_fit(what: str, payload: dict[str, Any]) -> None:
    with pytest.raises(Malformed) as caught:
        parse(payload, what=what)
    assert SECRET not in caught.value.message


def test_a_recall_is_named_by_its_own_id() -> None:
    document = recall().model_dump(mode="json") | {"message_id": "other"}
    with pytest.raises(Malformed, match="message_id must equal recall_id"):
        parse(document, what="record_recall", channel="work")


def test_one_wrong_turn_of_an_import_is_named_by_its_place() -> None:
    with pytest.raises(Malformed, match=r"turns\.1\.text"):
        parse({"turns": [turn(role="user"), turn(role="user", text="")]}, what="import_turns")


RIGHT: dict[str, dict[str, Any]] = {
    "least": TURN,
    "all": turn(version=1, message_id="m", occurred_at="2026-05-03T09:00:00+02:00", speaker="Anna", metadata={"a": 1}),
    "longest text": turn(text="x" * 65_536),
    "nul in ids": turn(session_id="a\0b", message_id="\0"),
    "a surrogate pair": turn(text="🙂"),
    "year one": turn(occurred_at="0001-01-01T00:00:00Z"),
    "year 9999": turn(occurred_at="9999-12-31T23:59:59.999999Z"),
    "hostile ids": turn(session_id="*.>", message_id="../x"),
}


@pytest.mark.parametrize("payload", RIGHT.values(), ids=RIGHT)
def test_a_right_payload_becomes_an_event_that_can_be_read(payload: dict[str, Any]) -> None:
    command = parse(payload)
    assert isinstance(command, UserMessage)
    assert command.text == payload["text"]
    assert all(decode(event.encode()) == event for event in PaperLog().tell(command))


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r"a\u0000b", "a\ufffdb"),
        (r"a \ud800", "a \ufffd"),
        (r"\udc00\ud800 b", "\ufffd\ufffd b"),
        (r"\ud83c\udf55", "\U0001f355"),
    ],
)
def test_what_is_no_character_is_replaced_and_the_turn_is_read(sent: str, read: str) -> None:
    command = parse(f'{{"session_id": "s1", "text": "{sent}"}}'.encode())
    assert isinstance(command, UserMessage)
    assert command.text == read
    assert all(decode(event.encode()) == event for event in PaperLog().tell(command))


@pytest.mark.parametrize("depth", [*range(12, 19), *range(190, 205)])
def test_metadata_that_is_accepted_can_be_read_from_the_log(depth: int) -> None:
    """An event nests it one level deeper than the command, and JSON readers have a limit."""
    try:
        command = parse(turn(metadata={"a": nested(depth)}))
    except (Malformed, TooLarge):
        return
    assert all(decode(event.encode()) == event for event in PaperLog().tell(command))


def test_a_moment_is_kept_in_utc() -> None:
    command = parse(turn(occurred_at="2026-05-03T09:00:00+02:00"))
    assert isinstance(command, UserMessage)
    assert command.occurred_at == datetime(2026, 5, 3, 7, tzinfo=UTC)


def test_a_message_id_stands_for_the_words_or_for_what_the_command_names() -> None:
    assert user_says("hi", metadata={"a": 1}).content == user_says("hi", session="s2").content == "hi"
    assert end("s1", message_id="1").content == end("s1", message_id="2").content != end("s2").content


def test_a_command_cannot_be_changed_once_it_is_read() -> None:
    command = EndSession.model_validate({"session_id": "s1"})
    with pytest.raises(ValidationError):
        command.session_id = "s2"  # type: ignore[misc,assignment]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
fields = st.sampled_from(["version", "message_id", "session_id", "text", "occurred_at", "speaker", "metadata", "turns", "tags"])
moments = st.datetimes(timezones=st.timezones()).map(lambda moment: moment.isoformat())


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(COMMANDS)), st.dictionaries(fields, anything | moments, max_size=6), st.booleans())
def test_whatever_comes_is_a_command_or_rejected(what: str, document: dict[str, Any], plausible: bool) -> None:  # noqa: FBT001
    payload = TURN | document if plausible else document
    try:
        command = parse(payload, what=what, channel=COMMANDS[what].channel)
    except Rejected as error:
        assert error.message  # noqa: PT017
    else:
        assert isinstance(command, COMMANDS[what])


@given(st.binary(max_size=60))
def test_whatever_bytes_come_are_rejected_or_a_command(payload: bytes) -> None:
    with pytest.raises(Rejected):
        parse(payload)


def test_no_event_and_no_command_share_a_name() -> None:
    assert not set(COMMANDS) & set(EVENTS)
    assert Envelope.model_fields["type"].description
