"""Commands that a person can copy: with the program as it was called, and the data folder where it is not the usual one."""

import re
import shlex
import shutil
import sys
from pathlib import Path

from shared.runtime.settings import RuntimeSettings

_COMMAND = re.compile(r"`memstream ([^`]*)`")


def command(words: str, data_dir: Path) -> str:
    """The call of a command on this data folder."""
    usual = RuntimeSettings.model_fields["data_dir"].get_default(call_default_factory=True)
    folder = "" if data_dir.expanduser().absolute() == usual else f" --data-dir {shlex.quote(str(data_dir))}"
    return f"{_program()} {words}{folder}"


def copyable(message: str, data_dir: Path) -> str:
    """The message, every command in it written as it must be called here."""
    return _COMMAND.sub(lambda found: f"`{command(found[1], data_dir)}`", message)


def _program() -> str:
    called = sys.argv[0]
    if Path(called).name != "memstream":
        return f"{shlex.quote(sys.executable)} -m memstream"
    found = shutil.which("memstream")
    return "memstream" if found and Path(found).absolute() == Path(called).absolute() else shlex.quote(called)
