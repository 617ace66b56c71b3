"""keys.toml, credentials.toml, the data folder, and the server's accounts that are made from them."""

import stat
import tomllib
from pathlib import Path

import pytest

from shared.contracts.errors import Malformed, Misconfigured, NotInitialised
from shared.contracts.ids import Space
from shared.runtime.credentials import (
    DEFAULT_BOT,
    SERVICE_USERS,
    BotAccess,
    create_credentials,
    load_credentials,
    save_credentials,
)
from shared.runtime.datadir import DataDir, write_private
from shared.runtime.embedded.accounts import SERVICES, bot_permissions, permission_table, render_config
from shared.runtime.keys import Keys, create_keys, load_keys
from shared.runtime.settings import RuntimeSettings
from tests.support.scopes import ANNA, BEN, HOSTILE_IDS, KEYS, SPACE


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_keys_are_kept_in_a_private_file_and_read_back(tmp_path: Path) -> None:
    keys = create_keys(tmp_path / "keys.toml")
    assert load_keys(tmp_path / "keys.toml") == keys
    assert mode(tmp_path / "keys.toml") == 0o600
    assert len(keys.salt) == len(keys.digest_key) == 32


def test_keys_are_new_each_time(tmp_path: Path) -> None:
    one, other = create_keys(tmp_path / "1"), create_keys(tmp_path / "2")
    assert len({one.salt, one.digest_key, other.salt, other.digest_key}) == 4
    assert one.fingerprint != other.fingerprint


def test_the_fingerprint_tells_no_key_and_changes_with_each() -> None:
    assert KEYS.fingerprint == Keys(b"s" * 32, b"d" * 32).fingerprint
    assert len({KEYS.fingerprint, Keys(b"S" * 32, b"d" * 32).fingerprint, Keys(b"s" * 32, b"D" * 32).fingerprint}) == 3
    assert (b"s" * 32).hex() not in KEYS.fingerprint


def test_a_scope_depends_on_salt_space_and_user() -> None:
    scopes = {
        KEYS.scope_of(SPACE, ANNA),
        KEYS.scope_of(SPACE, BEN),
        KEYS.scope_of(Space("work"), ANNA),
        Keys(b"S" * 32, b"d" * 32).scope_of(SPACE, ANNA),
    }
    assert len(scopes) == 4
    assert all(len(bytes.fromhex(scope)) == 16 for scope in scopes)


def test_no_keys_means_not_initialised(tmp_path: Path) -> None:
    with pytest.raises(NotInitialised, match="memstream init"):
        load_keys(tmp_path / "keys.toml")


