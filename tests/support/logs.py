"""What the services tell their log, whatever ran in this process before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from structlog.testing import capture_logs

from shared.runtime.logs import log

Line = MutableMapping[str, Any]


class _Heard:
    """A logger that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def __getattr__(self, level: str) -> Callable[..., None]:
        return lambda event, **said: self.lines.append({"event": event, "log_level": level, **said})


@contextmanager
def told_by(module: ModuleType) -> Iterator[list[Line]]:
    """The lines that a module logs within the block, however logs are configured, and were before."""
    heard = _Heard()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "log", heard)
        yield heard.lines


@contextmanager
def told_logs() -> Iterator[list[Line]]:
    """The lines that anybody logs within the block.

    The logger keeps how it was first configured, and a test of the command line configures it: so what it kept is let go.
    """
    vars(log).pop("bind", None)
    try:
        with capture_logs() as told:
            yield told
    finally:
        vars(log).pop("bind", None)
