"""What was published once is read for ever."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from shared.contracts.commands import COMMANDS
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.errors import Poison
from shared.contracts.event import EventData
from shared.contracts.events import EVENTS, decode
from shared.contracts.upcasters import UPCASTERS, Document, Upcaster, upcast
from tests.support.commands import user_says
from tests.support.paper import PaperLog

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = sorted(GOLDEN.glob("*.json"))


def golden(name: str = "episode_recorded.v1") -> dict[str, Any]:
    document: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return document


def raw(**changes: object) -> bytes:
    return json.dumps(golden() | changes).encode()


def lifted(document: Document) -> Document:
    """A golden document at the newest version."""
    return upcast(document)


def newest(model: type[EventData]) -> Path:
    """The golden file of an event as it is written today.

    `<type>.v<n>.json` stays as it was published; `<type>.v<n>.full.json` has the optional fields that came later, too.
    """
    name = f"{model.event_type}.v{model.event_version}"
    full = GOLDEN / f"{name}.full.json"
    return full if full.exists() else GOLDEN / f"{name}.json"


def holds(written: object, published: object) -> bool:
    """True where all that was published is written again; optional fields may have been added."""
    if isinstance(published, dict) and isinstance(written, dict):
        return all(key in written and holds(written[key], value) for key, value in published.items())
    if isinstance(published, list) and isinstance(written, list):
        return len(published) == len(written) and all(map(holds, written, published))
    return written == published


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_published_event_is_read_and_written_back_as_it_was(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert holds(json.loads(decode(path.read_bytes()).encode()), lifted(document))


@pytest.mark.parametrize("path", [newest(model) for model in EVENTS.values()], ids=lambda path: path.stem)
def test_an_event_of_today_is_written_back_exactly(path: Path) -> None:
    assert json.loads(decode(path.read_bytes()).encode()) == json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_file_says_everything_that_an_envelope_can_say(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert set(document) == set(Envelope.model_fields)
    assert set(document["actor"]) == set(Actor.model_fields)
    assert path.stem.removesuffix(".full") == f"{document['type']}.v{document['version']}"


@pytest.mark.parametrize("path", [newest(model) for model in EVENTS.values()], ids=lambda path: path.stem)
def test_the_golden_file_of_the_newest_version_fills_every_field(path: Path) -> None:
    event = decode(path.read_bytes())
    assert event.data.model_fields_set == set(type(event.data).model_fields)


@pytest.mark.parametrize("model", EVENTS.values(), ids=EVENTS)
def test_every_version_of_every_event_has_a_golden_file(model: type[EventData]) -> None:
    expected = {f"{model.event_type}.v{version}" for version in range(1, model.event_version + 1)}
    files = {path.stem.removesuffix(".full") for path in FILES if path.stem.split(".")[0] == model.event_type}
    assert files == expected


def test_every_golden_file_is_of_an_event_that_exists() -> None:
    assert {path.stem.split(".")[0] for path in FILES} == set(EVENTS)


def test_every_older_version_has_an_upcaster_and_no_other() -> None:
    expected = {(m.event_type, version) for m in EVENTS.values() for version in range(1, m.event_version)}
    assert set(UPCASTERS) == expected


@pytest.mark.parametrize("model", EVENTS.values(), ids=EVENTS)
def test_every_event_is_caused_by_commands_that_exist(model: type[EventData]) -> None:
    assert model.caused_by
    assert set(model.caused_by) <= {*COMMANDS, "*"}


def test_every_command_causes_some_event() -> None:
    assert {what for model in EVENTS.values() for what in model.caused_by} - {"*"} == set(COMMANDS)


@pytest.mark.parametrize("model", [Envelope, Actor, *EVENTS.values()], ids=lambda model: model.__name__)
def test_every_event_is_frozen_refuses_unknown_fields_and_says_what_it_is(model: type[EventData]) -> None:
    assert model.model_config.get("frozen") is True
    assert model.model_config.get("extra") == "forbid"
    assert model.__doc__


@pytest.mark.parametrize("name", Envelope.model_fields)
def test_every_field_of_the_envelope_is_explained(name: str) -> None:
    assert Envelope.model_fields[name].description


@pytest.mark.parametrize("model", EVENTS.values(), ids=EVENTS)
def test_an_event_has_a_json_schema(model: type[EventData]) -> None:
    assert TypeAdapter(model).json_schema()["additionalProperties"] is False


def test_what_was_decided_is_read_back_equal() -> None:
    for event in PaperLog().tell(user_says("hello @ben 🙂", metadata={"a": [None, {"b": 1.5}]})):
        assert decode(event.encode()) == event


def test_moments_are_kept_in_utc() -> None:
    event = decode(raw(occurred_at="2026-05-03T10:59:00+02:00"))
    assert json.loads(event.encode())["occurred_at"] == "2026-05-03T08:59:00Z"


def test_an_envelope_is_not_made_from_undecoded_data() -> None:
    with pytest.raises(ValueError, match=r"events\.decode"):
        Envelope.model_validate(golden())


def rename(document: Document) -> Document:
    data = dict(document["data"])
    data["words"] = data.pop("text")
    return {**document, "data": data}


def shout(document: Document) -> Document:
    return {**document, "data": {**document["data"], "words": document["data"]["words"].upper()}}


CHAIN: dict[tuple[str, int], Upcaster] = {("note_taken", 1): rename, ("note_taken", 2): shout}


@pytest.mark.parametrize(("version", "data"), [(1, {"text": "hi"}), (2, {"words": "hi"}), (3, {"words": "HI"})])
def test_an_event_of_any_version_is_lifted_to_the_newest_step_by_step(version: int, data: dict[str, str]) -> None:
    document = {"type": "note_taken", "version": version, "number": 7, "data": data}
    kept = json.loads(json.dumps(document))
    assert upcast(document, CHAIN) == {"type": "note_taken", "version": 3, "number": 7, "data": {"words": "HI"}}
    assert document == kept, "an upcaster must not change its argument"


def test_an_event_without_upcasters_stays_as_it_is() -> None:
    document = {"type": "other", "version": 1, "data": {}}
    assert upcast(document, CHAIN) == document


def without(*names: str) -> bytes:
    return json.dumps({key: value for key, value in golden().items() if key not in names}).encode()


POISON = {
    "empty": b"",
    "not json": b"{",
    "not utf-8": b'{"type": "\xff"}',
    "a list": b"[]",
    "a number": b"1",
    "null": b"null",
    "no type": without("type"),
    "no version": without("version"),
    "no data": without("data"),
    "no number": without("number"),
    "unknown type": raw(type="user_abducted"),
    "type is a list": raw(type=[]),
    "newer version": raw(version=2),
    "version nought": raw(version=0),
    "version is text": raw(version="one"),
    "number nought": raw(number=0),
    "unknown field": raw(colour="red"),
    "unknown field in data": raw(data=golden()["data"] | {"colour": "red"}),
    "field of data is missing": raw(data={"text": "hi"}),
    "data is null": raw(data=None),
    "naive moment": raw(recorded_at="2026-05-03T09:00:00"),
    "moment before all time": raw(occurred_at="0001-01-01T00:00:00+12:00"),
    "moment after all time": raw(occurred_at="9999-12-31T23:59:59-12:00"),
}


@pytest.mark.parametrize("document", POISON.values(), ids=POISON)
def test_what_is_unknown_newer_or_broken_is_poison(document: bytes) -> None:
    with pytest.raises(Poison) as caught:
        decode(document)
    assert caught.value.message


def test_poison_tells_nothing_of_the_text() -> None:
    with pytest.raises(Poison) as caught:
        decode(raw(data=golden()["data"] | {"text": ["a secret"]}))
    assert "secret" not in caught.value.message
    assert "text" in caught.value.message
