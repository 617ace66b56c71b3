"""The operator's numbers: counted between samples, joined over time, drawn without a word of anybody's."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.gateway.page.views.operating import BINS, operating_view, span
from services.gateway.page.views.plots import Plot, in_words, svg, top_of
from services.gateway.page.words import languages, words_of
from services.gateway.samples import LONGEST_GAP, MOST_SAMPLES, Gathered, Ring, quantile

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
EN = words_of("en", now=NOW)
ASKED = "memstream_contexts_total{outcome=filled}"
BACKLOG = "memstream_command_backlog{lane=lane-0-of-2}"


def ring(*readings: dict[str, dict[str, float]], step: timedelta = timedelta(minutes=1)) -> Ring:
    """A ring of readings, the last of them now."""
    made = Ring()
    for index, processes in enumerate(readings):
        made.add(Gathered(NOW - step * (len(readings) - 1 - index), processes))
    return made


def counted(made: Ring) -> list[float]:
    return [sample.total("memstream_contexts_total") for sample in made.samples]


def test_what_was_counted_between_two_samples_is_shown_and_the_first_says_only_from_where() -> None:
    assert counted(ring({"a": {ASKED: 5}}, {"a": {ASKED: 7}}, {"a": {ASKED: 7}})) == [2, 0]


def test_a_process_that_began_anew_counts_from_nought() -> None:
    assert counted(ring({"a": {ASKED: 5}}, {"a": {ASKED: 3}})) == [3]


def test_a_process_that_is_late_counts_once_when_it_is_back() -> None:
    assert counted(ring({"a": {ASKED: 5}}, {}, {"a": {ASKED: 9}})) == [0, 4]


def test_services_that_share_a_process_count_once_and_others_add_up() -> None:
    made = ring({"a": {ASKED: 0}, "b": {ASKED: 10}}, {"a": {ASKED: 1}, "b": {ASKED: 12}})
    assert counted(made) == [3]


def test_after_a_long_silence_nothing_is_made_up() -> None:
    made = ring({"a": {ASKED: 5}}, {"a": {ASKED: 500}}, step=LONGEST_GAP + timedelta(seconds=1))
    assert counted(made) == []


def test_the_oldest_samples_are_forgotten() -> None:
    made = Ring()
    for second in range(MOST_SAMPLES + 10):
        made.add(Gathered(NOW + timedelta(seconds=second), {"a": {ASKED: float(second)}}))
    assert len(made.samples) == MOST_SAMPLES


@given(st.lists(st.integers(0, 9), min_size=2, max_size=60), st.integers(1, 20))
def test_however_samples_are_joined_what_was_counted_stays_the_same(counts: list[int], bins: int) -> None:
    totals = [sum(counts[: end + 1]) for end in range(len(counts))]
    made = ring(*({"a": {ASKED: float(total)}} for total in totals))
    joined = made.binned(bins, until=NOW, span=timedelta(hours=2))
    assert sum(sample.total("memstream_contexts_total") for sample in joined if sample) == sum(counts[1:])


@pytest.mark.parametrize(
    ("share", "expected"), [(0.5, 0.1), (0.75, 0.15), (1.0, 0.2)], ids=["at a bound", "within a bucket", "the last"]
)
def test_a_quantile_is_linear_within_a_bucket(share: float, expected: float) -> None:
    assert quantile(share, {0.1: 10, 0.2: 20, math.inf: 20}) == pytest.approx(expected)


def test_nothing_that_was_counted_has_no_quantile() -> None:
    assert quantile(0.5, {}) is quantile(0.5, {0.1: 0, math.inf: 0}) is None


@given(st.floats(1e-9, 1e12))
def test_an_axis_ends_above_what_it_shows_and_not_far_above(most: float) -> None:
    assert most * 0.999 <= top_of(most) <= most * 2.51


@given(st.lists(st.lists(st.one_of(st.none(), st.floats(0, 1e9)), min_size=1, max_size=30), min_size=1, max_size=5))
def test_a_plot_is_well_formed_whatever_it_shows(lines: list[list[float | None]]) -> None:
    plot = Plot("<b>&", {f"<i>{number}": line for number, line in enumerate(lines)}, "s")
    drawn = ET.fromstring(svg(plot, EN, hours=6))
    assert drawn.attrib["aria-label"].startswith("<b>&: <i>0 ")
    assert not {"NaN", "nan", "inf"} & set(svg(plot, EN, hours=6).split('"'))


def test_a_plot_says_in_words_what_it_shows() -> None:
    assert in_words(Plot("Backlog", {"commands": [1, 5, None], "none": [None]}), EN) == (
        "Backlog: commands now 5, at most 5; none not known"
    )


JOB = {"job": "decay", "schedule": "0 4 * * *", "next_at": NOW.isoformat(), "last": None}
FAILED = {"ended": "failed", "code": "unavailable", "began_at": NOW.isoformat(), "duration_ms": 900_000}


@pytest.mark.parametrize("language", languages())
def test_the_page_says_what_wants_somebody_in_every_language(language: str) -> None:
    gauges = {
        "memstream_events_missing{projection=ingest}": 2.0,
        "memstream_projection_lag_events{projection=ingest}": 20_000.0,
        "memstream_erasures_oldest_seconds": 3_000.0,
        "memstream_embedding_oldest_seconds": 7_200.0,
        "memstream_sessions_set_aside": 3.0,
    }
    bins = ring({"a": gauges}, {"a": gauges}).binned(BINS, until=NOW, span=span())
    words = words_of(language, now=NOW)
    seen = operating_view(bins, [JOB | {"last": FAILED}], {"feed": False, "ingest": True}, words)
    assert len(seen.wants) == 7
    assert "feed" in seen.wants[0]
    assert (seen.jobs[0].ended, seen.jobs[0].lasted) == ("failed", "15 min")


def test_where_all_is_well_nothing_is_wanted() -> None:
    made = ring({"a": {ASKED: 1, BACKLOG: 3}}, {"a": {ASKED: 4, BACKLOG: 2}})
    seen = operating_view(made.binned(BINS, until=NOW, span=span()), [JOB], {"ingest": True}, EN, spaces=2)
    assert seen.wants == []
    assert [tile.value for tile in seen.tiles][:2] == ["2", "2"]
    contexts = next(plot for plots in seen.groups.values() for plot in plots if plot.title == EN("operator.plot.contexts"))
    assert contexts.legend == [("filled", "0.6")]


def test_before_the_first_sample_the_page_is_there() -> None:
    seen = operating_view([None] * BINS, [], {"ingest": True}, EN)
    assert (seen.tiles, seen.at, seen.wants) == ([], None, [])
    assert not any(plot.is_known for plots in seen.groups.values() for plot in plots)


def test_the_hit_rate_is_of_the_replies_after_a_recall() -> None:
    replies = {f"memstream_replies_total{{influence={kind}}}": 0.0 for kind in ("quoted", "used", "unused", "unrecalled")}
    later = dict(zip(replies, (1.0, 2.0, 9.0, 50.0), strict=True))
    seen = operating_view(ring({"a": replies}, {"a": later}).binned(BINS, until=NOW, span=span()), [], {}, EN)
    hits = next(plot for plots in seen.groups.values() for plot in plots if plot.title == EN("operator.plot.hits"))
    assert hits.legend == [(EN("operator.line.hits"), "25 %")]
