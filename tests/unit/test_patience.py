"""Processes in which nobody waits for anything leave the processor to the others."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from threading import Event, Thread

import pytest

from shared.runtime.processes import be_patient

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there each thread has a niceness of its own")


def _niceness() -> list[int]:
    """The niceness of this thread, of one that ran before it became patient, and of one that began after."""
    done, found = Event(), [0, 0]

    def older() -> None:
        done.wait()
        found[0] = os.getpriority(os.PRIO_PROCESS, 0)

    def younger() -> None:
        found[1] = os.getpriority(os.PRIO_PROCESS, 0)

    threads = [Thread(target=older)]
    threads[0].start()
    be_patient()
    done.set()
    threads.append(Thread(target=younger))
    threads[1].start()
    for thread in threads:
        thread.join()
    return [os.getpriority(os.PRIO_PROCESS, 0), *found]


def test_every_thread_of_a_patient_process_gives_way() -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as another:  # a niceness can only grow
        assert another.submit(_niceness).result(timeout=60) == [max(before, 10)] * 3
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