GOOD = f'salt = "{"ab" * 32}"\ndigest_key = "{"cd" * 32}"\n'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "salt = 1",
        "not toml",
        GOOD.replace("abab", "ab", 1),
        GOOD.replace("abab", "zzzz", 1),
        GOOD.replace("salt", "pepper"),
    ],
)
def test_broken_keys_are_named_with_what_to_do(text: str, tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text(text)
    with pytest.raises(Misconfigured, match=r"keys\.toml .* backup"):
        load_keys(tmp_path / "keys.toml")


def test_credentials_are_kept_in_a_private_file_and_read_back(tmp_path: Path) -> None:
    credentials = create_credentials().with_bot("helper", (Space("a.b"), Space("c")))
    save_credentials(tmp_path / "c.toml", credentials)
    assert load_credentials(tmp_path / "c.toml") == credentials
    assert mode(tmp_path / "c.toml") == 0o600


def test_every_service_and_the_first_bot_have_a_password_of_their_own() -> None:
    credentials = create_credentials()
    passwords = [*credentials.services.values(), credentials.bots[DEFAULT_BOT].password]
    assert set(credentials.services) == set(SERVICE_USERS)
    assert len(set(passwords)) == len(passwords)
    assert all(len(password) == 32 for password in passwords)


def test_printing_credentials_shows_no_password() -> None:
    credentials = create_credentials()
    shown = repr(credentials)
    assert credentials.services["ingest"] not in shown
    assert credentials.bots[DEFAULT_BOT].password not in shown


@pytest.mark.parametrize("space", HOSTILE_IDS)
def test_a_bot_may_be_limited_to_a_space_of_any_name(space: str, tmp_path: Path) -> None:
    credentials = create_credentials().with_bot("helper", (Space(space),))
    save_credentials(tmp_path / "c.toml", credentials)
    assert load_credentials(tmp_path / "c.toml").bots["helper"].spaces == (space,)


@pytest.mark.parametrize("name", ["", "A", "a.b", "*", ">", "a b", "-a", "x" * 33, "é", "a\n"])
def test_a_bots_name_is_fit_for_a_subject(name: str) -> None:
    with pytest.raises(Malformed, match="a bot's name"):
        create_credentials().with_bot(name)


@pytest.mark.parametrize("name", [DEFAULT_BOT, "ingest", "operator", "system"])
def test_a_bots_name_is_not_taken_twice(name: str) -> None:
    with pytest.raises(Malformed, match="exists already"):
        create_credentials().with_bot(name)


def test_no_credentials_means_not_initialised(tmp_path: Path) -> None:
    with pytest.raises(NotInitialised):
        load_credentials(tmp_path / "c.toml")


@pytest.mark.parametrize("text", ["", "[services]\n", "not toml", "services = 1\nbots = 1", "[services]\n[bots]\nbot = 1"])
def test_broken_credentials_are_named_with_what_to_do(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(Misconfigured, match=r"c\.toml .* backup"):
        load_credentials(tmp_path / "c.toml")


def test_a_private_file_is_replaced_as_a_whole_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o644)
    write_private(path, "new")
    assert (path.read_text(), mode(path)) == ("new", 0o600)
    assert [child.name for child in tmp_path.iterdir()] == ["file"]


def test_the_data_folder_is_its_owners_only(tmp_path: Path) -> None:
    files = DataDir(tmp_path / "a" / "b")
    files.create()
    files.create()
    assert mode(files.root) == 0o700


def test_every_file_lies_under_the_data_folder_under_a_name_of_its_own(tmp_path: Path) -> None:
    files = DataDir(tmp_path)
    named = [
        files.keys,
        files.credentials,
        files.nats_conf,
        files.nats_store,
        files.nats_log,
        files.running,
        files.projection("ingest"),
        files.projection("retriever"),
    ]
    assert all(path.parent == tmp_path for path in named)
    assert len(set(named)) == len(named)


def test_the_data_folder_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_DATA_DIR", str(tmp_path / "here"))
    assert RuntimeSettings().files.root == tmp_path / "here"


CREDENTIALS = create_credentials().with_bot("helper", (Space("a.b"), SPACE))


def rendered() -> str:
    return render_config(credentials=CREDENTIALS, listen="127.0.0.1:4222", store=Path("/data/nats"), log_file=Path("/data/log"))


def test_the_server_syncs_every_write_and_listens_on_loopback_only() -> None:
    assert "sync_interval: always" in rendered()
    assert 'listen: "127.0.0.1:4222"' in rendered()


def test_every_user_of_the_server_has_its_password_in_the_configuration() -> None:
    config = rendered()
    for name, password in CREDENTIALS.services.items():
        assert f'user: "{name}", password: "{password}"' in config
    for name, bot in CREDENTIALS.bots.items():
        assert f'user: "{name}", password: "{bot.password}"' in config


def test_bots_import_send_and_ask_and_nothing_else() -> None:
    _, _, bots = rendered().partition("  BOTS {")
    free, _, limited = bots.partition("  LIMITED {")
    for account, sent in ((free, "send.>"), (limited, "gate.send.>")):
        assert account.count("account: MEMORY") == 2
        assert f'subject: "{sent}" }}, to: "send.>"' in account
        assert 'subject: "ask.>" }, to: "ask.>"' in account
        assert "jetstream" not in account
    assert ('user: "bot"' in free, 'user: "helper"' in free) == (True, False)
    assert ('user: "bot"' in limited, 'user: "helper"' in limited) == (False, True)


def test_a_bot_may_publish_what_it_sends_and_asks_in_its_spaces() -> None:
    assert bot_permissions().publish == ("send.*.*.*", "ask.*.*.*")
    assert bot_permissions((Space("a.b"), SPACE)).publish == (
        "send.a%2Eb.*.*",
        "send.home.*.*",
        "ask.a%2Eb.*.*",
        "ask.home.*.*",
    )
    assert bot_permissions().subscribe == ()
    assert not bot_permissions().may_reply


@pytest.mark.parametrize("space", HOSTILE_IDS)
def test_a_space_of_any_name_widens_no_permission(space: str) -> None:
    for subject in bot_permissions((Space(space),)).publish:
        verb, token, *rest = subject.split(".")
        assert (verb in {"send", "ask"}, rest) == (True, ["*", "*"])
        assert token not in {"*", ">"}


def test_only_ingest_may_append_to_the_log_or_change_streams() -> None:
    for account, name, permissions in permission_table({"helper": ()}):
        may_append = any(subject.startswith(("memory.", ">")) for subject in permissions.publish)
        assert may_append == (name == "ingest"), account
    for name in ("ingest", "retriever"):
        publish = set(SERVICES[name].publish)
        may_erase = {"$JS.API.STREAM.MSG.DELETE.MEMORY"} if name == "ingest" else set()
        assert {s for s in publish if s.startswith("$JS.API.STREAM.") and "MEMORY" in s} == may_erase | {
            "$JS.API.STREAM.INFO.MEMORY",
            "$JS.API.STREAM.MSG.GET.MEMORY",
        }
        assert not publish & {"$JS.API.>", "$JS.>", ">"}


def test_every_service_user_has_permissions() -> None:
    assert set(SERVICES) | {"system"} == set(SERVICE_USERS)


def test_paths_and_passwords_are_quoted() -> None:
    config = render_config(credentials=CREDENTIALS, listen="127.0.0.1:1", store=Path('/a "b" c'), log_file=Path("/tmp/log"))
    assert 'store_dir: "/a \\"b\\" c"' in config


def test_credentials_are_valid_toml(tmp_path: Path) -> None:
    save_credentials(tmp_path / "c.toml", CREDENTIALS)
    assert tomllib.loads((tmp_path / "c.toml").read_text())["bots"]["helper"]["spaces"] == ["a.b", "home"]


def test_a_bots_password_is_not_shown() -> None:
    assert "secret" not in repr(BotAccess("secret"))
