"""Runs `memstream eval ...` as a person would."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from shared.runtime.settings import child_environment


def evaluated(*arguments: str, **environment: str) -> Any:  # noqa: ANN401 - JSON
    """What the command prints as JSON."""
    done = command(*arguments, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`memstream --json eval <arguments>`, with this much of the environment changed."""
    line = [sys.executable, "-P", "-m", "memstream", "--json", "eval", *arguments]
    return subprocess.run(line, env=child_environment(environment), capture_output=True, text=True, check=False)
