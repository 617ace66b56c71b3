"""No secret gets past the decision: what is recorded has masks, and the message is erased from where it was in transit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.ingest.command_group import CommandGroup, Decided, read
from services.ingest.domain.masking import kinds_in, known_by, masked
from services.ingest.domain.policy import Policy, Secrecy
from services.ingest.domain.state import NOTHING_RECORDED
from services.ingest.sent_message import SentMessage
from shared.contracts.commands import UserMessage
from shared.contracts.errors import Malformed, Secret, TooMany
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import Scope
from tests.support.commands import user_says
from tests.support.scopes import ANNAS_SCOPE, KEYS, SEND_ID, T0
from tests.support.sent import delivery

DIGESTER = KEYS.digester
SAID = "My PIN is 4711"
EPISODE = {"memory_id": "ep_" + "0" * 24, "session_id": "s", "role": "user", "text": SAID}
RECORD = {"record_id": "0" * 32, "command_id": "1" * 32, "occurred_at": T0.isoformat()}
TELLING: dict[str, dict[str, Any]] = {
    "user_message": {"session_id": "s", "text": SAID, "metadata": {"note": [SAID], "pin": 4711, "password": "sunshine"}},
    "agent_response": {"session_id": "s", "text": f"Got it: {SAID}", "speaker": SAID},
    "system_message": {"session_id": "s", "text": SAID},
    "import_turns": {"turns": [{"role": "user", "session_id": "s", "text": text} for text in ("I live in York.", SAID)]},
    "remember_fact": {"text": SAID, "tags": ["pin: 4711"], "source_ids": ["pin: 4711"]},
    "import_memories": {"records": [{**RECORD, "type": "episode_recorded", "data": EPISODE}]},
}


def _sent(what: str, payload: dict[str, Any] | bytes, secrets: Secrecy = "mask") -> SentMessage:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return SentMessage.read(delivery(what, raw), keys=KEYS, send_id=SEND_ID, policy=Policy(secrets=secrets))


def _decided(sent: SentMessage, excess: TooMany | None = None) -> Decided:
    group = CommandGroup([read(sent, excess)])
    group.decide(dict.fromkeys(group.needs, NOTHING_RECORDED))
    (result,) = group.decided
    return result


def _text(said: str) -> str:
    command = masked(user_says(said), scope=ANNAS_SCOPE, digester=DIGESTER).said
    assert isinstance(command, UserMessage)
    return command.text


@pytest.mark.parametrize("what", TELLING)
def test_whatever_tells_a_secret_is_recorded_with_a_mask(what: str) -> None:
    result = _decided(_sent(what, TELLING[what]))
    recorded = b"".join(event.encode() for event in result.events)
    assert b"4711" not in recorded
    assert b"sunshine" not in recorded
    assert "••••".encode() in recorded
    assert result.secrets[0] == "pin"
    assert result.keeps_no_words


@pytest.mark.parametrize("what", TELLING)
def test_the_operator_may_refuse_secrets(what: str) -> None:
    result = _decided(_sent(what, TELLING[what], "refuse"))
    assert isinstance(result.refusal, Secret)
    assert "4711" not in result.refusal.message
    assert result.is_private
    assert result.keeps_no_words


def test_the_operator_may_keep_secrets() -> None:
    result = _decided(_sent("user_message", TELLING["user_message"], "keep"))
    assert b"4711" in b"".join(event.encode() for event in result.events)
    assert not result.keeps_no_words


@pytest.mark.parametrize(
    ("sent", "excess"),
    [
        (_sent("user_message", {"session_id": "s", "text": SAID, "unknown": 1}), None),
        (_sent("user_message", SAID.encode()), None),
        (_sent("user_message", {"session_id": "s", "text": SAID}), TooMany()),
        (_sent("correct_fact", {"memory_id": "fact_1", "text": SAID}), None),
    ],
)
def test_a_refused_message_with_a_secret_is_kept_nowhere(sent: SentMessage, excess: TooMany | None) -> None:
    result = _decided(sent, excess)
    assert result.refusal
    assert result.is_private
    assert result.keeps_no_words


def test_a_refused_message_without_a_secret_is_kept() -> None:
    result = _decided(_sent("user_message", b"My pin board is 120 cm wide"))
    assert isinstance(result.refusal, Malformed)
    assert not result.is_private


def test_the_same_secret_of_the_same_person_has_the_same_mask() -> None:
    mask = known_by("4711", ANNAS_SCOPE, DIGESTER)
    assert _text("My PIN is 4711") == f"My PIN is ••••{mask} [pin]"
    assert _text("4 7 1 1 is my PIN") == f"••••{mask} [pin] is my PIN"
    assert known_by("4712", ANNAS_SCOPE, DIGESTER) != mask
    assert known_by("4711", Scope("f" * 32), DIGESTER) != mask
    assert mask.isalpha()


def test_ids_stay_as_they_are() -> None:
    command = UserMessage.model_validate({"session_id": "pin: 4711", "message_id": "pin: 4711", "text": "Hello."})
    assert masked(command, scope=ANNAS_SCOPE, digester=DIGESTER).said is command


def test_the_names_in_a_masked_record_are_where_they_stand() -> None:
    entity = {"name": "Zoe", "type": "person", "start": 19, "end": 22, "confidence": 1.0}
    data = {**EPISODE, "text": "My PIN is 4711. Met Zoe in York.", "entities": [entity]}
    result = _decided(_sent("import_memories", {"records": [{**RECORD, "type": "episode_recorded", "data": data}]}))
    (episode,) = (event.data for event in result.events if isinstance(event.data, EpisodeRecorded))
    assert all(episode.text[each.start : each.end] == each.name for each in episode.entities)


def test_a_payload_of_any_form_is_searched() -> None:
    assert kinds_in(b'{"a": [{"b": "my p\\u0069n is 4711"}]}') == ("pin",)
    assert kinds_in("\xff mein Passwort ist Hund77".encode("latin-1")) == ("password",)
    assert kinds_in(b"[1, null") == ()


@example("hunter2 is password is pin ")
@given(
    st.lists(
        st.sampled_from(["my ", "pin ", "password ", "is ", "4711 ", ": ", "hunter2 ", "to ", "••••", "[", "]", ". ", "and "]),
        max_size=12,
    ).map("".join)
)
def test_masking_again_changes_nothing(said: str) -> None:
    once = _text(f"x {said}")
    assert _text(once) == once


_FULL = f"{'x ' * 32_760}{'My PIN is 4711.':>16}"


@pytest.mark.parametrize(
    ("what", "payload"),
    [
        ("user_message", {"session_id": "s1", "text": _FULL}),
        ("agent_response", {"session_id": "s1", "text": _FULL}),
        ("remember_fact", {"text": _FULL}),
        ("user_message", {"session_id": "s1", "text": "hi", "metadata": {"a": "my PIN is 4711. " * 1_010}}),
        ("add_turns", {"session_id": "s1", "turns": [{"role": "user", "text": _FULL}]}),
    ],
)
def test_what_is_too_long_with_its_masks_is_refused_by_name_and_makes_no_event(what: str, payload: dict[str, Any]) -> None:
    result = _decided(_sent(what, payload))
    assert result.refusal is not None
    assert result.refusal.code == "too_large"
    assert b"4711" not in b"".join(event.encode() for event in result.events)
