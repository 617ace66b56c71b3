"""Where the log or the keys are gone or damaged beside other files, the message says so and to restore; `init` refuses."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import pytest_asyncio

from shared.runtime.datadir import DataDir
from tests.acceptance.processes import Installation
from tests.support.forks import Printed, printed


def memstream(root: Path, *command: str, **settings: str) -> Printed:
    environment = {**os.environ, "COLUMNS": "200", "MEMSTREAM_EMBEDDER_KIND": "hashing", **settings}
    return printed("memstream", *command, "--data-dir", str(root), environment=environment)


def _without_keys(files: DataDir) -> None:
    files.keys.unlink()


def _with_damaged_keys(files: DataDir) -> None:
    files.keys.write_text('salt = "0')


def _without_log(files: DataDir) -> None:
    shutil.rmtree(files.nats_store)


def _with_damaged_log(files: DataDir) -> None:
    for stream in files.nats_store.glob("**/streams/MEMORY"):
        (stream / "meta.inf").write_bytes(b"\x5a" * 200)


def _without_projections_and_with_damaged_log(files: DataDir) -> None:
    _with_damaged_log(files)
    for service in ("ingest", "retriever", "maintenance", "consolidator", "feed"):
        shutil.rmtree(files.root / service, ignore_errors=True)


DAMAGES: list[tuple[Callable[[DataDir], None], str]] = [
    (_without_keys, "keys.toml is missing"),
    (_with_damaged_keys, "keys.toml is not readable"),
    (_without_log, "the stream MEMORY is gone or damaged"),
    (_with_damaged_log, "the stream MEMORY is gone or damaged"),
    (_without_projections_and_with_damaged_log, "the stream MEMORY is gone or damaged"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    installation = Installation(tmp_path_factory.mktemp("lived") / "data")
    await installation.start()
    async with installation.bot() as bot:
        await bot.send("send.home.anna.remember_fact", {"text": "Anna is allergic to walnuts."})
        await installation.at_rest()
    await installation.stop()
    return installation.files.root


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("damage", "told"), DAMAGES, ids=[damage.__name__.strip("_") for damage, _ in DAMAGES])
def test_what_is_damaged_is_named_and_nothing_is_made_in_its_place(
    lived_in: Path, tmp_path: Path, damage: Callable[[DataDir], None], told: str
) -> None:
    root = tmp_path / "data"
    shutil.copytree(lived_in, root)
    damage(DataDir(root))
    for command in (("init",), ("up", "--port", "0", "--http-port", "0", "--gateway-port", "0"), ("verify",)):
        said = memstream(root, *command)
        assert said.code == 7, (command, said.err)
        assert told in said.err, command
        assert "backup" in said.err
        assert "memstream init" not in said.err
    assert DataDir(root).keys.exists() == (damage is not _without_keys)


def test_an_installation_that_was_interrupted_while_it_was_made_is_made_to_its_end(tmp_path: Path) -> None:
    root = tmp_path / "data"
    assert memstream(root, "init").code == 0
    shutil.rmtree(DataDir(root).nats_store)  # as if it had ended before the streams were made
    DataDir(root).credentials.unlink()
    assert memstream(root, "init").code == 0
    assert memstream(root, "verify").code == 0


def test_a_folder_of_which_only_what_was_built_is_left_is_no_new_one(lived_in: Path, tmp_path: Path) -> None:
    root = tmp_path / "data"
    shutil.copytree(lived_in / "retriever", root / "retriever")
    for command in (("init",), ("up", "--port", "0")):
        said = memstream(root, *command)
        assert said.code == 7
        assert "is missing, beside index.db" in said.err


@pytest.mark.parametrize("usual", [8642, 8643])
def test_a_port_that_is_taken_is_told_of_with_the_one_in_its_place(tmp_path: Path, usual: int) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", usual))
        except OSError:
            pass  # another program has it: just as well
        else:
            taken.listen()
        said = _banner(tmp_path / "data")
    assert f"port {usual} is taken, so it is http://127.0.0.1:" in said


def _banner(root: Path) -> str:
    """What `up` prints when it is ready; it is ended then."""
    environment = {**os.environ, "COLUMNS": "200", "MEMSTREAM_EMBEDDER_KIND": "none", "MEMSTREAM_DATA_DIR": str(root)}
    command = [sys.executable, "-m", "memstream", "up", "--port", "0"]
    lines = []
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as up:
        assert up.stdout is not None
        for line in up.stdout:
            lines.append(line)
            if line.startswith("memstream runs"):
                break
        up.send_signal(signal.SIGTERM)
    return "".join(lines)
