"""A process has as many files open as it may, and keeps to what it may."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from shared.runtime import open_file_limit
from shared.runtime.open_file_limit import allow_open_files, databases_kept_open
from tests.support.logs import told_by

_OF_A_PROCESS = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from shared.runtime.open_file_limit import allow_open_files
print(allow_open_files(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(("soft", "hard", "allowed"), [(256, 512, 512), (512, 512, 512)])
def test_the_limit_is_raised_as_far_as_the_system_lets_us(soft: int, hard: int, allowed: int) -> None:
    script = _OF_A_PROCESS.format(soft=soft, hard=hard)
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(allowed)] * 2


def test_a_limit_that_is_high_enough_stays() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert allow_open_files() >= min(before[0], 65_536)
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] == before[1]


def test_fewer_databases_are_kept_open_where_the_limit_is_low(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_file_limit, "allow_open_files", lambda: 1_024)
    with told_by(open_file_limit) as told:
        assert databases_kept_open(100, files_each=5) == 100
        assert told == []
        assert databases_kept_open(256, files_each=5) == 164
    assert [(each["event"], each["limit"], each["kept_open"]) for each in told] == [("files.few", 1_024, 164)]
