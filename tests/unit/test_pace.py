"""The pace of a backlog is asked for in one thread while another goes on with the work."""

import sys
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from services.maintenance.domain.pace import Pace


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching")
def test_the_pace_is_told_while_more_is_done() -> None:
    pace, is_done = Pace(), Event()

    def work() -> None:
        for number in range(50_000):
            pace.note(1, number / 100)
        is_done.set()

    worker = Thread(target=work)
    worker.start()
    while not is_done.is_set():
        assert pace.per_s(500.0) >= 0
    worker.join()
    assert pace.per_s(500.0) == pytest.approx(100, rel=0.02)
