"""What threads free is not kept for each of them."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from weakref import ref

import pytest

from shared.runtime.heap import collecting_afterwards

_ROOT = Path(__file__).parents[2]
_THREADS = """
import ctypes, sys, threading
from shared.runtime.heap import bound_heap
if sys.argv[1] == "bound":
    assert bound_heap()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
together = threading.Barrier(8)
def work():
    together.wait()
    for _ in range(100):
        libc.malloc(50_000)
    together.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc.fopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, out)
libc.fclose(out)
"""


@pytest.mark.skipif(sys.platform != "linux" or not hasattr(__import__("ctypes").CDLL(None), "malloc_info"), reason="glibc only")
@pytest.mark.parametrize("how", ["bound", "unbound"])
def test_threads_share_two_arenas(tmp_path: Path, how: str) -> None:
    told = tmp_path / "arenas.xml"
    subprocess.run([sys.executable, "-c", _THREADS, how, str(told)], cwd=_ROOT, check=True)
    arenas = told.read_text(encoding="utf-8").count("<heap nr=")
    assert (arenas <= 2) == (how == "bound")


_FREED = """
import ctypes, os
from shared.runtime.heap import settle_heap
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
pieces = [ctypes.c_void_p(libc.malloc(50_000)) for _ in range(2_000)]
for piece in pieces:
    libc.memset(piece, 1, 50_000)
for piece in pieces[:-1]:  # the last one lies above them
    libc.free(piece)
def resident():
    with open("/proc/self/statm") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before = resident()
settle_heap()
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux" or not hasattr(__import__("ctypes").CDLL(None), "malloc_trim"), reason="glibc only")
def test_what_was_freed_goes_back_to_the_system_when_all_is_loaded() -> None:
    ran = subprocess.run([sys.executable, "-c", _FREED], cwd=_ROOT, check=True, capture_output=True, text=True)
    assert int(ran.stdout) > 50_000_000


class _Loop:
    """Refers to itself, so that only the collector finds it."""

    def __init__(self) -> None:
        self.itself = self


def test_garbage_of_a_block_that_keeps_what_it_makes_is_found_at_its_end() -> None:
    with collecting_afterwards():
        assert not gc.isenabled()
        made = ref(_Loop())
        assert made() is not None
    assert gc.isenabled()
    assert made() is None
