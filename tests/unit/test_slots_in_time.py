from datetime import UTC, date, datetime

import pytest

from shared.contracts.parts import FactSlot
from shared.language.statements.ageing import aged
from shared.language.statements.reading import read_slots
from shared.language.statements.slots import ReadSlot

SAID_ON = date(2026, 11, 23)  # a Monday


def only(text: str) -> ReadSlot:
    (slot,) = (slot for slot in read_slots(text, said_on=SAID_ON) if not slot.is_implied)
    return slot


def day(moment: datetime | None) -> str | None:
    return moment.date().isoformat() if moment else None


@pytest.mark.parametrize(
    ("sentence", "start"),
    [
        ("I have lived in York since 2019", "2019-01-01"),
        ("I have lived in York since May 2020", "2020-05-01"),
        ("I live in York since May", "2026-05-01"),
        ("I've worked at Bosch for three years", "2023-11-24"),
        ("Ich wohne in Berlin seit 2019", "2019-01-01"),
        ("Vivo en Madrid desde 2019", "2019-01-01"),
        ("J'habite à Lyon depuis mars", "2026-03-01"),
    ],
)
def test_a_sentence_says_since_when_something_holds(sentence: str, start: str) -> None:
    slot = only(sentence)
    assert (day(slot.valid_from), slot.is_future) == (start, False)


def test_a_month_without_a_year_says_nothing_where_the_day_of_the_sentence_is_not_known() -> None:
    (slot,) = read_slots("I have lived in York since May")
    assert slot.valid_from is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Next month, I start at Axa",
        "Next month (2026-12) the user starts at Axa",
        "Tomorrow (2026-11-24), the user starts at Axa",
        "I work at Bosch till Friday",
        "I work at Bosch from March on",
    ],
)
def test_what_is_to_come_states_nothing_yet(sentence: str) -> None:
    assert read_slots(sentence) == ()


def moment(year: int, month: int = 1) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


def test_an_age_grows_with_the_years_since_it_was_told() -> None:
    slot = FactSlot(subject="user", attribute="age", value="34")
    assert aged(slot, told_at=moment(2024, 3), now=moment(2026, 5)) == "36 or 37 now"
    assert aged(slot, told_at=moment(2024, 3), now=moment(2024, 3)) is None


def test_a_duration_grows_from_its_beginning() -> None:
    slot = FactSlot(subject="user", attribute="employer", value="bosch", valid_from=moment(2021))
    assert aged(slot, told_at=moment(2024, 2), now=moment(2026, 2)) == "for 5 years now"
    assert aged(slot, told_at=moment(2024, 2), now=moment(2024, 3)) is None


def test_what_has_ended_does_not_age() -> None:
    slot = FactSlot(subject="user", attribute="employer", value="bosch", negated=True, valid_from=moment(2021))
    assert aged(slot, told_at=moment(2024), now=moment(2026)) is None
