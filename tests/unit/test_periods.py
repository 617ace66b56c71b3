"""Which days a text names, and that a question of a time finds what is of it or speaks of it."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.periods import periods
from tests.support.files import Shelved, question, shelved

TODAY = date(2026, 5, 20)  # a Wednesday
NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2026-05-19", "2026-05-19"),
        ("the day before yesterday", "2026-05-18", "2026-05-18"),
        ("tomorrow", "2026-05-21", "2026-05-21"),
        ("this afternoon", "2026-05-20", "2026-05-20"),
        ("last week", "2026-05-11", "2026-05-17"),
        ("this week", "2026-05-18", "2026-05-24"),
        ("last weekend", "2026-05-16", "2026-05-17"),
        ("last month", "2026-04-01", "2026-04-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("in May 2023", "2023-05-01", "2023-05-31"),
        ("in December", "2025-12-01", "2025-12-31"),
        ("on 7 May", "2026-05-07", "2026-05-07"),
        ("on 7 June", "2025-06-07", "2025-06-07"),
        ("on June 7th, 2024", "2024-06-07", "2024-06-07"),
        ("2024-06-07", "2024-06-07", "2024-06-07"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("two weeks ago", "2026-05-03", "2026-05-09"),
        ("3 days ago", "2026-05-17", "2026-05-17"),
        ("the last three days", "2026-05-17", "2026-05-20"),
        ("last Friday", "2026-05-15", "2026-05-15"),
        ("on Monday", "2026-05-18", "2026-05-18"),
    ],
)
def test_a_question_names_a_period(text: str, first: str, last: str) -> None:
    [found] = periods(f"What did we do {text}?", TODAY, asked=True)
    assert (str(found.first), str(found.last)) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "May I ask you something?",
        "every Friday",
        "the 99th of May",
        "in the summer",
        "30 February 2024",
        "marching",
        "2024-99-99",
    ],
)
def test_what_names_no_day_gives_none(text: str) -> None:
    assert periods(text, TODAY, asked=True) == []


@given(st.text(alphabet="0123456789 -/.,abcdefmay lastwekgo", max_size=80), st.dates(), st.booleans())
def test_any_text_on_any_day_gives_periods_that_do_not_end_before_they_begin(text: str, today: date, asked: bool) -> None:  # noqa: FBT001
    assert all(found.first <= found.last for found in periods(text, today, asked=asked))


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    return shelved(tmp_path / "anna.db")


def test_a_time_alone_finds_what_was_said_then(file: Shelved) -> None:
    file.say("We saw a heron", session="s1", now=NOW - timedelta(days=1))
    file.say("We saw an otter", session="s2", now=NOW - timedelta(days=9))
    assert file.texts(question("And what was it yesterday?", now=NOW)) == ["We saw a heron"]
    assert file.texts(question("And what was it last week?", now=NOW)) == ["We saw an otter"]


def test_a_time_finds_what_speaks_of_it(file: Shelved) -> None:
    file.say("Two weeks ago we saw a heron", session="s1", now=NOW)
    assert file.texts(question("And what was it on 6 May?", now=NOW)) == ["Two weeks ago we saw a heron"]
    assert file.texts(question("And what was it on 6 April?", now=NOW)) == []


def test_the_time_decides_between_equals(file: Shelved) -> None:
    file.say("We saw a heron by the lake", session="s1", now=NOW - timedelta(days=8))
    file.say("We saw a heron by the canal", session="s2", now=NOW - timedelta(days=1))
    assert file.texts(question("Where was the heron last week?", now=NOW))[0] == "We saw a heron by the lake"


def test_a_day_is_that_of_the_asker(file: Shelved) -> None:
    late = datetime(2026, 5, 19, 23, 30, tzinfo=UTC)  # 20 May in Auckland
    file.say("We saw a heron", now=late)
    asked = question("And what was it yesterday?", now=NOW - timedelta(hours=1))  # 11 at night in Auckland
    assert file.texts(asked) == ["We saw a heron"]
    assert file.texts(asked._replace(zone=ZoneInfo("Pacific/Auckland"))) == []


def test_a_broken_time_leg_is_named_and_the_others_answer(file: Shelved) -> None:
    file.say("We saw a heron", now=NOW - timedelta(days=1))
    with file.connected() as db:
        db.exec_driver_sql("DROP TABLE memory_days")
        db.commit()
    found = file.match(question("Was there a heron yesterday?", now=NOW))
    assert set(found.failed) == {"vector", "time"}
    assert len(found.places) == 1
