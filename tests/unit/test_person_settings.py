"""A person's settings: what is named changes, what is unset falls back, all else stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.domain.preferences import merge
from shared.contracts.commands import ChangeSettings
from shared.contracts.errors import IdReused
from shared.contracts.preferences import Fusion, PersonSettings, RankingOptions, SettingsChanged
from tests.support.commands import change, extracted, page, user_says
from tests.support.paper import PaperLog

SETTINGS = st.builds(
    PersonSettings,
    memory_enabled=st.none() | st.booleans(),
    incognito_default=st.none() | st.booleans(),
    time_zone=st.none() | st.sampled_from(["Europe/Berlin", "UTC"]),
    soft_cap=st.none() | st.integers(1, 3),
    idle_minutes=st.none() | st.integers(1, 3),
    ranking=st.none()
    | st.builds(RankingOptions, alpha=st.none() | st.floats(0, 10), fusion=st.none() | st.sampled_from(Fusion)),
)
NAMES = st.lists(st.sampled_from(sorted(PersonSettings.model_fields)), max_size=4, unique=True).map(tuple)


def test_what_is_named_changes_and_the_rest_stays() -> None:
    log = PaperLog()
    log.tell(change(PersonSettings(soft_cap=50, time_zone="Europe/Berlin")))
    (event,) = log.tell(change(PersonSettings(idle_minutes=30)))
    before = PersonSettings(soft_cap=50, time_zone="Europe/Berlin")
    after = before.model_copy(update={"idle_minutes": 30})
    assert event.data == SettingsChanged(settings=after, before=before, asked=PersonSettings(idle_minutes=30))
    assert log.state.settings == after


def test_what_is_unset_falls_back() -> None:
    log = PaperLog()
    log.tell(change(PersonSettings(soft_cap=50, idle_minutes=30)))
    log.tell(change(unset=("soft_cap",)))
    assert log.state.settings == PersonSettings(idle_minutes=30)


def test_of_the_ranking_each_option_counts_by_itself() -> None:
    log = PaperLog()
    log.tell(change(PersonSettings(ranking=RankingOptions(alpha=1, beta=0.5))))
    log.tell(change(PersonSettings(ranking=RankingOptions(beta=0.1))))
    assert log.state.settings.ranking == RankingOptions(alpha=1, beta=0.1)


def test_what_is_so_already_is_no_event() -> None:
    log = PaperLog()
    log.tell(change(PersonSettings(memory_enabled=False)))
    assert log.tell(change(PersonSettings(memory_enabled=False))) == []
    assert log.tell(change(unset=("soft_cap",))) == []


def test_a_lower_cap_trims_in_the_same_batch() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    log.tell(page(extracted("Anna sings"), extracted("Ben rows")))
    assert [event.type for event in log.tell(change(PersonSettings(soft_cap=1)))] == ["settings_changed", "memory_retired"]


def test_one_id_stands_for_one_change_even_where_part_of_it_was_so_before() -> None:
    log = PaperLog()
    log.tell(change(PersonSettings(soft_cap=50)))
    asked = change(PersonSettings(soft_cap=50, idle_minutes=30), message_id="1")
    assert len(log.tell(asked)) == 1
    assert log.tell(asked) == []
    with pytest.raises(IdReused):
        log.tell(change(PersonSettings(idle_minutes=30), message_id="1"))


@given(SETTINGS, SETTINGS, NAMES)
def test_merging_is_naming_and_unsetting_field_by_field(
    before: PersonSettings, asked: PersonSettings, unset: tuple[str, ...]
) -> None:
    after = merge(before, asked, unset)
    for name in set(PersonSettings.model_fields) - {"ranking"}:
        asked_for = getattr(asked, name)
        kept = None if name in unset else getattr(before, name)
        assert getattr(after, name) == (kept if asked_for is None else asked_for)
    assert merge(after, asked, unset) == after
    assert PersonSettings.model_validate_json(after.model_dump_json()) == after


@given(SETTINGS, SETTINGS, NAMES)
def test_a_change_that_is_obeyed_is_satisfied(before: PersonSettings, asked: PersonSettings, unset: tuple[str, ...]) -> None:
    log = PaperLog()
    for settings in (before, asked):
        if settings.model_fields_set:
            log.tell(ChangeSettings(settings=settings, unset=unset))
    assert log.tell(ChangeSettings(settings=asked, unset=unset)) == [] if asked.model_fields_set else True
