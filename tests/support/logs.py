"""What the services tell their log, whatever ran in this process before."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from structlog.testing import capture_logs

from shared.runtime.logs import log


@contextmanager
def told_logs() -> Iterator[list[MutableMapping[str, Any]]]:
    """The lines that are logged within the block.

    The logger keeps how it was first configured, and a test of the command line configures it: so what it kept is let go.
    """
    vars(log).pop("bind", None)
    try:
        with capture_logs() as told:
            yield told
    finally:
        vars(log).pop("bind", None)
