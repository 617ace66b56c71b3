"""Takes the names of people out of the server's log, which notes the subject of whatever it refuses."""

import re
from pathlib import Path

_LINE = re.compile(rb"^.*\[(?:ERR|WRN|FTL)\].*$", re.MULTILINE)
_QUOTED = re.compile(rb"""(User )?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
_OURS = re.compile(rb"""["'](?:send|ask|gate|memory|rejected|work|admin|_INBOX|\$\w+)\.(?=\S+$)""")
"""What our subjects and the server's begin with. Whatever else comes first is somebody's, as in `anna.user_message`."""
_BOT = b"User "
_STRANGER = b"authentication error"
"""Says that nobody of this name may log in: it may be a person's, whom a bot took for its own name."""
_NAMED = re.compile(rb"[^.*>\"'\s]")


def mask_subjects(log: Path) -> int:
    """Overwrite what is quoted in warnings and errors, but for a subject's `send`, `ask` and the like; return how many were.

    Old files are masked too. The names of users stay, but for those who may not log in.
    The bytes are changed in their places, for the server goes on writing at the end. Raises OSError.
    """
    return sum(_mask(path) for path in sorted(log.parent.glob(f"{log.name}*")))


def _mask(path: Path) -> int:
    masked = 0
    with path.open("r+b") as file:
        for line in _LINE.finditer(file.read()):
            for quoted in _QUOTED.finditer(line[0]):
                hidden = _without_names(quoted[0], is_known=_STRANGER not in line[0])
                if hidden != quoted[0]:
                    file.seek(line.start() + quoted.start())
                    file.write(hidden)
                    masked += 1
    return masked


def _without_names(quoted: bytes, *, is_known: bool) -> bytes:
    is_user = quoted.startswith(_BOT)
    if is_user and is_known:
        return quoted
    shown = _OURS.match(quoted)
    kept = shown.end() if shown else len(_BOT) * is_user + 1
    return quoted[:kept] + _NAMED.sub(b"x", quoted[kept:-1]) + quoted[-1:]
