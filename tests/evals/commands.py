"""Runs `memstream eval ...` as a person would."""

from __future__ import annotations

from typing import Any

from shared.runtime.settings import child_environment
from tests.support.forks import Printed, printed


def evaluated(*arguments: str, **environment: str) -> dict[str, Any]:
    """What the command prints as JSON."""
    done = command(*arguments, **environment)
    assert done.code == 0, done.err
    return done.document


def command(*arguments: str, **environment: str) -> Printed:
    """`memstream --json eval <arguments>`, with this much of the environment changed."""
    return printed("memstream", "--json", "eval", *arguments, environment=child_environment(environment))
