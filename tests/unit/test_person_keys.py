"""Keys of people: what they seal is read at its place alone, by every reader, until the key is overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memstream.cli import app
from shared.contracts.errors import Misconfigured
from shared.contracts.ids import EventId, Scope
from shared.runtime.eventlog.new_event import NewEvent
from shared.runtime.eventlog.sealing import SealedAppend
from shared.runtime.person_keys import OVERHEAD_BYTES, PersonKeys, number_of
from tests.support.scopes import ANNAS_SCOPE

BENS_SCOPE = Scope("b" * 32)
SAID = b'{"text": "I met Quixeldra."}'
HERE = ("id1", "memory.1.x.episode_recorded")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.keys"


def _sealed(keys: PersonKeys, scope: Scope = ANNAS_SCOPE) -> bytes:
    return keys.sealed(keys.make([scope])[0], SAID, *HERE)


def test_what_is_sealed_is_opened_by_every_reader_of_the_file(path: Path) -> None:
    sealed = _sealed(PersonKeys(path))
    assert b"Quixeldra" not in sealed
    assert len(sealed) == len(SAID) + OVERHEAD_BYTES
    assert PersonKeys(path).opened(sealed, *HERE) == SAID
    assert PersonKeys(path).opened(SAID, *HERE) == SAID
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("changed", "event_id", "subject"),
    [(False, "id2", HERE[1]), (False, HERE[0], "memory.1.y.episode_recorded"), (True, *HERE)],
    ids=["another id", "another place", "changed"],
)
def test_what_was_changed_or_moved_stays_sealed(path: Path, event_id: str, subject: str, *, changed: bool) -> None:
    sealed = _sealed(PersonKeys(path))
    if changed:
        sealed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    assert PersonKeys(path).opened(sealed, event_id, subject) == sealed


def test_an_erased_key_is_overwritten_and_counts_at_once_for_all(path: Path) -> None:
    keys, reader, other = PersonKeys(path), PersonKeys(path), PersonKeys(path)
    sealed, of_ben = _sealed(keys), _sealed(keys, BENS_SCOPE)
    assert other.numbers_of(ANNAS_SCOPE) == (1,)
    assert reader.opened(sealed, *HERE) == SAID
    [number] = keys.numbers_of(ANNAS_SCOPE)
    key = keys.key(number)
    assert key
    assert key in path.read_bytes()
    keys.erase(ANNAS_SCOPE, [number])
    assert key not in path.read_bytes()
    assert reader.opened(sealed, *HERE) is None
    assert reader.opened(of_ben, *HERE) == SAID
    assert other.numbers_of(ANNAS_SCOPE) == PersonKeys(path).numbers_of(ANNAS_SCOPE) == ()
    assert keys.opened(sealed, *HERE) == SAID  # for whoever erases the events themselves
    keys.let_go(ANNAS_SCOPE)
    assert keys.opened(sealed, *HERE) is None
    assert keys.make([ANNAS_SCOPE]) == [number + 2]


def test_what_a_crash_left_of_an_entry_seals_nothing(path: Path) -> None:
    keys = PersonKeys(path)
    keys.make([ANNAS_SCOPE])
    with path.open("ab") as file:
        file.write(b"torn")
    sealed = _sealed(keys, BENS_SCOPE)
    assert PersonKeys(path).opened(sealed, *HERE) == SAID
    assert [len(PersonKeys(path).numbers_of(scope)) for scope in (ANNAS_SCOPE, BENS_SCOPE)] == [1, 1]


def test_keys_that_are_lost_or_of_another_log_are_told(path: Path, tmp_path: Path) -> None:
    sealed, other = _sealed(PersonKeys(path)), PersonKeys(tmp_path / "other.keys")
    other.make([ANNAS_SCOPE])
    for keys in (PersonKeys(tmp_path / "absent.keys"), other):
        with pytest.raises(Misconfigured, match="keys restore"):
            keys.opened(sealed, *HERE)
    path.write_bytes(path.read_bytes()[:64])
    with pytest.raises(Misconfigured, match="keys restore"):
        PersonKeys(path).opened(sealed, *HERE)


def _event(scope: Scope, kind: str = "episode_recorded", *, names: bool = True) -> NewEvent:
    return NewEvent(f"memory.1.{scope}.{kind}", EventId("id"), SAID, names=names)


async def test_events_of_a_person_share_a_key_and_forgetting_another_erases_none(path: Path) -> None:
    keys = PersonKeys(path)
    keys.seals = True
    first = await SealedAppend.of(keys, [_event(ANNAS_SCOPE), _event(BENS_SCOPE), _event(ANNAS_SCOPE)])
    await first.done()
    again = await SealedAppend.of(keys, [_event(ANNAS_SCOPE)])
    numbers = [number_of(event.data) for event in (*first.events, *again.events)]
    assert numbers == [1, 2, 1, 1]
    gone = await SealedAppend.of(keys, [_event(BENS_SCOPE, "user_forgotten", names=False)])
    assert gone.events[0].data == SAID
    await gone.done()
    assert [keys.numbers_of(scope) for scope in (ANNAS_SCOPE, BENS_SCOPE)] == [(1,), ()]


async def test_what_is_said_after_being_forgotten_in_the_same_append_is_kept(path: Path) -> None:
    keys = PersonKeys(path)
    keys.seals = True
    forgotten = _event(ANNAS_SCOPE, "user_forgotten", names=False)
    said = [_event(ANNAS_SCOPE), forgotten, _event(ANNAS_SCOPE), forgotten, _event(ANNAS_SCOPE)]
    appended = await SealedAppend.of(keys, said)
    assert await _readable(path, appended) == [True] * 5
    await appended.done()
    assert await _readable(path, appended) == [False, True, False, True, True]


async def _readable(path: Path, appended: SealedAppend) -> list[bool]:
    reader = PersonKeys(path)
    return [reader.opened(event.data, event.event_id, event.subject) is not None for event in appended.events]


def test_keys_are_copied_and_put_back_and_nothing_is_overwritten(tmp_path: Path) -> None:
    home, copied = tmp_path / "home", tmp_path / "copied.keys"
    home.mkdir()
    sealed = _sealed(PersonKeys(home / "people.keys"))

    def keys(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["keys", *arguments, "--data-dir", str(home), "--json"])

    told = keys("copy", str(copied))
    assert json.loads(told.stdout) == {"path": str(copied), "scopes": 1}
    for again in ("copy", "restore"):
        refused = keys(again, str(copied))
        assert refused.exit_code != 0
        assert "nothing is overwritten" in refused.stderr
    (home / "people.keys").unlink()
    assert json.loads(keys("restore", str(copied)).stdout)["scopes"] == 1
    assert PersonKeys(home / "people.keys").opened(sealed, *HERE) == SAID


async def test_where_nothing_is_sealed_no_file_is_made(path: Path) -> None:
    appended = await SealedAppend.of(PersonKeys(path), [_event(ANNAS_SCOPE)])
    await appended.done()
    assert appended.events[0].data == SAID
    assert list(path.parent.iterdir()) == []
