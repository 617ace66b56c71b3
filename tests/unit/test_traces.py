"""What the receipt of a forgetting finds in the bytes of files, and what it must not mistake for it."""

from __future__ import annotations

import os
from pathlib import Path
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.domain.marks import marks_of, marks_of_person
from services.ingest.traces import INDEX, OTHER_SERVER, OWN_FILE, SHORT, Erasure, Traces
from shared.contracts.errors import Misconfigured
from shared.contracts.ids import Space, User
from shared.contracts.privacy import Scan
from shared.runtime.byte_search import SHORTEST, ByteSearch
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.blocks import record_at, records
from shared.runtime.embedded.server_log import mask_subjects
from shared.runtime.http_tokens import load_tokens, new_http_token, save_tokens, without
from shared.runtime.side_folder import side_folder
from shared.runtime.topology import MEMORY, REJECTED, SEND
from tests.support.scopes import ANNAS_SCOPE, T0

_ANNA = Space("home"), User("anna.grumble")
_ERASED = 1 << 63


def _record(sequence: int, subject: str, body: bytes) -> bytes:
    named = subject.encode()
    return pack("<IQQH", 22 + len(named) + len(body) + 8, sequence, 0, len(named)) + named + body + b"checksum"


def _erasure(*marks: str, whole: bool = True, left: frozenset[int] = frozenset(), through: int = 99) -> Erasure:
    sought = marks_of(marks) | marks_of_person(*_ANNA)
    return Erasure(ANNAS_SCOPE, _ANNA, whole, sought, left, dict.fromkeys((MEMORY, SEND, REJECTED), through), 0.0)


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    data = DataDir(tmp_path)
    data.nats_store.mkdir()
    return data


def _write(data: DataDir, name: str, raw: bytes) -> None:
    path = data.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _block(data: DataDir, stream: str, *messages: bytes) -> str:
    name = f"nats/jetstream/MEMORY/streams/{stream}/msgs/1.blk"
    _write(data, name, b"".join(messages))
    return name


@given(st.lists(st.binary(min_size=SHORTEST, max_size=40), max_size=20), st.lists(st.binary(max_size=60), max_size=20))
def test_every_place_of_every_string_is_found_and_no_other(sought: list[bytes], between: list[bytes]) -> None:
    raw = b"".join(part + each for part, each in zip(between, sought, strict=False))
    expected = {place for each in sought for place in range(len(raw)) if raw.startswith(each, place)}
    assert set(ByteSearch(sought).places(raw)) == expected


def test_a_file_that_cannot_be_read_is_told_as_such(data: DataDir) -> None:
    _write(data, "ingest/ingest.db", b"nothing")
    (data.root / "ingest/loop").symlink_to("loop")
    found = Traces(data).look(_erasure("zorbifers"))
    assert (found.files, found.places, found.unread[-1]) == (1, (), "ingest/loop")
    scan = Scan(events=0, found=0, rejected=0, in_transit=0, **found._asdict())
    assert scan.of_own().unread == (*found.unread[:-1], "ingest"), "the names of files tell how much there is of others"


