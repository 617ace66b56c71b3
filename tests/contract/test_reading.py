"""An event that is read in one go is what it is when it is read field by field."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from shared.contracts.envelope import Envelope
from shared.contracts.errors import Poison
from shared.contracts.events import EVENTS
from shared.contracts.reading import read_by_field, read_whole

FILES = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))
LEAVES: st.SearchStrategy[JsonValue] = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
)
VALUES: st.SearchStrategy[JsonValue] = (
    LEAVES | st.lists(LEAVES, max_size=2) | st.dictionaries(st.text(max_size=4), LEAVES, max_size=2)
)
MOMENTS: st.SearchStrategy[JsonValue] = st.sampled_from(
    ["2026-05-03T10:59:00+02:00", "2026-05-03T10:59:00", "0001-01-01T00:00:00+12:00", "2026-05-03 10:59Z", 0, 1.5, "1"]
)


@cache
def written(path: Path) -> bytes:
    """A golden event as it is written today."""
    return read_by_field(path.read_bytes(), EVENTS).encode()


def by_field(raw: bytes) -> Envelope | None:
    try:
        return read_by_field(raw, EVENTS)
    except Poison:
        return None


def places(value: JsonValue, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where in a document anything stands."""
    inner: Iterable[tuple[str | int, JsonValue]] = ()
    if isinstance(value, dict | list):
        inner = [*value.items()] if isinstance(value, dict) else enumerate(value)
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


def changed(document: JsonValue, place: tuple[str | int, ...], value: JsonValue) -> JsonValue:
    """The document with another value in one place."""
    if not place:
        return value
    if isinstance(document, list):
        return [changed(each, place[1:], value) if index == place[0] else each for index, each in enumerate(document)]
    assert isinstance(document, dict)
    return {key: changed(each, place[1:], value) if key == place[0] else each for key, each in document.items()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_was_published_is_read_in_one_go(path: Path) -> None:
    raw = written(path)
    event, same = read_whole(raw, EVENTS), read_by_field(raw, EVENTS)
    assert event == same
    assert event is not None
    assert (type(event), type(event.data), repr(event)) == (Envelope, type(same.data), repr(same))
    assert event.encode() == raw
    assert event.data.model_fields_set == same.data.model_fields_set


@given(st.data())
def test_whatever_is_read_in_one_go_is_read_alike_field_by_field(data: st.DataObject) -> None:
    document = json.loads(written(data.draw(st.sampled_from(FILES))))
    place = data.draw(st.sampled_from(places(document)[1:]))
    other = changed(document, place, data.draw(MOMENTS if str(place[-1]).endswith("_at") else VALUES))
    raw = json.dumps(other, separators=(",", ":"), ensure_ascii=data.draw(st.booleans())).encode()
    assert read_whole(raw, EVENTS) in [None, by_field(raw)]


@given(st.data())
def test_a_field_that_is_lacking_unknown_or_said_twice_counts_as_it_does_field_by_field(data: st.DataObject) -> None:
    raw = written(data.draw(st.sampled_from(FILES)))
    document = json.loads(raw)
    key, value = data.draw(st.sampled_from([*document, "colour"])), data.draw(VALUES)
    lacking = {name: each for name, each in document.items() if name != key}
    twice = raw[:-1] + f",{json.dumps(key)}:{json.dumps(value)}}}".encode()
    for each in (twice, json.dumps(lacking, separators=(",", ":")).encode()):
        assert read_whole(each, EVENTS) in [None, by_field(each)]


@pytest.mark.parametrize("raw", [b"", b"{}", b'{"event_id":"e","type":"user_abducted","version":1,', b'{"type":"pinned"}'])
def test_what_is_not_written_as_events_are_is_left_to_others(raw: bytes) -> None:
    assert read_whole(raw, EVENTS) is None
