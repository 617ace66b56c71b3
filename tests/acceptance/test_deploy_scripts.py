"""deploy/backup.sh and deploy/restore.sh, with a `docker` that runs on this machine what it is told to run in a container."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memstream.cli.backup_folder import Manifest
from memstream.cli.kept_forgettings import write_forgettings
from tests.acceptance.processes import Installation
from tests.support.forks import printed

ROOT = Path(__file__).parents[2]
VOLUME = "/var/lib/memstream"
Script = Callable[..., subprocess.CompletedProcess[str]]

# `docker compose --file FILE COMMAND ...`; of the volume the place on this machine is in $VOLUME.
DOCKER = f"""#!{sys.executable}
import os, shutil, subprocess, sys

def here(word):
    return word.replace("{VOLUME}", os.environ["VOLUME"])

def run(*words):
    sys.exit(subprocess.run([*map(here, words)]).returncode)

compose, option, file, command, *rest = sys.argv[1:]
assert (compose, option, os.path.basename(file)) == ("compose", "--file", "compose.yaml"), sys.argv
if command == "exec":
    assert rest[:2] == ["-T", "server"], rest
    run(*rest[2:])
elif command == "cp":
    container, path = rest[0].split(":")
    assert container == "server"
    shutil.copytree(here(path), rest[1])
elif command == "run":
    assert rest[:6] == ["--rm", "--no-deps", "-T", "--entrypoint", "sh", "server"], rest
    run("sh", *rest[6:])
else:
    assert command in ("ps", "up"), command
"""


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Runs one of the scripts on a volume."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "docker").write_text(DOCKER)
    (programs / "memstream").write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m memstream "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)

    def run(name: str, *arguments: str | Path, volume: Path, url: str = "") -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "VOLUME": str(volume),
            "MEMSTREAM_DATA_DIR": str(volume),
            "MEMSTREAM_NATS_URL": url,
        }
        command = [str(ROOT / "deploy" / name), *map(str, arguments)]
        return subprocess.run(command, env=environment, check=False, capture_output=True, text=True)

    return run


@pytest.mark.timeout(240)
async def test_the_scripts_back_up_prune_and_restore_and_overwrite_nothing(
    installation: Installation, script: Script, tmp_path: Path
) -> None:
    async with installation.bot() as bot:
        sequence = await bot.send("send.home.anna.user_message", {"session_id": "s", "text": "I live in York."})
        await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 20})
    backups, volume = tmp_path / "backups", installation.files.root
    made = []
    for _ in range(3):
        result = await asyncio.to_thread(script, "backup.sh", backups, "2", volume=volume, url=installation.server.url)
        assert result.returncode == 0, result.stderr
        made.append(Path(result.stdout.splitlines()[-1]))
        await asyncio.sleep(1.1)  # a backup bears the second in which it was made
    assert sorted(backups.iterdir()) == made[1:]
    Manifest.read(made[-1]).require_whole(made[-1])
    assert [path.name for path in installation.files.backups.iterdir()] == [made[-1].name], "a receipt names it"

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    listed = tmp_path / "forgotten"
    write_forgettings(listed, Manifest.read(made[-1]).keys, [])
    restored = await asyncio.to_thread(script, "restore.sh", made[-1], listed, volume=elsewhere)
    assert restored.returncode == 0, restored.stderr
    assert "0 forgettings that came after the backup" in restored.stdout
    verified = await asyncio.to_thread(
        printed, "memstream", "verify", "--json", "--data-dir", str(elsewhere), environment={**os.environ}
    )
    assert verified.document["types"]["episode_recorded"] == 1
    keys = (elsewhere / "keys.toml").read_bytes()
    again = await asyncio.to_thread(script, "restore.sh", made[-1], volume=elsewhere)
    assert again.returncode == 7
    assert "nothing is overwritten" in again.stderr
    assert (elsewhere / "keys.toml").read_bytes() == keys
    assert list((elsewhere / "backups").iterdir()) == []