def test_a_string_across_two_portions_of_a_file_is_found(tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(b"\0" * (8 * 1024 * 1024 - 3) + b"Zankelchat" + b"\0" * 100)
    assert ByteSearch([b"Zankelchat"]).is_in(file)
    assert not ByteSearch([b"Wimblechat"]).is_in(file)


def test_what_was_said_is_found_in_any_file(data: DataDir) -> None:
    for name in (
        "ingest/ingest.db-wal",
        "nats-server.log",
        "strange.file",
        f"retriever/memories/{ANNAS_SCOPE[:2]}/{ANNAS_SCOPE}.db",
    ):
        _write(data, name, b'\0\0My sister "Quixeldra" keeps bees.\0')
        assert Traces(data).look(_erasure('My sister "Quixeldra" keeps bees.')).places == (name,)
        (data.root / name).unlink()


@pytest.mark.parametrize("name", ["keys.toml", "nats.conf", "backups/old.db", "retriever/memories/ff/other.db"])
def test_settings_backups_and_other_peoples_files_are_not_looked_at(name: str, data: DataDir) -> None:
    _write(data, name, b"Quixeldra Grumble")
    assert not Traces(data).look(_erasure("Quixeldra Grumble")).places


def test_of_a_log_only_what_should_have_gone_is_found(data: DataDir) -> None:
    mine, other = f"memory.3.{ANNAS_SCOPE}.episode_recorded", f"memory.3.{'e' * 32}.episode_recorded"
    erasure = _erasure("Quixeldra keeps bees.", left=frozenset({7}))
    said = b"Quixeldra keeps bees."
    for kept in (_record(1, other, said), _record(7, mine, said), _record(100, mine, said)):
        _block(data, MEMORY, _record(1, other, b"-"), kept)
        assert not Traces(data).look(erasure).places
    for lost in (_record(5, mine, said), _record(5 | _ERASED, "", said), b"torn" + said):
        name = _block(data, MEMORY, _record(1, other, b"-"), lost)
        assert Traces(data).look(erasure).places == (name,)


def test_of_messages_those_of_the_person_are_found_in_every_spelling(data: DataDir) -> None:
    for token in ("anna%2Egrumble", "%61nna%2egrumble", "anna%252Egrumble"):
        name = _block(data, REJECTED, _record(5, f"rejected.3.home.{token}.user_message", b"I am anna.grumble, you know"))
        assert Traces(data).look(_erasure()).places == (name,)
    _block(data, REJECTED, _record(5, "rejected.3.home.ben.user_message", b"I know anna.grumble, you know"))
    assert not Traces(data).look(_erasure()).places
    _block(data, REJECTED, _record(100, "rejected.3.home.anna%2Egrumble.user_message", b"new"))
    assert not Traces(data).look(_erasure()).places


def test_a_plain_word_and_a_short_name_are_looked_for_where_only_people_speak(data: DataDir) -> None:
    _write(data, "ingest/ingest.db", b"CREATE TABLE tombstone (scope)")
    looked = Traces(data).look(_erasure("tombstone", "s1"))
    assert not looked.places
    assert SHORT in looked.unread
    name = _block(data, SEND, _record(5, "send.3.home.anna%2Egrumble.user_message", b"my tombstone"))
    assert Traces(data).look(_erasure("tombstone")).places == (name,)


def test_the_receipt_says_what_was_not_looked_at(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    _write(data, f"retriever/memories/{ANNAS_SCOPE[:2]}/{ANNAS_SCOPE}.db", b"Quixeldra Grumble")
    looked = Traces(data).look(_erasure("Quixeldra Grumble", whole=False))
    assert not looked.places
    assert {OWN_FILE, OTHER_SERVER, INDEX} <= set(looked.unread)


def test_of_the_log_what_was_not_touched_since_is_not_read_for_a_single_memory(data: DataDir) -> None:
    name = _block(data, MEMORY, _record(5, f"memory.3.{ANNAS_SCOPE}.episode_recorded", b"Quixeldra keeps bees."))
    os.utime(data.root / name, (1_000, 1_000))
    erasure = _erasure("Quixeldra keeps bees.", whole=False)
    assert Traces(data).look(erasure).places == (name,)
    assert not Traces(data).look(erasure._replace(since_s=2_000.0)).places


def test_a_place_in_a_block_has_its_message() -> None:
    raw = _record(1, "send.1.a.b.c", b"one") + _record(2 | _ERASED, "", b"noise") + b"\x05\0\0\0short"
    known = list(records(raw))
    assert [(one.sequence & 0xFF, one.subject, one.is_message) for one in known] == [(1, "send.1.a.b.c", True), (2, "", False)]
    assert record_at(30, known) == known[0]
    assert record_at(len(raw) - 1, known) is None


def test_names_are_taken_out_of_the_servers_log_in_their_places(tmp_path: Path) -> None:
    log, old = tmp_path / "nats-server.log", tmp_path / "nats-server.log.2026.01.02"
    lines = (
        '[7] 2026/05/03 [INF] Store Directory: "/data/anna.grumble/nats"\n'
        '[7] 2026/05/03 [ERR] 127.0.0.1 - cid:9 - Publish Violation - User "bot.x", Subject "send.beta.anna%2egrumble.x"\n'
        "[7] 2026/05/03 [ERR] 127.0.0.1 - cid:9 - Client parser ERROR, proto='\"PUB anna\"...'\n"
    )
    for file in (log, old):
        file.write_text(lines, encoding="utf-8")
    with log.open("a", encoding="utf-8") as server:
        assert mask_subjects(log) == 4
        server.write("later\n")
    for file in (log, old):
        text = file.read_text(encoding="utf-8")
        assert 'User "bot.x", Subject "send.xxxx.xxxxxxxxxxxxxx.x"' in text
        assert "PUB" not in text
        assert "/data/anna.grumble/nats" in text
        assert len(text.removesuffix("later\n")) == len(lines)
    assert log.read_text(encoding="utf-8").endswith("later\n")
    assert mask_subjects(log) == 0


def test_a_first_word_that_is_nobodys_of_ours_and_who_may_not_log_in_are_overwritten(tmp_path: Path) -> None:
    log = tmp_path / "nats-server.log"
    log.write_text(
        '[1] 2026/11/23 10:00:00.0 [ERR] 127.0.0.1:5 - cid:7 - authentication error - User "anna.grumble"\n'
        '[1] 2026/11/23 10:00:01.0 [ERR] 127.0.0.1:5 - cid:8 - Publish Violation - User "bot", Subject "anna.user_message"\n'
    )
    assert mask_subjects(log) == 2
    text = log.read_text()
    assert "anna" not in text
    assert "grumble" not in text
    assert 'User "bot", Subject "xxxx.xxxxxxxxxxxx"' in text


def test_a_token_that_was_made_for_one_person_names_them_until_it_is_revoked(data: DataDir) -> None:
    """The operator made it; the receipt tells of it, and `memstream token revoke` takes it away."""
    _, kept = new_http_token(name="app", rights=(), spaces=(), users=(_ANNA[1],), now=T0, expires_at=None)
    save_tokens(data.http_tokens, {kept.token_id: kept})
    assert Traces(data).look(_erasure()).places == (data.http_tokens.name,)
    save_tokens(data.http_tokens, without(load_tokens(data.http_tokens), "app"))
    assert Traces(data).look(_erasure()).places == ()


def test_what_a_killed_what_if_left_is_deleted_and_one_that_runs_is_looked_at(data: DataDir) -> None:
    name = "whatif/data/nats/jetstream/MEMORY/msgs/1.blk"
    _write(data, name, b"Quixeldra Grumble")
    assert not Traces(data).look(_erasure("Quixeldra Grumble")).places
    assert not (data.root / "whatif").exists()
    with side_folder(data):
        _write(data, name, b"Quixeldra Grumble")
        assert Traces(data).look(_erasure("Quixeldra Grumble")).places == (name,)
        with pytest.raises(Misconfigured), side_folder(data):
            pass
    assert not (data.root / "whatif").exists()
