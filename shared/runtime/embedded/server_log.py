"""Takes the names of people out of the server's log, which notes the subject of whatever it refuses."""

import re
from pathlib import Path

_LINE = re.compile(rb"^.*\[(?:ERR|WRN|FTL)\].*$", re.MULTILINE)
_QUOTED = re.compile(rb"""(User )?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
_FIRST_TOKEN = re.compile(rb"""["'][\w$-]+\.(?=\S+$)""")
_BOT = b"User "
_NAMED = re.compile(rb"[^.*>\"'\s]")


def mask_subjects(log: Path) -> int:
    """Overwrite all but the first token of what is quoted in warnings and errors, in old files too; return how many were.

    The bytes are changed in their places, for the server goes on writing at the end. Raises OSError.
    """
    return sum(_mask(path) for path in sorted(log.parent.glob(f"{log.name}*")))


def _mask(path: Path) -> int:
    masked = 0
    with path.open("r+b") as file:
        for line in _LINE.finditer(file.read()):
            for quoted in _QUOTED.finditer(line[0]):
                hidden = _without_names(quoted[0])
                if hidden != quoted[0]:
                    file.seek(line.start() + quoted.start())
                    file.write(hidden)
                    masked += 1
    return masked


def _without_names(quoted: bytes) -> bytes:
    if quoted.startswith(_BOT):
        return quoted
    shown = _FIRST_TOKEN.match(quoted)
    kept = shown.end() if shown else 1
    return quoted[:kept] + _NAMED.sub(b"x", quoted[kept:-1]) + quoted[-1:]
