"""numpy is imported by whoever needs it first, in whichever thread: sqlite-vec begins with a part of it."""

import subprocess
import sys

import pytest

_RACE = """
import sys, threading
from pathlib import Path
from shared.domain.arrays import np
from shared.runtime.sqlite import open_database

sys.setswitchinterval(1e-5)
barrier, failures = threading.Barrier(2), []

def run(step):
    barrier.wait()
    try:
        step()
    except Exception as error:
        failures.append(error)

steps = (lambda: np.float32, open_database(Path(sys.argv[1]) / "vectors.db", with_vectors=True).connect)
threads = [threading.Thread(target=run, args=(step,)) for step in steps]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(repr(failures) if failures else 0)
"""


@pytest.mark.parametrize("attempt", range(3))
def test_two_threads_that_begin_with_different_parts_of_numpy_both_get_it(tmp_path: object, attempt: int) -> None:
    ran = subprocess.run([sys.executable, "-c", _RACE, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False)
    assert (attempt, ran.returncode, ran.stderr) == (attempt, 0, "")
