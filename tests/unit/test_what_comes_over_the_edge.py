"""What bots send as it comes: half characters, headers with forgotten names, and entries that were just forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from services.ingest.domain.decide import decide
from services.ingest.sent_message import ACTOR_HEADER, CORRELATION_HEADER, SentMessage
from shared.contracts.errors import Forgotten
from shared.contracts.events import FactRemembered
from shared.contracts.privacy import Forget, TombstoneLifted
from shared.contracts.reading_commands import with_whole_characters
from tests.support.commands import remember, user_says
from tests.support.paper import AT_ONCE, PaperLog
from tests.support.scopes import KEYS, SEND_ID
from tests.support.sent import delivery
from tests.unit.test_forgetting import LATER, SOON, ids

SAID = b'{"session_id": "s1", "text": "%s"}'


def decided(log: PaperLog, what: str, payload: bytes, headers: dict[str, str] | None = None) -> Any:  # noqa: ANN401
    message = SentMessage.read(
        delivery(what, payload, sequence=99, headers=headers), keys=KEYS, send_id=SEND_ID, policy=AT_ONCE
    )
    command = message.command()
    return decide(command, log.state, message.circumstances(command)).events


@pytest.mark.parametrize(
    ("written", "recorded"),
    [
        (rb"I like \ud83d pizza", "I like \ufffd pizza"),
        (rb"cut here \ud83d", "cut here \ufffd"),
        (rb"\udf55 late half", "\ufffd late half"),
        (rb"\ud83d\ud83d twice", "\ufffd\ufffd twice"),
        (rb"no\u0000thing", "no\ufffdthing"),
        (rb"whole \ud83c\udf55", "whole \U0001f355"),
        (rb"a path C:\\ud83d", r"a path C:\ud83d"),
        (rb"a path C:\\\ud83d", "a path C:\\\ufffd"),
    ],
)
def test_half_a_character_is_replaced_and_the_turn_recorded(written: bytes, recorded: str) -> None:
    events = decided(PaperLog(), "user_message", SAID % written)
    assert [event.data.text for event in events if hasattr(event.data, "text")] == [recorded]


def test_bytes_without_escapes_stay_as_they_are() -> None:
    payload = '{"text": "Zürich 🍕 \\n"}'.encode()
    assert with_whole_characters(payload) == payload


@pytest.mark.parametrize(
    ("header", "kept"), [(ACTOR_HEADER, "support-team"), (CORRELATION_HEADER, "513614e4-e8c6-48fe-a411-bb783e9ff831")]
)
def test_a_forgotten_name_comes_not_back_by_a_header(header: str, kept: str) -> None:
    log = PaperLog(AT_ONCE)
    log.tell(user_says("My sister Quixeldra lives in Bramblethwick."))
    log.tell(Forget(query="Quixeldra"))
    for name, is_left in (("about-Quixeldra", False), (kept, True)):
        [event, *_] = decided(log, "user_message", SAID % b"Hello there, dear.", {header: name})
        assert (name in event.encode().decode()) is is_left


def test_what_is_saved_but_not_by_hand_stays_forgotten_within_the_time() -> None:
    log = PaperLog(AT_ONCE)
    told = remember("I am allergic to peanuts", tags=("health",)).model_copy(update={"manually_saved": False})
    events = log.tell(told)
    [remembered] = [event.data for event in events if isinstance(event.data, FactRemembered)]
    assert not remembered.manually_saved
    assert "health" in remembered.tags
    log.tell(Forget(memory_ids=(remembered.memory_id,)))
    log.erase()
    with pytest.raises(Forgotten):
        log.tell(told, now=SOON)
    assert log.state.privacy.tombstones
    events = log.tell(told, now=LATER)
    assert {event.data.by for event in events if isinstance(event.data, TombstoneLifted)} == {"said_again"}
    assert ids(events, "fact")
