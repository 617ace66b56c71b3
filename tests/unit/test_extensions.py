"""numpy multiplies in the thread that asks, unless the operator says otherwise."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shared.runtime.settings import child_environment

_MULTIPLY = """
import threading
from pathlib import Path
from shared.runtime.extensions import import_extensions
import_extensions()
import numpy
rows = numpy.ones((600, 600), numpy.float32)
rows @ rows
print(len(list(Path("/proc/self/task").iterdir())))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize(("set_by_operator", "threads"), [({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, 2)])
def test_matrices_take_one_thread_if_nothing_else_is_set(set_by_operator: dict[str, str], threads: int) -> None:
    environment = {name: value for name, value in child_environment({}).items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", _MULTIPLY], capture_output=True, text=True, check=True, env={**environment, **set_by_operator}
    )
    assert int(done.stdout) == threads
