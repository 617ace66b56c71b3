"""Who waits for a projection is told how far it has come, and how long the rest takes."""

from __future__ import annotations

from shared.runtime import long_work
from shared.runtime.long_work import LongWork
from tests.support.logs import told_by


def test_what_takes_long_is_told_every_five_seconds_with_the_time_that_is_left() -> None:
    now = 0.0
    with told_by(long_work) as told:
        work = LongWork("projection.being_made", "ingest", lambda: now)
        for now in (1.0, 5.0, 6.0, 10.0):
            work(int(now) * 100, 2_000 - int(now) * 100)
    assert [(each["applied"], each["left"], each["left_s"]) for each in told] == [(500, 1_500, 15), (1_000, 1_000, 10)]
    assert {(each["event"], each["projection"]) for each in told} == {("projection.being_made", "ingest")}
