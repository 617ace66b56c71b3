"""The catalogues of the page: every key in every language, with the same places to fill, and none that a template lacks."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from services.gateway.page import views
from services.gateway.page.templating import compile_all
from services.gateway.page.views.told import _SIGNS
from services.gateway.page.words import catalogue, languages, preferred, time_tag, words_of
from shared.contracts.errors import OUTCOMES
from shared.contracts.events import EVENTS
from shared.contracts.preferences import PersonSettings
from shared.contracts.queries import Fate

PAGE = Path(views.__file__).parents[1]
NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
PLACE = re.compile(r"\{(\w+)\}")
PLURAL = (".one", ".other")


def test_every_language_has_every_key() -> None:
    assert set(languages()) == {"de", "en"}
    assert catalogue("de").keys() == catalogue("en").keys()


def test_a_saying_has_the_same_places_to_fill_in_every_language() -> None:
    for key, saying in catalogue("en").items():
        theirs = set(PLACE.findall(catalogue("de")[key]))
        ours = set(PLACE.findall(saying))
        assert (ours ^ theirs) <= {"count"}, key  # `eine Nachricht` for `{count} message`
        if not key.endswith(".one"):
            assert ours == theirs, key


def test_no_saying_is_empty_and_none_holds_markup() -> None:
    for language in languages():
        for key, saying in catalogue(language).items():
            assert saying.strip(), key
            assert not set(saying) & set("<>&"), key


def test_what_a_template_says_is_in_the_catalogue() -> None:
    said = set()
    for path in PAGE.glob("templates/*.html"):
        said |= set(re.findall(r'\bt\("([\w.]+)"\s*[,)]', path.read_text(encoding="utf-8")))
    known = {key.removesuffix(form) for key in catalogue("en") for form in ("", *PLURAL)}
    assert len(said) > 100
    assert said - known == set()


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("event", {each for each in EVENTS if each != "command_rejected"}),
        ("fate", {each.value for each in Fate}),
        ("sign", set(_SIGNS)),
        ("setting", set(PersonSettings.model_fields)),
        ("kind", {"saved", "learned", "said_by_you", "said_by_bot", "said_by_system", "reflection", "rollup"}),
        ("past", {"superseded", "retired", "outdated", "partly"}),
        ("preview.why", {"named", "near_duplicate", "earlier_version", "states_it", "rests_on_it"}),
        ("receipt.state", {"waiting", "erasing", "done", "taken_back"}),
        ("questions.because", {"hedged", "uncertain", "named", "restored", "opposite", "two_values"}),
    ],
)
def test_whatever_an_answer_may_name_has_a_saying(table: str, names: set[str]) -> None:
    known = {key.removeprefix(f"{table}.").split(".")[0] for key in catalogue("en") if key.startswith(f"{table}.")}
    assert names <= known


def test_errors_that_have_words_are_errors_that_there_are() -> None:
    named = {key.split(".")[1] for key in catalogue("en") if key.startswith("error.")} - {"back", "other"}
    assert named <= {error.code for error in OUTCOMES}


def test_every_template_can_be_compiled() -> None:
    compile_all()


def test_numbers_and_days_are_written_as_the_language_does() -> None:
    english, german = (words_of(each, now=NOW) for each in ("en", "de"))
    assert (english.number(12_345), german.number(12_345)) == ("12,345", "12.345")
    assert (english.day(NOW), german.day(NOW - timedelta(days=1))) == ("today", "gestern")
    assert (english.day(NOW - timedelta(days=9)), german.day(NOW - timedelta(days=9))) == ("24 April 2026", "24. April 2026")
    assert german.moment(NOW) == "3. Mai 2026, 12:00 UTC"
    assert [english("overview.all_of_topic", count=count) for count in (1, 1_200)] == ["All of it", "All 1,200"]


def test_a_word_from_outside_is_put_in_and_not_read() -> None:
    words = words_of("en", now=NOW)
    assert words("topic.named", name="{name} {0} {x.__class__}") == "{name} {0} {x.__class__}"
    assert words.or_else("topic.<b>", "topic.named", name="<b>") == "<b>"


def test_a_moment_is_escaped_and_says_its_zone() -> None:
    tag = time_tag(words_of("de", now=NOW), NOW, shows="moment")
    assert str(tag) == '<time datetime="2026-05-03T12:00:00+00:00" data-shows="moment">3. Mai 2026, 12:00 UTC</time>'


@pytest.mark.parametrize("header", ["", ";;;", "de;q=x", "q=1", "*" * 10_000, "en" + ",de" * 5_000])
def test_a_header_that_is_nonsense_means_a_language_that_there_is(header: str) -> None:
    assert preferred(header) in languages()


def test_one_without_a_catalogue_gets_the_default() -> None:
    assert words_of("../../etc", now=NOW).language == "en"
