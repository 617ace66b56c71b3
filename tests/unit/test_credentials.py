"""The passwords of services, bots and readers, in their file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shared.contracts.errors import Malformed, Misconfigured
from shared.contracts.ids import Space
from shared.runtime.credentials import complete_credentials, create_credentials, load_credentials, save_credentials

SHOP = (Space("shop"), Space("a b.🙂"))


def test_a_file_holds_what_was_saved(tmp_path: Path) -> None:
    credentials = create_credentials().with_bot("helper", SHOP).with_reader("crm", SHOP)
    save_credentials(tmp_path / "c.toml", credentials)
    assert load_credentials(tmp_path / "c.toml") == credentials


def test_bots_readers_and_services_share_their_names() -> None:
    credentials = create_credentials().with_reader("crm", SHOP)
    for taken in ("crm", "bot", "feed", "ingest"):
        with pytest.raises(Malformed, match="exists already"):
            credentials.with_reader(taken, SHOP)
        with pytest.raises(Malformed, match="exists already"):
            credentials.with_bot(taken)
    with pytest.raises(Malformed, match="1 to 32"):
        credentials.with_reader("No Name", SHOP)
    assert credentials.without_reader("crm") == replace(credentials, readers={})


def test_a_file_of_an_earlier_version_gets_what_it_lacks_and_keeps_the_rest(tmp_path: Path) -> None:
    credentials, path = create_credentials(), tmp_path / "c.toml"
    older = replace(credentials, services={name: word for name, word in credentials.services.items() if name != "feed"})
    save_credentials(path, older)
    with pytest.raises(Misconfigured, match="memstream init"):
        load_credentials(path).of_service("feed")
    whole = complete_credentials(path)
    assert whole == load_credentials(path) == complete_credentials(path)
    assert {name: whole.of_service(name) for name in older.services} == older.services
