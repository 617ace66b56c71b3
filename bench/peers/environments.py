"""Environments of peers, each of its own under the data folder: nothing of theirs is installed beside memstream."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements")
_LONGEST_S = 900
_DONE = "installed"


class NotInstalled(Exception):
    """A peer's packages could not be installed; the message says what to do."""


def python_with(requirements: Path, folder: Path) -> Path:
    """The interpreter of an environment with these requirements, made at first use. Raises NotInstalled.

    Its folder is named by what is required: other versions get another environment.
    """
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]
    environment = folder / f"{requirements.stem}-{sys.version_info.major}.{sys.version_info.minor}-{digest}"
    python = environment / "bin" / "python"
    if not (environment / _DONE).exists():
        print(f"installing {requirements.stem} into {environment.name}; the next time it is there already", flush=True)
        shutil.rmtree(environment, ignore_errors=True)
        _uv("venv", "--python", sys.executable, str(environment))
        _uv("pip", "install", "--python", str(python), "--requirements", str(requirements))
        (environment / _DONE).touch()
    return python


def _uv(*arguments: str) -> None:
    command = [sys.executable, "-m", "uv", *arguments, "--quiet"]
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise NotInstalled(_advice(f"it took longer than {_LONGEST_S} s", arguments)) from error
    if made.returncode:
        raise NotInstalled(_advice(" ".join(made.stderr.split())[-400:], arguments))


def _advice(reason: str, arguments: tuple[str, ...]) -> str:
    return (
        f"{reason}. Installing needs `make setup`, which brings uv, and a package index that uv knows of (UV_INDEX_URL)."
        f" When `python -m uv {' '.join(arguments)}` works, so does this; without it, name the others after `--peers`."
    )
