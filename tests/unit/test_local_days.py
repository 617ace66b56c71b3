"""A day is its person's: by their time zone, else by the offset of the message."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from services.consolidator.domain.evidence import said
from services.consolidator.domain.rules import facts
from services.consolidator.prompts import extract_v2
from services.retriever.domain.block import Entry
from shared.contracts.commands import AddTurns, ChangeSettings, UserMessage
from shared.contracts.envelope import Envelope
from shared.contracts.events import EpisodeRecorded
from shared.contracts.preferences import PersonSettings
from tests.support.commands import user_says
from tests.support.paper import PaperLog
from tests.unit.test_block import memory


def recorded(text: str, moment: str, zone: str | None = None) -> Envelope:
    log = PaperLog()
    now = datetime(2026, 3, 20, tzinfo=UTC)
    if zone:
        log.tell(ChangeSettings(settings=PersonSettings(time_zone=zone)), now=now)
    log.tell(user_says(text, occurred_at=datetime.fromisoformat(moment)), now=now)
    return next(event for event in log.events if isinstance(event.data, EpisodeRecorded))


@pytest.mark.parametrize(
    ("text", "moment", "zone", "day"),
    [
        ("I broke my arm yesterday.", "2026-03-10T07:30:00+08:00", "Asia/Shanghai", "2026-03-09"),
        ("I broke my arm yesterday.", "2026-03-09T23:30:00+00:00", "Asia/Shanghai", "2026-03-09"),
        ("I broke my arm yesterday.", "2026-03-10T07:30:00+08:00", None, "2026-03-09"),
        ("My appointment with the surgeon is tomorrow.", "2026-03-09T20:30:00-07:00", "America/Los_Angeles", "2026-03-10"),
        ("My appointment with the surgeon is tomorrow.", "2026-03-10T03:30:00+00:00", "America/Los_Angeles", "2026-03-10"),
        ("My appointment with the surgeon is tomorrow.", "2026-03-09T20:30:00-07:00", None, "2026-03-10"),
        ("I broke my arm yesterday.", "2026-03-10T07:30:00+08:00", "America/New_York", "2026-03-08"),
        ("I broke my arm yesterday.", "2026-03-09T12:00:00+00:00", None, "2026-03-08"),
        ("I broke my arm yesterday.", "2026-07-10T00:30:00+02:00", "Europe/Berlin", "2026-07-09"),
    ],
)
def test_a_fact_has_the_day_of_its_person(text: str, moment: str, zone: str | None, day: str) -> None:
    [fact] = facts(said([recorded(text, moment, zone)]))
    assert day in fact.text


@pytest.mark.parametrize(
    ("moment", "zone", "day"),
    [
        ("2026-03-10T07:30:00+08:00", None, "2026-03-10, Tuesday"),
        ("2026-03-09T23:30:00+00:00", "Asia/Shanghai", "2026-03-10, Tuesday"),
        ("2026-03-10T02:30:00+00:00", "America/Los_Angeles", "2026-03-09, Monday"),
        ("2026-03-10T02:30:00+00:00", None, "2026-03-10, Tuesday"),
    ],
)
def test_a_model_is_told_the_day_of_the_person(moment: str, zone: str | None, day: str) -> None:
    turns = said([recorded("I broke my arm yesterday.", moment, zone)])
    assert json.loads(extract_v2.user_message(turns, ()))["turns"][0]["when"] == day


def test_the_event_carries_the_offset_and_its_moment_is_in_utc() -> None:
    event = recorded("hello", "2026-03-10T07:30:00+08:00")
    assert isinstance(event.data, EpisodeRecorded)
    assert event.data.utc_offset_minutes == 480
    assert event.occurred_at.tzinfo is UTC
    plain = recorded("hello", "2026-03-10T07:30:00+00:00").data
    assert isinstance(plain, EpisodeRecorded)
    assert plain.utc_offset_minutes is None


def test_an_offset_survives_the_wire() -> None:
    moment = "2026-03-10T07:30:00+08:00"
    turn = UserMessage.model_validate_json(json.dumps({"session_id": "s", "text": "hi", "occurred_at": moment}))
    again = UserMessage.model_validate_json(turn.model_dump_json())
    added = AddTurns.model_validate({"session_id": "s", "turns": [{"role": "user", "text": "hi", "occurred_at": moment}]})
    for occurred_at in (turn.occurred_at, again.occurred_at, next(iter(added.messages)).occurred_at):
        assert occurred_at is not None
        assert occurred_at.isoformat() == moment


def test_a_line_has_the_day_of_the_person() -> None:
    late = memory(1, "The user broke an arm.").replaced(occurred_at=datetime(2026, 3, 9, 23, 30, tzinfo=UTC))
    assert "(2026-03-09" in Entry.of(late).line(1)
    assert "(2026-03-10" in Entry.of(late, zone=ZoneInfo("Asia/Shanghai")).line(1)
