"""Which days a text names, and that a question of a time finds what is of it or speaks of it."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.questions.asked_times import easter
from shared.language.questions.periods import periods
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


SUNDAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2026-11-21", "2026-11-21"),
        ("the day before yesterday", "2026-11-20", "2026-11-20"),
        ("today", "2026-11-22", "2026-11-22"),
        ("this morning", "2026-11-22", "2026-11-22"),
        ("tonight", "2026-11-22", "2026-11-22"),
        ("last night", "2026-11-21", "2026-11-21"),
        ("yesterday evening", "2026-11-21", "2026-11-21"),
        ("last weekend", "2026-11-14", "2026-11-15"),
        ("this weekend", "2026-11-21", "2026-11-22"),
        ("the weekend before last", "2026-11-07", "2026-11-08"),
        ("the week before last", "2026-11-02", "2026-11-08"),
        ("the month before last", "2026-09-01", "2026-09-30"),
        ("the year before last", "2024-01-01", "2024-12-31"),
        ("the summer before last", "2025-06-01", "2025-08-31"),
        ("two weeks ago", "2026-11-05", "2026-11-11"),
        ("a couple of weeks ago", "2026-11-05", "2026-11-11"),
        ("a few days ago", "2026-11-16", "2026-11-20"),
        ("eight days ago", "2026-11-14", "2026-11-14"),
        ("twelve months ago", "2025-11-12", "2025-12-12"),
        ("a fortnight ago", "2026-11-05", "2026-11-11"),
        ("half a year ago", "2026-05-09", "2026-06-08"),
        ("in spring 2023", "2023-03-01", "2023-05-31"),
        ("in the spring of 2023", "2023-03-01", "2023-05-31"),
        ("in autumn 2024", "2024-09-01", "2024-11-30"),
        ("in fall 2024", "2024-09-01", "2024-11-30"),
        ("in the winter of 2023", "2023-12-01", "2024-02-29"),
        ("last summer", "2026-06-01", "2026-08-31"),
        ("last spring", "2026-03-01", "2026-05-31"),
        ("last winter", "2025-12-01", "2026-02-28"),
        ("this summer", "2026-06-01", "2026-08-31"),
        ("this spring", "2026-03-01", "2026-05-31"),
        ("between March and May", "2026-03-01", "2026-05-31"),
        ("between March and May 2023", "2023-03-01", "2023-05-31"),
        ("from June to August", "2026-06-01", "2026-08-31"),
        ("between 3 May and 9 May", "2026-05-03", "2026-05-09"),
        ("between May 3 and May 9", "2026-05-03", "2026-05-09"),
        ("from 2023-03-01 to 2023-03-15", "2023-03-01", "2023-03-15"),
        ("between 2019 and 2021", "2019-01-01", "2021-12-31"),
        ("from 2019 to 2021", "2019-01-01", "2021-12-31"),
        ("between November and January", "2025-11-01", "2026-01-31"),
        ("on the 3rd", "2026-11-03", "2026-11-03"),
        ("on the 25th", "2026-10-25", "2026-10-25"),
        ("on the 3rd of May", "2026-05-03", "2026-05-03"),
        ("on May 3rd", "2026-05-03", "2026-05-03"),
        ("on May the 3rd", "2026-05-03", "2026-05-03"),
        ("next Friday", "2026-11-27", "2026-11-27"),
        ("last Friday", "2026-11-20", "2026-11-20"),
        ("on Friday", "2026-11-20", "2026-11-20"),
        ("this Friday", "2026-11-20", "2026-11-20"),
        ("the Friday before last", "2026-11-13", "2026-11-13"),
        ("in the 90s", "1990-01-01", "1999-12-31"),
        ("in the 1980s", "1980-01-01", "1989-12-31"),
        ("in the nineties", "1990-01-01", "1999-12-31"),
        ("in the '90s", "1990-01-01", "1999-12-31"),
        ("since Christmas", "2025-12-24", "2026-11-22"),
        ("at Christmas", "2025-12-24", "2025-12-26"),
        ("last Christmas", "2025-12-24", "2025-12-26"),
        ("on New Year's Eve", "2025-12-31", "2025-12-31"),
        ("on Halloween", "2026-10-31", "2026-10-31"),
        ("since May", "2026-05-01", "2026-11-22"),
        ("since 2024", "2024-01-01", "2026-11-22"),
        ("since last week", "2026-11-09", "2026-11-22"),
        ("since Monday", "2026-11-16", "2026-11-22"),
        ("since yesterday", "2026-11-21", "2026-11-22"),
        ("since 3 May", "2026-05-03", "2026-11-22"),
        ("since May 2024", "2024-05-01", "2026-11-22"),
        ("in early May", "2026-05-01", "2026-05-10"),
        ("in late 2023", "2023-09-01", "2023-12-31"),
        ("at the end of May", "2026-05-21", "2026-05-31"),
        ("at the beginning of 2024", "2024-01-01", "2024-05-01"),
        ("in mid-June", "2026-06-11", "2026-06-20"),
        ("in the past two weeks", "2026-11-08", "2026-11-22"),
        ("over the last few days", "2026-11-18", "2026-11-22"),
        ("in the last month", "2026-10-01", "2026-10-31"),
        ("in the last 24 hours", "2026-11-21", "2026-11-22"),
        ("last May", "2026-05-01", "2026-05-31"),
        ("in May of last year", "2025-05-01", "2025-05-31"),
        ("last year in May", "2025-05-01", "2025-05-31"),
        ("in May last year", "2025-05-01", "2025-05-31"),
        ("in the first week of May", "2026-05-01", "2026-05-07"),
        ("in the first half of 2024", "2024-01-01", "2024-06-30"),
        ("in Q3 2024", "2024-07-01", "2024-09-30"),
        ("last quarter", "2026-07-01", "2026-09-30"),
        ("on 3.5.2023", "2023-05-03", "2023-05-03"),
        ("earlier this year", "2026-01-01", "2026-12-31"),
        ("earlier this month", "2026-11-01", "2026-11-30"),
        ("on Monday last week", "2026-11-09", "2026-11-09"),
        ("this time last year", "2025-11-15", "2025-11-29"),
        ("a year ago today", "2025-11-22", "2025-11-22"),
        ("in '98", "1998-01-01", "1998-12-31"),
        ("last November", "2025-11-01", "2025-11-30"),
        ("next March", "2027-03-01", "2027-03-31"),
        ("between 3 and 9 May", "2026-05-03", "2026-05-09"),
        ("since last May", "2026-05-01", "2026-11-22"),
        ("in the \u201920s", "2020-01-01", "2029-12-31"),
        ("at Easter 2024", "2024-03-29", "2024-04-01"),
        ("last Thanksgiving", "2025-11-27", "2025-11-27"),
        ("a couple of days ago", "2026-11-19", "2026-11-21"),
        ("during the last week of May", "2026-05-25", "2026-05-31"),
        ("at the end of last year", "2025-09-01", "2025-12-31"),
        ("on 13/05/2023", "2023-05-13", "2023-05-13"),
    ],
)
def test_a_question_names_a_period_as_people_do(text: str, first: str, last: str) -> None:
    assert [(str(found.first), str(found.last)) for found in periods(f"What did we do {text}?", SUNDAY, asked=True)] == [
        (first, last)
    ]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Was habe ich gestern gemacht?", "2026-11-21", "2026-11-21"),
        ("Wo war ich am 7. Mai 2023?", "2023-05-07", "2023-05-07"),
        ("was haben wir am montag gegessen", "2026-11-16", "2026-11-16"),
        ("¿Qué hice la semana pasada?", "2026-11-09", "2026-11-15"),
        ("¿Dónde estuve el 3 de mayo?", "2026-05-03", "2026-05-03"),
        ("Où étais-je en juin 2024 ?", "2024-06-01", "2024-06-30"),
        ("Cosa ho mangiato ieri?", "2026-11-21", "2026-11-21"),
        ("Dove ero a maggio?", "2026-05-01", "2026-05-31"),
        ("O que eu fiz no ano passado?", "2025-01-01", "2025-12-31"),
    ],
)
def test_a_question_in_another_language_names_days_weeks_months_and_years(text: str, first: str, last: str) -> None:
    assert [(str(found.first), str(found.last)) for found in periods(text, SUNDAY, asked=True)] == [(first, last)]


def test_a_weekday_that_comes_again_names_no_day_in_any_language() -> None:
    assert periods("Was mache ich jeden Montag?", SUNDAY, asked=True) == []


@pytest.mark.parametrize(
    "text", ["on 05/03/2023", "recently", "on the 3rd floor", "in my 30s", "since the fall", "from A to B", "a fall"]
)
def test_a_question_that_names_no_period_that_is_certain_gives_none(text: str) -> None:
    assert periods(f"What did we do {text}?", SUNDAY, asked=True) == []


@pytest.mark.parametrize("text", ["We marry at Christmas", "It was in the 90s", "since Monday", "last summer", "on the 3rd"])
def test_what_is_said_in_passing_is_not_read_as_a_question(text: str) -> None:
    assert periods(text, SUNDAY) == []


_PIECES = [
    "between",
    "from",
    "and",
    "to",
    "since",
    "the",
    "last",
    "this",
    "next",
    "summer",
    "winter",
    "before last",
    "90s",
    "in '98",
    "of",
]
_PIECES += [
    "Easter",
    "Christmas",
    "week",
    "year",
    "May",
    "Monday",
    "31",
    "29 Feb",
    "2023",
    "0001-01-01",
    "9999-12-31",
    "999 hours",
    "ago",
]
_PIECES += [
    "early",
    "end of",
    "Q4",
    "quarter",
    "on the 31st",
    "first week of",
    "first half of",
    "this time last year",
    "a few years",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12), st.dates())
def test_any_question_on_any_day_gives_periods_that_do_not_end_before_they_begin(pieces: list[str], today: date) -> None:
    assert all(found.first <= found.last for found in periods(" ".join(pieces), today, asked=True))


@pytest.mark.parametrize(("year", "day"), [(1961, "04-02"), (2000, "04-23"), (2024, "03-31"), (2025, "04-20"), (2038, "04-25")])
def test_easter_is_where_it_was(year: int, day: str) -> None:
    assert str(easter(year)) == f"{year}-{day}"


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
    asked = question("Was there a heron yesterday?", now=NOW)
    assert set(file.match(asked).failed) == {"vector"}
    with file.connected() as db:
        db.exec_driver_sql("DROP TABLE memory_days")
        db.commit()
    found = file.match(asked)
    assert set(found.failed) == {"vector", "time"}
    assert len(found.places) == 1
